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

// The tile of a block. Each thread has several vectors of it, its items: item u is vector number `place` of line
// `line(u)`. A line is a row of the tile; for transposed operands it is a column.
template <class Op, class S>
struct TransposedTile {
  using Vector = Vectorized<S>;
  using T = typename Vector::Value;
  static constexpr int kReads = Op::kReads;
  static constexpr int kOperands = kReads + Op::kWrites;
  static constexpr int kSize = Vector::kSize;
  static constexpr int kSide = SharedTile<S>::kSide;
  static constexpr int kItems = kSide * kTileVectors / kBlockThreads;

  const Arguments<Op, T>& arguments;
  const TransposedTiling& tiling;
  uint32_t* memory;  // the tiles of the transposed operands
  int64_t first_column;
  int64_t first_row;
  char* starts[kOperands];

  __device__ __forceinline__ TransposedTile(const Arguments<Op, T>& arguments,
                                            const TransposedTiling& tiling, uint32_t* memory)
      : arguments(arguments), tiling(tiling), memory(memory) {
    const uint32_t tile = tiling.across.divide(blockIdx.x);
    const uint32_t other = tiling.down.divide(tile);
    first_column = int64_t{blockIdx.x - tile * static_cast<uint32_t>(tiling.across.value)} * kSide;
    first_row = int64_t{tile - other * static_cast<uint32_t>(tiling.down.value)} * kSide;
#pragma unroll
    for (int k = 0; k < kOperands; ++k) starts[k] = arguments.data[k];
    add_row(arguments, int64_t{other}, 1, arguments.num_outer, starts);
  }

  static __device__ __forceinline__ int place() { return static_cast<int>(threadIdx.x) % kTileVectors; }
  static __device__ __forceinline__ int line(int u) {
    return (u * kBlockThreads + static_cast<int>(threadIdx.x)) / kTileVectors;
  }

  __device__ __forceinline__ bool is_transposed(int k) const { return (tiling.transposed >> k & 1) != 0; }
  __device__ __forceinline__ bool has_transposed_writes() const { return tiling.transposed >> kReads != 0; }

  // The tile of a transposed operand in shared memory.
  __device__ __forceinline__ SharedTile<S> shared(int k) const {
    const int before = __popc(tiling.transposed & ((1u << k) - 1));
    return {memory + before * SharedTile<S>::kWords};
  }

  // The address of an item in an operand that is not transposed, and whether the loop has the item.
  __device__ __forceinline__ char* address(int k, int u) const {
    const int64_t row = first_row + line(u);
    return starts[k] + row * arguments.strides[0][k] +
           (first_column / kSize + place()) * arguments.operands[k].step;
  }
  __device__ __forceinline__ bool is_inside(int u) const {
    return first_row + line(u) < arguments.sizes[0].value &&
           first_column + place() * kSize < arguments.columns;
  }

  // The same for a transposed operand.
  __device__ __forceinline__ char* transposed_address(int k, int u) const {
    const int64_t column = first_column + line(u);
    return starts[k] + column * (arguments.operands[k].step / kSize) +
           (first_row + place() * kSize) * static_cast<int64_t>(sizeof(S));
  }
  __device__ __forceinline__ bool is_inside_transposed(int u) const {
    return first_column + line(u) < arguments.columns &&
           first_row + place() * kSize < arguments.sizes[0].value;
  }

  // Loads item u of all reads.
  __device__ __forceinline__ void load(int u, Vector (&reads)[kReads]) const {
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      if (is_transposed(k)) {
        if (is_inside_transposed(u)) reads[k].load_contiguous(Vector::kType, transposed_address(k, u));
      } else if (is_inside(u)) {
        reads[k].load(type_of<Vector>(arguments, k), arguments.operands[k], address(k, u));
      }
    }
  }

  // Writes item u of the transposed reads to shared memory, as a column of each tile.
  __device__ __forceinline__ void transpose(int u, const Vector (&reads)[kReads]) const {
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      if (!is_transposed(k)) continue;
#pragma unroll
      for (int i = 0; i < kSize; ++i) shared(k).at(place() * kSize + i, line(u)) = reads[k].bits(i);
    }
  }

  // Unpacks item u of all reads, computes it and stores it. Transposed writes go to shared memory.
  __device__ __forceinline__ void compute(int u, Vector (&reads)[kReads]) const {
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      if (is_transposed(k)) {
        const uint32_t* const words = shared(k).words(line(u), place());
#pragma unroll
        for (int w = 0; w < Vector::kWords; ++w) reads[k].words[w] = words[w];
      } else {
        reads[k].unpack(type_of<Vector>(arguments, k), arguments.operands[k]);
      }
    }
    T results[Op::kWrites][kSize];
    apply_vector<Op>(arguments, reads, results);
#pragma unroll
    for (int w = 0; w < Op::kWrites; ++w) {
      const int k = kReads + w;
      if (arguments.operands[k].is_absent()) continue;
      const Dtype type = type_of<Vector>(arguments, k);
      Vector write;
      write.set(type, results[w]);
      if (is_transposed(k)) {
        uint32_t* const words = shared(k).words(line(u), place());
#pragma unroll
        for (int i = 0; i < Vector::kWords; ++i) words[i] = write.words[i];
      } else {
        write.store(type, arguments.operands[k], address(k, u));
      }
    }
  }

  // Stores item u of the transposed writes.
  __device__ __forceinline__ void store_transposed(int u) const {
    if (!is_inside_transposed(u)) return;
#pragma unroll
    for (int k = kReads; k < kOperands; ++k) {
      if (!is_transposed(k)) continue;
      typename Vector::Bits elements[kSize];
#pragma unroll
      for (int i = 0; i < kSize; ++i) elements[i] = shared(k).at(place() * kSize + i, line(u));
      Vector write;
      write.set_bits(elements);
      write.store_contiguous(Vector::kType, transposed_address(k, u));
    }
  }
};

template <class Op, class S>
__global__ void __launch_bounds__(kBlockThreads)
    transposed_kernel(const __grid_constant__ Arguments<Op, typename Vectorized<S>::Value> arguments,
                  const __grid_constant__ TransposedTiling tiling) {
  extern __shared__ uint32_t memory[];
  constexpr int kItems = TransposedTile<Op, S>::kItems;
  const TransposedTile<Op, S> tile(arguments, tiling, memory);
  Vectorized<S> reads[kItems][Op::kReads];
#pragma unroll
  for (int u = 0; u < kItems; ++u) tile.load(u, reads[u]);
#pragma unroll
  for (int u = 0; u < kItems; ++u) tile.transpose(u, reads[u]);
  __syncthreads();
  // The loop is not unrolled: the next item takes the registers of the first.
#pragma unroll 1
  for (int u = 0; u < kItems; ++u) {
    if (tile.is_inside(u)) tile.compute(u, reads[0]);
#pragma unroll
    for (int i = 1; i < kItems; ++i) {
#pragma unroll
      for (int k = 0; k < Op::kReads; ++k) reads[i - 1][k] = reads[i][k];
    }
  }
  if (!tile.has_transposed_writes()) return;
  __syncthreads();
#pragma unroll 1
  for (int u = 0; u < kItems; ++u) tile.store_transposed(u);
}

// Launches the kernel if all operands that are not dense or broadcast in the inner dimension are dense in one
// other dimension. Returns false otherwise. `dtype` is the type of the vectors.
template <class T>
bool run_transposed(const KernelInfo& info, Dtype dtype, const ArgumentsRef<T>& arguments, const Loop& loop,
                const Number* params, const Launch& launch, Status& status);

}  // namespace fusewise::cuda
