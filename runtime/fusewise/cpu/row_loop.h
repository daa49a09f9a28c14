// The row loop of a pass on the CPU, the only CPU code that depends on the pass. Free of torch.
//
// A loop in float processes vectors; its operands may mix float, half and bfloat16, and some reads may have
// integers. Loops in double and int64_t process single elements. executor.cpp runs the row loops of all passes.
#pragma once

#include <cstdint>
#include <type_traits>

#include <fusewise/cpu/capability.h>
#include <fusewise/core/pass.h>
#include <fusewise/cpu/rows.h>
#include <fusewise/cpu/simd.h>

// Declares the iterations of the next loop independent. Clang needs no declaration: it tests this at run time.
#if defined(__clang__)
#define RT_IVDEP
#else
#define RT_IVDEP _Pragma("GCC ivdep")
#endif

namespace fusewise {

namespace detail {
inline namespace FUSEWISE_CAPABILITY {

static_assert(kMostLanes % rt::kLanes == 0);

// The type of an operand is tested for each vector. A loop for each mixture of types would be much code, and
// the test costs nothing compared with the work of a vector.

RT_FN rt::Vec<float> load(const Stream& stream, int64_t i) {
  const char* const from = stream.data + i * stream.step;
  switch (stream.dtype) {
    case Dtype::kHalf: return rt::load(reinterpret_cast<const half*>(from));
    case Dtype::kBFloat16: return rt::load(reinterpret_cast<const bfloat16*>(from));
    default: return rt::load(reinterpret_cast<const float*>(from));
  }
}

// The same for a read of integers or bools, which a buffer may hold as floats.
RT_FN rt::Vec<float> load_integers(const Stream& stream, int64_t i) {
  const char* const from = stream.data + i * stream.step;
  switch (stream.dtype) {
    case Dtype::kBool:
    case Dtype::kUInt8: return rt::load(reinterpret_cast<const uint8_t*>(from));
    case Dtype::kInt8: return rt::load(reinterpret_cast<const int8_t*>(from));
    case Dtype::kInt32: return rt::load(reinterpret_cast<const int32_t*>(from));
    default: return load(stream, i);
  }
}

RT_FN void store_dense(const Stream& stream, int64_t i, const rt::Vec<float>& x, bool bypasses) {
  char* const to = stream.data + i * stream.step;
  switch (stream.dtype) {
    case Dtype::kHalf: return rt::store(reinterpret_cast<half*>(to), x, bypasses);
    case Dtype::kBFloat16: return rt::store(reinterpret_cast<bfloat16*>(to), x, bypasses);
    default: return rt::store(reinterpret_cast<float*>(to), x, bypasses);
  }
}

RT_FN void store(const Stream& stream, int64_t i, const rt::Vec<float>& x) {
  if (stream.written <= Written::kPastCaches) [[likely]] {
    return store_dense(stream, i, x, stream.written == Written::kPastCaches);
  }
  if (stream.written == Written::kDropped) return;
  const int64_t place = stream.step == 0 ? i % kMostLanes : i;
  float* const sums = reinterpret_cast<float*>(stream.data) + place;
  rt::store(sums, rt::load(sums) + x);
}

RT_FN bool is_interleaved(const Stream& stream) {
  return stream.step == 2 * size_of(stream.dtype);
}

RT_FN rt::Pair load_pair(const Stream& stream, int64_t i) {
  Stream dense = stream;
  dense.step = size_of(stream.dtype);
  return rt::deinterleaved({load(dense, 2 * i), load(dense, 2 * i + rt::kLanes)});
}

RT_FN void store_pair(const Stream& stream, int64_t i, const rt::Pair& x) {
  Stream dense = stream;
  dense.step = size_of(stream.dtype);
  const rt::Pair turns = rt::interleaved(x);
  store(dense, 2 * i, turns.first);
  store(dense, 2 * i + rt::kLanes, turns.second);
}

// The reads of a pass that are row scalars, and their values in one row.
template <class Op>
struct RowScalars {
  explicit RT_FN RowScalars(const Stream* operands) {
    for (int k = 0; k < Op::kReads; ++k) {
      if (operands[k].step == 0) mask |= uint32_t{1} << k;
    }
  }

  RT_FN void read(const Stream* operands, int64_t row) {
    for (int k = 0; k < Op::kReads; ++k) {
      if (has(k)) values[k] = load_as<float>(operands[k].data + row * operands[k].row_step, operands[k].dtype);
    }
  }

  RT_FN bool has(int k) const { return (mask >> k & 1) != 0; }

  // True if hoisted values are the same for all elements of a row.
  RT_FN bool hoists_per_row() const { return (mask & kHoistedFrom<Op>) == kHoistedFrom<Op>; }

  float values[Op::kReads] = {};
  uint32_t mask = 0;
};

// True if hoisted values are the same in all rows.
template <class Op>
RT_FN bool hoists_per_column(const Stream* operands) {
  for (int k = 0; k < Op::kReads; ++k) {
    if ((kHoistedFrom<Op> >> k & 1) && operands[k].row_step != 0) return false;
  }
  return true;
}

RT_FN Stream in_row(Stream stream, int64_t row) {
  stream.data += row * stream.row_step;
  return stream;
}

template <class Op>
RT_FN void load_vectors(const Stream* streams, const RowScalars<Op>& scalars, int64_t row, int64_t i,
                        rt::Vec<float>* in) {
#pragma GCC unroll 32
  for (int k = 0; k < Op::kReads; ++k) {
    const Stream stream = in_row(streams[k], row);
    if (scalars.has(k)) {
      in[k] = rt::Vec<float>(scalars.values[k]);
    } else if ((kInterleaved<Op> >> k & 1) && is_interleaved(stream)) {
      const rt::Pair pair = load_pair(stream, i);
      in[k] = pair.first;
      in[++k] = pair.second;
    } else if ((kIntegers<Op> >> k & 1) != 0) {
      in[k] = load_integers(stream, i);
    } else {
      in[k] = load(stream, i);
    }
  }
}

template <class Op>
RT_FN void store_vectors(const Stream* streams, int64_t row, int64_t i, const rt::Vec<float>* out) {
  const auto begins_pair = [&](int w) {
    return (kInterleaved<Op> >> (Op::kReads + w) & 1) != 0 && is_interleaved(streams[Op::kReads + w]);
  };
#pragma GCC unroll 32
  for (int w = 0; w < Op::kWrites; ++w) {
    if (w > 0 && begins_pair(w - 1)) continue;  // stored with the first
    const Stream stream = in_row(streams[Op::kReads + w], row);
    if (w + 1 < Op::kWrites && begins_pair(w)) store_pair(stream, i, {out[w], out[w + 1]});
    else store(stream, i, out[w]);
  }
}

// The results at one place of a row, of which the hoisted values are given.
template <class Op>
RT_FN void one_vector(const Stream* streams, const RowScalars<Op>& scalars, const float* params, const float* hoisted,
                      const Dtype* types, int64_t i, rt::Vec<float>* out) {
  using V = rt::Vec<float>;
  V in[Op::kReads];
  V constants[Op::kParams + 1];
  V values[kHoisted<Op> + 1];
  load_vectors<Op>(streams, scalars, 0, i, in);
#pragma GCC unroll 32
  for (int k = 0; k < Op::kParams; ++k) constants[k] = V(params[k]);
#pragma GCC unroll 32
  for (int k = 0; k < kHoisted<Op>; ++k) values[k] = V(hoisted[k]);
  apply<Op>(in, constants, values, types, out);
}

// Runs one row, of which the hoisted values are given.
template <class Op>
RT_FN void one_row(const Stream* streams, const RowScalars<Op>& scalars, const float* params, const float* hoisted,
                   const Dtype* types, int64_t count) {
  for (int64_t i = 0; i < count; i += rt::kLanes) {
    rt::Vec<float> out[Op::kWrites];
    one_vector<Op>(streams, scalars, params, hoisted, types, i, out);
    store_vectors<Op>(streams, 0, i, out);
  }
}

// Runs one vector of some rows, in all of which the hoisted values are those of the first row. Row scalars are read
// again from the second row on.
template <class Op>
RT_FN void one_column(const Stream* streams, RowScalars<Op>& scalars, const float* params, const Dtype* types,
                      int64_t i, int64_t rows) {
  using V = rt::Vec<float>;
  V in[Op::kReads];
  V constants[Op::kParams + 1];
  V values[kHoisted<Op> + 1];
  V out[Op::kWrites];
#pragma GCC unroll 32
  for (int k = 0; k < Op::kParams; ++k) constants[k] = V(params[k]);
  load_vectors<Op>(streams, scalars, 0, i, in);
  hoist<Op>(in, constants, values);
  for (int64_t row = 0; row < rows; ++row) {
    if (row > 0) scalars.read(streams, row);
    load_vectors<Op>(streams, scalars, row, i, in);
    apply<Op>(in, constants, values, types, out);
    store_vectors<Op>(streams, row, i, out);
  }
}

template <class Op>
void float_rows(const Stream* operands, const Number* params, const Dtype* types, int64_t count,
                int64_t rows) {
  static_assert(PassInterface<Op, float> && PassInterface<Op, rt::Vec<float>>);
  constexpr int kOperands = Op::kReads + Op::kWrites;
  constexpr bool kHoists = kHoisted<Op> != 0 && kHoistedFrom<Op> != 0;
  Stream streams[kOperands];  // local copies, which no store can change
  for (int k = 0; k < kOperands; ++k) streams[k] = operands[k];
  RowScalars<Op> scalars(streams);
  float constants[Op::kParams + 1];
  for (int k = 0; k < Op::kParams; ++k) constants[k] = params[k].as<float>();
  float hoisted[kHoisted<Op> + 1];
  if (!kHoists || scalars.hoists_per_row()) {
    for (int64_t row = 0; row < rows; ++row) {
      scalars.read(streams, 0);
      if (row == 0 || kHoists) hoist<Op>(scalars.values, constants, hoisted);
      one_row<Op>(streams, scalars, constants, hoisted, types, count);
      for (Stream& stream : streams) stream.data += stream.row_step;
    }
    return;
  }
  const int64_t together = hoists_per_column<Op>(streams) ? rows : 1;
  for (int64_t row = 0; row < rows; row += together) {
    for (int64_t i = 0; i < count; i += rt::kLanes) {
      if (i == 0 || together > 1) scalars.read(streams, 0);
      one_column<Op>(streams, scalars, constants, types, i, together);
    }
    for (Stream& stream : streams) stream.data += together * stream.row_step;
  }
}

}  // inline namespace FUSEWISE_CAPABILITY

template <class Op, class T>
void scalar_rows(const Stream* operands, const Number* params, const Dtype* types, int64_t count,
                 int64_t) {
  static_assert(PassInterface<Op, T>);
  const T* in[Op::kReads];
  T* out[Op::kWrites];
  T constants[Op::kParams + 1];
  for (int k = 0; k < Op::kReads; ++k) in[k] = reinterpret_cast<const T*>(operands[k].data);
  for (int w = 0; w < Op::kWrites; ++w) {
    out[w] = reinterpret_cast<T*>(operands[Op::kReads + w].data);
  }
  for (int k = 0; k < Op::kParams; ++k) constants[k] = params[k].template as<T>();
  // A write may overwrite a read in place, at the same index; otherwise rows do not overlap.
  RT_IVDEP
  for (int64_t i = 0; i < count; ++i) {
    T x[Op::kReads];
    T y[Op::kWrites];
    for (int k = 0; k < Op::kReads; ++k) x[k] = in[k][i];
    T hoisted[kHoisted<Op> + 1];
    hoist<Op>(x, constants, hoisted);
    apply<Op>(x, constants, hoisted, types, y);
    for (int w = 0; w < Op::kWrites; ++w) out[w][i] = y[w];
  }
}

#if defined(FUSEWISE_PORTABLE)
// The other builds of the same file define these, if there are such.
namespace avx2 {
template <class Op>
void float_rows(const Stream* operands, const Number* params, const Dtype* types, int64_t count,
                int64_t rows);
}
namespace avx512 {
template <class Op>
void float_rows(const Stream* operands, const Number* params, const Dtype* types, int64_t count,
                int64_t rows);
}
#endif

template <class Op>
RT_FN RowLoop best_float_rows() {
#if defined(FUSEWISE_PORTABLE)
  switch (cpu_capability()) {
#if defined(FUSEWISE_WITH_AVX512)
    case Capability::kAvx512: return avx512::float_rows<Op>;
#endif
#if defined(FUSEWISE_WITH_AVX2)
    case Capability::kAvx2: return avx2::float_rows<Op>;
#endif
    default: break;
  }
#endif
  return float_rows<Op>;
}

template <class Op>
RT_FN constexpr CpuPass cpu_pass_of(RowLoop row_loop) {
  return {row_loop, Op::kInstructions, kInterleaved<Op>, kIntegers<Op>};
}

template <class T, class Storage>
inline constexpr bool kComputes = false;
template <class T, class... S>
inline constexpr bool kComputes<T, Dtypes<S...>> = (std::is_same_v<Compute<S>, T> || ...);

// Calls run(row_loop) with the row loop of a pass for a compute type, which is the template argument of `run`.
template <class Op, class Storage, class Run>
RT_FN Status with_row_loop(Dtype compute, const Run& run) {
  if constexpr (kComputes<float, Storage>) {
    if (compute == Dtype::kFloat) {
      run.template operator()<float>(best_float_rows<Op>());
      return {};
    }
  }
#if defined(FUSEWISE_PORTABLE)  // the same code on every processor
  if constexpr (kComputes<double, Storage>) {
    if (compute == Dtype::kDouble) {
      run.template operator()<double>(scalar_rows<Op, double>);
      return {};
    }
  }
  if constexpr (kComputes<int64_t, Storage>) {
    if (compute == Dtype::kInt64) {
      run.template operator()<int64_t>(scalar_rows<Op, int64_t>);
      return {};
    }
  }
#endif
  return {"no kernel was compiled for this dtype"};
}

}  // namespace detail

template <class Op, class Storage>
RT_FN Status run_cpu(const Loop& loop, const Number* params, const Launch& launch) {
  return detail::with_row_loop<Op, Storage>(loop.compute, [&]<class T>(RowLoop row_loop) {
    run_rows<T>(loop, params, launch, detail::cpu_pass_of<Op>(row_loop));
  });
}

}  // namespace fusewise
