// How loops are cut is decided here, once, and not in every op's file. Free of torch.
#include <algorithm>

#include <fusewise/reduction.h>

namespace fusewise {

namespace {

// Rows of this many tiles give a block enough to do, so that a run may be a single row.
constexpr int64_t kWideRow = 32;

// The outer dimensions that every accumulator sums come first, whatever their place in memory: that
// makes runs long. Returns whether there are any.
bool order_rows(const Loop& loop, Plan& plan) {
  bool in_run[kMaxDims];
  for (int d = 1; d < loop.num_dims; ++d) {
    in_run[d] = true;
    for (int w = 0; w < loop.num_writes; ++w) {
      const Operand& write = loop.operands[loop.num_reads + w];
      if (is_accumulated(plan.modes[w]) && !is_reduced(loop, write, d) && loop.sizes[d] != 1) {
        in_run[d] = false;
      }
    }
  }
  plan.num_outer = 0;
  for (int d = 1; d < loop.num_dims; ++d) {
    if (in_run[d]) plan.outer[plan.num_outer++] = d;
  }
  plan.run_dims = plan.num_outer;
  for (int d = 1; d < loop.num_dims; ++d) {
    if (!in_run[d]) plan.outer[plan.num_outer++] = d;
  }
  return plan.run_dims > 0;
}

void choose_modes(const Loop& loop, Plan& plan) {
  plan.keeps_columns = false;
  for (int w = 0; w < loop.num_writes; ++w) {
    const Operand& write = loop.operands[loop.num_reads + w];
    if (write.data == nullptr) plan.modes[w] = WriteMode::kAbsent;
    else if (!is_reduced(loop, write)) plan.modes[w] = WriteMode::kDense;
    else if (is_reduced(loop, write, 0)) plan.modes[w] = WriteMode::kAll;
    else plan.modes[w] = WriteMode::kColumn;
    plan.keeps_columns |= plan.modes[w] == WriteMode::kColumn;
  }
  const bool short_runs = plan.keeps_columns || plan.tiles < kWideRow;
  if (plan.rows > 1 && short_runs) {
    // A write that keeps every row gains nothing from runs and would cut them to one row.
    for (int w = 0; w < loop.num_writes; ++w) {
      const Operand& write = loop.operands[loop.num_reads + w];
      bool keeps_rows = plan.modes[w] == WriteMode::kAll;
      for (int d = 1; d < loop.num_dims; ++d) keeps_rows &= !is_reduced(loop, write, d);
      if (keeps_rows) plan.modes[w] = WriteMode::kRow;
    }
  }
  if (!order_rows(loop, plan) && plan.rows > 1 && short_runs) {
    for (int w = 0; w < loop.num_writes; ++w) {
      if (plan.modes[w] == WriteMode::kAll) plan.modes[w] = WriteMode::kRow;
    }
    order_rows(loop, plan);
  }
  // Either way is even: down the rows of a tile, or along the tiles of a row. The longer is taken.
  if (plan.keeps_columns || plan.run_dims == 0) return;
  int64_t run_rows = 1;
  for (int i = 0; i < plan.run_dims; ++i) run_rows *= loop.sizes[plan.outer[i]];
  if (run_rows > plan.tiles) plan.keeps_columns = true;
  else plan.run_dims = 0;
}

void cut_runs(const Loop& loop, const Tiling& tiling, bool reduces, Plan& plan) {
  plan.run_rows = 1;
  for (int i = 0; i < plan.run_dims; ++i) plan.run_rows *= loop.sizes[plan.outer[i]];
  int64_t runs = 1;
  for (int i = plan.run_dims; i < plan.num_outer; ++i) runs *= loop.sizes[plan.outer[i]];
  plan.run_items = plan.run_rows * plan.walked_tiles();
  plan.chunk_items = tiling.min_items;
  if (reduces && runs > 0 && plan.run_items > 0) {
    const int64_t columns = std::max<int64_t>(1, plan.unit_columns());
    const int64_t most = std::max(tiling.many_chunks, tiling.few_units / columns);
    const int64_t wanted = std::clamp<int64_t>(tiling.many_units / columns, 1, most);
    const int64_t items = ceil_div(plan.run_items, ceil_div(wanted, runs));
    plan.chunk_items = std::clamp(items, tiling.min_items, tiling.max_items);
  }
  plan.chunks_per_run = ceil_div(plan.run_items, plan.chunk_items);
  plan.chunks = runs * plan.chunks_per_run;
}

}  // namespace

Plan plan_reduction(const Loop& loop, const Tiling& tiling) {
  Plan plan;
  plan.columns = inner_size(loop);
  plan.rows = 1;
  for (int d = 1; d < loop.num_dims; ++d) plan.rows *= loop.sizes[d];
  plan.tile = tiling.tile;
  plan.tiles = ceil_div(plan.columns, plan.tile);
  choose_modes(loop, plan);
  cut_runs(loop, tiling, has_reduced_write(loop), plan);
  plan.num_partials = 0;
  for (int w = 0; w < loop.num_writes; ++w) {
    plan.offsets[w] = plan.num_partials;
    switch (plan.modes[w]) {
      case WriteMode::kAbsent:
      case WriteMode::kDense: break;
      case WriteMode::kColumn: plan.num_partials += plan.chunks * plan.columns; break;
      case WriteMode::kAll: plan.num_partials += plan.units(); break;
      case WriteMode::kRow: plan.num_partials += plan.rows * plan.tiles; break;
    }
  }
  return plan;
}

Finish plan_finish(const Loop& loop, const Plan& plan, int w) {
  const Operand& write = loop.operands[loop.num_reads + w];
  const WriteMode mode = plan.modes[w];
  Finish finish{};
  finish.data = static_cast<char*>(write.data);
  finish.dtype = write.dtype;
  finish.offset = plan.offsets[w];
  finish.outputs = 1;
  finish.terms = 1;
  int64_t step = 1;
  const auto keep = [&](int64_t size, int64_t stride) {
    if (size != 1) {
      finish.kept_sizes[finish.num_kept] = size;
      finish.kept_steps[finish.num_kept] = step;
      finish.kept_strides[finish.num_kept] = stride;
      ++finish.num_kept;
    }
    finish.outputs *= size;
    step *= size;
  };
  const auto sum = [&](int64_t size) {
    const int last = finish.num_summed - 1;
    if (last >= 0 && finish.summed_steps[last] * finish.summed_sizes[last] == step) {
      finish.summed_sizes[last] *= size;
    } else if (size != 1) {
      finish.summed_sizes[finish.num_summed] = size;
      finish.summed_steps[finish.num_summed] = step;
      ++finish.num_summed;
    }
    finish.terms *= size;
    step *= size;
  };
  if (mode == WriteMode::kColumn) keep(plan.columns, write.strides[0]);
  else sum(mode == WriteMode::kAll ? plan.unit_columns() : plan.tiles);
  if (mode != WriteMode::kRow) sum(plan.chunks_per_run);
  for (int i = mode == WriteMode::kRow ? 0 : plan.run_dims; i < plan.num_outer; ++i) {
    const int dim = plan.outer[i];
    if (is_reduced(loop, write, dim)) sum(loop.sizes[dim]);
    else keep(loop.sizes[dim], write.strides[dim]);
  }
  return finish;
}

size_t workspace_bytes(const Loop& loop, bool cuda) {
  if (!has_reduced_write(loop)) return 0;
  int64_t partials = 0;
  if (cuda) {
    // Which vector a kernel takes depends on the dtypes that it is compiled for.
    for (const int vector : {1, 4, 8}) {
      partials = std::max(partials, plan_reduction(loop, cuda_tiling(loop, vector)).num_partials);
    }
  } else {
    partials = plan_reduction(loop, cpu_tiling(loop)).num_partials;
  }
  return static_cast<size_t>(partials) * static_cast<size_t>(size_of(loop.compute));
}

}  // namespace fusewise
