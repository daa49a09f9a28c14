// The general pointwise kernel: it tests the layout of each operand, and a thread processes one vector. Free of
// torch.
//
// The specialized kernel is separate: one kernel for both would need the registers of either, and short passes would
// wait for its code. Threads take the vectors of all rows in order, so neighbouring threads access neighbouring
// memory whatever the length of a row. All loads of a thread are issued before it computes.
#pragma once

#include <fusewise/cuda/coarsening.cuh>

namespace fusewise::cuda {

// Sets the offsets of the operands of a vector. Returns the number of its elements.
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

// Processes a vector if it is whole.
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
    const KernelOperand<T>& operand = arguments.operands[k];
    if constexpr (Vector::kIsVectorized) reads[k].load(type, operand, place(k), arguments.policies[k]);
    else reads[k].load(type, operand, place(k));
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

// Processes a partial vector, element by element.
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

}  // namespace fusewise::cuda
