// The totals kernel: reduces the terms that a pass computes along each row, by sums or maxima. Free of torch.
//
// The bits of a total depend on the terms of the row, on their number and on the compute type alone, because
// these fix the tree of additions:
//   unit     four adjacent elements, or one if the compute type has 8 bytes: a tree of two levels
//   lane     of the kTileLanes lanes of a tile, lane i adds the units i, i + 64, i + 128, ... of the tile in order,
//            starting from the identity
//   tile     kTileElements adjacent elements: the binary tree over its lanes, adjacent lanes first
//   stretch  a power of two of tiles: the binary tree over its tiles, adjacent tiles first
//   total    the binary tree over the stretches, so the same tree for all lengths of a stretch. Of more than
//            kMaxStretches stretches, every kMaxStretches-th is added in order first.
// Missing operands of the tree are the identity. A sum in the tree is never -0, so adding the identity, or not
// adding it, gives the same bits. Hence it does not matter which threads reduce which part, nor whether a
// vector has one, four or eight elements.
#pragma once

#include <fusewise/cuda/kernels/combination.cuh>
#include <fusewise/cuda/totals_plan.h>

namespace fusewise::cuda {

// Vectorized access whose values are floats also for 16-bit elements, since totals are floats. Operands are dense.
template <class S>
struct FloatVectorized : Vectorized<S> {
  using Value = float;
  using Base = Vectorized<S>;

  __device__ __forceinline__ float get(Dtype type, int i) const { return static_cast<float>(Base::get(type, i)); }

  __device__ __forceinline__ void load_unaligned(Dtype type, const char* from) {
    KernelOperand<typename Base::Value> operand;
    operand.is_contiguous = operand.is_broadcast = false;
    Base::load(type, operand, from);
  }

  static __device__ __forceinline__ float load_element(Dtype type, const KernelOperand<float>&, const char* from,
                                                       int i) {
    if (type != Base::kType) return reinterpret_cast<const uint8_t*>(from)[i] != 0 ? 1.0f : 0.0f;
    return widen<float>(reinterpret_cast<const S*>(from)[i]);
  }
};

// The arguments of a totals kernel that do not depend on the pass.
struct TotalsTiling {
  int64_t rows;
  int64_t whole;        // whole vectors of a row
  int partial;          // elements of its partial vector, 0 if there is none
  int stretch_tiles;
  int64_t tiles;        // of a row
  FastDivisor stretches;
  int lane_bits;        // 2^lane_bits threads of a warp share a row
  bool is_aligned;      // all vectors of reads are aligned
  bool is_split;        // of TotalsPlan
  void* partials;       // of each write, of each row: its stretches; or null if a row has one stretch
};

// Calls body with the number of each write, a constant of the compiler.
template <int kWrites, class Body>
__device__ __forceinline__ void each_write(const Body& body) {
  [&]<int... w>(std::integer_sequence<int, w...>) {
    (body(std::integral_constant<int, w>{}), ...);
  }(std::make_integer_sequence<int, kWrites>{});
}

// The reads that are row scalars whenever the kernel with vectorized access runs.
template <class Op, class Vector>
inline constexpr uint32_t kKnownScalars = Vector::kIsVectorized ? kRowScalars<Op> | kHoistedFrom<Op> : 0;

// The vectors that a thread loads before it computes.
template <class Op, class Vector>
constexpr int totals_batch() {
  const int reads = Op::kReads - std::popcount(kKnownScalars<Op, Vector>);
  if (Op::kInstructions > 64 || (!Vector::kIsVectorized && reads > 3)) return 1;
  return Vector::kIsVectorized && reads <= 2 ? 4 : 2;
}

// The vectors of a thread of which each may be reduced apart; see TotalsPlan.
template <class Op, class Vector>
inline constexpr int kSplitVectors = Vector::kIsVectorized ? totals_batch<Op, Vector>() : 1;

// A thread's share of one row.
template <class Op, class Vector, uint32_t kMaxima>
struct TotalsRow {
  using T = typename Vector::Value;
  static constexpr int kReads = Op::kReads;
  static constexpr int kWrites = Op::kWrites;
  static constexpr int kSize = Vector::kSize;
  static constexpr uint32_t kScalars = kKnownScalars<Op, Vector>;
  static constexpr int kTileVectors = kTileElements / kSize;
  static constexpr int kBatch = totals_batch<Op, Vector>();
  static_assert(kSize == 8 || kSize == 4 || kSize == 1);
  // A thread has two lanes of a tile: of 64 adjacent ones those of its vector of eight elements, or else of its
  // vectors of even and of odd number.
  using Sums = T[kWrites][2];

  template <int w>
  using CombinationOf = Combination<(kMaxima >> w & 1) != 0>;

  const Arguments<Op, T>& arguments;
  const TotalsTiling& tiling;
  int lane;
  int lanes;
  char* from[kReads];  // the first element of the row
  T scalars[kReads];
  T hoisted[kHoisted<Op> + 1];

  __device__ __forceinline__ TotalsRow(const Arguments<Op, T>& arguments, const TotalsTiling& tiling, int64_t row)
      : arguments(arguments), tiling(tiling), lanes(1 << tiling.lane_bits) {
    lane = static_cast<int>(threadIdx.x) & (lanes - 1);
#pragma unroll
    for (int k = 0; k < kReads; ++k) from[k] = arguments.data[k];
    add_row(arguments, row, 0, arguments.num_outer, from);
#pragma unroll
    for (int k = 0; k < kReads; ++k) scalars[k] = load_scalar(k);
    if (Vector::kIsVectorized || arguments.hoists_per_row) hoist<Op>(scalars, arguments.params, hoisted);
  }

  __device__ __forceinline__ bool is_scalar(int k) const {
    return (kScalars >> k & 1) != 0 || arguments.operands[k].is_broadcast;
  }

  // The value of a row scalar, of any dtype.
  __device__ __forceinline__ T load_scalar(int k) const {
    const KernelOperand<T>& operand = arguments.operands[k];
    if (!is_scalar(k) || operand.is_absent()) return operand.fill;
    if (operand.dtype == dtype_of<T>()) return *reinterpret_cast<const T*>(from[k]);
    return Strided<T, 1>::load_element(operand.dtype, operand, from[k], 0);
  }

  // Bytes from one vector to the next.
  __device__ __forceinline__ int64_t step(int k) const {
    if constexpr (Vector::kIsVectorized) return kSize * size_of(type_of<Vector>(arguments, k));
    else return arguments.operands[k].step;
  }

  // The vectors from one of the thread to its next.
  __device__ __forceinline__ int stride() const {
    return kSplitVectors<Op, Vector> > 1 && tiling.is_split ? lanes : 32;
  }

  // Loads vectors of the thread: of the row from number `first` on, so many as there are before `count`.
  __device__ __forceinline__ void load(int64_t first, int count, Vector (&reads)[kBatch][kReads]) const {
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      if (is_scalar(k)) continue;
      const Dtype type = type_of<Vector>(arguments, k);
      const char* const at = from[k] + (first + lane) * step(k);
      const auto each = [&](const auto& load_one) {
#pragma unroll
        for (int b = 0; b < kBatch; ++b) {
          if (b * stride() + lane < count) load_one(reads[b][k], at + b * stride() * step(k));
        }
      };
      if constexpr (!Vector::kIsVectorized) {
        each([&](Vector& vector, const char* place) { vector.load(type, arguments.operands[k], place); });
      } else if (tiling.is_aligned) {
        each([&](Vector& vector, const char* place) { vector.load_contiguous(type, place); });
      } else {
        each([&](Vector& vector, const char* place) { vector.load_unaligned(type, place); });
      }
    }
  }

  // Computes the terms of an element. `get` returns the value of a read that is no row scalar.
  template <class Get>
  __device__ __forceinline__ void compute(const Get& get, T (&terms)[kWrites]) {
    Dtype types[kReads];
    T in[kReads];
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      types[k] = type_of<Vector>(arguments, k);
      if ((kScalars >> k & 1) != 0) in[k] = scalars[k];
      else in[k] = is_scalar(k) ? scalars[k] : get(k, types[k]);
    }
    if constexpr (!Vector::kIsVectorized) {
      if (!arguments.hoists_per_row) hoist<Op>(in, arguments.params, hoisted);
    }
    apply<Op>(in, arguments.params, hoisted, types, terms);
  }

  // Adds the terms of a vector to the sums. `number` is the number of the vector among those of the thread.
  __device__ __forceinline__ void add_terms(const T (&terms)[kWrites][kSize], int number, Sums& sums) const {
    each_write<kWrites>([&](auto w) {
      using Combine = CombinationOf<w.value>;
      const T (&of)[kSize] = terms[w.value];
      T (&to)[2] = sums[w.value];
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

  __device__ __forceinline__ void add_vector(Vector (&reads)[kReads], int number, Sums& sums) {
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      if constexpr (!Vector::kIsVectorized) {
        if (!is_scalar(k)) reads[k].unpack(type_of<Vector>(arguments, k), arguments.operands[k]);
      }
    }
    T terms[kWrites][kSize];
#pragma unroll
    for (int i = 0; i < kSize; ++i) {
      T out[kWrites];
      compute([&](int k, Dtype type) { return reads[k].get(type, i); }, out);
#pragma unroll
      for (int w = 0; w < kWrites; ++w) terms[w][i] = out[w];
    }
    add_terms(terms, number, sums);
  }

  // Adds the terms of the partial vector. They are computed one by one and shifted to their places.
  __device__ __forceinline__ void add_partial_vector(Sums& sums) {
    T terms[kWrites][kSize];
#pragma unroll 1
    for (int i = 0; i < kSize; ++i) {
      T out[kWrites];
      set_identities(out);
      if (i < tiling.partial) {
        compute([&](int k, Dtype type) {
          const char* const place = from[k] + tiling.whole * step(k);
          return Vector::load_element(type, arguments.operands[k], place, i);
        }, out);
      }
#pragma unroll
      for (int w = 0; w < kWrites; ++w) {
#pragma unroll
        for (int j = 0; j + 1 < kSize; ++j) terms[w][j] = terms[w][j + 1];
        terms[w][kSize - 1] = out[w];
      }
    }
    add_terms(terms, static_cast<int>(tiling.whole / stride()), sums);
  }

  static __device__ __forceinline__ void set_identities(T (&values)[kWrites]) {
    each_write<kWrites>([&](auto w) { values[w.value] = CombinationOf<w.value>::template identity<T>(); });
  }

  // The tree over the lanes of a tile.
  __device__ __forceinline__ void combine_lanes(const Sums& sums, T (&totals)[kWrites]) const {
    each_write<kWrites>([&](auto w) {
      using Combine = CombinationOf<w.value>;
      const T (&of)[2] = sums[w.value];
      if constexpr (kSize == 8) totals[w.value] = Combine::of_lanes(Combine::of(of[0], of[1]), lanes);
      else totals[w.value] = Combine::of(Combine::of_lanes(of[0], lanes), Combine::of_lanes(of[1], lanes));
    });
  }

  // The tree over the vectors of a thread, which are the last levels of a row that is split.
  __device__ __forceinline__ void combine_vectors(T (&of_vectors)[kBatch][kWrites], T (&totals)[kWrites]) const {
    each_write<kWrites>([&](auto w) {
#pragma unroll
      for (int distance = 1; distance < kBatch; distance *= 2) {
#pragma unroll
        for (int b = 0; b < kBatch; b += 2 * distance) {
          T& first = of_vectors[b][w.value];
          first = CombinationOf<w.value>::of(first, of_vectors[b + distance][w.value]);
        }
      }
      totals[w.value] = of_vectors[0][w.value];
    });
  }

  static __device__ __forceinline__ void copy(const Sums& from, Sums& to) {
#pragma unroll
    for (int w = 0; w < kWrites; ++w) {
      to[w][0] = from[w][0];
      to[w][1] = from[w][1];
    }
  }
  static __device__ __forceinline__ void clear(Sums& sums) {
    T identities[kWrites];
    set_identities(identities);
#pragma unroll
    for (int w = 0; w < kWrites; ++w) sums[w][0] = sums[w][1] = identities[w];
  }

  // Reduces a tile. The first thread of the row holds the totals.
  __device__ __forceinline__ void reduce_tile(int64_t tile, T (&totals)[kWrites]) {
    const int64_t first = tile * kTileVectors;
    const int end = static_cast<int>(min(tiling.whole - first, int64_t{kTileVectors}));
    const bool has_partial = kSize > 1 && tiling.partial != 0 && end < kTileVectors && end % stride() == lane;
    const bool is_split = kSplitVectors<Op, Vector> > 1 && tiling.is_split;
    Sums sums;
    clear(sums);
#pragma unroll 1
    for (int v = 0; v < end; v += kBatch * 32) {
      Vector reads[kBatch][kReads];
      load(first + v, end - v, reads);
      Sums rest;
      T of_vectors[kBatch][kWrites];
      clear(rest);
      if (is_split && has_partial) add_partial_vector(rest);
#pragma unroll
      for (int b = 0; b < kBatch; ++b) {
        if (is_split) {
          clear(sums);
          if (b == end >> tiling.lane_bits) copy(rest, sums);
        }
        if (v + b * stride() + lane < end) add_vector(reads[b], kBatch == 1 ? v / 32 : b, sums);
        if (is_split) combine_lanes(sums, of_vectors[b]);
      }
      if (is_split) return combine_vectors(of_vectors, totals);
    }
    if (has_partial) add_partial_vector(sums);
    combine_lanes(sums, totals);
  }

  // Stores the total of a row.
  template <int w>
  __device__ __forceinline__ void store(int64_t row, T total) const {
    if (arguments.operands[kReads + w].is_absent()) return;
    char* to[1] = {arguments.data[kReads + w]};
    add_row<kReads + w>(arguments, row, 0, arguments.num_outer, to);
    *reinterpret_cast<T*>(to[0]) = total;
  }
};

// A block reduces some short rows, or a stretch of one row.
template <class Op, class Vector, uint32_t kMaxima>
__global__ void __launch_bounds__(kMaxTotalsThreads)
    totals_kernel(const __grid_constant__ Arguments<Op, typename Vector::Value> arguments,
                  const __grid_constant__ TotalsTiling tiling) {
  using Row = TotalsRow<Op, Vector, kMaxima>;
  using T = typename Row::T;
  extern __shared__ __align__(16) char shared_totals[];  // of tiles, of each write
  T* const of_tiles = reinterpret_cast<T*>(shared_totals);
  const int warps = static_cast<int>(blockDim.x) / 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const bool is_short = tiling.tiles == 1;
  int64_t row = int64_t{blockIdx.x} * (blockDim.x >> tiling.lane_bits) + (threadIdx.x >> tiling.lane_bits);
  int64_t stretch = 0;
  if (!is_short) {
    row = tiling.stretches.divide(int64_t{blockIdx.x});
    stretch = blockIdx.x - row * tiling.stretches.value;
  }
  // Threads without a row reduce the last one, since shuffles need all threads of a warp.
  const bool has_row = row < tiling.rows;
  Row share(arguments, tiling, has_row ? row : tiling.rows - 1);
  const int64_t first = stretch * tiling.stretch_tiles;
  const int tiles = static_cast<int>(min(tiling.tiles - first, int64_t{tiling.stretch_tiles}));
#pragma unroll 1
  for (int tile = is_short ? 0 : warp; tile < tiles; tile += warps) {
    T totals[Op::kWrites];
    share.reduce_tile(first + tile, totals);
    if (share.lane != 0 || !has_row) continue;
    each_write<Op::kWrites>([&](auto w) {
      if (is_short) share.template store<w.value>(row, totals[w.value]);
      else of_tiles[w.value * tiling.stretch_tiles + tile] = totals[w.value];
    });
  }
  if (is_short) return;
  __syncthreads();
  each_write<Op::kWrites>([&](auto w) {
    if (w.value % warps != warp) return;
    const T* const of_write = of_tiles + w.value * tiling.stretch_tiles;
    using Combine = typename Row::template CombinationOf<w.value>;
    const T total = Combine::template of_many<T>(tiles, [&](int i) { return of_write[i]; });
    if (share.lane != 0) return;
    if (tiling.partials == nullptr) {
      share.template store<w.value>(row, total);
    } else {
      T* const partials = static_cast<T*>(tiling.partials) + w.value * tiling.rows * tiling.stretches.value;
      partials[row * tiling.stretches.value + stretch] = total;
    }
  });
}

}  // namespace fusewise::cuda
