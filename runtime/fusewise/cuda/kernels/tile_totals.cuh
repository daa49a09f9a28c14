// The tree of additions of a row, for the threads of a warp that reduce a tile of it. Free of torch.
//
// The bits of a total depend on the terms of the row, on their number and on the compute type alone, because
// these fix the tree of additions:
//   unit     four adjacent elements, or one if the compute type has 8 bytes: a tree of two levels
//   lane     of the 64 lanes of a tile, lane i adds the units i, i + 64, i + 128, ... of the tile in order,
//            starting from the identity
//   tile     kTileElements adjacent elements: the binary tree over its lanes, adjacent lanes first
//   stretch  a power of two of tiles: the binary tree over its tiles, adjacent tiles first
//   total    the binary tree over the stretches, so the same tree for all lengths of a stretch. Of more than
//            kMaxStretches stretches, every kMaxStretches-th is added in order first.
// Missing operands of the tree are the identity. A sum in the tree is never -0, so adding the identity, or not
// adding it, gives the same bits. Hence it does not matter which threads reduce which part, nor whether a
// vector has one, four or eight elements.
#pragma once

#include <bit>

#include <fusewise/cuda/kernels/combination.cuh>
#include <fusewise/cuda/totals_plan.h>

namespace fusewise::cuda {

// Calls body with the numbers below kCount, each a constant of the compiler.
template <int kCount, class Body>
__device__ __forceinline__ void each(const Body& body) {
  [&]<int... k>(std::integer_sequence<int, k...>) {
    (body(std::integral_constant<int, k>{}), ...);
  }(std::make_integer_sequence<int, kCount>{});
}

template <uint32_t kBits>
inline constexpr int kBitWidth = std::bit_width(kBits);
template <uint32_t kBits>
inline constexpr int kBitCount = std::popcount(kBits);

// Calls body with the numbers of the bits that are set, each a constant of the compiler.
template <uint32_t kBits, class Body>
__device__ __forceinline__ void each_bit(const Body& body) {
  each<kBitWidth<kBits>>([&](auto k) {
    if constexpr ((kBits >> k.value & 1) != 0) body(k);
  });
}

// A thread's part of the totals of a tile, of those in kReduced, a bit each. Vectors have kSize elements; the totals in
// kMaxima, a bit each, are maxima, the others sums.
template <class T, int kCount, int kSize, uint32_t kMaxima, uint32_t kReduced = (1u << kCount) - 1>
struct TileTotals {
  static_assert(kSize == 8 || kSize == 4 || kSize == 1);

  template <int w>
  using CombinationOf = Combination<(kMaxima >> w & 1) != 0>;

  // A thread has two lanes of a tile: of 64 adjacent ones those of its vector of eight elements, or else of its
  // vectors of even and of odd number.
  T lanes[kCount][2];

  __device__ __forceinline__ TileTotals() { clear(); }

  __device__ __forceinline__ void clear() {
    T identities[kCount];
    set_identities(identities);
#pragma unroll
    for (int w = 0; w < kCount; ++w) lanes[w][0] = lanes[w][1] = identities[w];
  }

  static __device__ __forceinline__ void set_identities(T (&values)[kCount]) {
    each<kCount>([&](auto w) { values[w.value] = CombinationOf<w.value>::template identity<T>(); });
  }

  // Replaces the terms of a vector from number `count` on by the identity.
  static __device__ __forceinline__ void clear_from(int count, T (&terms)[kCount][kSize]) {
    T identities[kCount];
    set_identities(identities);
#pragma unroll
    for (int w = 0; w < kCount; ++w) {
#pragma unroll
      for (int i = 0; i < kSize; ++i) terms[w][i] = i < count ? terms[w][i] : identities[w];
    }
  }

  // Adds the terms of a vector. `number` is the number of the vector among those of the thread in the tile.
  __device__ __forceinline__ void add(const T (&terms)[kCount][kSize], int number) {
    each_bit<kReduced>([&](auto w) {
      using Combine = CombinationOf<w.value>;
      const T (&of)[kSize] = terms[w.value];
      T (&to)[2] = lanes[w.value];
      T units[2];
      if constexpr (kSize == 1) {
        units[0] = of[0];
      } else {
#pragma unroll
        for (int u = 0; u < kSize / 4; ++u) {
          units[u] = Combine::of(Combine::of(of[4 * u], of[4 * u + 1]), Combine::of(of[4 * u + 2], of[4 * u + 3]));
        }
      }
      if constexpr (kSize == 8) {
        to[0] = Combine::of(to[0], units[0]);
        to[1] = Combine::of(to[1], units[1]);
      } else if (number % 2 == 0) {
        to[0] = Combine::of(to[0], units[0]);
      } else {
        to[1] = Combine::of(to[1], units[0]);
      }
    });
  }

  // The tree over the lanes of `threads` adjacent threads of a warp. All of these hold the totals.
  __device__ __forceinline__ void combine(int threads, T (&totals)[kCount]) const {
    each_bit<kReduced>([&](auto w) {
      using Combine = CombinationOf<w.value>;
      const T (&of)[2] = lanes[w.value];
      if constexpr (kSize == 8) {
        totals[w.value] = Combine::of_lanes(Combine::of(of[0], of[1]), threads);
      } else {
        totals[w.value] = Combine::of(Combine::of_lanes(of[0], threads), Combine::of_lanes(of[1], threads));
      }
    });
  }

  // The thread's share of a part whose vectors have no lane in common.
  __device__ __forceinline__ void take(T (&totals)[kCount]) const {
    each_bit<kReduced>([&](auto w) {
      totals[w.value] = CombinationOf<w.value>::of(lanes[w.value][0], lanes[w.value][1]);
    });
  }

  // The trees over the shares that `threads` adjacent threads of a warp have of each part, in place, side by side.
  template <int kParts>
  static __device__ __forceinline__ void combine_shares(int threads, T (&parts)[kParts][kCount]) {
    each_bit<kReduced>([&](auto w) {
#pragma unroll
      for (int distance = 1; distance < 32; distance *= 2) {
        if (distance >= threads) continue;
#pragma unroll
        for (int p = 0; p < kParts; ++p) {
          T& part = parts[p][w.value];
          part = CombinationOf<w.value>::of(part, __shfl_xor_sync(0xffffffffu, part, distance));
        }
      }
    });
  }

  // The tree over parts, a power of two, that follow each other in the row.
  template <int kParts>
  static __device__ __forceinline__ void combine_parts(T (&parts)[kParts][kCount], T (&totals)[kCount]) {
    each_bit<kReduced>([&](auto w) {
#pragma unroll
      for (int distance = 1; distance < kParts; distance *= 2) {
#pragma unroll
        for (int p = 0; p < kParts; p += 2 * distance) {
          T& first = parts[p][w.value];
          first = CombinationOf<w.value>::of(first, parts[p + distance][w.value]);
        }
      }
      totals[w.value] = parts[0][w.value];
    });
  }
};

}  // namespace fusewise::cuda
