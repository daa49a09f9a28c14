// Plans the two-axis reduction: two sums of which each keeps the dimension that the other reduces. Free of torch.
#include <fusewise/cuda/crossing.cuh>
#include <fusewise/cuda/planning.cuh>

namespace fusewise::cuda {

Crossing make_two_axis(const Loop& loop, const Plan& plan, uint32_t results, float* partials) {
  Crossing crossing{};
  crossing.unit_columns = Divisor(plan.unit_columns());
  crossing.tiles = Divisor(plan.tiles);
  crossing.chunks_per_run = Divisor(plan.chunks_per_run);
  crossing.near = static_cast<uint32_t>(loop.sizes[plan.outer[0]]);
  crossing.near_rows = static_cast<uint32_t>(plan.near_rows);
  crossing.near_tiles = static_cast<uint32_t>(plan.near_tiles);
  crossing.far = static_cast<uint32_t>(loop.sizes[plan.outer[1]]);
  crossing.far_rows = static_cast<uint32_t>(plan.chunk_items);
  for (int w = 0; w < loop.num_writes; ++w) {
    float* const sums = partials + plan.offsets[w];
    if (plan.modes[w] == WriteMode::kNear) {
      crossing.near_write = 1u << w;
      crossing.near_sums = sums;
      crossing.near_is_whole = (results >> w & 1) != 0;
    } else if (plan.modes[w] == WriteMode::kFar) {
      crossing.far_write = 1u << w;
      crossing.far_sums = sums;
    }
  }
  return crossing;
}

}  // namespace fusewise::cuda
