// Sums on the CPU. Their order depends on the loop alone, so that all machines give the same bits.
#pragma once

#include <algorithm>
#include <cmath>

#include <fusewise/core/reduction.h>
#include <fusewise/cpu/conversions.h>
#include <fusewise/cpu/rows.h>

namespace fusewise {

// A sum is added up in this many lanes on every machine, whatever the width of its vectors.
template <class T>
void add_to_lanes(T* lanes, const T* values, int64_t count) {
  int64_t i = 0;
  for (; i + kMostLanes <= count; i += kMostLanes) {
    for (int lane = 0; lane < kMostLanes; ++lane) lanes[lane] += values[i + lane];
  }
  for (int lane = 0; i < count; ++i, ++lane) lanes[lane] += values[i];
}

template <class T>
T sum_of_lanes(T* lanes) {
  for (int width = kMostLanes / 2; width > 0; width /= 2) {
    for (int lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
  }
  return lanes[0];
}

template <class T>
struct LaneSums {
  alignas(64) T lanes[kMostLanes];
  T totals[kMostLanes];  // of lanes that had enough terms
};

// Sums the partial sums of the outputs from `begin` to `end`, up to the first that does not lie beside the
// one before it. Returns how many outputs it wrote.
template <class T>
int64_t sum_partials(const Finalize& finalize, const T* partials, const Conversions<T>& conversions,
                     int64_t begin, int64_t end) {
  const bool keeps = finalize.num_kept > 0;
  const int64_t most = keeps ? finalize.kept_sizes[0] - begin % finalize.kept_sizes[0] : 1;
  const int64_t count = std::min({end - begin, most, kCpuBuffer});
  partials += finalize.offset;
  char* data = finalize.data;
  for (int d = 0; d < finalize.num_kept; ++d) {
    const int64_t index = begin % finalize.kept_sizes[d];
    begin /= finalize.kept_sizes[d];
    partials += index * finalize.kept_steps[d];
    data += index * finalize.kept_strides[d];
  }
  const int64_t step = keeps ? finalize.kept_steps[0] : 0;
  const int64_t stride = keeps ? finalize.kept_strides[0] : 0;
  // Sums of groups: rounding errors grow at most with the square root of the number of terms.
  const int64_t group = std::max<int64_t>(1, static_cast<int64_t>(std::sqrt(finalize.terms)));
  T totals[kCpuBuffer];
  T group_totals[kCpuBuffer];
  std::fill_n(totals, count, T(0));
  for (int64_t first = 0; first < finalize.terms; first += group) {
    std::fill_n(group_totals, count, T(0));
    for (int64_t i = first; i < std::min(first + group, finalize.terms); ++i) {
      const T* const terms = partials + finalize.place_of(i);
      for (int64_t j = 0; j < count; ++j) group_totals[j] += terms[j * step];
    }
    for (int64_t j = 0; j < count; ++j) totals[j] += group_totals[j];
  }
  conversions.narrow(data, totals, finalize.dtype, stride, count);
  return count;
}

}  // namespace fusewise
