// The loop over the terms of totals, the other CPU code that depends on the pass. Free of torch.
//
// A loop in float reduces the terms in registers. Loops in double and int64_t are row loops, whose results are
// reduced afterwards. totals.h runs both.
#pragma once

#include <cstdint>

#include <fusewise/cpu/lanes.h>
#include <fusewise/cpu/row_loop.h>

namespace fusewise {

// Reduces rows of `count` terms to kMostLanes lanes for each write and row: lane i takes the terms i,
// i + kMostLanes and so on. The lanes of write w and row r begin at lanes + (w * rows + r) * kMostLanes. The memory
// of the reads must be accessible up to the next multiple of kMostLanes elements.
using TermLoop = void (*)(const Stream* reads, const Number* params, const Dtype* types, int64_t count,
                          int64_t rows, float* lanes);

namespace detail {
inline namespace FUSEWISE_CAPABILITY {

// Prefetches what the loop reads a page later. The loop may be so short that its own loads wait for memory before the
// processor has seen a pattern in them.
RT_FN void prefetch(const Stream& stream, int64_t i) {
  constexpr int64_t kAhead = 4096;
  const char* const from = stream.data + i * stream.step + kAhead;
  for (int64_t byte = 0; byte < rt::kLanes * stream.step; byte += kLine) __builtin_prefetch(from + byte);
}

// The terms of a pass at one place of a row.
template <class Op, bool kGiven>
RT_FN void vector_of_terms(const Stream* streams, const float* params, const float* hoisted, const Dtype* types,
                           int64_t i, rt::Vec<float>* terms) {
  using V = rt::Vec<float>;
  V in[Op::kReads];
  V constants[Op::kParams + 1];
  V values[kHoisted<Op> + 1];
#pragma GCC unroll 32
  for (int k = 0; k < Op::kReads; ++k) in[k] = load(streams[k], i);
#pragma GCC unroll 32
  for (int k = 0; k < Op::kParams; ++k) constants[k] = V(params[k]);
  if constexpr (kGiven) {
#pragma GCC unroll 32
    for (int k = 0; k < kHoisted<Op>; ++k) values[k] = V(hoisted[k]);
  } else {
    hoist<Op>(in, constants, values);
  }
  apply<Op>(in, constants, values, types, terms);
}

template <int kWrites, uint32_t kMaxima>
RT_FN void take(rt::Vec<float>* lanes, const rt::Vec<float>* terms) {
#pragma GCC unroll 32
  for (int w = 0; w < kWrites; ++w) {
    if ((kMaxima >> w & 1) == 0) lanes[w] = lanes[w] + terms[w];
    else lanes[w] = where((lanes[w] > terms[w]) | (lanes[w] != lanes[w]), lanes[w], terms[w]);  // as Maximum
  }
}

// Replaces the terms from `count` on, which are not of the row, by numbers that change no total.
template <int kWrites, uint32_t kMaxima>
RT_FN void clear_rest(rt::Vec<float>* terms, int64_t count) {
  for (int w = 0; w < kWrites; ++w) {
    const bool is_maximum = (kMaxima >> w & 1) != 0;
    alignas(64) float values[rt::kLanes];
    rt::store(values, terms[w]);
    for (int64_t i = count; i < rt::kLanes; ++i) {
      values[i] = is_maximum ? Maximum<float>::kNeutral : Sum<float>::kNeutral;
    }
    terms[w] = rt::load(values);
  }
}

// Reduces one row. A register file does not hold all lanes on every processor, so it takes kLanes of them at a
// time. If kGiven, `hoisted` holds the row-invariant values.
template <class Op, uint32_t kMaxima, bool kGiven>
RT_FN void one_row_of_terms(const Stream* streams, const float* params, const float* hoisted,
                            const Dtype* types, int64_t count, float* lanes, int64_t lanes_step) {
  using V = rt::Vec<float>;
  for (int64_t first = 0; first < kMostLanes; first += rt::kLanes) {
    V totals[Op::kWrites];
    V terms[Op::kWrites];
#pragma GCC unroll 32
    for (int w = 0; w < Op::kWrites; ++w) {
      totals[w] = V((kMaxima >> w & 1) != 0 ? Maximum<float>::kNeutral : Sum<float>::kNeutral);
    }
    int64_t i = first;
    for (; i + rt::kLanes <= count; i += kMostLanes) {
#pragma GCC unroll 32
      for (int k = 0; k < Op::kReads; ++k) {
        if ((kRowScalars<Op> >> k & 1) == 0) prefetch(streams[k], i);
      }
      vector_of_terms<Op, kGiven>(streams, params, hoisted, types, i, terms);
      take<Op::kWrites, kMaxima>(totals, terms);
    }
    if (i < count) {
      vector_of_terms<Op, kGiven>(streams, params, hoisted, types, i, terms);
      clear_rest<Op::kWrites, kMaxima>(terms, count - i);
      take<Op::kWrites, kMaxima>(totals, terms);
    }
#pragma GCC unroll 32
    for (int w = 0; w < Op::kWrites; ++w) rt::store(lanes + w * lanes_step + first, totals[w]);
  }
}

template <class Op, uint32_t kMaxima>
void float_terms(const Stream* reads, const Number* params, const Dtype* types, int64_t count, int64_t rows,
                 float* lanes) {
  static_assert(PassInterface<Op, float> && PassInterface<Op, rt::Vec<float>>);
  Stream streams[Op::kReads];                        // local copies, which no store can change
  alignas(64) float copies[Op::kReads][rt::kLanes];  // of row scalars
  uint32_t row_scalars = 0;
  for (int k = 0; k < Op::kReads; ++k) {
    streams[k] = reads[k];
    if (reads[k].step != 0) continue;
    row_scalars |= uint32_t{1} << k;
    streams[k] = {reinterpret_cast<char*>(copies[k]), 0, 0, Dtype::kFloat};
  }
  float constants[Op::kParams + 1];
  for (int k = 0; k < Op::kParams; ++k) constants[k] = params[k].as<float>();
  float hoisted[kHoisted<Op> + 1];
  const bool hoists_per_row = (row_scalars & kHoistedFrom<Op>) == kHoistedFrom<Op>;
  for (int64_t row = 0; row < rows; ++row, lanes += kMostLanes) {
    float in[Op::kReads] = {};
    for (int k = 0; k < Op::kReads; ++k) {
      if ((row_scalars >> k & 1) == 0) continue;
      in[k] = load_as<float>(reads[k].data + row * reads[k].row_step, reads[k].dtype);
      rt::store(copies[k], rt::Vec<float>(in[k]));
    }
    if (hoists_per_row) {
      hoist<Op>(in, constants, hoisted);
      one_row_of_terms<Op, kMaxima, true>(streams, constants, hoisted, types, count, lanes, rows * kMostLanes);
    } else {
      one_row_of_terms<Op, kMaxima, false>(streams, constants, hoisted, types, count, lanes, rows * kMostLanes);
    }
    for (Stream& stream : streams) stream.data += stream.row_step;
  }
}

}  // inline namespace FUSEWISE_CAPABILITY

#if defined(FUSEWISE_PORTABLE)
// The other builds of the same file define these, if there are such.
namespace avx2 {
template <class Op, uint32_t kMaxima>
void float_terms(const Stream* reads, const Number* params, const Dtype* types, int64_t count, int64_t rows,
                 float* lanes);
}
namespace avx512 {
template <class Op, uint32_t kMaxima>
void float_terms(const Stream* reads, const Number* params, const Dtype* types, int64_t count, int64_t rows,
                 float* lanes);
}
#endif

template <class Op, uint32_t kMaxima>
RT_FN TermLoop best_float_terms() {
#if defined(FUSEWISE_PORTABLE)
  switch (cpu_capability()) {
#if defined(FUSEWISE_WITH_AVX512)
    case Capability::kAvx512: return avx512::float_terms<Op, kMaxima>;
#endif
#if defined(FUSEWISE_WITH_AVX2)
    case Capability::kAvx2: return avx2::float_terms<Op, kMaxima>;
#endif
    default: break;
  }
#endif
  return float_terms<Op, kMaxima>;
}

}  // namespace detail
}  // namespace fusewise
