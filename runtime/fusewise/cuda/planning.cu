// Properties of loop nests, and the arguments of kernels. Free of torch.
#include <algorithm>

#include <fusewise/cuda/elementwise.cuh>
#include <fusewise/cuda/planning.cuh>

namespace fusewise::cuda {

namespace {

// Returns the operands that are the first of a pair, a bit each.
template <class T>
uint32_t set_operands(const Loop& loop, int size, uint32_t pairs, Slot<T>* slots, char** data) {
  uint32_t found = 0;
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    Slot<T>& slot = slots[k];
    slot.fill = operand.fill.as<T>();
    slot.dtype = operand.dtype;
    slot.step = inner_stride(loop, operand) * size;
    slot.is_broadcast = operand.data == nullptr || slot.step == 0;
    slot.size = static_cast<uint8_t>(operand.data == nullptr ? 0 : size_of(slot.dtype));
    const bool is_first = is_aligned_pair(loop, pairs, k);
    const bool is_second = k > 0 && (found >> (k - 1) & 1) != 0;
    found |= static_cast<uint32_t>(is_first) << k;
    slot.shift = static_cast<uint8_t>(is_second ? kVectorBytes - slot.size : 0);
    data[k] = static_cast<char*>(operand.data) + slot.shift;
    slot.is_plain = is_first || is_second || is_vectorized(loop, operand, size);
  }
  return found;
}

constexpr int64_t kMaxKeptBytes = int64_t{4} << 20;  // a small part of a large GPU's cache

// A small operand that is read again and again stays in the cache; all others pass through it.
uint64_t choose_policy(const Loop& loop, const Operand& read) {
  const int item = size_of(read.dtype);
  int64_t bytes = item;
  for (int d = 0; d < loop.num_dims; ++d) bytes *= read.strides[d] == 0 ? 1 : loop.sizes[d];
  return bytes < numel(loop) * item && bytes <= kMaxKeptBytes ? kKeepingPolicy : kUsualPolicy;
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

bool is_aligned_pair(const Loop& loop, uint32_t pairs, int k) {
  return (pairs >> k & 1) != 0 && is_interleaved(loop, k) &&
         has_aligned_rows(loop, loop.operands[k], kVectorBytes);
}

bool is_vectorized(const Loop& loop, const Operand& operand, int size) {
  const int64_t item = size_of(operand.dtype);
  return operand.data != nullptr && inner_stride(loop, operand) == item &&
         has_aligned_rows(loop, operand, item * size);
}

bool matches_specialization(const Form& form, const Loop& loop, int k, bool is_vectorized) {
  const Operand& operand = loop.operands[k];
  const bool is_number = operand.data != nullptr && inner_stride(loop, operand) == 0;
  if ((form.numbers >> k & 1) != 0) return is_number;
  if ((form.either >> k & 1) != 0 && is_number) return true;
  return is_vectorized || (operand.data == nullptr && k >= loop.num_reads && loop.num_writes > 1);
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
int64_t set_arguments(const Form& form, const Loop& loop, const Number* params, const int* order,
                      int num_outer, const ArgumentsRef<T>& arguments) {
  Rows& rows = arguments.rows;
  arguments.columns = inner_size(loop);
  arguments.row_vectors = Divisor(ceil_div(arguments.columns, form.size));
  rows.last_size = static_cast<uint8_t>((arguments.columns - 1) % form.size + 1);
  rows.is_simple = form.is_packed && (num_outer == 0 || rows.last_size == form.size);
  rows.prepares_rows = true;
  rows.num_outer = static_cast<uint8_t>(num_outer);
  const int operands = num_operands(loop);
  for (int i = 0; i < num_outer; ++i) arguments.sizes[i] = Divisor(loop.sizes[order[i]]);
  arguments.pairs = set_operands(loop, form.size, form.pairs, arguments.slots, arguments.data);
  for (int k = 0; k < operands; ++k) {
    const Slot<T>& slot = arguments.slots[k];
    rows.is_simple &= matches_specialization(form, loop, k, slot.is_plain);
    if ((form.prepared_from >> k & 1) != 0) rows.prepares_rows &= slot.is_broadcast;
    if (k < loop.num_reads) arguments.policies[k] = choose_policy(loop, loop.operands[k]);
    for (int i = 0; i < num_outer; ++i) {
      arguments.strides[i * operands + k] = loop.operands[k].strides[order[i]];
    }
  }
  for (int i = 0; i < form.num_params; ++i) arguments.params[i] = params[i].as<T>();
  return numel(loop) / arguments.columns * arguments.row_vectors.value;
}

#define RT_SET_ARGUMENTS(T)                                                                    \
  template int64_t set_arguments(const Form&, const Loop&, const Number*, const int*, int, \
                                 const ArgumentsRef<T>&);
RT_SET_ARGUMENTS(rt::Coarse)
RT_SET_ARGUMENTS(float)
RT_SET_ARGUMENTS(double)
RT_SET_ARGUMENTS(int64_t)
#undef RT_SET_ARGUMENTS

bool has_packed_rows(const Loop& loop, uint32_t pairs) {
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    const int64_t stride = inner_stride(loop, operand);
    if (is_aligned_pair(loop, pairs, k)) ++k;
    else if (operand.data != nullptr && stride != 0 && stride != size_of(operand.dtype)) return false;
  }
  return true;
}

bool is_coarse(const Loop& loop) {
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
