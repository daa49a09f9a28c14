// Sums and maxima in lanes, compiled for each capability.
#include <fusewise/cpu/capability.h>
#include <fusewise/cpu/lanes.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <fusewise/cpu/vector.h>

namespace fusewise {

namespace {

// Combines the upper half of 2 * kWidth numbers with the lower half, and so on. The total is the first number.
template <class Reduction, int kWidth, class R, int... kItem>
RT_FN R folded(R x, std::integer_sequence<int, kItem...> items) {
  if constexpr (kWidth == 0) return x;
  else {
    constexpr int kCount = sizeof...(kItem);
    const R upper = __builtin_shufflevector(x, x, ((kItem + kWidth) % kCount)...);
    return folded<Reduction, kWidth / 2>(Reduction::combine(x, upper), items);
  }
}

// The total of whole groups of kMostLanes terms.
template <class Reduction, class T>
RT_FN T row_total(const T* terms, int64_t count) {
  using R = typename rt::Registers<typename Reduction::Number>::Register;
  constexpr int kItems = rt::kRegisterBytes / static_cast<int>(sizeof(T));
  constexpr int kRegisters = kMostLanes / kItems;
  constexpr int kTogether = 4;  // registers of lanes in a loop over the terms
  R lanes[kRegisters];
  _Pragma("GCC unroll 8") for (int first = 0; first < kRegisters; first += kTogether) {
    R part[kTogether];
    for (R& x : part) x = R{} + Reduction::kNeutral;
    for (int64_t i = first * kItems; i < count; i += kMostLanes) {
      _Pragma("GCC unroll 4") for (int r = 0; r < kTogether; ++r) {
        R x;
        memcpy(&x, terms + i + r * kItems, sizeof(x));
        part[r] = Reduction::combine(part[r], x);
      }
    }
    _Pragma("GCC unroll 4") for (int r = 0; r < kTogether; ++r) lanes[first + r] = part[r];
  }
  _Pragma("GCC unroll 8") for (int width = kRegisters / 2; width > 0; width /= 2) {
    _Pragma("GCC unroll 16") for (int r = 0; r < width; ++r) {
      lanes[r] = Reduction::combine(lanes[r], lanes[r + width]);
    }
  }
  const auto items = std::make_integer_sequence<int, kItems>();
  return static_cast<T>(folded<Reduction, kItems / 2>(lanes[0], items)[0]);
}

template <class Reduction, class T>
void reduce_rows(T* terms, int64_t count, int64_t rows, T* totals) {
  const int64_t whole = whole_lanes(count);
  for (int64_t row = 0; row < rows; ++row, terms += whole) {
    std::fill(terms + count, terms + whole, Reduction::kNeutral);
    totals[row] = row_total<Reduction>(terms, whole);
  }
}

template <class Reduction>
void merge(float* numbers, const float* others, int64_t count) {
  for (int64_t i = 0; i < count; i += rt::kRegisterLanes) {
    rt::FloatRegister a, b;
    memcpy(&a, numbers + i, sizeof(a));
    memcpy(&b, others + i, sizeof(b));
    a = Reduction::combine(a, b);
    memcpy(numbers + i, &a, sizeof(a));
  }
}

// The halves of the rows in two registers: kStart is 0 for the lower ones, and kWidth / 2 for the upper ones.
template <int kWidth, int kStart, int... kLane>
RT_FN rt::FloatRegister halves(rt::FloatRegister a, rt::FloatRegister b, std::integer_sequence<int, kLane...>) {
  constexpr int kHalf = kWidth / 2;
  return __builtin_shufflevector(a, b, (kLane / kHalf * kWidth + kLane % kHalf + kStart)...);
}

// Combines the upper half of each row with the lower half, which makes rows of half the width.
template <class Reduction, int kWidth>
RT_FN void halve_rows(float* terms, int64_t count) {
  constexpr int kLanes = rt::kRegisterLanes;
  for (int64_t i = 0; i < count; i += 2 * kLanes) {
    // Registers that hold parts of one row are combined whole.
    constexpr bool kWhole = kWidth >= 2 * kLanes;
    const int64_t first = kWhole ? i / kWidth * kWidth + i % kWidth / 2 : i;
    rt::FloatRegister a, b;
    memcpy(&a, terms + first, sizeof(a));
    memcpy(&b, terms + first + (kWhole ? kWidth / 2 : kLanes), sizeof(b));
    if constexpr (kWhole) {
      a = Reduction::combine(a, b);
    } else {
      const auto lanes = std::make_integer_sequence<int, kLanes>();
      a = Reduction::combine(halves<kWidth, 0>(a, b, lanes), halves<kWidth, kWidth / 2>(a, b, lanes));
    }
    memcpy(terms + i / 2, &a, sizeof(a));
  }
}

template <class Reduction, int kWidth>
RT_FN void reduce_halves(float* terms, int64_t width, int64_t count) {
  if constexpr (kWidth > 1) {
    if (width >= kWidth) {
      halve_rows<Reduction, kWidth>(terms, count);
      count /= 2;
    }
    reduce_halves<Reduction, kWidth / 2>(terms, width, count);
  }
}

template <class Reduction>
void reduce_packed(float* terms, int64_t length, int64_t width, int64_t rows) {
  const int64_t count = rows * width;
  if (length < width) {
    bool is_term[kMostLanes];
    for (int64_t i = 0; i < kMostLanes; ++i) is_term[i] = i % width < length;
    for (int64_t first = 0; first < count; first += kMostLanes) {
      for (int64_t i = 0; i < kMostLanes; ++i) {
        terms[first + i] = is_term[i] ? terms[first + i] : Reduction::kNeutral;
      }
    }
  }
  reduce_halves<Reduction, kMostLanes>(terms, width, count);
}

}  // namespace

inline namespace FUSEWISE_CAPABILITY {

BatchReductions own_batch_reductions() {
  return {{merge<Sum<float>>, reduce_packed<Sum<float>>}, {merge<Maximum<float>>, reduce_packed<Maximum<float>>}};
}

template <class T>
LaneReductions<T> own_lane_reductions() {
  return {reduce_rows<Sum<T>, T>, reduce_rows<Maximum<T>, T>};
}

template LaneReductions<float> own_lane_reductions();
template LaneReductions<double> own_lane_reductions();
template LaneReductions<int64_t> own_lane_reductions();

}  // inline namespace FUSEWISE_CAPABILITY

#if defined(FUSEWISE_PORTABLE)
// The other builds of this file define these, if there are such.
namespace avx2 {
template <class T>
LaneReductions<T> own_lane_reductions();
BatchReductions own_batch_reductions();
}
namespace avx512 {
template <class T>
LaneReductions<T> own_lane_reductions();
BatchReductions own_batch_reductions();
}

template <class T>
LaneReductions<T> lane_reductions() {
  switch (cpu_capability()) {
#if defined(FUSEWISE_WITH_AVX512)
    case Capability::kAvx512: return avx512::own_lane_reductions<T>();
#endif
#if defined(FUSEWISE_WITH_AVX2)
    case Capability::kAvx2: return avx2::own_lane_reductions<T>();
#endif
    default: break;
  }
  return own_lane_reductions<T>();
}

template LaneReductions<float> lane_reductions();
template LaneReductions<double> lane_reductions();
template LaneReductions<int64_t> lane_reductions();

BatchReductions batch_reductions() {
  switch (cpu_capability()) {
#if defined(FUSEWISE_WITH_AVX512)
    case Capability::kAvx512: return avx512::own_batch_reductions();
#endif
#if defined(FUSEWISE_WITH_AVX2)
    case Capability::kAvx2: return avx2::own_batch_reductions();
#endif
    default: break;
  }
  return own_batch_reductions();
}
#endif

}  // namespace fusewise
