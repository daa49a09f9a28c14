// Runs a pass on the GPU. Free of torch.
//
// One kernel template serves every layout. Threads take the vectors of all rows in order, so that
// neighbours read neighbours whatever the length of a row, and each has all its loads under way
// before the first result is computed.
#pragma once

#include <fusewise/turned.cuh>
#include <fusewise/vector.cuh>

namespace fusewise::cuda {

// What a block takes: small ones follow each other closer than large ones.
inline constexpr int kBlockVectors = 256;
// Where blocks are fewer than the processors of a large GPU, they get so many threads: more of them
// share the work.
inline constexpr int kManyBlocks = 128;
inline constexpr int kFewThreads = 64;

template <class Op, class Vector, int kItems>
__global__ void __launch_bounds__(kBlockVectors / kItems)
    elementwise_kernel(const __grid_constant__ Arguments<Op, typename Vector::Value> arguments) {
  using T = typename Vector::Value;
  constexpr int kOperands = Op::kReads + Op::kWrites;
  constexpr int kSize = Vector::kSize;
  const uint32_t first = blockIdx.x * blockDim.x * kItems + threadIdx.x;
  // Where a vector lies. Returns how many of its elements there are.
  const auto locate = [&](uint32_t number, char*(&pointers)[kOperands]) {
    if (number >= static_cast<uint32_t>(arguments.vectors)) return 0;
    const uint32_t row_vectors = static_cast<uint32_t>(arguments.row_vectors.value);
    uint32_t row = arguments.num_outer > 0 ? arguments.row_vectors.divide(number) : 0;
    const uint32_t vector = number - row * row_vectors;
    uint32_t offsets[kOperands];
#pragma unroll
    for (int k = 0; k < kOperands; ++k) {
      offsets[k] = vector * static_cast<uint32_t>(arguments.slots[k].step);
    }
    // A dimension or two are what there is most often.
    if (arguments.num_outer > 0) add_dim(arguments, row, 0, arguments.num_outer, offsets);
    if (arguments.num_outer > 1) add_dim(arguments, row, 1, arguments.num_outer, offsets);
    add_row(arguments, row, 2, arguments.num_outer, offsets);
#pragma unroll
    for (int k = 0; k < kOperands; ++k) pointers[k] = arguments.slots[k].data + offsets[k];
    return vector + 1 < row_vectors ? kSize : arguments.last_size;
  };

  char* pointers[kItems][kOperands];
  bool is_whole[kItems];
  Vector reads[kItems][Op::kReads];
#pragma unroll
  for (int u = 0; u < kItems; ++u) {
    is_whole[u] = locate(first + u * blockDim.x, pointers[u]) == kSize;
    if (!is_whole[u]) continue;
    if constexpr (Vector::kIsPacked) {
      if (arguments.is_plain) {
#pragma unroll
        for (int k = 0; k < Op::kReads; ++k) {
          reads[u][k].load_plain(type_of<Vector>(arguments, k), pointers[u][k]);
        }
        continue;
      }
    }
#pragma unroll
    for (int k = 0; k < Op::kReads; ++k) {
      reads[u][k].load(type_of<Vector>(arguments, k), arguments.slots[k], pointers[u][k]);
    }
  }
#pragma unroll
  for (int u = 0; u < kItems; ++u) {
    if (!is_whole[u]) continue;
    if (!Vector::kIsPacked || !arguments.is_plain) {
#pragma unroll
      for (int k = 0; k < Op::kReads; ++k) {
        reads[u][k].spread(type_of<Vector>(arguments, k), arguments.slots[k]);
      }
    }
    take_apart(arguments, reads[u]);
    T results[Op::kWrites][kSize];
    apply_vector<Op>(arguments, reads[u], results);
    Vector writes[Op::kWrites];
#pragma unroll
    for (int w = 0; w < Op::kWrites; ++w) {
      writes[w].set(type_of<Vector>(arguments, Op::kReads + w), results[w]);
    }
#pragma unroll
    for (int w = 0; w < Op::kWrites; ++w) {
      const Slot<T>& slot = arguments.slots[Op::kReads + w];
      if (slot.data == nullptr) continue;
      if constexpr (kMovesPairs<Op, Vector>) {
        if (is_first_of_pair(arguments, Op::kReads + w)) {
          Vector::put_together(writes[w], writes[(w + 1) % Op::kWrites]);
        }
      }
      writes[w].store(type_of<Vector>(arguments, Op::kReads + w), slot, pointers[u][Op::kReads + w]);
    }
  }
  if constexpr (kSize > 1) {
    if (arguments.last_size == kSize) return;
#pragma unroll 1
    for (int u = 0; u < kItems; ++u) {
      char* parts[kOperands];
      const int count = locate(first + u * blockDim.x, parts);
      if (count == kSize) continue;
      apply_elements<Op, Vector>(arguments, parts, count, [&](int w, int i, T result) {
        const Slot<T>& slot = arguments.slots[Op::kReads + w];
        if (slot.data == nullptr) return;
        const Dtype type = type_of<Vector>(arguments, Op::kReads + w);
        Vector::store_element(type, slot, parts[Op::kReads + w], i, result);
      });
    }
  }
}

// Enough bytes in flight also for passes that read little.
template <class Op, class Vector>
inline constexpr int kItemsPerThread = Vector::kIsPacked && Op::kReads <= 2 ? 2 : 1;

// So that the number of a vector and an offset in bytes fit 32 bits.
inline constexpr int64_t kMaxVectors = int64_t{1} << 30;
inline constexpr int64_t kMaxBytes = int64_t{1} << 32;

inline bool is_large(const Loop& loop, int64_t vectors) {
  if (vectors > kMaxVectors) return true;
  for (int k = 0; k < num_operands(loop); ++k) {
    int64_t last = 0;
    for (int d = 0; d < loop.num_dims; ++d) {
      last += (loop.sizes[d] - 1) * loop.operands[k].strides[d];
    }
    if (loop.operands[k].data != nullptr && last >= kMaxBytes) return true;
  }
  return false;
}

// How a loop without reduced writes is launched.
template <class Op, bool kWithVectors>
struct Elementwise {
  static constexpr bool kPacks = kWithVectors;
  static constexpr bool kTakesParts = true;  // of vectors
  using Pass = Op;

  // Returns whether vectors serve the loop. An incomplete one goes element by element, so that
  // there must be few of them.
  template <class S>
  static bool try_packed(const Loop& loop, const double* params, const Launch& launch,
                         const char*& message) {
    constexpr int64_t kSize = Packed<S>::kSize;
    const int64_t columns = inner_size(loop);
    if (!has_packed_rows(loop, kPairs<Op>)) {
      return run_turned(turned_kernel<Op, S>, dtype_of<S>(), loop, params, launch, message);
    }
    if (loop.num_dims > 1 && columns % kSize != 0 && columns < 8 * kSize) return false;
    message = run<Packed<S>>(loop, params, launch);
    return true;
  }

  template <class Vector>
  static const char* run(const Loop& loop, const double* params, const Launch& launch) {
    constexpr int kItems = kItemsPerThread<Op, Vector>;
    int order[kMaxDims] = {};
    const int num_outer = loop.num_dims > 1 ? loop.num_dims - 1 : 0;
    for (int i = 0; i < num_outer; ++i) order[i] = i + 1;
    const auto arguments = make_arguments<Op, typename Vector::Value>(
        loop, params, Vector::kSize, Vector::kIsPacked, order, num_outer);
    if (is_large(loop, arguments.vectors)) return run_halves<Vector>(loop, params, launch);
    const bool has_many = ceil_div(arguments.vectors, kBlockVectors) >= kManyBlocks;
    const int threads = has_many ? kBlockVectors / kItems : kFewThreads;
    const int64_t blocks = ceil_div(arguments.vectors, threads * kItems);
    const cudaStream_t stream = static_cast<cudaStream_t>(launch.stream);
    elementwise_kernel<Op, Vector, kItems>
        <<<static_cast<unsigned>(blocks), threads, 0, stream>>>(arguments);
    return launch_error();
  }

 private:
  // Cuts the longest dimension in two, at a multiple of any vector where that is the inner one.
  template <class Vector>
  static const char* run_halves(const Loop& loop, const double* params, const Launch& launch) {
    // A short inner dimension stays whole: that of a pair would move off its place.
    const int first = loop.sizes[0] <= 32 && loop.num_dims > 1 ? 1 : 0;
    int dim = first;
    for (int d = first; d < loop.num_dims; ++d) {
      if (loop.sizes[d] > loop.sizes[dim]) dim = d;
    }
    const int64_t half = loop.sizes[dim] > 32 ? loop.sizes[dim] / 32 * 16 : loop.sizes[dim] / 2;
    Loop part = loop;
    part.sizes[dim] = half;
    if (const char* message = run<Vector>(part, params, launch)) return message;
    part.sizes[dim] = loop.sizes[dim] - half;
    for (int k = 0; k < num_operands(loop); ++k) {
      Operand& operand = part.operands[k];
      if (operand.data != nullptr) {
        operand.data = static_cast<char*>(operand.data) + half * operand.strides[dim];
      }
    }
    return run<Vector>(part, params, launch);
  }
};

// Numbers of 16 bits, and of one byte where they are read as truth or written.
inline bool is_coarse(const Loop& loop) {
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    const bool is_narrow =
        k < loop.num_reads ? operand.dtype == Dtype::kBool : size_of(operand.dtype) == 1;
    const bool fits =
        operand.dtype == Dtype::kHalf || operand.dtype == Dtype::kBFloat16 || is_narrow;
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

  // Elements that are gathered at once: up to 16 bytes, but sums of eight find no registers.
  template <class T>
  static constexpr int kCount = !Runner::kPacks || sizeof(T) == 8   ? 1
                                : !std::is_same_v<T, rt::Coarse> ? 4
                                : Runner::kTakesParts            ? 8
                                                                 : 1;

  template <class T>
  static const char* run_gathered(const Loop& loop, const double* params, const Launch& launch) {
    if constexpr (Runner::kTakesParts) {
      return Runner::template run<Gathered<T, kCount<T>, kWithFloat8>>(loop, params, launch);
    } else {
      if (loop.num_dims <= 1 || inner_size(loop) % kCount<T> == 0) {
        return Runner::template run<Gathered<T, kCount<T>, kWithFloat8>>(loop, params, launch);
      }
      return Runner::template run<Gathered<T, 1, kWithFloat8>>(loop, params, launch);
    }
  }

  template <class Candidate>
  static bool try_packed(const Loop& loop, const double* params, const Launch& launch,
                         const char*& message) {
    constexpr bool kComputesInFloat = std::is_same_v<Compute<Candidate>, float>;
    if constexpr (Runner::kPacks && kComputesInFloat && !kIsFloat8<Candidate>) {
      if (!is_uniform<typename Runner::Pass, Candidate>(loop)) return false;
      return Runner::template try_packed<Candidate>(loop, params, launch, message);
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
          if (is_coarse(loop)) {
            return run_gathered<rt::Coarse>(loop, params, launch);
          }
        }
        return run_gathered<float>(loop, params, launch);
      }
    }
    if constexpr (kComputes<double>) {
      if (loop.compute == Dtype::kDouble) {
        return run_gathered<double>(loop, params, launch);
      }
    }
    if constexpr (kComputes<int64_t>) {
      if (loop.compute == Dtype::kInt64) {
        return run_gathered<int64_t>(loop, params, launch);
      }
    }
    return kNone;
  }
};

}  // namespace fusewise::cuda

namespace fusewise {

// Without the vector kernels, which take long to compile, for passes that seldom run.
template <class Op, class Storage, bool kWithVectors = true>
const char* run_cuda(const Loop& loop, const double* params, const Launch& launch) {
  if (numel(loop) == 0) return nullptr;
  return cuda::Dispatch<cuda::Elementwise<Op, kWithVectors>, Storage>::run(loop, params, launch);
}

}  // namespace fusewise
