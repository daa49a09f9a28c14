// Runs a pass on the GPU. Free of torch.
//
// One kernel template serves every layout. A block takes a few rows that follow each other in one outer
// dimension, and of each a tile of columns; a dense loop is a single row. A thread takes vectors that
// lie one step apart, with all its loads under way before the first result is computed. The template
// has two forms. *Packed* moves 16 bytes of one storage type at once and wants every operand to be
// dense or broadcast in the inner dimension; *Single* moves one element, with any stride and dtype, and
// is compiled once per compute type. The maths of an element is the same code in both, and so are its
// bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <cuda_runtime_api.h>

#include <fusewise/coarse.h>
#include <fusewise/reduction.h>

namespace fusewise::cuda {

// Division by a number that the host knows: a multiplication and a shift.
struct Divisor {
  int64_t value;
  uint64_t magic;        // for dividends below 2^63
  uint32_t small_magic;  // for those below 2^31
  int shift;

  Divisor() = default;
  explicit Divisor(int64_t divisor) : value(divisor), magic(0), small_magic(0), shift(0) {
    if (divisor <= 1) return;
    const uint64_t by = static_cast<uint64_t>(divisor);
    shift = std::bit_width(by - 1);
    const unsigned __int128 excess = (static_cast<unsigned __int128>(1) << shift) - by;
    magic = static_cast<uint64_t>((excess << 64) / by + 1);
    small_magic = static_cast<uint32_t>((excess << 32) / by + 1);
  }

  __device__ int64_t divide_small(int64_t n) const {
    const uint32_t low = static_cast<uint32_t>(n);
    return (__umulhi(low, small_magic) + low) >> shift;
  }

  __device__ int64_t divide(int64_t n, bool small) const {
    if (small) return divide_small(n);
    const uint64_t all = static_cast<uint64_t>(n);
    return static_cast<int64_t>((__umul64hi(all, magic) + all) >> shift);
  }
};

// An operand as a kernel sees it.
template <class T>
struct Slot {
  char* data;
  T fill;
  Dtype dtype;
  bool is_broadcast;  // the same element in the whole row, or a number
  int64_t inner;
  int64_t outer[kMaxDims - 1];
};

// A loop as a kernel sees it.
template <class Op, class T>
struct Arguments {
  int64_t columns;
  bool small;          // all numbers of rows and vectors are below 2^31
  bool wide;           // every operand's complete vectors are aligned to 16 bytes
  bool has_broadcast;  // some operand has the same element in a whole row
  int num_outer;
  Divisor sizes[kMaxDims - 1];
  Slot<T> slots[Op::kReads + Op::kWrites];
  T params[Op::kParams > 0 ? Op::kParams : 1];
};

// `order` lists the outer dimensions of the loop, fastest first.
template <class Op, class T>
Arguments<Op, T> make_arguments(const Loop& loop, const double* params, const int* order,
                                int num_outer) {
  Arguments<Op, T> arguments{};
  arguments.columns = inner_size(loop);
  arguments.small = numel(loop) < int64_t{1} << 31;
  arguments.wide = true;
  arguments.num_outer = num_outer;
  for (int i = 0; i < num_outer; ++i) arguments.sizes[i] = Divisor(loop.sizes[order[i]]);
  for (int k = 0; k < Op::kReads + Op::kWrites; ++k) {
    const Operand& operand = loop.operands[k];
    Slot<T>& slot = arguments.slots[k];
    slot.data = static_cast<char*>(operand.data);
    slot.fill = static_cast<T>(operand.fill);
    slot.dtype = operand.dtype;
    slot.inner = inner_stride(loop, operand);
    slot.is_broadcast = slot.data == nullptr || slot.inner == 0;
    arguments.has_broadcast |= slot.is_broadcast;
    if (!slot.is_broadcast) arguments.wide &= has_aligned_rows(loop, operand, 16);
    for (int i = 0; i < num_outer; ++i) slot.outer[i] = operand.strides[order[i]];
  }
  for (int i = 0; i < Op::kParams; ++i) arguments.params[i] = static_cast<T>(params[i]);
  return arguments;
}

// Adds to every operand's offset that of a row, counted in the outer dimensions from `first` to `last`.
template <class Op, class T>
__device__ __forceinline__ void add_row(const Arguments<Op, T>& arguments, int64_t row, int first,
                                        int last, int64_t (&offsets)[Op::kReads + Op::kWrites]) {
#pragma unroll 1
  for (int i = first; i < last; ++i) {
    int64_t index = row;
    if (i + 1 < last) {
      row = arguments.sizes[i].divide(row, arguments.small);
      index -= row * arguments.sizes[i].value;
    }
#pragma unroll
    for (int k = 0; k < Op::kReads + Op::kWrites; ++k) {
      offsets[k] += index * arguments.slots[k].outer[i];
    }
  }
}

template <class S>
__device__ __forceinline__ uint32_t pack_pair(const float* values) {
  if constexpr (std::is_same_v<S, float>) {
    return float_to_bits(values[0]);
  } else {
    uint32_t word;
#if __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<S, half>) {
      asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(values[1]), "f"(values[0]));
    } else {
      asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(values[1]), "f"(values[0]));
    }
#else
    word = S(values[0]).bits | static_cast<uint32_t>(S(values[1]).bits) << 16;
#endif
    return word;
  }
}

// 16 bytes of S, as four words.
template <class S>
struct Packed {
  using Value = std::conditional_t<kIsSixteenBit<S>, rt::Coarse, float>;
  using Sum = float;
  using Bits = std::conditional_t<sizeof(S) == 4, uint32_t, uint16_t>;
  static constexpr int kGroup = 4 / sizeof(S);  // elements of a word
  static constexpr int kWords = 4;
  static constexpr int kSize = kWords * kGroup;

  uint32_t words[kWords];

  static __device__ __forceinline__ Dtype type_of(const Slot<Value>&) { return dtype_of<S>(); }

  __device__ __forceinline__ Value get(int i) const {
    const uint32_t word = words[i / kGroup];
    if constexpr (std::is_same_v<S, float>) return bits_to_float(word);
    else if constexpr (std::is_same_v<S, bfloat16>) {
      return Value(bits_to_float(i % 2 == 0 ? word << 16 : word & 0xffff0000u));
    } else {
      return Value(half_bits_to_float(static_cast<uint16_t>(i % 2 == 0 ? word : word >> 16)));
    }
  }

  __device__ __forceinline__ void set(const Value* values) {
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      float group[kGroup];
#pragma unroll
      for (int i = 0; i < kGroup; ++i) group[i] = static_cast<float>(values[w * kGroup + i]);
      words[w] = pack_pair<S>(group);
    }
  }

  // A whole vector, aligned.
  __device__ __forceinline__ void load(const char* from) {
    const uint4 all = *reinterpret_cast<const uint4*>(from);
    words[0] = all.x;
    words[1] = all.y;
    words[2] = all.z;
    words[3] = all.w;
  }

  // The same, or one element that stands for all, to be spread once the other loads are under way.
  __device__ __forceinline__ void load(const Slot<Value>& slot, const char* from) {
    if (slot.is_broadcast) words[0] = first(slot, from);
    else load(from);
  }

  __device__ __forceinline__ void spread(const Slot<Value>& slot) {
    if (!slot.is_broadcast) return;
    if (kGroup == 2) words[0] = __byte_perm(words[0], 0, 0x1010);
#pragma unroll
    for (int w = 1; w < kWords; ++w) words[w] = words[0];
  }

  // The first `count` elements of a vector, spread already.
  __device__ __forceinline__ void load_part(const Slot<Value>& slot, const char* from, int count,
                                            bool wide) {
    if (slot.is_broadcast || (wide && count == kSize)) {
      load(slot, from);
      return spread(slot);
    }
    const Bits* const elements = reinterpret_cast<const Bits*>(from);
#pragma unroll
    for (int i = 0; i < kSize; ++i) {
      const uint32_t bits = i < count ? elements[i] : Bits(0);
      if (i % kGroup == 0) words[i / kGroup] = bits;
      else words[i / kGroup] |= bits << 16;
    }
  }

  __device__ __forceinline__ void store(char* to) const {
    *reinterpret_cast<uint4*>(to) = make_uint4(words[0], words[1], words[2], words[3]);
  }

  __device__ __forceinline__ void store_part(const Slot<Value>&, char* to, int count,
                                             bool wide) const {
    if (wide && count == kSize) return store(to);
    Bits* const elements = reinterpret_cast<Bits*>(to);
#pragma unroll
    for (int i = 0; i < kSize; ++i) {
      const uint32_t word = words[i / kGroup];
      if (i < count) elements[i] = static_cast<Bits>(i % kGroup == 0 ? word : word >> 16);
    }
  }

 private:
  static __device__ __forceinline__ uint32_t first(const Slot<Value>& slot, const char* from) {
    if (slot.data != nullptr) return *reinterpret_cast<const Bits*>(from);
    const float both[2] = {static_cast<float>(slot.fill), 0.0f};
    return pack_pair<S>(both);
  }
};

// One element of any dtype, at any stride; of half and bfloat16 where the value type is their own.
template <class T, bool kWithFloat8 = false>
struct Single {
  using Value = T;
  using Sum = std::conditional_t<std::is_same_v<T, rt::Coarse>, float, T>;
  static constexpr int kSize = 1;

  T value;

  static __device__ __forceinline__ Dtype type_of(const Slot<T>& slot) { return slot.dtype; }

  __device__ __forceinline__ T get(int) const { return value; }
  __device__ __forceinline__ void set(const T* values) { value = values[0]; }

  __device__ __forceinline__ void load_part(const Slot<T>& slot, const char* from, int, bool) {
    value = slot.fill;
    if (slot.data == nullptr) return;
    if constexpr (std::is_same_v<T, rt::Coarse>) {
      const uint16_t bits = *reinterpret_cast<const uint16_t*>(from);
      const bool is_half = slot.dtype == Dtype::kHalf;
      value = T(is_half ? half_bits_to_float(bits) : bfloat16_bits_to_float(bits));
    } else {
      value = load_as<T>(from, slot.dtype);
    }
  }

  __device__ __forceinline__ void store_part(const Slot<T>& slot, char* to, int, bool) const {
    if constexpr (std::is_same_v<T, rt::Coarse>) {
      const float result = static_cast<float>(value);
      const bool is_half = slot.dtype == Dtype::kHalf;
      *reinterpret_cast<uint16_t*>(to) =
          is_half ? float_to_half_bits(result) : float_to_bfloat16_bits(result);
    } else {
      store_as<T, kWithFloat8>(to, slot.dtype, value);
    }
  }
};

// The maths of every element of a vector.
template <class Op, class Vector>
__device__ __forceinline__ void apply_vector(
    const Arguments<Op, typename Vector::Value>& arguments, const Vector (&reads)[Op::kReads],
    typename Vector::Value (&results)[Op::kWrites][Vector::kSize]) {
  using T = typename Vector::Value;
  Dtype types[Op::kReads];
#pragma unroll
  for (int k = 0; k < Op::kReads; ++k) types[k] = Vector::type_of(arguments.slots[k]);
#pragma unroll
  for (int i = 0; i < Vector::kSize; ++i) {
    T in[Op::kReads];
    T out[Op::kWrites];
#pragma unroll
    for (int k = 0; k < Op::kReads; ++k) in[k] = reads[k].get(i);
    apply<Op>(in, arguments.params, types, out);
#pragma unroll
    for (int w = 0; w < Op::kWrites; ++w) results[w][i] = out[w];
  }
}

// How the threads of a block are laid over rows and columns, and the blocks over the loop: over the
// columns, the first outer dimension, and the others, in this order.
template <int kOperands>
struct Blocks {
  int64_t rows;         // of the first outer dimension
  Divisor tiles;        // blocks that share a row
  Divisor row_blocks;   // blocks along the first outer dimension
  int lane_bits;        // 2^lane_bits threads share a row, the others take other rows
  int block_rows;       // rows of a block
  int tile_vectors;     // vectors of each
  int row_step;         // from one vector of a thread to the next
  int column_step;
  int64_t steps[kOperands];  // the same in bytes, of each operand
};

template <class Op, class Vector, int kItems>
__global__ void __launch_bounds__(kBlockThreads)
    elementwise_kernel(const __grid_constant__ Arguments<Op, typename Vector::Value> arguments,
                       const __grid_constant__ Blocks<Op::kReads + Op::kWrites> blocks) {
  using T = typename Vector::Value;
  constexpr int kOperands = Op::kReads + Op::kWrites;
  constexpr int64_t kSize = Vector::kSize;
  const int64_t row_tile = blocks.tiles.divide_small(blockIdx.x);
  const int64_t tile = blockIdx.x - row_tile * blocks.tiles.value;
  const int64_t other_rows = blocks.row_blocks.divide_small(row_tile);
  const int64_t row_block = row_tile - other_rows * blocks.row_blocks.value;
  const int thread = static_cast<int>(threadIdx.x);
  const int64_t row = row_block * blocks.block_rows + (thread >> blocks.lane_bits);
  const int64_t vector =
      tile * blocks.tile_vectors + (thread & ((1 << blocks.lane_bits) - 1));

  int64_t offsets[kOperands] = {};
  add_row(arguments, other_rows, 1, arguments.num_outer, offsets);
  char* pointers[kOperands];
#pragma unroll
  for (int k = 0; k < kOperands; ++k) {
    const Slot<T>& slot = arguments.slots[k];
    pointers[k] = slot.data + offsets[k] + row * slot.outer[0] + vector * kSize * slot.inner;
  }
  if constexpr (kSize > 1) {
    const bool inside = (tile + 1) * blocks.tile_vectors * kSize <= arguments.columns &&
                        (row_block + 1) * blocks.block_rows <= blocks.rows;
    if (arguments.wide && inside) {
      Vector reads[kItems][Op::kReads];
#pragma unroll
      for (int u = 0; u < kItems; ++u) {
#pragma unroll
        for (int k = 0; k < Op::kReads; ++k) {
          reads[u][k].load(arguments.slots[k], pointers[k] + u * blocks.steps[k]);
        }
      }
#pragma unroll
      for (int u = 0; u < kItems; ++u) {
        if (arguments.has_broadcast) {
#pragma unroll
          for (int k = 0; k < Op::kReads; ++k) reads[u][k].spread(arguments.slots[k]);
        }
        T results[Op::kWrites][kSize];
        apply_vector<Op>(arguments, reads[u], results);
#pragma unroll
        for (int w = 0; w < Op::kWrites; ++w) {
          const int k = Op::kReads + w;
          Vector write;
          write.set(results[w]);
          if (arguments.slots[k].data != nullptr) write.store(pointers[k] + u * blocks.steps[k]);
        }
      }
      return;
    }
  }
#pragma unroll 1
  for (int u = 0; u < kItems; ++u) {
    const int64_t left = arguments.columns - (vector + u * blocks.column_step) * kSize;
    if (row + u * blocks.row_step >= blocks.rows || left <= 0) return;
    const int count = static_cast<int>(min(kSize, left));
    Vector reads[Op::kReads];
#pragma unroll
    for (int k = 0; k < Op::kReads; ++k) {
      reads[k].load_part(arguments.slots[k], pointers[k] + u * blocks.steps[k], count,
                         arguments.wide);
    }
    T results[Op::kWrites][kSize];
    apply_vector<Op>(arguments, reads, results);
#pragma unroll
    for (int w = 0; w < Op::kWrites; ++w) {
      const int k = Op::kReads + w;
      if (arguments.slots[k].data == nullptr) continue;
      Vector write;
      write.set(results[w]);
      write.store_part(arguments.slots[k], pointers[k] + u * blocks.steps[k], count,
                       arguments.wide);
    }
  }
}

// Enough bytes in flight also for passes that read little.
template <class Op, class Vector>
inline constexpr int kItemsPerThread = Vector::kSize == 1 ? 1 : Op::kReads <= 2 ? 2 : 1;

// The binary logarithm of a power of two.
constexpr int bits_of(int power) { return std::bit_width(static_cast<unsigned>(power)) - 1; }

inline constexpr int kBlockBits = bits_of(kBlockThreads);

// As many threads share a row as waste little at its end: all for long rows, few for short ones.
inline int lane_bits_of(int64_t vectors) {
  const auto padded = [&](int bits) { return ceil_div(vectors, int64_t{1} << bits) << bits; };
  int best = kBlockBits;
  for (int bits = kBlockBits - 1; bits >= 0; --bits) {
    if (padded(bits) < padded(best) - vectors / 32) best = bits;
  }
  return best;
}

template <int kOperands>
Blocks<kOperands> lay_out(int64_t rows, int64_t vectors, bool is_flat, int items) {
  Blocks<kOperands> blocks{};
  blocks.lane_bits = lane_bits_of(is_flat ? kBlockThreads : vectors);
  const int groups = kBlockThreads >> blocks.lane_bits;
  blocks.rows = rows;
  blocks.block_rows = is_flat ? 1 : groups * items;
  blocks.tile_vectors = is_flat ? kBlockThreads * items : 1 << blocks.lane_bits;
  blocks.row_step = is_flat ? 0 : groups;
  blocks.column_step = is_flat ? kBlockThreads : 0;
  blocks.tiles = Divisor(ceil_div(vectors, blocks.tile_vectors));
  blocks.row_blocks = Divisor(ceil_div(rows, blocks.block_rows));
  return blocks;
}

inline const char* launch_error() {
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}

inline constexpr int64_t kMaxBlocks = (int64_t{1} << 31) - 1;

// How a loop without reduced writes is launched.
template <class Op, bool kWithVectors>
struct Elementwise {
  static constexpr bool kPacks = kWithVectors;
  static constexpr bool kNeedsTypes = kRounds<Op>;
  static constexpr int64_t kManyRows = 64;  // enough for the rows of a block

  template <class Vector>
  static const char* run(const Loop& loop, const double* params, const Launch& launch) {
    constexpr int kItems = kItemsPerThread<Op, Vector>;
    constexpr int kOperands = Op::kReads + Op::kWrites;
    int order[kMaxDims] = {};
    const int num_outer = std::max(0, loop.num_dims - 1);
    for (int i = 0; i < num_outer; ++i) order[i] = i + 1;
    const auto rows_of = [&](int dim) { return std::min(loop.sizes[dim], kManyRows); };
    const auto most = std::max_element(
        order, order + num_outer, [&](int a, int b) { return rows_of(a) < rows_of(b); });
    if (num_outer > 0) std::rotate(order, most, most + 1);
    const auto arguments =
        make_arguments<Op, typename Vector::Value>(loop, params, order, num_outer);
    const int64_t rows = num_outer > 0 ? loop.sizes[order[0]] : 1;
    const int64_t vectors = ceil_div(arguments.columns, Vector::kSize);
    auto blocks = lay_out<kOperands>(rows, vectors, num_outer == 0, kItems);
    for (int k = 0; k < kOperands; ++k) {
      const auto& slot = arguments.slots[k];
      blocks.steps[k] =
          blocks.row_step * slot.outer[0] + blocks.column_step * Vector::kSize * slot.inner;
    }
    const int64_t other_rows = numel(loop) / (arguments.columns * rows);
    const int64_t num_blocks = other_rows * blocks.row_blocks.value * blocks.tiles.value;
    if (num_blocks > kMaxBlocks) return "too many elements for one kernel";
    const cudaStream_t stream = static_cast<cudaStream_t>(launch.stream);
    elementwise_kernel<Op, Vector, kItems>
        <<<static_cast<unsigned>(num_blocks), kBlockThreads, 0, stream>>>(arguments, blocks);
    return launch_error();
  }
};

// Vectors pay unless rows are so short that most are incomplete.
template <class S>
bool takes_packed(const Loop& loop) {
  constexpr int64_t kSize = Packed<S>::kSize;
  const int64_t columns = inner_size(loop);
  const bool fits = loop.num_dims <= 1 || columns % kSize == 0 || columns >= 8 * kSize;
  return fits && is_uniform<S>(loop) && has_dense_rows(loop);
}

// Every operand is half or bfloat16, or a number.
inline bool is_sixteen_bit(const Loop& loop) {
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    const bool fits = operand.dtype == Dtype::kHalf || operand.dtype == Dtype::kBFloat16;
    if (operand.data != nullptr && !fits) return false;
  }
  return true;
}

template <class Runner, class Storage>
struct Dispatch;

// Calls Runner::run<Vector> with the widest vector that serves the loop.
template <class Runner, class... S>
struct Dispatch<Runner, Dtypes<S...>> {
  static constexpr bool kWithFloat8 = (kIsFloat8<S> || ...);

  template <class T>
  static constexpr bool kComputes = (std::is_same_v<Compute<S>, T> || ...);

  template <class Candidate>
  static bool try_packed(const Loop& loop, const double* params, const Launch& launch,
                         const char*& message) {
    constexpr bool kComputesInFloat = std::is_same_v<Compute<Candidate>, float>;
    if constexpr (Runner::kPacks && kComputesInFloat && !kIsFloat8<Candidate>) {
      if (!takes_packed<Candidate>(loop)) return false;
      if (Runner::kNeedsTypes && !reads_only<Candidate>(loop)) return false;
      message = Runner::template run<Packed<Candidate>>(loop, params, launch);
      return true;
    } else {
      return false;
    }
  }

  static const char* run(const Loop& loop, const double* params, const Launch& launch) {
    constexpr const char* kNone = "no kernel was compiled for this dtype";
    if (!kWithFloat8 && writes_float8(loop)) return kNone;
    if constexpr (kComputes<float>) {
      if (loop.compute == Dtype::kFloat) {
        const char* message = nullptr;
        if ((try_packed<S>(loop, params, launch, message) || ...)) return message;
        if constexpr (Runner::kPacks && (kIsSixteenBit<S> || ...)) {
          if (is_sixteen_bit(loop)) {
            return Runner::template run<Single<rt::Coarse>>(loop, params, launch);
          }
        }
        return Runner::template run<Single<float, kWithFloat8>>(loop, params, launch);
      }
    }
    if constexpr (kComputes<double>) {
      if (loop.compute == Dtype::kDouble) {
        return Runner::template run<Single<double, kWithFloat8>>(loop, params, launch);
      }
    }
    if constexpr (kComputes<int64_t>) {
      if (loop.compute == Dtype::kInt64) {
        return Runner::template run<Single<int64_t, kWithFloat8>>(loop, params, launch);
      }
    }
    return kNone;
  }
};

}  // namespace fusewise::cuda

namespace fusewise {

template <class Op, class Storage>
const char* run_cuda(const Loop& loop, const double* params, const Launch& launch) {
  if (numel(loop) == 0) return nullptr;
  return cuda::Dispatch<cuda::Elementwise<Op, true>, Storage>::run(loop, params, launch);
}

}  // namespace fusewise
