// Runs a pass without reduced writes where operands run in different directions, as in x + y.t().
// Free of torch.
//
// A block takes a square of the inner dimension and of the one in which the *turned* operands are
// dense. Those go through shared memory, so that all of memory is read and written along its own
// direction.
#pragma once

#include <fusewise/cuda/vector.cuh>

namespace fusewise::cuda {

inline constexpr int kTileVectors = 8;  // along each side
// Words of a row of a square in shared memory: one more than it holds, against bank conflicts.
inline constexpr int kTilePitch = kTileVectors * kVectorBytes / 4 + 1;

// How the squares of a loop follow each other: along the inner dimension, the turned one, the
// others.
struct TransposedTiling {
  FastDivisor across;
  FastDivisor down;
  uint32_t transposed;  // a bit an operand
};

// A square of shared memory.
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
  // Of the vectors that a thread takes, the line and the place in it: lines are rows where operands
  // are straight, and columns where they are turned.
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
  // The same code for every vector, the next of which takes the place of the first.
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

// Returns whether the pass is one for squares, of values of type T that are stored as the dtype.
template <class T>
bool run_transposed(const KernelInfo& info, Dtype dtype, const ArgumentsRef<T>& arguments, const Loop& loop,
                const Number* params, const Launch& launch, Status& status);

}  // namespace fusewise::cuda
