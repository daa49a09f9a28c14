// Sums and maxima by the threads of a warp, in the order of a binary tree. Free of torch.
#pragma once

#include <cmath>
#include <type_traits>

#include <fusewise/cuda/kernels/sums.cuh>
#include <fusewise/math/functions.cuh>

namespace fusewise::cuda {

// The larger number, NaN if one is, and +0 of two zeros. rt::maximum may take the second of two zeros.
template <class T>
__device__ __forceinline__ T larger(T a, T b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  constexpr bool kIsOneInstruction = !std::is_same_v<T, double>;
#else
  constexpr bool kIsOneInstruction = std::is_same_v<T, int64_t>;
#endif
  if constexpr (!kIsOneInstruction) {
    if (a == b) return std::signbit(a) ? b : a;
  }
  return rt::maximum(a, b);
}

// A sum, or a maximum that propagates NaN. Both are commutative.
template <bool kIsMaximum>
struct Combination {
  template <class T>
  static __device__ __forceinline__ T identity() {
    if constexpr (!kIsMaximum) return T(0);
    else if constexpr (std::is_same_v<T, int64_t>) return INT64_MIN;
    else return -static_cast<T>(INFINITY);
  }

  template <class T>
  static __device__ __forceinline__ T of(T a, T b) {
    if constexpr (kIsMaximum) return larger(a, b);
    else return add(a, b);
  }

  // The tree over `lanes` adjacent threads of a warp, or over the next power of two of them. All of these hold the
  // result, since both operations are commutative.
  template <class T>
  static __device__ __forceinline__ T of_lanes(T value, int lanes) {
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      if (distance < lanes) value = of(value, __shfl_xor_sync(0xffffffffu, value, distance));
    }
    return value;
  }

  // The tree over up to 1024 values, by a warp. All of its threads hold the result.
  template <class T, class Load>
  static __device__ __forceinline__ T of_many(int count, const Load& load) {
    constexpr int kEach = sizeof(T) == sizeof(float) ? 4 : 1;  // adjacent ones that a thread loads at one time
    constexpr int kGroup = 32 * kEach;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const auto at = [&](int i) { return i < count ? load(i) : identity<T>(); };
    const auto of_group = [&](int first) {
      const int place = first + kEach * lane;
      if constexpr (kEach == 1) return of_lanes(at(place), 32);
      else return of_lanes(of(of(at(place), at(place + 1)), of(at(place + 2), at(place + 3))), 32);
    };
    if (count <= 32) return of_lanes(at(lane), 32);
    if (count <= kGroup) return of_group(0);
    T mine = identity<T>();
#pragma unroll 1
    for (int first = 0; first < count; first += kGroup) {
      const T part = of_group(first);
      if (lane % (1024 / kGroup) == first / kGroup) mine = part;
    }
    return of_lanes(mine, 1024 / kGroup);
  }
};

}  // namespace fusewise::cuda
