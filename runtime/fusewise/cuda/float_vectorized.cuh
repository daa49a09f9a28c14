// Vectorized access of passes that reduce rows. Free of torch.
#pragma once

#include <fusewise/cuda/vector.cuh>

namespace fusewise::cuda {

// Vectorized access whose values are floats also for 16-bit elements, since totals are floats. Operands are
// dense in the inner dimension, or row scalars of any dtype.
template <class S>
struct FloatVectorized : Vectorized<S> {
  using Value = float;
  using Base = Vectorized<S>;

  __device__ __forceinline__ float get(Dtype type, int i) const { return static_cast<float>(Base::get(type, i)); }

  __device__ __forceinline__ void set(Dtype type, const float (&values)[Base::kSize]) {
    typename Base::Value narrow[Base::kSize];
#pragma unroll
    for (int i = 0; i < Base::kSize; ++i) narrow[i] = typename Base::Value(values[i]);
    Base::set(type, narrow);
  }

  // Loads the element that all elements equal: a row scalar of the vector's dtype, or the value of an absent read.
  // `splat` repeats it once other loads are in flight.
  __device__ __forceinline__ void load_repeated(Dtype type, const KernelOperand<float>& operand, const char* from) {
    if (operand.is_absent()) Base::set_scalar(type, operand.fill);
    else Base::load_scalar(type, from);
  }

  __device__ __forceinline__ void store_unaligned(Dtype type, char* to) const {
    KernelOperand<typename Base::Value> operand;
    operand.is_contiguous = operand.is_broadcast = false;
    Base::store(type, operand, to);
  }

  // Stores the elements of a vector from number `begin` to `end`.
  __device__ __forceinline__ void store_elements(Dtype type, char* to, int begin, int end) const {
    const int bits = 8 * size_of(type);
#pragma unroll
    for (int i = 0; i < Base::kSize; ++i) {
      if (i < begin || i >= end) continue;
      const uint32_t element = Base::words[i * bits / 32] >> i * bits % 32;
      if (bits == 8) reinterpret_cast<uint8_t*>(to)[i] = static_cast<uint8_t>(element);
      else if (bits == 16) reinterpret_cast<uint16_t*>(to)[i] = static_cast<uint16_t>(element);
      else reinterpret_cast<uint32_t*>(to)[i] = element;
    }
  }

  // Replaces the elements from number `begin` on by those of another vector of S.
  __device__ __forceinline__ void replace_from(int begin, const FloatVectorized& other) {
#pragma unroll
    for (int w = 0; w < Base::kWords; ++w) {
      const int kept = static_cast<int>(8 * sizeof(S)) * begin - 32 * w;  // bits
      const uint32_t replaced = kept >= 32 ? 0 : ~0u << max(kept, 0);
      Base::words[w] = (Base::words[w] & ~replaced) | (other.words[w] & replaced);
    }
  }

  // Replaces each element by the larger of two, or by NaN if one of them is: pairs of 16 bits at once.
  __device__ __forceinline__ void maximise(const FloatVectorized& other) {
#pragma unroll
    for (int w = 0; w < Base::kWords; ++w) Base::words[w] = max_pairs<S>(Base::words[w], other.words[w]);
  }
  __device__ __forceinline__ float largest() const {
    FloatVectorized all = *this;
#pragma unroll
    for (int w = 1; w < Base::kWords; ++w) all.words[0] = max_pairs<S>(all.words[0], all.words[w]);
    return Base::kGroup == 1 ? all.get(Base::kType, 0) : rt::maximum(all.get(Base::kType, 0), all.get(Base::kType, 1));
  }

  static __device__ __forceinline__ float load_element(Dtype type, const KernelOperand<float>&, const char* from,
                                                       int i) {
    if (type != Base::kType) return reinterpret_cast<const uint8_t*>(from)[i] != 0 ? 1.0f : 0.0f;
    return widen<float>(reinterpret_cast<const S*>(from)[i]);
  }
};

// The reads that are row scalars whenever the kernel with vectorized access runs.
template <class Op, class Vector>
inline constexpr uint32_t kKnownScalars = Vector::kIsVectorized ? kRowScalars<Op> | kHoistedFrom<Op> : 0;

// The value of a row scalar.
template <class T>
__device__ __forceinline__ T load_row_scalar(const KernelOperand<T>& operand, const char* from) {
  if (operand.is_absent()) return operand.fill;
  if (operand.dtype == dtype_of<T>()) [[likely]] return *reinterpret_cast<const T*>(from);
  return Strided<T, 1>::load_element(operand.dtype, operand, from, 0);
}

// Stores a number of a row. If kHasType, the operand has type T.
template <bool kHasType, class T>
__device__ __forceinline__ void store_row_scalar(const KernelOperand<T>& operand, char* to, T value) {
  if (operand.is_absent()) return;
  if (kHasType || operand.dtype == dtype_of<T>()) *reinterpret_cast<T*>(to) = value;
  else Strided<T, 1, true>::store_element(operand.dtype, operand, to, 0, value);
}

}  // namespace fusewise::cuda
