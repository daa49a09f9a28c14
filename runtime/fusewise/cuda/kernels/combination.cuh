// Sums and maxima by the threads of a warp, in the order of a binary tree. Free of torch.
#pragma once

#include <fusewise/cuda/kernels/sums.cuh>

namespace fusewise::cuda {

// The maximum propagates NaN.
__device__ __forceinline__ float maximum(float a, float b) {
#if __CUDA_ARCH__ >= 800
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
#else
  return rt::maximum(a, b);
#endif
}
__device__ __forceinline__ double maximum(double a, double b) { return rt::maximum(a, b); }
__device__ __forceinline__ int64_t maximum(int64_t a, int64_t b) { return rt::maximum(a, b); }

// A sum or a maximum.
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
    if constexpr (kIsMaximum) return maximum(a, b);
    else return add(a, b);
  }

  // The tree over `lanes` adjacent threads of a warp, a power of two. The first of them holds the result.
  template <class T>
  static __device__ __forceinline__ T of_lanes(T value, int lanes) {
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const T other = __shfl_down_sync(0xffffffffu, value, static_cast<unsigned>(distance));
      if (distance < lanes) value = of(value, other);
    }
    return value;
  }

  // The tree over up to 1024 values, by a warp. Its first thread holds the result.
  template <class T, class Load>
  static __device__ __forceinline__ T of_many(int count, const Load& load) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    T mine = identity<T>();
#pragma unroll 1
    for (int first = 0; first < count; first += 32) {
      const T part = of_lanes(first + lane < count ? load(first + lane) : identity<T>(), 32);
      const T whole = __shfl_sync(0xffffffffu, part, 0);
      if (lane == first / 32) mine = whole;
    }
    return of_lanes(mine, 32);
  }
};

}  // namespace fusewise::cuda
