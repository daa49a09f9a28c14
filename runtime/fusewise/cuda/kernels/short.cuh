// The short-loop kernel, for short loops whose operands match the specialization. Free of torch.
//
// The time of such a loop is mostly that of fetching instructions and kernel arguments. So the kernel has few
// of both: a thread processes one vector, dimensions y and z of the grid are outer dimensions, and the
// arguments take few lines of 64 bytes.
#pragma once

#include <fusewise/cuda/coarsening.cuh>

namespace fusewise::cuda {

struct ShortLoopTraits {
  uint32_t row_vectors;
  bool has_outer;
};

// The arguments of a loop of up to three dimensions.
template <class Op, class T>
struct ShortArguments : ShortLoopTraits {
  char* data[Op::kReads + Op::kWrites];
  uint32_t strides[2][Op::kReads + Op::kWrites];  // of the outer dimensions, in bytes
  T params[Op::kParams > 0 ? Op::kParams : 1];
};

// References to the ShortArguments of any pass.
template <class T>
struct ShortArgumentsRef {
  void* all;
  ShortLoopTraits& traits;
  char** data;
  uint32_t* strides;
  T* params;

  template <class Op>
  explicit ShortArgumentsRef(ShortArguments<Op, T>& of)
      : all(&of), traits(of), data(of.data), strides(of.strides[0]), params(of.params) {}
};

// Elements of a vector. A pass that computes much has small vectors, because a thread computes its elements one
// after the other while its code is still being fetched.
template <class Op, class Vector>
constexpr int short_size() {
  if (Op::kInstructions < 16 || !has_one_type<Op>()) return Vector::kSize;
  return Op::kInstructions < 64 ? 4 : 2;
}

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
  // All other reads are contiguous.
  constexpr bool kIsPerVector = (kHoistedFrom<Op> & ~kRowScalars<Op>) == 0;
  apply_vector<Op, Vector, kIsPerVector ? Hoisting::kPerVector : Hoisting::kPerElement>(
      arguments, reads, hoisted, false, results);
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

// Launches the kernel if the loop is short and its operands match the specialization. Returns false otherwise.
template <class T>
bool run_short(const KernelInfo& info, const ShortArgumentsRef<T>& arguments, const Loop& loop,
               const Number* params, const Launch& launch, Status& status);

}  // namespace fusewise::cuda
