// Plans the kernels that reduce rows, and combines the stretches of long rows. Free of torch.
#include <algorithm>

#include <fusewise/cuda/planning.cuh>
#include <fusewise/cuda/totals.cuh>

namespace fusewise::cuda {

namespace {

inline constexpr int kWritesAtOnce = 4;  // in one launch of combine_kernel
inline constexpr int kCombineThreads = 128;

// A write of combine_kernel.
struct CombinedWrite {
  char* data;
  int64_t partials;  // the number of its first partial total
  bool is_maximum;
  int64_t strides[kMaxDims - 1];
};

template <class T>
struct CombineArguments {
  const T* partials;
  int64_t rows;
  int64_t stretches;
  int num_outer;
  FastDivisor sizes[kMaxDims - 1];
  CombinedWrite writes[kWritesAtOnce];
};

// The tree over the stretches of a row, by a warp.
template <bool kIsMaximum, class T>
__device__ __forceinline__ T combine_stretches(const T* partials, int64_t stretches) {
  using Combine = Combination<kIsMaximum>;
  const int count = static_cast<int>(min(stretches, int64_t{kMaxStretches}));
  return Combine::template of_many<T>(count, [&](int i) {
    T value = partials[i];
#pragma unroll 1
    for (int64_t next = i + kMaxStretches; next < stretches; next += kMaxStretches) {
      value = Combine::of(value, partials[next]);
    }
    return value;
  });
}

// A warp combines the stretches of a row, for one write.
template <class T>
__global__ void __launch_bounds__(kCombineThreads)
    combine_kernel(const __grid_constant__ CombineArguments<T> arguments) {
  const CombinedWrite& write = arguments.writes[blockIdx.y];
  int64_t row = int64_t{blockIdx.x} * (kCombineThreads / 32) + threadIdx.x / 32;
  if (row >= arguments.rows) return;
  const T* const partials = arguments.partials + write.partials + row * arguments.stretches;
  const T total = write.is_maximum ? combine_stretches<true>(partials, arguments.stretches)
                                   : combine_stretches<false>(partials, arguments.stretches);
  if (threadIdx.x % 32 != 0) return;
  char* to = write.data;
#pragma unroll 1
  for (int dim = 0; dim < arguments.num_outer; ++dim) {
    const int64_t outer = arguments.sizes[dim].divide(row);
    to += (row - outer * arguments.sizes[dim].value) * write.strides[dim];
    row = outer;
  }
  *reinterpret_cast<T*>(to) = total;
}

template <class T>
Status combine(const Loop& loop, const TotalsPlan& plan, int64_t rows, const T* partials, uint32_t maxima,
               const Launch& launch) {
  CombineArguments<T> arguments{};
  arguments.partials = partials;
  arguments.rows = rows;
  arguments.stretches = plan.stretches;
  arguments.num_outer = loop.num_dims - 1;
  for (int d = 1; d < loop.num_dims; ++d) arguments.sizes[d - 1] = FastDivisor(loop.sizes[d]);
  const dim3 all(static_cast<unsigned>(ceil_div(rows, int64_t{kCombineThreads / 32})));
  int count = 0;
  for (int w = 0; w < loop.num_writes; ++w) {
    const Operand& operand = loop.operands[loop.num_reads + w];
    if (operand.data != nullptr) {
      CombinedWrite& write = arguments.writes[count++];
      write.data = static_cast<char*>(operand.data);
      write.partials = w * rows * plan.stretches;
      write.is_maximum = (maxima >> w & 1) != 0;
      for (int d = 1; d < loop.num_dims; ++d) write.strides[d - 1] = operand.strides[d];
    }
    if (count < kWritesAtOnce && (w + 1 < loop.num_writes || count == 0)) continue;
    void* of_kernel[] = {&arguments};
    const Status status = start(address_of(&combine_kernel<T>),
                                dim3(all.x, static_cast<unsigned>(count)), kCombineThreads, of_kernel, 0, launch);
    if (status.failed()) return status;
    count = 0;
  }
  return {};
}

// The loop, or, if its rows are empty, a loop of rows of one element without reads.
Loop without_empty_rows(const Loop& loop) {
  Loop found = loop;
  if (loop.sizes[0] > 0) return found;
  found.sizes[0] = 1;
  for (int k = 0; k < loop.num_reads; ++k) found.operands[k].data = nullptr;
  return found;
}

}  // namespace

template <class T>
Status run_totals(const KernelInfo& info, const ArgumentsRef<T>& arguments, uint32_t maxima, const Loop& loop,
                  const Number* params, const Launch& launch) {
  int64_t rows = 1;
  for (int d = 1; d < loop.num_dims; ++d) rows *= loop.sizes[d];
  if (rows == 0) return {};
  const int64_t columns = loop.sizes[0];
  const Loop filled = without_empty_rows(loop);
  int order[kMaxDims] = {};
  for (int d = 1; d < loop.num_dims; ++d) order[d - 1] = d;
  set_arguments(info, filled, params, order, loop.num_dims - 1, arguments);
  const auto tile_bytes = static_cast<size_t>(loop.num_writes) * sizeof(T);
  const TotalsPlan plan = plan_totals(rows, columns, info.size, info.items, static_cast<int>(tile_bytes));
  if (plan.blocks > kMaxBlocks) return {kTooMany};
  TotalsTiling tiling{};
  tiling.rows = rows;
  tiling.whole = columns / info.size;
  tiling.partial = static_cast<int>(columns % info.size);
  tiling.tiles = plan.tiles;
  tiling.stretch_tiles = plan.stretch_tiles;
  tiling.stretches = FastDivisor(plan.stretches);
  tiling.lane_bits = std::bit_width(static_cast<unsigned>(plan.lanes)) - 1;
  tiling.is_split = plan.is_split;
  tiling.is_aligned = true;
  for (int k = 0; k < loop.num_reads; ++k) {
    tiling.is_aligned &= arguments.operands[k].is_broadcast || arguments.operands[k].is_contiguous;
  }
  if (plan.stretches > 1) {
    tiling.partials = launch.allocate(launch.context, static_cast<size_t>(plan.blocks) * tile_bytes);
  }
  const size_t shared = plan.tiles == 1 ? 0 : static_cast<size_t>(plan.stretch_tiles) * tile_bytes;
  void* of_kernel[] = {arguments.all, &tiling};
  const Status status = start(info.kernel, dim3(static_cast<unsigned>(plan.blocks)), plan.threads, of_kernel,
                              shared, launch);
  if (status.failed() || plan.stretches == 1) return status;
  return combine(loop, plan, rows, static_cast<const T*>(tiling.partials), maxima, launch);
}

#define RT_RUN(T)                                                                                          \
  template Status run_totals(const KernelInfo&, const ArgumentsRef<T>&, uint32_t, const Loop&, const Number*, \
                             const Launch&);
RT_RUN(float)
RT_RUN(double)
RT_RUN(int64_t)
#undef RT_RUN

}  // namespace fusewise::cuda
