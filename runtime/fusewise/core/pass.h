// The interface of a pass: the members of the struct that the generator writes for every pass of an op. Free of
// torch; shared by CPU and CUDA.
//
// A pass computes the elements of its writes from the elements of its reads and from params. Operands are
// numbered, the reads before the writes; a set of operands is a mask with a bit for each. Every pass has
//
//   kReads, kWrites, kParams  the numbers of its reads, writes and params
//   kInstructions             roughly the instructions for an element, beside values that are hoisted from params
//                             and kRowScalars alone
//   apply(reads, params, hoisted, types, writes)
//                             computes an element. The value type T is a template parameter. A pass without
//                             hoisted values has no parameter `hoisted`; only a pass that rounds to the dtypes
//                             of its reads has the parameter `types`.
//
// and may have
//
//   kHoisted                  the number of values that are computed before the elements of a row
//   hoist(reads, params, hoisted)
//                             computes these values
//   kHoistedFrom              the reads that hoisted values and the divisors of div_shared depend on. They are
//                             computed once for a row if all these reads are row scalars. These are reads of
//                             kRowScalars; in a pass without typical shapes they may be any.
//   kInterleaved              the operands that are the first part of an interleaved tensor; the next operand is
//                             the second part
//   kIntegers                 the reads with an integer or a bool for each element
//   kRowScalars               the reads that are row scalars at the typical shapes: one value for a whole row
//   kRepeated                 the reads that are smaller than the loop at the typical shapes
//   kCopied                   the reads that the first writes copy, in the order of the reads; named where these
//                             writes are the terms of maxima
//   kFull, kSummed            if the same writes are sums at all typical shapes: the operands that are as large
//                             as the loop there, and the writes that are sums. 0 in a pass with kTwoAxis
//   kTwoAxis                  true if two writes are sums over different dimensions at a typical shape; see
//                             two_axis.cuh
//   stored_dtype(operand, storage)
//                             the dtype of an operand if the tensors of the call have the dtype `storage`. It
//                             differs from `storage` only for operands with a fixed dtype of one byte
#pragma once

#include <fusewise/core/loop.h>

namespace fusewise {

#define FUSEWISE_OPTIONAL_MEMBER(Type, name) \
  template <class Op>                        \
  inline constexpr Type name = 0;            \
  template <class Op>                        \
    requires requires { Op::name; }          \
  inline constexpr Type name<Op> = Op::name;

FUSEWISE_OPTIONAL_MEMBER(int, kHoisted)
FUSEWISE_OPTIONAL_MEMBER(uint32_t, kHoistedFrom)
FUSEWISE_OPTIONAL_MEMBER(uint32_t, kInterleaved)
FUSEWISE_OPTIONAL_MEMBER(uint32_t, kIntegers)
FUSEWISE_OPTIONAL_MEMBER(uint32_t, kRowScalars)
FUSEWISE_OPTIONAL_MEMBER(uint32_t, kRepeated)
FUSEWISE_OPTIONAL_MEMBER(uint32_t, kCopied)
FUSEWISE_OPTIONAL_MEMBER(uint32_t, kFull)
FUSEWISE_OPTIONAL_MEMBER(uint32_t, kSummed)
FUSEWISE_OPTIONAL_MEMBER(bool, kTwoAxis)

#undef FUSEWISE_OPTIONAL_MEMBER

template <class Op>
RT_FN constexpr Dtype stored_dtype(int operand, Dtype storage) {
  if constexpr (requires { Op::stored_dtype(operand, storage); }) {
    return Op::stored_dtype(operand, storage);
  } else {
    return storage;
  }
}

// The forms of `apply` for the value type T.
template <class Op, class T, bool kWithHoisted, bool kWithTypes>
concept Applies = requires(const T* reads, const T* params, const T* hoisted, const Dtype* types, T* writes) {
  requires !kWithHoisted || requires(T* values) { Op::hoist(reads, params, values); };
  requires (kWithHoisted && kWithTypes && requires { Op::apply(reads, params, hoisted, types, writes); }) ||
               (kWithHoisted && !kWithTypes && requires { Op::apply(reads, params, hoisted, writes); }) ||
               (!kWithHoisted && kWithTypes && requires { Op::apply(reads, params, types, writes); }) ||
               (!kWithHoisted && !kWithTypes && requires { Op::apply(reads, params, writes); });
};

// True if the pass rounds to the dtypes of its reads.
template <class Op>
inline constexpr bool kRounds = Applies<Op, float, (kHoisted<Op> > 0), true>;

// Op is a pass, and T is a value type that it computes in.
template <class Op, class T>
concept PassInterface =
    Op::kReads > 0 && Op::kWrites > 0 && Op::kReads + Op::kWrites <= kMaxOperands && Op::kParams >= 0 &&
    Op::kInstructions >= 0 && (kHoistedFrom<Op> | kRowScalars<Op> | kRepeated<Op>) >> Op::kReads == 0 &&
    kSummed<Op> >> Op::kReads << Op::kReads == kSummed<Op> && (kFull<Op> & kSummed<Op>) == 0 &&
    Applies<Op, T, (kHoisted<Op> > 0), kRounds<Op>>;

// Calls the `hoist` of a pass, if it has one.
template <class Op, class T>
RT_FN void hoist([[maybe_unused]] const T* reads, [[maybe_unused]] const T* params,
                 [[maybe_unused]] T* hoisted) {
  if constexpr (kHoisted<Op> != 0) {
    using rt::settled;
    Op::hoist(reads, params, hoisted);
    for (int k = 0; k < kHoisted<Op>; ++k) hoisted[k] = settled(hoisted[k]);
  }
}

// Calls the `apply` of a pass with the arguments that it takes.
template <class Op, class T>
RT_FN void apply(const T* reads, const T* params, [[maybe_unused]] const T* hoisted,
                 [[maybe_unused]] const Dtype* types, T* writes) {
  if constexpr (kHoisted<Op> != 0 && kRounds<Op>) Op::apply(reads, params, hoisted, types, writes);
  else if constexpr (kHoisted<Op> != 0) Op::apply(reads, params, hoisted, writes);
  else if constexpr (kRounds<Op>) Op::apply(reads, params, types, writes);
  else Op::apply(reads, params, writes);
}

}  // namespace fusewise
