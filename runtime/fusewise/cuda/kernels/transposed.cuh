// The transposed kernel, for passes without reduced writes whose operands are dense in different dimensions, as
// in x + y.t(). Free of torch.
//
// A block processes a square tile of the inner dimension and the outer dimension in which transposed operands
// are dense. Transposed operands go through shared memory, so that every operand is read or written along the
// dimension in which it is dense.
#pragma once

#include <fusewise/cuda/vector.cuh>

namespace fusewise::cuda {

inline constexpr int kTileVectors = 8;  // along each side of a tile
// Words of a row of a tile in shared memory. One word of padding avoids bank conflicts.
inline constexpr int kTilePitch = kTileVectors * kVectorBytes / 4 + 1;

// The order of tiles: along the inner dimension, then along the dimension of transposed operands, then the
// others.
struct TransposedTiling {
  FastDivisor across;
  FastDivisor down;
  uint32_t transposed;  // the transposed operands, a bit each
};

// A tile of one operand in shared memory.
template <class S>
struct SharedTile {
  static constexpr int kSide = kTileVectors * Vectorized<S>::kSize;
  static constexpr int kWords = kSide * kTilePitch;

  using Bits = typename Vectorized<S>::Bits;

  uint32_t* data;

  __device__ __forceinline__ Bits& at(int row, int column) const {
    return reinterpret_cast<Bits*>(data + row * kTilePitch)[column];
  }
  __device__ __forceinline__ uint32_t* words(int row, int vector) const {
    return data + row * kTilePitch + vector * Vectorized<S>::kWords;
  }
};

template <class Op, class S>
__global__ void __launch_bounds__(kBlockThreads)
    transposed_kernel(const __grid_constant__ Arguments<Op, typename Vectorized<S>::Value> arguments,
                  const __grid_constant__ TransposedTiling tiling) {
  using Vector = Vectorized<S>;
  using T = typename Vector::Value;
  constexpr int kReads = Op::kReads;
  constexpr int kOperands = kReads + Op::kWrites;
  constexpr int kSize = Vector::kSize;
  constexpr int kItems = SharedTile<S>::kSide * kTileVectors / kBlockThreads;
  extern __shared__ uint32_t memory[];
  const uint32_t tile = tiling.across.divide(blockIdx.x);
  const uint32_t other = tiling.down.divide(tile);
  const int64_t first_column =
      int64_t{blockIdx.x - tile * static_cast<uint32_t>(tiling.across.value)} * SharedTile<S>::kSide;
  const int64_t first_row =
      int64_t{tile - other * static_cast<uint32_t>(tiling.down.value)} * SharedTile<S>::kSide;
  char* starts[kOperands];
#pragma unroll
  for (int k = 0; k < kOperands; ++k) starts[k] = arguments.data[k];
  add_row(arguments, int64_t{other}, 1, arguments.num_outer, starts);

  const auto is_transposed = [&](int k) { return (tiling.transposed >> k & 1) != 0; };
  const auto tile_of = [&](int k) {
    const int before = __popc(tiling.transposed & ((1u << k) - 1));
    return SharedTile<S>{memory + before * SharedTile<S>::kWords};
  };
  // The line of a vector of the thread, and the place in the line. A line is a row of the tile, but a column
  // for transposed operands.
  const auto line_of = [](int u) {
    return (u * kBlockThreads + static_cast<int>(threadIdx.x)) / kTileVectors;
  };
  const int place = static_cast<int>(threadIdx.x) % kTileVectors;
  const auto straight = [&](int k, int u) {
    const int64_t row = first_row + line_of(u);
    return starts[k] + row * arguments.strides[0][k] +
           (first_column / kSize + place) * arguments.operands[k].step;
  };
  const auto transposed = [&](int k, int u) {
    const int64_t column = first_column + line_of(u);
    return starts[k] + column * (arguments.operands[k].step / kSize) +
           (first_row + place * kSize) * static_cast<int64_t>(sizeof(S));
  };
  const auto is_inside = [&](int u) {
    return first_row + line_of(u) < arguments.sizes[0].value &&
           first_column + place * kSize < arguments.columns;
  };
  const auto is_inside_transposed = [&](int u) {
    return first_column + line_of(u) < arguments.columns &&
           first_row + place * kSize < arguments.sizes[0].value;
  };

  Vector reads[kItems][kReads];
#pragma unroll
  for (int u = 0; u < kItems; ++u) {
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      Vector& vector = reads[u][k];
      if (is_transposed(k)) {
        if (is_inside_transposed(u)) vector.load_contiguous(Vector::kType, transposed(k, u));
      } else if (is_inside(u)) {
        vector.load(type_of<Vector>(arguments, k), arguments.operands[k], straight(k, u));
      }
    }
  }
#pragma unroll
  for (int u = 0; u < kItems; ++u) {
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      if (!is_transposed(k)) continue;
#pragma unroll
      for (int i = 0; i < kSize; ++i) {
        tile_of(k).at(place * kSize + i, line_of(u)) = reads[u][k].bits(i);
      }
    }
  }
  __syncthreads();
  // The loop is not unrolled: the next vector takes the registers of the first.
#pragma unroll 1
  for (int u = 0; u < kItems; ++u) {
    Vector(&read)[kReads] = reads[0];
    if (is_inside(u)) {
#pragma unroll
      for (int k = 0; k < kReads; ++k) {
        if (is_transposed(k)) {
          const uint32_t* const words = tile_of(k).words(line_of(u), place);
#pragma unroll
          for (int w = 0; w < Vector::kWords; ++w) read[k].words[w] = words[w];
        } else {
          read[k].unpack(type_of<Vector>(arguments, k), arguments.operands[k]);
        }
      }
      T results[Op::kWrites][kSize];
      apply_vector<Op>(arguments, read, results);
#pragma unroll
      for (int w = 0; w < Op::kWrites; ++w) {
        const int k = kReads + w;
        if (arguments.operands[k].is_absent()) continue;
        const Dtype type = type_of<Vector>(arguments, k);
        Vector write;
        write.set(type, results[w]);
        if (is_transposed(k)) {
          uint32_t* const words = tile_of(k).words(line_of(u), place);
#pragma unroll
          for (int i = 0; i < Vector::kWords; ++i) words[i] = write.words[i];
        } else {
          write.store(type, arguments.operands[k], straight(k, u));
        }
      }
    }
#pragma unroll
    for (int i = 1; i < kItems; ++i) {
#pragma unroll
      for (int k = 0; k < kReads; ++k) reads[i - 1][k] = reads[i][k];
    }
  }
  if ((tiling.transposed >> kReads) == 0) return;
  __syncthreads();
#pragma unroll 1
  for (int u = 0; u < kItems; ++u) {
    if (!is_inside_transposed(u)) continue;
#pragma unroll
    for (int w = 0; w < Op::kWrites; ++w) {
      const int k = kReads + w;
      if (!is_transposed(k)) continue;
      Vector write;
      typename Vector::Bits elements[kSize];
#pragma unroll
      for (int i = 0; i < kSize; ++i) elements[i] = tile_of(k).at(place * kSize + i, line_of(u));
      write.set_bits(elements);
      write.store_contiguous(Vector::kType, transposed(k, u));
    }
  }
}

// Launches the kernel if all operands that are not dense or broadcast in the inner dimension are dense in one
// other dimension. Returns false otherwise. `dtype` is the type of the vectors.
template <class T>
bool run_transposed(const KernelInfo& info, Dtype dtype, const ArgumentsRef<T>& arguments, const Loop& loop,
                const Number* params, const Launch& launch, Status& status);

}  // namespace fusewise::cuda
