// Runs a pass on the GPU. Free of torch.
//
// Two kernels serve every layout: one for operands that lie as they do most often, and one that asks how each
// lies. As one they would hold the registers of either, and short passes would wait for its code. A third is for
// short loops of the first kind, whose time goes by in waiting for instructions and arguments. Threads take
// the vectors of all rows in order, so that neighbours read neighbours whatever the length of a row, and each
// has all its loads under way before the first result is computed. Finding a place costs more than many a
// formula, so that a thread takes several that are a stride apart, for which numbers are read and used once.
// Where it has to ask, it takes one.
#pragma once

#include <fusewise/cuda/kernels/transposed.cuh>
#include <fusewise/cuda/vector.cuh>

namespace fusewise::cuda {

inline constexpr int kBlockVectors = 256;  // of the largest blocks

// What a thread takes: of an outer dimension that is cut into so many parts the same vector of a row of
// each, so that threads side by side still take rows side by side; or of a row that is cut so the same vector
// of each part; of a loop of one dimension, vectors as far apart as a block is long.
struct Coarsening {
  uint32_t block;        // from the first vector of a block to that of the next
  int32_t last;          // the first vector of the last thread, or -1
  uint32_t step;         // from an item of a thread to its next, past the last where it takes one
  uint32_t whole;        // one past the last item that is a whole vector
  uint32_t rest;         // of a simple loop of one dimension, the first vector of the thread that takes what is not
  uint32_t axis0_items;  // from an index to the next in the first outer dimension, 1 or 0
  uint32_t axis1_items;  // and in the second
};

// Bytes from an item to the next. They stand behind what a thread of a single item reads.
template <int kOperands>
struct ItemStrides {
  uint32_t of[kOperands];
};

template <class Op>
RT_FN constexpr bool is_row_scalar(int k) {
  return (kRowScalars<Op> >> k & 1) != 0;
}

template <class Op>
RT_FN constexpr bool is_repeated(int k) {
  return (kRepeated<Op> >> k & 1) != 0;
}

template <class Op>
constexpr bool has_one_type() {
  bool found = true;
  for (int k = 0; k < Op::kReads + Op::kWrites; ++k) {
    found &= stored_dtype<Op>(k, Dtype::kFloat) == Dtype::kFloat;
  }
  return found;
}

// Of a pair a thread moves 32 bytes in two steps, and a step of its neighbour's goes 32 bytes further:
// sectors of memory are written by halves. So where all that is written are pairs, threads take halves.
template <class Op>
constexpr bool may_take_halves() {
  bool found = has_one_type<Op>();
  for (int w = 0; w < Op::kWrites; ++w) found &= is_of_pair<Op>(Op::kReads + w);
  return found;
}
template <class Op, class Vector>
inline constexpr bool kMayTakeHalves = kMovesInterleaved<Op, Vector> && may_take_halves<Op>();

template <class Op>
constexpr bool repeats_all() {
  return kRepeated<Op> == (1u << Op::kReads) - 1;
}

// Enough bytes in flight also for passes that read little, or much of it again and again.
template <class Op>
constexpr bool moves_little() {
  return Op::kReads <= 3 || (Op::kReads - std::popcount(kRowScalars<Op>) <= 3 && Op::kWrites == 1);
}

// What a thread prepares weighs most where else it reads one vector, of small elements. Where all that it reads is
// repeated, large elements take more vectors to have enough stores under way.
template <class Op, class Vector>
constexpr int items_per_thread() {
  if (!Vector::kIsVectorized || !moves_little<Op>()) return 1;
  const bool reads_one = Op::kReads - std::popcount(kRowScalars<Op>) == 1;
  if (kHoistedFrom<Op> != 0 && reads_one && Vector::kSize == 8) return 4;
  return repeats_all<Op>() && kRowScalars<Op> == 0 && Vector::kSize == 4 ? 4 : 2;
}
template <class Op, class Vector>
inline constexpr int kItemsPerThread = items_per_thread<Op, Vector>();

// Whether a thread computes its vectors in a loop. The compiler would put loads of the second behind what the
// first needs where registers are few. Fewer operands leave enough, and then it is better off with all at once.
template <class Op>
inline constexpr bool kLoops = Op::kReads + Op::kWrites > 4 && Op::kInstructions >= 20;

// Reads that simple loops ask about, a bit each: vectors where the op is timed, but of what is repeated, and so one
// number a row if tensors are transposed. Where all are repeated, and where many are moved, to ask costs too much.
template <class Op>
constexpr uint32_t vector_or_scalar_reads() {
  const bool asks = moves_little<Op>() && kInterleaved<Op> == 0 && !repeats_all<Op>();
  return asks ? kRepeated<Op> & ~kRowScalars<Op> : 0;
}
template <class Op>
inline constexpr uint32_t kVectorOrScalar = vector_or_scalar_reads<Op>();

// Elements of a vector in short loops: fewer where more is computed of each, since a thread waits for its code
// to be fetched and does one after the other.
template <class Op, class Vector>
constexpr int short_size() {
  if (Op::kInstructions < 16 || !has_one_type<Op>()) return Vector::kSize;
  return Op::kInstructions < 64 ? 4 : 2;
}

// Of a block, whose threads take up to so many items.
constexpr int most_threads(int items) { return items > 1 ? kBlockVectors : kBlockVectors / 2; }

// Blocks that a multiprocessor should hold at once, where the compiler would spill to hold more, or put
// reads one step behind the others to take fewer registers than there are.
template <class Op, class Vector>
constexpr int pointwise_blocks() {
  const int operands = Op::kReads + Op::kWrites;
  const bool has_row_scalars = std::popcount(kRowScalars<Op>) > 1;
  if (!Vector::kIsVectorized) return operands > 8 ? 4 : operands > 6 && has_row_scalars ? 8 : 0;
  if (moves_little<Op>()) return 0;
  if (Op::kReads <= 5 && Op::kWrites == 2) return 10;
  if (has_row_scalars) return 8;
  if (Op::kReads <= 5 || Op::kWrites == 1 || operands > 10) return 0;
  return operands < 10 ? 6 : 5;
}

// Adds to the offsets of a row where it lies. Returns the first item of its threads.
template <int kOperands, class Op, class T>
__device__ __forceinline__ uint32_t add_place(const Coarsening& coarsening, const Arguments<Op, T>& arguments,
                                              uint32_t row, uint32_t (&offsets)[kOperands]) {
  if (__builtin_expect(arguments.fills_grid, 1)) {
#pragma unroll
    for (int k = 0; k < kOperands; ++k) {
      offsets[k] += row * static_cast<uint32_t>(arguments.strides[0][k]);
    }
    uint32_t item = row * coarsening.axis0_items;
    if (arguments.num_outer > 1) {
#pragma unroll
      for (int k = 0; k < kOperands; ++k) {
        offsets[k] += blockIdx.y * static_cast<uint32_t>(arguments.strides[1][k]);
        offsets[k] += blockIdx.z * static_cast<uint32_t>(arguments.strides[2][k]);
      }
      item += blockIdx.y * coarsening.axis1_items;
    }
    return item;
  }
  uint32_t item = 0;
#pragma unroll 1
  for (int dim = 0; dim < arguments.num_outer; ++dim) {
    const uint32_t index = add_dim(arguments, row, dim, arguments.num_outer, offsets);
    item += index * (dim == 0 ? coarsening.axis0_items : dim == 1 ? coarsening.axis1_items : 0);
  }
  return item;
}

// Loops whose operands lie as they do most often: the compiler knows how far it is from a vector to the
// next, and nothing is asked of either. What every thread does before its loads counts.
template <class Op, class Vector, int kItems>
__device__ __forceinline__ void run_specialized(
    const Coarsening& coarsening, const Arguments<Op, typename Vector::Value>& arguments,
    const ItemStrides<Op::kReads + Op::kWrites>& strides, uint32_t vector) {
  using T = typename Vector::Value;
  constexpr int kOperands = Op::kReads + Op::kWrites;
  uint32_t item = vector;
  uint32_t row = 0;
  if (arguments.num_outer != 0) {
    row = arguments.row_vectors.divide(vector);
    vector -= row * static_cast<uint32_t>(arguments.row_vectors.value);
  }
  const auto is_row_scalar_here = [&](int k) {
    return (kVectorOrScalar<Op> >> k & 1) != 0 && arguments.operands[k].is_broadcast;
  };
  uint32_t offsets[kOperands];
#pragma unroll
  for (int k = 0; k < kOperands; ++k) {
    auto bytes = static_cast<uint32_t>(Vector::kSize * size_of(type_of<Vector>(arguments, k)));
    if (is_of_pair<Op>(k)) bytes = static_cast<uint32_t>(arguments.operands[k].step);
    offsets[k] = is_row_scalar<Op>(k) || is_row_scalar_here(k) ? 0 : vector * bytes;
  }
  if (arguments.num_outer != 0) item = add_place(coarsening, arguments, row, offsets);
  const auto is_there = [&](uint32_t u) { return u == 0 || item + u * coarsening.step < coarsening.whole; };
  const uint32_t gap = kMayTakeHalves<Op, Vector> && arguments.takes_halves ? kVectorBytes : 0;
  if constexpr (kMayTakeHalves<Op, Vector>) {
    const uint32_t back = threadIdx.x % 2 == 0 ? 0 : gap;
#pragma unroll
    for (int k = 0; k < kOperands; ++k) {
      if (is_row_scalar<Op>(k)) continue;
      if (!is_of_pair<Op>(k)) offsets[k] -= back / 2;
      else offsets[k] += (is_second_of_pair<Op>(k) ? gap : 0) - back;
    }
  }
  const auto place = [&](int k, uint32_t u) {
    return arguments.data[k] + (u == 0 ? offsets[k] : offsets[k] + u * strides.of[k]);
  };
  Vector reads[kItems][Op::kReads];
#pragma unroll
  for (int u = 0; u < kItems; ++u) {
    if (!is_there(u)) break;
#pragma unroll
    for (int k = 0; k < Op::kReads; ++k) {
      const Dtype type = type_of<Vector>(arguments, k);
      const uint64_t policy = arguments.policies[k];
      if (is_row_scalar<Op>(k)) {
        if (u == 0) reads[u][k].load_scalar(type, place(k, u), policy);
      } else if (kMayTakeHalves<Op, Vector> && !is_of_pair<Op>(k)) {
        reads[u][k].load_halves(place(k, u), gap / 2);
      } else if (is_row_scalar_here(k)) {
        reads[u][k].load_scalar(type, place(k, u), policy);
      } else if (is_repeated<Op>(k)) {
        reads[u][k].load_contiguous(type, place(k, u), policy);
      } else {
        reads[u][k].load_contiguous(type, place(k, u));
      }
    }
  }
#pragma unroll
  for (int k = 0; k < Op::kReads; ++k) {
    if (is_row_scalar<Op>(k)) reads[0][k].splat(type_of<Vector>(arguments, k));
  }
  HoistedOf<Op, Vector> hoisted;
  Vector(&read)[Op::kReads] = reads[0];
#pragma unroll (kLoops<Op> ? 1 : kItems)
  for (int u = 0; u < kItems; ++u) {
    if (!is_there(u)) break;
#pragma unroll
    for (int k = 0; k < Op::kReads; ++k) {
      if (is_row_scalar_here(k)) read[k].splat(type_of<Vector>(arguments, k));
    }
    deinterleave(arguments, read);
    T results[Op::kWrites][Vector::kSize];
    constexpr bool kKeeps = (kHoistedFrom<Op> & ~kRowScalars<Op>) == 0;
    apply_vector<Op, Vector, kKeeps>(arguments, read, hoisted, kKeeps && u > 0, results);
    Vector writes[Op::kWrites];
    pack_writes(arguments, results, writes);
#pragma unroll
    for (int w = 0; w < Op::kWrites; ++w) {
      const int k = Op::kReads + w;
      if (Op::kWrites > 1 && arguments.data[k] == nullptr) continue;
      writes[w].store_contiguous(type_of<Vector>(arguments, k), place(k, u));
    }
    // The next vector takes the place of the first.
#pragma unroll
    for (int i = 1; i < kItems; ++i) {
#pragma unroll
      for (int k = 0; k < Op::kReads; ++k) {
        if (!is_row_scalar<Op>(k)) reads[i - 1][k] = reads[i][k];
      }
    }
  }
}

// Where a vector of any loop lies. Returns the number of its elements.
template <class Op, class Vector>
__device__ __forceinline__ int locate(const Coarsening& coarsening,
                                      const Arguments<Op, typename Vector::Value>& arguments,
                                      uint32_t vector,
                                      uint32_t (&offsets)[Op::kReads + Op::kWrites]) {
  const auto row_vectors = static_cast<uint32_t>(arguments.row_vectors.value);
  uint32_t row = 0;
  if (arguments.num_outer != 0) {
    row = arguments.row_vectors.divide(vector);
    vector -= row * row_vectors;
  }
#pragma unroll
  for (int k = 0; k < Op::kReads + Op::kWrites; ++k) {
    offsets[k] = vector * static_cast<uint32_t>(arguments.operands[k].step);
  }
  if (arguments.num_outer != 0) add_place(coarsening, arguments, row, offsets);
  return vector + 1 == row_vectors ? arguments.last_size : Vector::kSize;
}

// A vector of any loop, if it is whole.
template <class Op, class Vector>
__device__ __forceinline__ void run_whole(const Coarsening& coarsening,
                                          const Arguments<Op, typename Vector::Value>& arguments,
                                          uint32_t vector) {
  using T = typename Vector::Value;
  uint32_t offsets[Op::kReads + Op::kWrites];
  if (locate<Op, Vector>(coarsening, arguments, vector, offsets) < Vector::kSize) return;
  const auto place = [&](int k) { return arguments.data[k] + offsets[k]; };
  Vector reads[Op::kReads];
#pragma unroll
  for (int k = 0; k < Op::kReads; ++k) {
    const Dtype type = type_of<Vector>(arguments, k);
    if constexpr (Vector::kIsVectorized) reads[k].load(type, arguments.operands[k], place(k), arguments.policies[k]);
    else reads[k].load(type, arguments.operands[k], place(k));
  }
#pragma unroll
  for (int k = 0; k < Op::kReads; ++k) {
    reads[k].unpack(type_of<Vector>(arguments, k), arguments.operands[k]);
  }
  deinterleave(arguments, reads);
  T results[Op::kWrites][Vector::kSize];
  apply_vector<Op>(arguments, reads, results);
  Vector writes[Op::kWrites];
  pack_writes(arguments, results, writes);
#pragma unroll
  for (int w = 0; w < Op::kWrites; ++w) {
    const int k = Op::kReads + w;
    const KernelOperand<T>& operand = arguments.operands[k];
    if (!operand.is_absent()) writes[w].store(type_of<Vector>(arguments, k), operand, place(k));
  }
}

// A vector that is not whole.
template <class Op, class Vector>
__device__ __forceinline__ void run_part(const Arguments<Op, typename Vector::Value>& arguments,
                                         const uint32_t (&offsets)[Op::kReads + Op::kWrites]) {
  using T = typename Vector::Value;
  constexpr int kOperands = Op::kReads + Op::kWrites;
  char* places[kOperands];
#pragma unroll
  for (int k = 0; k < kOperands; ++k) places[k] = arguments.data[k] + offsets[k];
  apply_elements<Op, Vector>(arguments, places, arguments.last_size, [&](int w, int i, T result) {
    const int k = Op::kReads + w;
    const KernelOperand<T>& operand = arguments.operands[k];
    if (operand.is_absent()) return;
    Vector::store_element(type_of<Vector>(arguments, k), operand, places[k], i, result);
  });
}

template <class Op, class Vector, int kItems>
__global__ void __launch_bounds__(most_threads(kItems), (pointwise_blocks<Op, Vector>()))
    pointwise_kernel(const __grid_constant__ Coarsening coarsening,
                       const __grid_constant__ Arguments<Op, typename Vector::Value> arguments) {
  const uint32_t vector = blockIdx.x * blockDim.x + threadIdx.x;
  if (static_cast<int32_t>(vector) > coarsening.last) return;
  run_whole<Op, Vector>(coarsening, arguments, vector);
  if (arguments.last_size == Vector::kSize) return;
  if constexpr (Vector::kSize > 1) {
    uint32_t offsets[Op::kReads + Op::kWrites];
    if (locate<Op, Vector>(coarsening, arguments, vector, offsets) < Vector::kSize) {
      run_part<Op, Vector>(arguments, offsets);
    }
  }
}

template <class Op, class Vector, int kItems>
__global__ void __launch_bounds__(most_threads(kItems), (pointwise_blocks<Op, Vector>()))
    specialized_kernel(const __grid_constant__ Coarsening coarsening,
                  const __grid_constant__ Arguments<Op, typename Vector::Value> arguments,
                  const __grid_constant__ ItemStrides<Op::kReads + Op::kWrites> strides) {
  const uint32_t vector = blockIdx.x * coarsening.block + threadIdx.x;
  // Of signed numbers, since then what most threads do is put first, and no jump waits for its instructions.
  if (static_cast<int32_t>(vector) <= coarsening.last) {
    return run_specialized<Op, Vector, kItems>(coarsening, arguments, strides, vector);
  }
  if (vector != coarsening.rest) return;
  uint32_t offsets[Op::kReads + Op::kWrites];
#pragma unroll
  for (int k = 0; k < Op::kReads + Op::kWrites; ++k) {
    offsets[k] = (coarsening.last + 1) * static_cast<uint32_t>(arguments.operands[k].step);
  }
  run_part<Op, Vector>(arguments, offsets);
}

// A short loop whose operands lie as they do most often: a thread takes a vector, and a block has an index in
// the second dimension and in the third.
template <class Op, class Vector>
__global__ void __launch_bounds__(kBlockVectors, 4)
    short_kernel(const __grid_constant__ ShortArguments<Op, typename Vector::Value> arguments) {
  using T = typename Vector::Value;
  constexpr int kOperands = Op::kReads + Op::kWrites;
  const uint32_t vector = blockIdx.x * blockDim.x + threadIdx.x;
  if (vector >= arguments.row_vectors) return;
  uint32_t offsets[kOperands];
#pragma unroll
  for (int k = 0; k < kOperands; ++k) {
    const auto bytes = static_cast<uint32_t>(Vector::kSize * size_of(type_of<Vector>(arguments, k)));
    offsets[k] = is_row_scalar<Op>(k) ? 0 : vector * bytes;
  }
  if (arguments.has_outer) {
#pragma unroll
    for (int k = 0; k < kOperands; ++k) {
      offsets[k] += blockIdx.y * arguments.strides[0][k] + blockIdx.z * arguments.strides[1][k];
    }
  }
  Vector reads[Op::kReads];
#pragma unroll
  for (int k = 0; k < Op::kReads; ++k) {
    const Dtype type = type_of<Vector>(arguments, k);
    const char* const from = arguments.data[k] + offsets[k];
    if (is_row_scalar<Op>(k)) reads[k].load_scalar(type, from);
    else reads[k].load_contiguous(type, from);
  }
#pragma unroll
  for (int k = 0; k < Op::kReads; ++k) {
    if (is_row_scalar<Op>(k)) reads[k].splat(type_of<Vector>(arguments, k));
  }
  HoistedOf<Op, Vector> hoisted;
  T results[Op::kWrites][Vector::kSize];
  apply_vector<Op, Vector, (kHoistedFrom<Op> & ~kRowScalars<Op>) == 0>(arguments, reads, hoisted, false,
                                                                     results);
#pragma unroll
  for (int w = 0; w < Op::kWrites; ++w) {
    const int k = Op::kReads + w;
    if (Op::kWrites > 1 && arguments.data[k] == nullptr) continue;
    const Dtype type = type_of<Vector>(arguments, k);
    Vector write;
    write.set(type, results[w]);
    write.store_contiguous(type, arguments.data[k] + offsets[k]);
  }
}

// Returns whether the loop is short, and its operands lie as they do where the op is timed.
template <class T>
bool run_short(const KernelInfo& info, const ShortArgumentsRef<T>& arguments, const Loop& loop, const Number* params,
               const Launch& launch, Status& status);

template <class T>
Status run_pointwise(const KernelInfo& info, const ArgumentsRef<T>& arguments,
                       uint32_t* item_strides, const Loop& loop, const Number* params,
                       const Launch& launch);

// How a loop without reduced writes is launched.
template <class Op, bool kWithVectors>
struct Pointwise {
  static constexpr bool kVectorizes = kWithVectors;
  static constexpr bool kTakesPartialVectors = true;  // of vectors
  using Pass = Op;

  // Returns whether vectors serve the loop. An incomplete one goes element by element, so that
  // there must be few of them.
  template <class S>
  static bool try_vectorized(const Loop& loop, const Number* params, const Launch& launch,
                         Status& status) {
    constexpr int64_t kSize = Vectorized<S>::kSize;
    const int64_t columns = inner_size(loop);
    if (!has_vectorizable_rows(loop, kInterleaved<Op>)) {
      const auto* const kernel = reinterpret_cast<const void*>(&transposed_kernel<Op, S>);
      Arguments<Op, typename Vectorized<S>::Value> arguments;
      return run_transposed(info_of<Op, Vectorized<S>>(kernel), dtype_of<S>(), ArgumentsRef(arguments), loop,
                        params, launch, status);
    }
    if (loop.num_dims > 1 && columns % kSize != 0 && columns < 8 * kSize) return false;
    status = run<Vectorized<S>>(loop, params, launch);
    return true;
  }

  template <class Vector>
  static Status run(const Loop& loop, const Number* params, const Launch& launch) {
    if constexpr (Vector::kIsVectorized && kInterleaved<Op> == 0) {
      using Short = Vectorized<typename Vector::Stored, short_size<Op, Vector>() / Vector::kGroup>;
      const auto* const kernel = reinterpret_cast<const void*>(&short_kernel<Op, Short>);
      ShortArguments<Op, typename Vector::Value> arguments;
      Status status;
      if (run_short(info_of<Op, Short>(kernel), ShortArgumentsRef(arguments), loop, params, launch, status)) {
        return status;
      }
    }
    constexpr int kItems = kItemsPerThread<Op, Vector>;
    const auto* const kernel =
        reinterpret_cast<const void*>(&pointwise_kernel<Op, Vector, kItems>);
    KernelInfo info = info_of<Op, Vector>(kernel, kItems);
    if constexpr (Vector::kIsVectorized) {
      info.specialized = reinterpret_cast<const void*>(&specialized_kernel<Op, Vector, kItems>);
      info.vector_or_scalar = kVectorOrScalar<Op>;
    }
    Arguments<Op, typename Vector::Value> arguments;
    ItemStrides<Op::kReads + Op::kWrites> strides;
    return run_pointwise(info, ArgumentsRef(arguments), strides.of, loop, params, launch);
  }
};

// Numbers of 16 bits, and of one byte where they are read as truth or written.
bool is_low_precision(const Loop& loop);

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
  static constexpr int kCount = !Runner::kVectorizes || sizeof(T) == 8   ? 1
                                : !std::is_same_v<T, rt::LowPrecision> ? 4
                                : Runner::kTakesPartialVectors            ? 8
                                                                 : 1;

  template <class T>
  static Status run_strided(const Loop& loop, const Number* params, const Launch& launch) {
    if constexpr (Runner::kTakesPartialVectors) {
      return Runner::template run<Strided<T, kCount<T>, kWithFloat8>>(loop, params, launch);
    } else {
      if (inner_size(loop) % kCount<T> == 0) {
        return Runner::template run<Strided<T, kCount<T>, kWithFloat8>>(loop, params, launch);
      }
      return Runner::template run<Strided<T, 1, kWithFloat8>>(loop, params, launch);
    }
  }

  template <class Candidate>
  static bool try_vectorized(const Loop& loop, const Number* params, const Launch& launch,
                         Status& status) {
    constexpr bool kComputesInFloat = std::is_same_v<Compute<Candidate>, float>;
    if constexpr (Runner::kVectorizes && kComputesInFloat && !kIsFloat8<Candidate>) {
      if (!is_uniform<typename Runner::Pass, Candidate>(loop)) return false;
      return Runner::template try_vectorized<Candidate>(loop, params, launch, status);
    } else {
      return false;
    }
  }

  static Status run(const Loop& loop, const Number* params, const Launch& launch) {
    constexpr Status kNone{"no kernel was compiled for this dtype"};
    if (!kWithFloat8 && writes_float8(loop)) return kNone;
    if constexpr (kComputes<float>) {
      if (loop.compute == Dtype::kFloat) {
        Status status;
        if ((try_vectorized<S>(loop, params, launch, status) || ...)) return status;
        if constexpr (Runner::kVectorizes && (kIsSixteenBit<S> || ...)) {
          if (is_low_precision(loop)) {
            return run_strided<rt::LowPrecision>(loop, params, launch);
          }
        }
        return run_strided<float>(loop, params, launch);
      }
    }
    if constexpr (kComputes<double>) {
      if (loop.compute == Dtype::kDouble) {
        return run_strided<double>(loop, params, launch);
      }
    }
    if constexpr (kComputes<int64_t>) {
      if (loop.compute == Dtype::kInt64) {
        return run_strided<int64_t>(loop, params, launch);
      }
    }
    return kNone;
  }
};

}  // namespace fusewise::cuda

namespace fusewise {

// Without the vector kernels, which take long to compile, for passes that seldom run.
template <class Op, class Storage, bool kWithVectors = true>
Status run_cuda_pointwise(const Loop& loop, const Number* params, const Launch& launch) {
  if (numel(loop) == 0) return {};
  return cuda::Dispatch<cuda::Pointwise<Op, kWithVectors>, Storage>::run(loop, params, launch);
}

}  // namespace fusewise
