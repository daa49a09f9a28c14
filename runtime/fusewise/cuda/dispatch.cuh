// The choice of the vector type for a loop: vectorized access of one storage type if all operands allow it,
// else strided access. Free of torch.
#pragma once

#include <fusewise/cuda/strided.cuh>
#include <fusewise/cuda/vectorized.cuh>

namespace fusewise::cuda {

// True if no operand needs more precision than LowPrecision has: all have 16 bits, but for bool reads and
// writes of one byte.
bool is_low_precision(const Loop& loop);

// True if S holds the value of an absent read exactly.
template <class S>
bool holds_fill(const Operand& read) {
  const auto fill = read.fill.as<Compute<S>>();
  return fill != fill || widen<Compute<S>>(narrow<S>(fill)) == fill;
}

// True if every operand has the dtype that the pass stores it as beside S, or is an absent read whose fill S
// holds exactly. A pass that rounds to dtypes reads those of absent operands too.
template <class Op, class S>
bool is_uniform(const Loop& loop) {
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    const bool is_read = k < loop.num_reads;
    if (operand.data != nullptr || (is_read && kRounds<Op>)) {
      if (operand.dtype != stored_dtype<Op>(k, dtype_of<S>())) return false;
    }
    if (operand.data == nullptr && is_read && !holds_fill<S>(operand)) return false;
  }
  return true;
}

template <class Runner, class Storage>
struct Dispatch;

// Calls Runner::run<Vector> with the widest vector type that the loop allows.
template <class Runner, class... S>
struct Dispatch<Runner, Dtypes<S...>> {
  static constexpr bool kWithFloat8 = (kIsFloat8<S> || ...);

  template <class T>
  static constexpr bool kComputes = (std::is_same_v<Compute<S>, T> || ...);

  // Elements of a vector with strided access: up to 16 bytes. Registers do not suffice for sums of eight
  // elements.
  template <class T>
  static constexpr int kCount = !Runner::kVectorizes || sizeof(T) == 8   ? 1
                                : !std::is_same_v<T, rt::LowPrecision> ? 4
                                : Runner::kTakesPartialVectors         ? 8
                                                                       : 1;

  template <class T>
  static Status run_strided(const Loop& loop, const Number* params, const Launch& launch) {
    if constexpr (Runner::kTakesPartialVectors) {
      return Runner::template run<Strided<T, kCount<T>, kWithFloat8>>(loop, params, launch);
    } else {
      if (inner_size(loop) % kCount<T> == 0) {
        return Runner::template run<Strided<T, kCount<T>, kWithFloat8>>(loop, params, launch);
      }
      return Runner::template run<Strided<T, 1, kWithFloat8>>(loop, params, launch);
    }
  }

  template <class Candidate>
  static bool try_vectorized(const Loop& loop, const Number* params, const Launch& launch,
                             Status& status) {
    constexpr bool kComputesInFloat = std::is_same_v<Compute<Candidate>, float>;
    if constexpr (Runner::kVectorizes && kComputesInFloat && !kIsFloat8<Candidate>) {
      if (!is_uniform<typename Runner::Pass, Candidate>(loop)) return false;
      return Runner::template try_vectorized<Candidate>(loop, params, launch, status);
    } else {
      return false;
    }
  }

  static Status run(const Loop& loop, const Number* params, const Launch& launch) {
    constexpr Status kNone{"no kernel was compiled for this dtype"};
    if (!kWithFloat8 && writes_float8(loop)) return kNone;
    if constexpr (kComputes<float>) {
      if (loop.compute == Dtype::kFloat) {
        Status status;
        if ((try_vectorized<S>(loop, params, launch, status) || ...)) return status;
        if constexpr (Runner::kVectorizes && (kIsSixteenBit<S> || ...)) {
          if (is_low_precision(loop)) {
            return run_strided<rt::LowPrecision>(loop, params, launch);
          }
        }
        return run_strided<float>(loop, params, launch);
      }
    }
    if constexpr (kComputes<double>) {
      if (loop.compute == Dtype::kDouble) {
        return run_strided<double>(loop, params, launch);
      }
    }
    if constexpr (kComputes<int64_t>) {
      if (loop.compute == Dtype::kInt64) {
        return run_strided<int64_t>(loop, params, launch);
      }
    }
    return kNone;
  }
};

}  // namespace fusewise::cuda
