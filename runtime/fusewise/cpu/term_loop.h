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
// of the reads must be accessible up to the next multiple of kMostLanes elements. If `held` is not null, the terms of
// one write, which the loop is compiled with, are also stored there: whole_lanes(count) for each row.
using TermLoop = void (*)(const Stream* reads, const Number* params, const Dtype* types, int64_t count,
                          int64_t rows, float* lanes, float* held);

inline constexpr int kHoldsNone = -1;

namespace detail {
inline namespace FUSEWISE_CAPABILITY {

// Prefetches what the loop reads a page later. The loop may be so short that its own loads wait for memory before the
// processor has seen a pattern in them. If rows of kMostLanes elements lie apart, the next call probably reads the
// elements that follow.
template <class Op>
RT_FN void prefetch(const Stream* streams, int64_t row, int64_t i, int64_t count) {
  constexpr int64_t kPage = 4096;
#pragma GCC unroll 32
  for (int k = 0; k < Op::kReads; ++k) {
    if ((kRowScalars<Op> >> k & 1) != 0) continue;
    const Stream stream = in_row(streams[k], row);
    const int64_t group = kMostLanes * stream.step;
    const int64_t ahead = count > kMostLanes || stream.row_step == group ? kPage : group;
    prefetch_lines(stream.data + i * stream.step + ahead, rt::kLanes * stream.step);
  }
}

template <int kWrites, uint32_t kMaxima>
RT_FN void take(rt::Vec<float>* lanes, const rt::Vec<float>* terms) {
#pragma GCC unroll 32
  for (int w = 0; w < kWrites; ++w) {
    if ((kMaxima >> w & 1) == 0) lanes[w] = lanes[w] + terms[w];
    else lanes[w] = where((lanes[w] > terms[w]) | (lanes[w] != lanes[w]), lanes[w], terms[w]);  // as Maximum
  }
}

template <uint32_t kMaxima>
RT_FN constexpr float neutral(int w) {
  return (kMaxima >> w & 1) != 0 ? Maximum<float>::kNeutral : Sum<float>::kNeutral;
}

// Replaces the terms from `count` on, which are not of the row, by numbers that change no total.
template <int kWrites, uint32_t kMaxima>
RT_FN void clear_rest(rt::Vec<float>* terms, int64_t count) {
  for (int w = 0; w < kWrites; ++w) {
    alignas(64) float values[rt::kLanes];
    rt::store(values, terms[w]);
    for (int64_t i = count; i < rt::kLanes; ++i) values[i] = neutral<kMaxima>(w);
    terms[w] = rt::load(values);
  }
}

template <int kHeld>
RT_FN void hold([[maybe_unused]] float* held, [[maybe_unused]] int64_t i,
                [[maybe_unused]] const rt::Vec<float>* terms) {
  if constexpr (kHeld != kHoldsNone) {
    if (held != nullptr) rt::store(held + i, terms[kHeld]);
  }
}

// Reduces one row, of which the hoisted values are given. A register file does not hold all lanes on every processor,
// so it takes kLanes of them at a time.
template <class Op, uint32_t kMaxima, int kHeld>
RT_FN void one_row_of_terms(const Stream* streams, const RowScalars<Op>& scalars, const float* params,
                            const float* hoisted, const Dtype* types, int64_t count, float* lanes,
                            int64_t lanes_step, float* held) {
  using V = rt::Vec<float>;
  for (int64_t first = 0; first < kMostLanes; first += rt::kLanes) {
    V totals[Op::kWrites];
    V terms[Op::kWrites];
#pragma GCC unroll 32
    for (int w = 0; w < Op::kWrites; ++w) totals[w] = V(neutral<kMaxima>(w));
    for (int64_t i = first; i < count; i += kMostLanes) {
      prefetch<Op>(streams, 0, i, count);
      one_vector<Op>(streams, scalars, params, hoisted, types, i, terms);
      if (count - i < rt::kLanes) [[unlikely]] clear_rest<Op::kWrites, kMaxima>(terms, count - i);
      hold<kHeld>(held, i, terms);
      take<Op::kWrites, kMaxima>(totals, terms);
    }
#pragma GCC unroll 32
    for (int w = 0; w < Op::kWrites; ++w) rt::store(lanes + w * lanes_step + first, totals[w]);
  }
}

// Adds one vector of some rows to their lanes. In all these rows the hoisted values are those of the first row. Row
// scalars are read again from the second row on.
template <class Op, uint32_t kMaxima, int kHeld>
RT_FN void one_column_of_terms(const Stream* streams, RowScalars<Op>& scalars, const float* params, const Dtype* types,
                               int64_t i, int64_t count, int64_t rows, float* lanes, int64_t lanes_step, float* held) {
  using V = rt::Vec<float>;
  V in[Op::kReads];
  V constants[Op::kParams + 1];
  V values[kHoisted<Op> + 1];
  V terms[Op::kWrites];
  V totals[Op::kWrites];
#pragma GCC unroll 32
  for (int k = 0; k < Op::kParams; ++k) constants[k] = V(params[k]);
  load_vectors<Op>(streams, scalars, 0, i, in);
  hoist<Op>(in, constants, values);
  lanes += i % kMostLanes;
  for (int64_t row = 0; row < rows; ++row, lanes += kMostLanes) {
    if (row > 0) scalars.read(streams, row);
    prefetch<Op>(streams, row, i, count);
    load_vectors<Op>(streams, scalars, row, i, in);
    apply<Op>(in, constants, values, types, terms);
    if (count - i < rt::kLanes) clear_rest<Op::kWrites, kMaxima>(terms, count - i);
    hold<kHeld>(held, row * whole_lanes(count) + i, terms);
#pragma GCC unroll 32
    for (int w = 0; w < Op::kWrites; ++w) totals[w] = rt::load(lanes + w * lanes_step);
    take<Op::kWrites, kMaxima>(totals, terms);
#pragma GCC unroll 32
    for (int w = 0; w < Op::kWrites; ++w) rt::store(lanes + w * lanes_step, totals[w]);
  }
}

template <class Op, uint32_t kMaxima, int kHeld>
void float_terms(const Stream* reads, const Number* params, const Dtype* types, int64_t count, int64_t rows,
                 float* lanes, float* held) {
  static_assert(PassInterface<Op, float> && PassInterface<Op, rt::Vec<float>>);
  constexpr bool kHoists = kHoisted<Op> != 0 && kHoistedFrom<Op> != 0;
  Stream streams[Op::kReads];  // local copies, which no store can change
  for (int k = 0; k < Op::kReads; ++k) streams[k] = reads[k];
  RowScalars<Op> scalars(streams);
  float constants[Op::kParams + 1];
  for (int k = 0; k < Op::kParams; ++k) constants[k] = params[k].as<float>();
  float hoisted[kHoisted<Op> + 1];
  const int64_t lanes_step = rows * kMostLanes;
  if (!kHoists || scalars.hoists_per_row()) {
    for (int64_t row = 0; row < rows; ++row, lanes += kMostLanes) {
      scalars.read(streams, 0);
      if (row == 0 || kHoists) hoist<Op>(scalars.values, constants, hoisted);
      one_row_of_terms<Op, kMaxima, kHeld>(streams, scalars, constants, hoisted, types, count, lanes, lanes_step, held);
      for (Stream& stream : streams) stream.data += stream.row_step;
      if (held != nullptr) held += whole_lanes(count);
    }
    return;
  }
  for (int w = 0; w < Op::kWrites; ++w) {
    for (int64_t i = 0; i < lanes_step; ++i) lanes[w * lanes_step + i] = neutral<kMaxima>(w);
  }
  const int64_t together = hoists_per_column<Op>(streams) ? rows : 1;
  for (int64_t row = 0; row < rows; row += together, lanes += together * kMostLanes) {
    for (int64_t i = 0; i < count; i += rt::kLanes) {
      if (i == 0 || together > 1) scalars.read(streams, 0);
      one_column_of_terms<Op, kMaxima, kHeld>(streams, scalars, constants, types, i, count, together, lanes, lanes_step,
                                              held);
    }
    for (Stream& stream : streams) stream.data += together * stream.row_step;
    if (held != nullptr) held += together * whole_lanes(count);
  }
}

}  // inline namespace FUSEWISE_CAPABILITY

#if defined(FUSEWISE_PORTABLE)
// The other builds of the same file define these, if there are such.
namespace avx2 {
template <class Op, uint32_t kMaxima, int kHeld>
void float_terms(const Stream* reads, const Number* params, const Dtype* types, int64_t count, int64_t rows,
                 float* lanes, float* held);
}
namespace avx512 {
template <class Op, uint32_t kMaxima, int kHeld>
void float_terms(const Stream* reads, const Number* params, const Dtype* types, int64_t count, int64_t rows,
                 float* lanes, float* held);
}
#endif

template <class Op, uint32_t kMaxima, int kHeld>
RT_FN TermLoop best_float_terms() {
#if defined(FUSEWISE_PORTABLE)
  switch (cpu_capability()) {
#if defined(FUSEWISE_WITH_AVX512)
    case Capability::kAvx512: return avx512::float_terms<Op, kMaxima, kHeld>;
#endif
#if defined(FUSEWISE_WITH_AVX2)
    case Capability::kAvx2: return avx2::float_terms<Op, kMaxima, kHeld>;
#endif
    default: break;
  }
#endif
  return float_terms<Op, kMaxima, kHeld>;
}

}  // namespace detail
}  // namespace fusewise
