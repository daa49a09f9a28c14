// The computation of a pass on vectors, for vectorized and strided access. The maths of an element is the same
// code for both, so its bits are the same. Free of torch.
#pragma once

#include <fusewise/cuda/strided.cuh>
#include <fusewise/cuda/vectorized.cuh>

namespace fusewise::cuda {

// The dtype of an operand. With vectorized access it is known at compile time.
template <class Vector, template <class, class> class Any, class Op>
__device__ __forceinline__ Dtype type_of(const Any<Op, typename Vector::Value>& arguments, int k) {
  if constexpr (Vector::kIsVectorized) return stored_dtype<Op>(k, Vector::kType);
  else return arguments.operands[k].dtype;
}

template <class Op, class Vector>
inline constexpr bool kMovesInterleaved = Vector::kIsVectorized && kInterleaved<Op> != 0;

// An interleaved pair is two operands that are the parts of one interleaved tensor.
template <class Op>
RT_FN constexpr bool is_second_of_pair(int k) {
  return k > 0 && (kInterleaved<Op> >> (k - 1) & 1) != 0;
}
template <class Op>
RT_FN constexpr bool is_of_pair(int k) {
  return (kInterleaved<Op> >> k & 1) != 0 || is_second_of_pair<Op>(k);
}

// With kAreKnown all operands that may be interleaved are interleaved; otherwise the loop is tested.
template <bool kAreKnown, class Op, class T>
__device__ __forceinline__ bool is_first_of_pair(const Arguments<Op, T>& arguments, int k) {
  return (kInterleaved<Op> >> k & 1) != 0 && (kAreKnown || (arguments.interleaved >> k & 1) != 0);
}

// Separates the loaded vectors of interleaved pairs into a vector of each part.
template <bool kAreKnown = false, class Op, class Vector>
__device__ __forceinline__ void deinterleave(const Arguments<Op, typename Vector::Value>& arguments,
                                           Vector (&reads)[Op::kReads]) {
  if constexpr (kMovesInterleaved<Op, Vector>) {
#pragma unroll
    for (int k = 0; k + 1 < Op::kReads; ++k) {
      if (is_first_of_pair<kAreKnown>(arguments, k)) Vector::deinterleave(reads[k], reads[k + 1]);
    }
  }
}

// Converts results to the vectors that are stored, and interleaves those of interleaved pairs.
template <bool kAreKnown = false, class Op, class Vector>
__device__ __forceinline__ void pack_writes(
    const Arguments<Op, typename Vector::Value>& arguments,
    const typename Vector::Value (&results)[Op::kWrites][Vector::kSize],
    Vector (&writes)[Op::kWrites]) {
#pragma unroll
  for (int w = 0; w < Op::kWrites; ++w) {
    writes[w].set(type_of<Vector>(arguments, Op::kReads + w), results[w]);
  }
  if constexpr (kMovesInterleaved<Op, Vector>) {
#pragma unroll
    for (int w = 0; w + 1 < Op::kWrites; ++w) {
      if (is_first_of_pair<kAreKnown>(arguments, Op::kReads + w)) {
        Vector::interleave(writes[w], writes[w + 1]);
      }
    }
  }
}

template <class Op, class Vector>
using HoistedOf = typename Vector::Value[kHoisted<Op> + 1];

// How often hoisted values are computed: for every vector, for every element, or as the arguments say.
enum class Hoisting { kPerVector, kPerElement, kTested };

// Computes every element of a vector. With kPerVector the hoisted values are the same for all elements: they are
// computed from the first element, unless `is_hoisted` says that `hoisted` already holds them. The reads in
// kAlike, a bit each, have one value for all elements.
template <class Op, class Vector,
          Hoisting kHoisting = kHoistedFrom<Op> == 0 ? Hoisting::kPerVector : Hoisting::kTested,
          uint32_t kAlike = kHoisting == Hoisting::kPerVector ? kHoistedFrom<Op> : 0, class Any>
__device__ __forceinline__ void apply_vector(
    const Any& arguments, const Vector (&reads)[Op::kReads], HoistedOf<Op, Vector>& hoisted,
    bool is_hoisted, typename Vector::Value (&results)[Op::kWrites][Vector::kSize]) {
  using T = typename Vector::Value;
  constexpr bool kIsTested = kHoisting == Hoisting::kTested && Vector::kSize > 1;
  Dtype types[Op::kReads];
#pragma unroll
  for (int k = 0; k < Op::kReads; ++k) types[k] = type_of<Vector>(arguments, k);
  const auto read_element = [&](int i, T (&in)[Op::kReads]) {
#pragma unroll
    for (int k = 0; k < Op::kReads; ++k) {
      in[k] = reads[k].get(types[k], (kAlike >> k & 1) != 0 ? 0 : i);
    }
  };
  // The formula stands once, after the test: of two copies the compiler moves common operations behind both, and
  // contracts the others to other FMAs, so that the elements of a vector would differ in the last bit.
  HoistedOf<Op, Vector> of_elements[kIsTested ? Vector::kSize : 1];
  if constexpr (kIsTested) {
    T in[Op::kReads];
    read_element(0, in);
    if (arguments.hoists_per_row) {
      if (!is_hoisted) hoist<Op>(in, arguments.params, hoisted);
#pragma unroll
      for (int i = 0; i < Vector::kSize; ++i) {
#pragma unroll
        for (int h = 0; h < kHoisted<Op>; ++h) of_elements[i][h] = hoisted[h];
      }
    } else {
#pragma unroll
      for (int i = 0; i < Vector::kSize; ++i) {
        read_element(i, in);
        hoist<Op>(in, arguments.params, of_elements[i]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < Vector::kSize; ++i) {
    T in[Op::kReads];
    T out[Op::kWrites];
    read_element(i, in);
    if constexpr (!kIsTested) {
      if (kHoisting == Hoisting::kPerVector ? i == 0 && !is_hoisted : true) {
        hoist<Op>(in, arguments.params, hoisted);
      }
    }
    apply<Op>(in, arguments.params, kIsTested ? of_elements[i] : hoisted, types, out);
#pragma unroll
    for (int w = 0; w < Op::kWrites; ++w) results[w][i] = out[w];
  }
}

template <class Op, class Vector>
__device__ __forceinline__ void apply_vector(
    const Arguments<Op, typename Vector::Value>& arguments, const Vector (&reads)[Op::kReads],
    typename Vector::Value (&results)[Op::kWrites][Vector::kSize]) {
  HoistedOf<Op, Vector> hoisted;
  apply_vector<Op>(arguments, reads, hoisted, false, results);
}

// Computes the first `count` elements of a vector one by one, and passes each result to `use`.
template <class Op, class Vector, class Use>
__device__ __forceinline__ void apply_elements(
    const Arguments<Op, typename Vector::Value>& arguments,
    char* const (&pointers)[Op::kReads + Op::kWrites], int count, const Use& use) {
  using T = typename Vector::Value;
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    Dtype types[Op::kReads];
    T in[Op::kReads];
    T out[Op::kWrites];
#pragma unroll
    for (int k = 0; k < Op::kReads; ++k) {
      types[k] = type_of<Vector>(arguments, k);
      in[k] = Vector::load_element(types[k], arguments.operands[k], pointers[k], i);
    }
    T hoisted[kHoisted<Op> + 1];
    hoist<Op>(in, arguments.params, hoisted);
    apply<Op>(in, arguments.params, hoisted, types, out);
#pragma unroll
    for (int w = 0; w < Op::kWrites; ++w) use(w, i, out[w]);
  }
}

}  // namespace fusewise::cuda
