// The specialized pointwise kernel, for operands whose layout matches the typical shapes. Free of torch.
//
// The compiler knows the distance between vectors. The kernel tests the layout of the reads in kVectorOrScalar
// and of no other operand, because the instructions before the first load decide its speed.
#pragma once

#include <fusewise/cuda/kernels/pointwise.cuh>

namespace fusewise::cuda {

// A thread writes the two vectors of an interleaved tensor in two steps, and each step of a warp leaves gaps of
// 16 bytes, so it would write half sectors of memory. If all writes are interleaved, two threads therefore
// share two adjacent vectors: one takes both first halves, the other both second halves.
template <class Op>
constexpr bool may_take_halves() {
  bool found = has_one_type<Op>();
  for (int w = 0; w < Op::kWrites; ++w) found &= is_of_pair<Op>(Op::kReads + w);
  return found;
}
template <class Op, class Vector>
inline constexpr bool kMayTakeHalves = kMovesInterleaved<Op, Vector> && may_take_halves<Op>();

// Reads, a bit each, for which the specialized kernel tests if they are contiguous or row scalars: at the
// typical shapes they are contiguous but smaller than the loop, and they become row scalars if tensors are
// transposed. The test costs too much in passes that move many vectors or whose reads are all repeated.
template <class Op>
constexpr uint32_t vector_or_scalar_reads() {
  const bool asks = moves_little<Op>() && kInterleaved<Op> == 0 && !repeats_all<Op>();
  return asks ? kRepeated<Op> & ~kRowScalars<Op> : 0;
}
template <class Op>
inline constexpr uint32_t kVectorOrScalar = vector_or_scalar_reads<Op>();

// The items of a thread: which of them exist, and where their operands lie.
template <class Op, class Vector>
struct SpecializedItems {
  using T = typename Vector::Value;
  static constexpr int kReads = Op::kReads;
  static constexpr int kOperands = kReads + Op::kWrites;
  // True if hoisted values are computed from row scalars only, so that all items share them.
  static constexpr uint32_t kOtherHoistedFrom = kHoistedFrom<Op> & ~kRowScalars<Op>;
  static constexpr bool kKeepsHoisted = kOtherHoistedFrom == 0;
  static constexpr Hoisting kHoisting = kKeepsHoisted ? Hoisting::kPerVector
                                        : (kOtherHoistedFrom & ~kVectorOrScalar<Op>) == 0
                                            ? Hoisting::kTested
                                            : Hoisting::kPerElement;

  const Coarsening& coarsening;
  const Arguments<Op, T>& arguments;
  const ItemStrides<kOperands>& strides;
  uint32_t item;  // the number of the first
  uint32_t gap;   // bytes between the halves that the thread takes of two adjacent vectors
  uint32_t offsets[kOperands];

  // `vector` is the first item.
  __device__ __forceinline__ SpecializedItems(const Coarsening& coarsening, const Arguments<Op, T>& arguments,
                                              const ItemStrides<kOperands>& strides, uint32_t vector)
      : coarsening(coarsening), arguments(arguments), strides(strides), item(vector) {
    uint32_t row = 0;
    if (arguments.num_outer != 0) {
      row = arguments.row_vectors.divide(vector);
      vector -= row * static_cast<uint32_t>(arguments.row_vectors.value);
    }
#pragma unroll
    for (int k = 0; k < kOperands; ++k) {
      auto bytes = static_cast<uint32_t>(Vector::kSize * size_of(type_of<Vector>(arguments, k)));
      if (is_of_pair<Op>(k)) bytes = static_cast<uint32_t>(arguments.operands[k].step);
      offsets[k] = is_row_scalar<Op>(k) || is_row_scalar_here(k) ? 0 : vector * bytes;
    }
    if (arguments.num_outer != 0) item = add_place(coarsening, arguments, row, offsets);
    gap = kMayTakeHalves<Op, Vector> && arguments.takes_halves ? kVectorBytes : 0;
    if constexpr (kMayTakeHalves<Op, Vector>) take_halves();
  }

  // Moves the offsets to the first half of the vector for even threads, to the second for odd threads.
  __device__ __forceinline__ void take_halves() {
    const uint32_t back = threadIdx.x % 2 == 0 ? 0 : gap;
#pragma unroll
    for (int k = 0; k < kOperands; ++k) {
      if (is_row_scalar<Op>(k)) continue;
      if (!is_of_pair<Op>(k)) offsets[k] -= back / 2;
      else offsets[k] += (is_second_of_pair<Op>(k) ? gap : 0) - back;
    }
  }

  __device__ __forceinline__ bool is_row_scalar_here(int k) const {
    return (kVectorOrScalar<Op> >> k & 1) != 0 && arguments.operands[k].is_broadcast;
  }
  __device__ __forceinline__ bool is_there(uint32_t u) const {
    return u == 0 || item + u * coarsening.step < coarsening.whole;
  }
  __device__ __forceinline__ char* place(int k, uint32_t u) const {
    return arguments.data[k] + (u == 0 ? offsets[k] : offsets[k] + u * strides.of[k]);
  }

  // Loads item u of all reads, row scalars with the first item.
  __device__ __forceinline__ void load(int u, Vector (&reads)[kReads]) const {
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      const Dtype type = type_of<Vector>(arguments, k);
      const uint64_t policy = arguments.policies[k];
      if (is_row_scalar<Op>(k)) {
        if (u == 0) reads[k].load_scalar(type, place(k, u), policy);
      } else if (kMayTakeHalves<Op, Vector> && !is_of_pair<Op>(k)) {
        reads[k].load_halves(place(k, u), gap / 2);
      } else if (is_row_scalar_here(k)) {
        reads[k].load_scalar(type, place(k, u), policy);
      } else if (is_repeated<Op>(k)) {
        reads[k].load_contiguous(type, place(k, u), policy);
      } else {
        reads[k].load_contiguous(type, place(k, u));
      }
    }
  }

  // Computes item u and stores it.
  __device__ __forceinline__ void compute(int u, Vector (&reads)[kReads],
                                          HoistedOf<Op, Vector>& hoisted) const {
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      if (is_row_scalar_here(k)) reads[k].splat(type_of<Vector>(arguments, k));
    }
    deinterleave(arguments, reads);
    T results[Op::kWrites][Vector::kSize];
    apply_vector<Op, Vector, kHoisting>(arguments, reads, hoisted, kKeepsHoisted && u > 0, results);
    Vector writes[Op::kWrites];
    pack_writes(arguments, results, writes);
#pragma unroll
    for (int w = 0; w < Op::kWrites; ++w) {
      const int k = kReads + w;
      if (Op::kWrites > 1 && arguments.data[k] == nullptr) continue;
      writes[w].store_contiguous(type_of<Vector>(arguments, k), place(k, u));
    }
  }
};

// Processes the items of a thread; `vector` is the first.
template <class Op, class Vector, int kItems>
__device__ __forceinline__ void run_specialized(
    const Coarsening& coarsening, const Arguments<Op, typename Vector::Value>& arguments,
    const ItemStrides<Op::kReads + Op::kWrites>& strides, uint32_t vector) {
  const SpecializedItems<Op, Vector> items(coarsening, arguments, strides, vector);
  Vector reads[kItems][Op::kReads];
#pragma unroll
  for (int u = 0; u < kItems; ++u) {
    if (!items.is_there(u)) break;
    items.load(u, reads[u]);
  }
#pragma unroll
  for (int k = 0; k < Op::kReads; ++k) {
    if (is_row_scalar<Op>(k)) reads[0][k].splat(type_of<Vector>(arguments, k));
  }
  HoistedOf<Op, Vector> hoisted;
#pragma unroll (kLoops<Op> ? 1 : kItems)
  for (int u = 0; u < kItems; ++u) {
    if (!items.is_there(u)) break;
    items.compute(u, reads[0], hoisted);
    // The next item takes the registers of the first.
#pragma unroll
    for (int i = 1; i < kItems; ++i) {
#pragma unroll
      for (int k = 0; k < Op::kReads; ++k) {
        if (!is_row_scalar<Op>(k)) reads[i - 1][k] = reads[i][k];
      }
    }
  }
}

template <class Op, class Vector, int kItems>
__global__ void __launch_bounds__(most_threads(kItems), (pointwise_blocks<Op, Vector>()))
    specialized_kernel(const __grid_constant__ Coarsening coarsening,
                  const __grid_constant__ Arguments<Op, typename Vector::Value> arguments,
                  const __grid_constant__ ItemStrides<Op::kReads + Op::kWrites> strides) {
  const uint32_t vector = blockIdx.x * coarsening.block + threadIdx.x;
  // The comparison is signed: the compiler then puts the code of most threads first, before any jump.
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

}  // namespace fusewise::cuda
