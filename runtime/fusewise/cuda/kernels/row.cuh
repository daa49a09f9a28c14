// The row kernel: computes the totals of a row pass (core/rows.h) and its writes while the row lies in registers, so
// that memory is read once. A block has one row, or some short ones. Free of torch.
#pragma once

#include <tuple>

#include <fusewise/cuda/float_vectorized.cuh>
#include <fusewise/cuda/kernels/tile_totals.cuh>

namespace fusewise::cuda {

inline constexpr int kMaxRowWarps = 16;  // of a block

// Takes the place of the pass that a row pass lacks.
struct NoPass {
  static constexpr int kReads = 0;
  static constexpr int kWrites = 0;
  static constexpr int kParams = 0;
};

// A phase: the pass that computes the terms, and which of its totals are maxima, a bit each.
template <class Op_, uint32_t kMaxima_>
struct Phase {
  using Op = Op_;
  static constexpr uint32_t kMaxima = kMaxima_;
};

// The passes of a row pass, whose operands are those of its loop: the reads of the other passes but for totals and
// index, then all writes. The writes in kRowWrites, a bit each, are those of Rows, the others those of Elements.
template <uint32_t kRowWrites_, bool kUsesIndex_, class Elements_, class Rows_, class... Phases>
struct RowPasses {
  using Elements = Elements_;
  using Rows = Rows_;
  template <int p>
  using PhaseAt = std::tuple_element_t<p, std::tuple<Phases...>>;
  using First = typename PhaseAt<0>::Op;

  static constexpr int kPhases = sizeof...(Phases);
  static constexpr int kTotals = (Phases::Op::kWrites + ...);
  static constexpr bool kUsesIndex = kUsesIndex_;
  static constexpr int kReads = First::kReads - kTotals - kUsesIndex;
  static constexpr int kWrites = Elements::kWrites + Rows::kWrites;
  static constexpr int kParams = First::kParams;
  static constexpr uint32_t kRowWrites = kRowWrites_;

  static constexpr int kAllReads = First::kReads;  // of the other passes

  static RT_FN constexpr bool is_row_write(int w) { return (kRowWrites >> w & 1) != 0; }
  // The number of a write among those of Elements, or of Rows.
  static RT_FN constexpr int number_of(int w) {
    int found = 0;
    for (int other = 0; other < w; ++other) found += is_row_write(other) == is_row_write(w);
    return found;
  }
  // The totals of the phases before number `p`.
  static RT_FN constexpr int totals_before(int p) {
    const int counts[] = {Phases::Op::kWrites...};
    int found = 0;
    for (int i = 0; i < p; ++i) found += counts[i];
    return found;
  }
  // The reads that are row scalars whenever the row kernel runs.
  template <class Vector>
  static RT_FN constexpr uint32_t known_scalars() {
    uint32_t found = (kKnownScalars<typename Phases::Op, Vector> | ...);
    if constexpr (Elements::kReads > 0) found |= kKnownScalars<Elements, Vector>;
    return found & ((1u << kReads) - 1);
  }
  template <class S>
  static RT_FN constexpr Dtype read_type(int k) {
    return stored_dtype<First>(k, dtype_of<S>());
  }
  template <class S>
  static RT_FN constexpr Dtype write_type(int w) {
    return stored_dtype<Elements>(kAllReads + number_of(w), dtype_of<S>());
  }
};

// The arguments of a row kernel that do not depend on the pass.
struct RowTiling {
  int64_t rows;
  int vectors;    // of a row
  int lane_bits;  // 2^lane_bits threads of a warp share a row
  bool is_short;  // a row is one tile, and a warp has one row or several
  bool is_split;  // of TotalsPlan
};

// A thread's share of one row: of kTiles adjacent tiles.
template <class Passes, class Vector, int kTiles>
struct HeldRow {
  using T = float;
  using S = typename Vector::Stored;
  static constexpr int kReads = Passes::kReads;
  static constexpr int kSize = Vector::kSize;
  static constexpr int kTileVectors = kTileElements / kSize;
  static constexpr int kVectors = kTileVectors / 32;  // of the thread, in a tile
  static constexpr uint32_t kScalars = Passes::template known_scalars<Vector>();

  const Arguments<Passes, T>& arguments;
  const RowTiling& tiling;
  int lane;
  int lanes;
  int first;  // the number of the thread's first vector
  T scalars[kReads];
  T totals[Passes::kTotals];
  Vector held[kTiles][kVectors][kReads];

  __device__ __forceinline__ HeldRow(const Arguments<Passes, T>& arguments, const RowTiling& tiling, int64_t row)
      : arguments(arguments), tiling(tiling), lanes(1 << tiling.lane_bits) {
    lane = static_cast<int>(threadIdx.x) & (lanes - 1);
    const int warp = static_cast<int>(threadIdx.x) / 32;
    first = lane + (tiling.is_short ? 0 : warp * kTiles * kTileVectors);
    char* from[kReads];
#pragma unroll
    for (int k = 0; k < kReads; ++k) from[k] = arguments.data[k];
    add_row(arguments, row, 0, arguments.num_outer, from);
    load(from);
#pragma unroll
    for (int t = 0; t < Passes::kTotals; ++t) totals[t] = 0;
  }

  __device__ __forceinline__ bool is_scalar(int k) const {
    return (kScalars >> k & 1) != 0 || arguments.operands[k].is_broadcast;
  }

  // The number of a vector in the row.
  __device__ __forceinline__ int number(int tile, int v) const {
    return first + tile * kTileVectors + v * (tiling.is_split ? lanes : 32);
  }
  __device__ __forceinline__ bool is_there(int tile, int v) const { return number(tile, v) < tiling.vectors; }

  __device__ __forceinline__ void load(char* const (&from)[kReads]) {
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      scalars[k] = is_scalar(k) ? load_row_scalar(arguments.operands[k], from[k]) : T(0);
      if (is_scalar(k)) continue;
      const Dtype type = Passes::template read_type<S>(k);
#pragma unroll
      for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
        for (int v = 0; v < kVectors; ++v) {
          if (!is_there(tile, v)) continue;
          held[tile][v][k].load_contiguous(type, from[k] + int64_t{number(tile, v)} * (kSize * size_of(type)));
        }
      }
    }
  }

  // Keeps the compiler from keeping the elements of a vector, next to its words, for a later phase.
  __device__ __forceinline__ void forget() {
#if defined(__CUDA_ARCH__)
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
      for (int v = 0; v < kVectors; ++v) {
#pragma unroll
        for (int k = 0; k < kReads; ++k) {
          if ((kScalars >> k & 1) != 0) continue;
#pragma unroll
          for (int w = 0; w < Vector::kWords; ++w) asm volatile("" : "+r"(held[tile][v][k].words[w]));
        }
      }
    }
#endif
  }

  // The reads of a pass, without elements.
  __device__ __forceinline__ void read_row(T (&in)[Passes::kAllReads]) const {
#pragma unroll
    for (int k = 0; k < kReads; ++k) in[k] = scalars[k];
#pragma unroll
    for (int t = 0; t < Passes::kTotals; ++t) in[kReads + t] = totals[t];
    if constexpr (Passes::kUsesIndex) in[Passes::kAllReads - 1] = 0;
  }

  // Computes each element of a vector.
  template <class Op>
  __device__ __forceinline__ void compute(int tile, int v, const T* hoisted, T (&results)[Op::kWrites][kSize]) const {
    Dtype types[Passes::kAllReads];
#pragma unroll
    for (int k = 0; k < Passes::kAllReads; ++k) types[k] = stored_dtype<Op>(k, dtype_of<S>());
#pragma unroll
    for (int i = 0; i < kSize; ++i) {
      T in[Passes::kAllReads];
      T out[Op::kWrites];
      read_row(in);
#pragma unroll
      for (int k = 0; k < kReads; ++k) {
        if (!is_scalar(k)) in[k] = held[tile][v][k].get(types[k], i);
      }
      if constexpr (Passes::kUsesIndex) in[Passes::kAllReads - 1] = static_cast<T>(number(tile, v) * kSize + i);
      apply<Op>(in, arguments.params, hoisted, types, out);
#pragma unroll
      for (int w = 0; w < Op::kWrites; ++w) results[w][i] = out[w];
    }
  }

  template <class Op>
  __device__ __forceinline__ void hoist_row(T (&hoisted)[kHoisted<Op> + 1]) const {
    T in[Passes::kAllReads];
    read_row(in);
    hoist<Op>(in, arguments.params, hoisted);
  }

  // Reduces the thread's tiles. The first thread of those that share them holds the totals.
  template <class Phase>
  __device__ __forceinline__ void reduce_tiles(T (&found)[Phase::Op::kWrites]) const {
    using Op = typename Phase::Op;
    using Totals = TileTotals<T, Op::kWrites, kSize, Phase::kMaxima>;
    T hoisted[kHoisted<Op> + 1];
    hoist_row<Op>(hoisted);
    T of_tiles[kTiles][Op::kWrites];
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
      Totals sums;
      T of_vectors[kVectors][Op::kWrites];
#pragma unroll
      for (int v = 0; v < kVectors; ++v) {
        if (tiling.is_split) sums.clear();
        if (is_there(tile, v)) {
          T terms[Op::kWrites][kSize];
          compute<Op>(tile, v, hoisted, terms);
          sums.add(terms, v);
        }
        if (tiling.is_split) sums.combine(lanes, of_vectors[v]);
      }
      if (tiling.is_split) Totals::combine_parts(of_vectors, of_tiles[tile]);
      else sums.combine(lanes, of_tiles[tile]);
    }
    Totals::combine_parts(of_tiles, found);
  }

  // Computes the totals of a phase. `shared` has room for a number of each warp and total.
  template <int p>
  __device__ __forceinline__ void run_phase(T* shared) {
    using Phase = typename Passes::template PhaseAt<p>;
    constexpr int kCount = Phase::Op::kWrites;
    constexpr int kFirst = Passes::totals_before(p);
    constexpr unsigned kAll = 0xffffffffu;
    T found[kCount];
    reduce_tiles<Phase>(found);
    if (tiling.is_short) {
      const int from = static_cast<int>(threadIdx.x) % 32 & ~(lanes - 1);
#pragma unroll
      for (int w = 0; w < kCount; ++w) totals[kFirst + w] = __shfl_sync(kAll, found[w], from);
    } else {
      const int warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
      for (int w = 0; w < kCount; ++w) {
        if (lane == 0) shared[(kFirst + w) * kMaxRowWarps + warp] = found[w];
      }
      __syncthreads();
      each<kCount>([&](auto w) {
        using Combine = Combination<(Phase::kMaxima >> w.value & 1) != 0>;
        const bool has_warp = lane < static_cast<int>(blockDim.x) / 32;
        const T* const of_warps = shared + (kFirst + w.value) * kMaxRowWarps;
        const T total = Combine::of_lanes(has_warp ? of_warps[lane] : Combine::template identity<T>(), kMaxRowWarps);
        totals[kFirst + w.value] = __shfl_sync(kAll, total, 0);
      });
    }
    forget();
  }

  // Stores the elements of a vector.
  __device__ __forceinline__ void write_elements(char* const (&to)[Passes::kWrites], int tile, int v,
                                                 const T* hoisted) const {
    using Op = typename Passes::Elements;
    T results[Op::kWrites][kSize];
    compute<Op>(tile, v, hoisted, results);
    each<Passes::kWrites>([&](auto w) {
      if constexpr (!Passes::is_row_write(w.value)) {
        constexpr Dtype kType = Passes::template write_type<S>(w.value);
        if (arguments.operands[kReads + w.value].is_absent()) return;
        Vector vector;
        vector.set(kType, results[Passes::number_of(w.value)]);
        vector.store_contiguous(kType, to[w.value] + int64_t{number(tile, v)} * (kSize * size_of(kType)));
      }
    });
  }

  // Stores the numbers of the row. One thread of the row calls it.
  __device__ __forceinline__ void write_rows(char* const (&to)[Passes::kWrites]) const {
    using Op = typename Passes::Rows;
    T in[Passes::kAllReads];
    T hoisted[kHoisted<Op> + 1];
    T out[Op::kWrites];
    Dtype types[Passes::kAllReads];
    read_row(in);
    hoist<Op>(in, arguments.params, hoisted);
#pragma unroll
    for (int k = 0; k < Passes::kAllReads; ++k) types[k] = k < kReads ? arguments.operands[k].dtype : Dtype::kFloat;
    apply<Op>(in, arguments.params, hoisted, types, out);
    each<Passes::kWrites>([&](auto w) {
      if constexpr (Passes::is_row_write(w.value)) {
        const auto& operand = arguments.operands[kReads + w.value];
        if (operand.is_absent()) return;
        Strided<T, 1, true>::store_element(operand.dtype, operand, to[w.value], 0, out[Passes::number_of(w.value)]);
      }
    });
  }
};

template <class Passes, class Vector, int kTiles>
__global__ void __launch_bounds__(32 * kMaxRowWarps)
    row_kernel(const __grid_constant__ Arguments<Passes, float> arguments, const __grid_constant__ RowTiling tiling) {
  using Row = HeldRow<Passes, Vector, kTiles>;
  extern __shared__ __align__(16) char shared_totals[];  // of warps
  int64_t row = blockIdx.x;
  if (tiling.is_short) {
    row = row * (blockDim.x >> tiling.lane_bits) + (threadIdx.x >> tiling.lane_bits);
  }
  // Threads without a row reduce the last one, since shuffles need all threads of a warp.
  const bool has_row = row < tiling.rows;
  Row held(arguments, tiling, has_row ? row : tiling.rows - 1);
  each<Passes::kPhases>([&](auto p) {
    held.template run_phase<p.value>(reinterpret_cast<float*>(shared_totals));
  });
  if (!has_row) return;
  char* to[Passes::kWrites];
#pragma unroll
  for (int w = 0; w < Passes::kWrites; ++w) to[w] = arguments.data[Passes::kReads + w];
  add_row<Passes::kReads>(arguments, row, 0, arguments.num_outer, to);
  if constexpr (Passes::kRowWrites != 0) {
    if (held.first == 0) held.write_rows(to);
  }
  if constexpr (Passes::Elements::kWrites > 0) {
    using Op = typename Passes::Elements;
    float hoisted[kHoisted<Op> + 1];
    held.template hoist_row<Op>(hoisted);
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
      for (int v = 0; v < Row::kVectors; ++v) {
        if (held.is_there(tile, v)) held.write_elements(to, tile, v, hoisted);
      }
    }
  }
}

}  // namespace fusewise::cuda
