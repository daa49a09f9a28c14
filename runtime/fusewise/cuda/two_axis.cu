// Plans the two-axis reduction: each of two sums keeps the dimension that the other reduces. Free of torch.
#include <fusewise/cuda/kernels/two_axis.cuh>
#include <fusewise/cuda/planning.cuh>

namespace fusewise::cuda {

TwoAxisArguments make_two_axis_arguments(const Loop& loop, const Plan& plan, uint32_t results,
                                         float* partials) {
  TwoAxisArguments two_axis{};
  two_axis.work_tile_columns = FastDivisor(plan.work_tile_columns());
  two_axis.tiles = FastDivisor(plan.tiles);
  two_axis.splits_per_segment = FastDivisor(plan.splits_per_segment);
  two_axis.axis0_size = static_cast<uint32_t>(loop.sizes[plan.outer[0]]);
  two_axis.axis0_rows = static_cast<uint32_t>(plan.axis0_rows);
  two_axis.axis0_tiles = static_cast<uint32_t>(plan.axis0_tiles);
  two_axis.axis1_size = static_cast<uint32_t>(loop.sizes[plan.outer[1]]);
  two_axis.axis1_rows = static_cast<uint32_t>(plan.split_items);
  for (int w = 0; w < loop.num_writes; ++w) {
    float* const sums = partials + plan.offsets[w];
    if (plan.modes[w] == WriteMode::kAxis0) {
      two_axis.axis0_write = 1u << w;
      two_axis.axis0_sums = sums;
      two_axis.axis0_is_whole = (results >> w & 1) != 0;
    } else if (plan.modes[w] == WriteMode::kAxis1) {
      two_axis.axis1_write = 1u << w;
      two_axis.axis1_sums = sums;
    }
  }
  return two_axis;
}

}  // namespace fusewise::cuda
