// The totals kernel: reduces the terms that a pass computes along each row, by sums or maxima. Free of torch.
// tile_totals.cuh defines the tree of additions of a row.
#pragma once

#include <fusewise/cuda/float_vectorized.cuh>
#include <fusewise/cuda/kernels/relative.cuh>

namespace fusewise::cuda {

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

// A thread's share of one row. The arguments are those of `Called`, a pass with the same reads.
template <class Op, class Vector, uint32_t kMaxima, class Called = Op>
struct TotalsRow {
  using T = typename Vector::Value;
  static constexpr int kReads = Op::kReads;
  static constexpr int kWrites = Op::kWrites;
  static constexpr int kSize = Vector::kSize;
  static constexpr uint32_t kScalars = kKnownScalars<Op, Vector>;
  static constexpr int kTileVectors = kTileElements / kSize;
  static constexpr int kBatch = totals_batch<Op, Vector>();
  // The reads that the terms depend on, a bit each.
  static constexpr uint32_t kUsed = kBitCount<kCopied<Op>> == kWrites ? kCopied<Op> : ~0u;
  using Sums = TileTotals<T, kWrites, kSize, kMaxima>;

  const Arguments<Called, T>& arguments;
  const TotalsTiling& tiling;
  int lane;
  int lanes;
  char* from[kReads];  // the first element of the row
  T scalars[kReads];
  T hoisted[kHoisted<Op> + 1];

  __device__ __forceinline__ TotalsRow(const Arguments<Called, T>& arguments, const TotalsTiling& tiling, int64_t row)
      : arguments(arguments), tiling(tiling), lanes(1 << tiling.lane_bits) {
    lane = static_cast<int>(threadIdx.x) & (lanes - 1);
#pragma unroll
    for (int k = 0; k < kReads; ++k) from[k] = arguments.data[k];
    add_row(arguments, row, 0, arguments.num_outer, from);
#pragma unroll
    for (int k = 0; k < kReads; ++k) scalars[k] = (kUsed >> k & 1) != 0 ? load_scalar(k) : T(0);
    hoist_row();
  }

  __device__ __forceinline__ void hoist_row() {
    if (Vector::kIsVectorized || arguments.hoists_per_row) hoist<Op>(scalars, arguments.params, hoisted);
  }

  __device__ __forceinline__ bool is_scalar(int k) const {
    return (kScalars >> k & 1) != 0 || arguments.operands[k].is_broadcast;
  }

  // The value of a row scalar, of any dtype.
  __device__ __forceinline__ T load_scalar(int k) const {
    const KernelOperand<T>& operand = arguments.operands[k];
    return is_scalar(k) ? load_row_scalar(operand, from[k]) : operand.fill;
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
    const auto each_vector = [&](const auto& body) {
#pragma unroll
      for (int k = 0; k < kReads; ++k) {
        if ((kUsed >> k & 1) == 0 || is_scalar(k)) continue;
        const char* const at = from[k] + (first + lane) * step(k);
#pragma unroll
        for (int b = 0; b < kBatch; ++b) {
          if (b * stride() + lane < count) body(k, b, type_of<Vector>(arguments, k), at + b * stride() * step(k));
        }
      }
    };
    if constexpr (!Vector::kIsVectorized) {
      each_vector([&](int k, int b, Dtype type, const char* at) { reads[b][k].load(type, arguments.operands[k], at); });
    } else if (tiling.is_aligned) {
      each_vector([&](int k, int b, Dtype type, const char* at) { reads[b][k].load_contiguous(type, at); });
    } else {
      uint32_t last[kBatch][kReads];
      each_vector([&](int k, int b, Dtype type, const char* at) {
        reads[b][k].load_words(type, at, kSize, last[b][k]);
      });
      each_vector([&](int k, int b, Dtype type, const char* at) { reads[b][k].shift(type, at, last[b][k]); });
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
    sums.add(terms, number);
  }

  // Adds the terms of the partial vector. They are computed one by one and shifted to their places.
  __device__ __forceinline__ void add_partial_vector(Sums& sums) {
    T terms[kWrites][kSize];
#pragma unroll 1
    for (int i = 0; i < kSize; ++i) {
      T out[kWrites];
      Sums::set_identities(out);
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
    sums.add(terms, static_cast<int>(tiling.whole / stride()));
  }

  // Reduces a tile. The first thread of the row holds the totals.
  __device__ __forceinline__ void reduce_tile(int64_t tile, T (&totals)[kWrites]) {
    const int64_t first = tile * kTileVectors;
    const int end = static_cast<int>(min(tiling.whole - first, int64_t{kTileVectors}));
    const bool has_partial = kSize > 1 && tiling.partial != 0 && end < kTileVectors && end % stride() == lane;
    const bool is_split = kSplitVectors<Op, Vector> > 1 && tiling.is_split;
    Sums sums;
#pragma unroll 1
    for (int v = 0; v < end; v += kBatch * 32) {
      Vector reads[kBatch][kReads];
      load(first + v, end - v, reads);
      Sums rest;
      T of_vectors[kBatch][kWrites];
      if (is_split && has_partial) add_partial_vector(rest);
#pragma unroll
      for (int b = 0; b < kBatch; ++b) {
        if (is_split) {
          if (b == end >> tiling.lane_bits) sums = rest;
          else sums.clear();
        }
        if (v + b * stride() + lane < end) add_vector(reads[b], kBatch == 1 ? v / 32 : b, sums);
        // At once: registers would not suffice for the shares of several totals in all parts.
        if (is_split) sums.combine(lanes, of_vectors[b]);
      }
      if (is_split) return Sums::combine_parts(of_vectors, totals);
    }
    if (has_partial) add_partial_vector(sums);
    sums.combine(lanes, totals);
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

// A thread's share of one row whose sums are relative to maxima; see relative.cuh. The first total of Maxima is read
// number kFirst.
template <class Maxima, class Phase, int kFirst, class Vector>
struct RelativeTotalsRow : TotalsRow<typename Phase::Op, Vector, 0> {
  using Op = typename Phase::Op;
  using Base = TotalsRow<Op, Vector, 0>;
  using T = typename Base::T;

  TotalsRow<typename Maxima::Op, Vector, Maxima::kMaxima, Op> maxima;

  __device__ __forceinline__ RelativeTotalsRow(const Arguments<Op, T>& arguments, const TotalsTiling& tiling,
                                               int64_t row)
      : Base(arguments, tiling, row), maxima(arguments, tiling, row) {}

  __device__ __forceinline__ void reduce_tile(int64_t tile, T (&totals)[Op::kWrites]) {
    constexpr int kMaxima = Maxima::Op::kWrites;
    if constexpr (Phase::kPicked != 0) Base::reduce_tile(tile, totals);
    T of_tile[kMaxima];
    T of_row[kMaxima];
    T sums[Op::kWrites];
    maxima.reduce_tile(tile, of_tile);
    each_bit<Maxima::kMaxima>([&](auto w) {
      of_row[w.value] = this->scalars[kFirst + w.value];
      this->scalars[kFirst + w.value] = base_of(of_tile[w.value]);
    });
    this->hoist_row();
    Base::reduce_tile(tile, sums);
    each_bit<Maxima::kMaxima>([&](auto w) { this->scalars[kFirst + w.value] = of_row[w.value]; });
    this->hoist_row();
    const int64_t columns = tile_columns(this->tiling.whole * Base::kSize + this->tiling.partial, tile);
    if (columns > 0) rescale<Maxima, Phase>(columns, of_tile, of_row, sums);
    each_bit<Phase::kReduced>([&](auto w) { totals[w.value] = sums[w.value]; });
  }
};

// A block reduces some short rows, or a stretch of one row.
template <class Row, class Op, class T>
__device__ __forceinline__ void reduce_rows(const Arguments<Op, T>& arguments, const TotalsTiling& tiling) {
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
    each<Op::kWrites>([&](auto w) {
      if (is_short) share.template store<w.value>(row, totals[w.value]);
      else of_tiles[w.value * tiling.stretch_tiles + tile] = totals[w.value];
    });
  }
  if (is_short) return;
  __syncthreads();
  each<Op::kWrites>([&](auto w) {
    if (w.value % warps != warp) return;
    const T* const of_write = of_tiles + w.value * tiling.stretch_tiles;
    using Combine = typename Row::Sums::template CombinationOf<w.value>;
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

template <class Op, class Vector, uint32_t kMaxima>
__global__ void __launch_bounds__(kMaxTotalsThreads)
    totals_kernel(const __grid_constant__ Arguments<Op, typename Vector::Value> arguments,
                  const __grid_constant__ TotalsTiling tiling) {
  reduce_rows<TotalsRow<Op, Vector, kMaxima>>(arguments, tiling);
}

template <class Op, class Vector, class Maxima, class Phase, int kFirst>
__global__ void __launch_bounds__(kMaxTotalsThreads)
    relative_totals_kernel(const __grid_constant__ Arguments<Op, typename Vector::Value> arguments,
                           const __grid_constant__ TotalsTiling tiling) {
  reduce_rows<RelativeTotalsRow<Maxima, Phase, kFirst, Vector>>(arguments, tiling);
}

}  // namespace fusewise::cuda
