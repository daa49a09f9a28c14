// Runs a pass on the GPU. Free of torch.
//
// One kernel template serves every layout: a thread takes one vector of one row, found by dividing
// its number by the vectors of a row; a flat loop is a single row. The template has two forms.
// *Packed* moves 16 bytes of one storage type at once and wants every operand to be dense or
// broadcast in the inner dimension; *Single* moves one element, with any stride and dtype, and is
// compiled once per compute type. The maths of an element is the same code in both, and so are its
// bits.
#pragma once

#include <algorithm>
#include <cstdint>

#include <cuda_runtime_api.h>

#include <fusewise/reduction.h>

namespace fusewise::cuda {

// Division by a number that the host knows: a multiplication where the dividend is below 2^31.
struct Divisor {
  int64_t value;
  uint32_t magic;
  int shift;

  Divisor() = default;
  explicit Divisor(int64_t divisor) : value(divisor), magic(0), shift(0) {
    if (divisor < 1 || divisor >= int64_t{1} << 31) return;
    while (int64_t{1} << shift < divisor) ++shift;
    const uint64_t excess = (uint64_t{1} << shift) - static_cast<uint64_t>(divisor);
    magic = static_cast<uint32_t>((excess << 32) / static_cast<uint64_t>(divisor) + 1);
  }

  __device__ int64_t divide(int64_t n, bool small) const {
    if (!small) return n / value;
    const uint32_t low = static_cast<uint32_t>(n);
    return (__umulhi(low, magic) + low) >> shift;
  }
};

// An operand as a kernel sees it.
template <class T>
struct Slot {
  char* data;
  T fill;
  Dtype dtype;
  bool wide;  // every vector that is complete is aligned to 16 bytes
  int64_t inner;
  int64_t outer[kMaxDims - 1];
};

// A loop as a kernel sees it; a kernel's parameters may take up 4 KB.
template <class Op, class T>
struct Arguments {
  int64_t columns;
  bool small;  // all numbers of rows and vectors are below 2^31
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
  arguments.num_outer = num_outer;
  for (int i = 0; i < num_outer; ++i) arguments.sizes[i] = Divisor(loop.sizes[order[i]]);
  for (int k = 0; k < Op::kReads + Op::kWrites; ++k) {
    const Operand& operand = loop.operands[k];
    Slot<T>& slot = arguments.slots[k];
    slot.data = static_cast<char*>(operand.data);
    slot.fill = static_cast<T>(operand.fill);
    slot.dtype = operand.dtype;
    slot.wide = has_aligned_rows(loop, operand, 16);
    slot.inner = inner_stride(loop, operand);
    for (int i = 0; i < num_outer; ++i) slot.outer[i] = operand.strides[order[i]];
  }
  for (int i = 0; i < Op::kParams; ++i) arguments.params[i] = static_cast<T>(params[i]);
  return arguments;
}

// Offsets in bytes of every operand's row.
template <class Op, class T>
__device__ __forceinline__ void locate_row(const Arguments<Op, T>& arguments, int64_t row,
                                           int64_t (&offsets)[Op::kReads + Op::kWrites]) {
#pragma unroll
  for (int k = 0; k < Op::kReads + Op::kWrites; ++k) offsets[k] = 0;
#pragma unroll 1
  for (int i = 0; i < arguments.num_outer; ++i) {
    int64_t index = row;
    if (i + 1 < arguments.num_outer) {
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

// 16 bytes of S, as four words of kGroup elements.
template <class S>
struct Packed {
  using Value = float;
  static constexpr int kGroup = 4 / sizeof(S);
  static constexpr int kWords = 4;
  static constexpr int kSize = kWords * kGroup;

  uint32_t words[kWords];

  static __device__ __forceinline__ Dtype type_of(const Slot<float>&) { return dtype_of<S>(); }

  __device__ __forceinline__ float get(int i) const {
    const uint32_t word = words[i / kGroup];
    if constexpr (std::is_same_v<S, float>) return bits_to_float(word);
    else if constexpr (std::is_same_v<S, bfloat16>) {
      return bits_to_float(i % 2 == 0 ? word << 16 : word & 0xffff0000u);
    } else {
      return half_bits_to_float(static_cast<uint16_t>(i % 2 == 0 ? word : word >> 16));
    }
  }

  __device__ __forceinline__ void set(int word, const float* values) {
    words[word] = pack_pair<S>(values);
  }

  __device__ __forceinline__ void fill(uint32_t bits) {
#pragma unroll
    for (int w = 0; w < kWords; ++w) words[w] = kGroup == 1 ? bits : bits | bits << 16;
  }

  __device__ __forceinline__ void load(const Slot<float>& slot, int64_t offset, int64_t column,
                                       int count) {
    using Bits = std::conditional_t<kGroup == 1, uint32_t, uint16_t>;
    if (slot.data == nullptr) {
      const float both[2] = {slot.fill, slot.fill};
      const uint32_t word = pack_pair<S>(both);
#pragma unroll
      for (int w = 0; w < kWords; ++w) words[w] = word;
      return;
    }
    const char* const from = slot.data + offset;
    if (slot.inner == 0) {
      fill(*reinterpret_cast<const Bits*>(from));
    } else if (slot.wide && count == kSize) {
      const uint4 all = *(reinterpret_cast<const uint4*>(from) + column / kSize);
      words[0] = all.x;
      words[1] = all.y;
      words[2] = all.z;
      words[3] = all.w;
    } else {
      const Bits* const elements = reinterpret_cast<const Bits*>(from) + column;
#pragma unroll
      for (int w = 0; w < kWords; ++w) {
        words[w] = w * kGroup < count ? elements[w * kGroup] : 0u;
        if (kGroup == 2 && w * kGroup + 1 < count) {
          words[w] |= static_cast<uint32_t>(elements[w * kGroup + 1]) << 16;
        }
      }
    }
  }

  __device__ __forceinline__ void store(const Slot<float>& slot, int64_t offset, int64_t column,
                                        int count) const {
    using Bits = std::conditional_t<kGroup == 1, uint32_t, uint16_t>;
    if (slot.data == nullptr) return;
    char* const to = slot.data + offset;
    if (slot.wide && count == kSize) {
      *(reinterpret_cast<uint4*>(to) + column / kSize) =
          make_uint4(words[0], words[1], words[2], words[3]);
      return;
    }
    Bits* const elements = reinterpret_cast<Bits*>(to) + column;
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      if (w * kGroup < count) elements[w * kGroup] = static_cast<Bits>(words[w]);
      if (kGroup == 2 && w * kGroup + 1 < count) {
        elements[w * kGroup + 1] = static_cast<Bits>(words[w] >> 16);
      }
    }
  }
};

// One element of any dtype, at any stride.
template <class T, bool kWithFloat8 = false>
struct Single {
  using Value = T;
  static constexpr int kGroup = 1;
  static constexpr int kWords = 1;
  static constexpr int kSize = 1;

  T value;

  static __device__ __forceinline__ Dtype type_of(const Slot<T>& slot) { return slot.dtype; }

  __device__ __forceinline__ T get(int) const { return value; }
  __device__ __forceinline__ void set(int, const T* values) { value = values[0]; }

  __device__ __forceinline__ void load(const Slot<T>& slot, int64_t offset, int64_t column, int) {
    value = slot.fill;
    if (slot.data == nullptr) return;
    value = load_as<T>(slot.data + offset + column * slot.inner, slot.dtype);
  }

  __device__ __forceinline__ void store(const Slot<T>& slot, int64_t offset, int64_t column,
                                        int) const {
    if (slot.data == nullptr) return;
    store_as<T, kWithFloat8>(slot.data + offset + column * slot.inner, slot.dtype, value);
  }
};

// Applies the maths to every element of a vector. `each(i, out)` sees the results before they are
// rounded.
template <class Op, class Vector, class Each>
__device__ __forceinline__ void apply_vector(const Arguments<Op, typename Vector::Value>& arguments,
                                             const Vector (&reads)[Op::kReads],
                                             Vector (&writes)[Op::kWrites], const Each& each) {
  using T = typename Vector::Value;
  Dtype types[Op::kReads];
#pragma unroll
  for (int k = 0; k < Op::kReads; ++k) types[k] = Vector::type_of(arguments.slots[k]);
#pragma unroll
  for (int word = 0; word < Vector::kWords; ++word) {
    T group[Op::kWrites][Vector::kGroup];
#pragma unroll
    for (int i = 0; i < Vector::kGroup; ++i) {
      T in[Op::kReads];
      T out[Op::kWrites];
#pragma unroll
      for (int k = 0; k < Op::kReads; ++k) in[k] = reads[k].get(word * Vector::kGroup + i);
      apply<Op>(in, arguments.params, types, out);
      each(word * Vector::kGroup + i, out);
#pragma unroll
      for (int w = 0; w < Op::kWrites; ++w) group[w][i] = out[w];
    }
#pragma unroll
    for (int w = 0; w < Op::kWrites; ++w) writes[w].set(word, group[w]);
  }
}

// Enough bytes in flight also for passes that read little.
template <class Op, class Vector>
inline constexpr int kVectorsPerThread = Vector::kSize > 1 && Op::kReads <= 2 ? 2 : 1;

template <class Op, class Vector>
__global__ void __launch_bounds__(kBlockThreads)
    elementwise_kernel(const __grid_constant__ Arguments<Op, typename Vector::Value> arguments,
                       const __grid_constant__ Divisor row_vectors, int64_t num_vectors) {
  constexpr int kOperands = Op::kReads + Op::kWrites;
  constexpr int kUnroll = kVectorsPerThread<Op, Vector>;
  Vector reads[kUnroll][Op::kReads];
  int64_t offsets[kUnroll][kOperands];
  int64_t columns[kUnroll];
  int counts[kUnroll];
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    const int64_t vector =
        (static_cast<int64_t>(blockIdx.x) * kUnroll + u) * kBlockThreads + threadIdx.x;
    counts[u] = 0;
    if (vector >= num_vectors) continue;
    int64_t row = 0;
    int64_t place = vector;
    if (arguments.num_outer > 0) {
      row = row_vectors.divide(vector, arguments.small);
      place -= row * row_vectors.value;
    }
    columns[u] = place * Vector::kSize;
    counts[u] = static_cast<int>(min(static_cast<int64_t>(Vector::kSize),
                                     arguments.columns - columns[u]));
    locate_row(arguments, row, offsets[u]);
#pragma unroll
    for (int k = 0; k < Op::kReads; ++k) {
      reads[u][k].load(arguments.slots[k], offsets[u][k], columns[u], counts[u]);
    }
  }
#pragma unroll
  for (int u = 0; u < kUnroll; ++u) {
    if (counts[u] == 0) continue;
    Vector writes[Op::kWrites];
    apply_vector<Op>(arguments, reads[u], writes, [](int, const auto&) {});
#pragma unroll
    for (int w = 0; w < Op::kWrites; ++w) {
      const int k = Op::kReads + w;
      writes[w].store(arguments.slots[k], offsets[u][k], columns[u], counts[u]);
    }
  }
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

  template <class Vector>
  static const char* run(const Loop& loop, const double* params, const Launch& launch) {
    int order[kMaxDims] = {};
    for (int d = 1; d < loop.num_dims; ++d) order[d - 1] = d;
    const int num_outer = std::max(0, loop.num_dims - 1);
    const auto arguments =
        make_arguments<Op, typename Vector::Value>(loop, params, order, num_outer);
    const int64_t row_vectors = ceil_div(arguments.columns, Vector::kSize);
    const int64_t num_vectors = numel(loop) / arguments.columns * row_vectors;
    const int64_t per_block = kBlockThreads * kVectorsPerThread<Op, Vector>;
    const int64_t blocks = ceil_div(num_vectors, per_block);
    if (blocks > kMaxBlocks) return "too many elements for one kernel";
    const cudaStream_t stream = static_cast<cudaStream_t>(launch.stream);
    elementwise_kernel<Op, Vector><<<static_cast<unsigned>(blocks), kBlockThreads, 0, stream>>>(
        arguments, Divisor(row_vectors), num_vectors);
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
