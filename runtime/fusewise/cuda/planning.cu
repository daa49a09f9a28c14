// Properties of loop nests, and the arguments of kernels. Free of torch.
#include <algorithm>

#include <fusewise/cuda/cache_hints.cuh>
#include <fusewise/cuda/planning.cuh>
#include <fusewise/math/low_precision.h>

namespace fusewise::cuda {

namespace {

// Returns the operands that are the first of a pair, a bit each.
template <class T>
uint32_t set_kernel_operands(const Loop& loop, const KernelInfo& info, KernelOperand<T>* kernel_operands,
                             char** data) {
  uint32_t found = 0;
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    KernelOperand<T>& kernel_operand = kernel_operands[k];
    kernel_operand.fill = operand.fill.as<T>();
    kernel_operand.dtype = operand.dtype;
    kernel_operand.step = inner_stride(loop, operand) * info.size;
    kernel_operand.is_broadcast = operand.data == nullptr || kernel_operand.step == 0;
    kernel_operand.size = static_cast<uint8_t>(operand.data == nullptr ? 0 : size_of(kernel_operand.dtype));
    const bool is_first = is_aligned_pair(loop, info.interleaved, k);
    const bool is_second = k > 0 && (found >> (k - 1) & 1) != 0;
    found |= static_cast<uint32_t>(is_first) << k;
    kernel_operand.shift = static_cast<uint8_t>(is_second ? kVectorBytes - kernel_operand.size : 0);
    data[k] = static_cast<char*>(operand.data) + kernel_operand.shift;
    kernel_operand.is_contiguous = is_first || is_second || is_contiguous(loop, operand, info.size);
  }
  return found;
}

constexpr int64_t kMaxKeptBytes = int64_t{4} << 20;  // a small part of a large GPU's cache

// A small operand that is read again and again stays in the cache; all others pass through it.
uint64_t choose_policy(const Loop& loop, const Operand& read) {
  const int item = size_of(read.dtype);
  int64_t bytes = item;
  for (int d = 0; d < loop.num_dims; ++d) bytes *= read.strides[d] == 0 ? 1 : loop.sizes[d];
  return bytes < numel(loop) * item && bytes <= kMaxKeptBytes ? kEvictLast : kEvictNormal;
}

constexpr int64_t kMaxBytes = int64_t{1} << 32;

// Bytes from the first element of an operand to its last, along one dimension.
int64_t extent(const Loop& loop, const Operand& operand, int dim) {
  return operand.data == nullptr ? 0 : (loop.sizes[dim] - 1) * operand.strides[dim];
}

int64_t extent(const Loop& loop, const Operand& operand) {
  int64_t bytes = 0;
  for (int d = 0; d < loop.num_dims; ++d) bytes += extent(loop, operand, d);
  return bytes;
}

// The dimension along which the operand of the largest extent has most of it. After a cut of any other
// dimension the halves would have nearly the same extent, and would be cut many more times.
int widest_dim(const Loop& loop) {
  const auto by_extent = [&](const Operand& a, const Operand& b) { return extent(loop, a) < extent(loop, b); };
  const Operand& widest =
      *std::max_element(loop.operands, loop.operands + num_operands(loop), by_extent);
  int dim = 0;
  for (int d = 1; d < loop.num_dims; ++d) {
    if (extent(loop, widest, d) > extent(loop, widest, dim)) dim = d;
  }
  return dim;
}

}  // namespace

bool is_aligned_pair(const Loop& loop, uint32_t interleaved, int k) {
  return (interleaved >> k & 1) != 0 && is_interleaved(loop, k) &&
         has_aligned_rows(loop, loop.operands[k], kVectorBytes);
}

bool is_contiguous(const Loop& loop, const Operand& operand, int size) {
  const int64_t item = size_of(operand.dtype);
  return operand.data != nullptr && inner_stride(loop, operand) == item &&
         has_aligned_rows(loop, operand, item * size);
}

bool operand_matches_specialization(const KernelInfo& info, const Loop& loop, int k, bool is_contiguous) {
  const Operand& operand = loop.operands[k];
  const bool is_row_scalar = operand.data != nullptr && inner_stride(loop, operand) == 0;
  if ((info.row_scalars >> k & 1) != 0) return is_row_scalar;
  if ((info.vector_or_scalar >> k & 1) != 0 && is_row_scalar) return true;
  return is_contiguous || (operand.data == nullptr && k >= loop.num_reads && loop.num_writes > 1);
}

bool is_large(const Loop& loop, int size) {
  const int64_t columns = inner_size(loop);
  if (numel(loop) / columns * ceil_div(columns, size) > kMaxVectors) return true;
  const auto is_wide = [&](const Operand& operand) { return extent(loop, operand) >= kMaxBytes; };
  return std::any_of(loop.operands, loop.operands + num_operands(loop), is_wide);
}

void halve(const Loop& loop, Loop& first, Loop& second) {
  const int dim = widest_dim(loop);
  const int64_t half = loop.sizes[dim] > 32 ? loop.sizes[dim] / 32 * 16 : loop.sizes[dim] / 2;
  first = second = loop;
  first.sizes[dim] = half;
  second.sizes[dim] = loop.sizes[dim] - half;
  for (int k = 0; k < num_operands(loop); ++k) {
    Operand& operand = second.operands[k];
    if (operand.data != nullptr) {
      operand.data = static_cast<char*>(operand.data) + half * operand.strides[dim];
    }
  }
}

template <class T>
int64_t set_arguments(const KernelInfo& info, const Loop& loop, const Number* params, const int* order,
                      int num_outer, const ArgumentsRef<T>& arguments) {
  LoopTraits& traits = arguments.traits;
  arguments.columns = inner_size(loop);
  arguments.row_vectors = FastDivisor(ceil_div(arguments.columns, info.size));
  traits.last_size = static_cast<uint8_t>((arguments.columns - 1) % info.size + 1);
  traits.matches_specialization =
      info.is_vectorized && (num_outer == 0 || traits.last_size == info.size);
  traits.hoists_per_row = true;
  traits.num_outer = static_cast<uint8_t>(num_outer);
  const int operands = num_operands(loop);
  for (int i = 0; i < num_outer; ++i) arguments.sizes[i] = FastDivisor(loop.sizes[order[i]]);
  arguments.interleaved = set_kernel_operands(loop, info, arguments.operands, arguments.data);
  for (int k = 0; k < operands; ++k) {
    const KernelOperand<T>& operand = arguments.operands[k];
    traits.matches_specialization &=
        operand_matches_specialization(info, loop, k, operand.is_contiguous);
    if ((info.hoisted_from >> k & 1) != 0) traits.hoists_per_row &= operand.is_broadcast;
    if (k < loop.num_reads) arguments.policies[k] = choose_policy(loop, loop.operands[k]);
    for (int i = 0; i < num_outer; ++i) {
      arguments.strides[i * operands + k] = loop.operands[k].strides[order[i]];
    }
  }
  for (int i = 0; i < info.num_params; ++i) arguments.params[i] = params[i].as<T>();
  return numel(loop) / arguments.columns * arguments.row_vectors.value;
}

#define RT_SET_ARGUMENTS(T)                                                                      \
  template int64_t set_arguments(const KernelInfo&, const Loop&, const Number*, const int*, int, \
                                 const ArgumentsRef<T>&);
RT_SET_ARGUMENTS(rt::LowPrecision)
RT_SET_ARGUMENTS(float)
RT_SET_ARGUMENTS(double)
RT_SET_ARGUMENTS(int64_t)
#undef RT_SET_ARGUMENTS

bool has_vectorizable_rows(const Loop& loop, uint32_t interleaved) {
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    const int64_t stride = inner_stride(loop, operand);
    if (is_aligned_pair(loop, interleaved, k)) ++k;
    else if (operand.data != nullptr && stride != 0 && stride != size_of(operand.dtype)) return false;
  }
  return true;
}

bool is_dense_row(const Loop& loop, const Operand& operand) {
  return inner_stride(loop, operand) == size_of(operand.dtype);
}

bool is_low_precision(const Loop& loop) {
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

}  // namespace fusewise::cuda
