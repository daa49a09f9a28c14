// How loops are cut is decided here, once, and not in every op's file. Free of torch.
#include <algorithm>

#include <fusewise/core/reduction.h>

namespace fusewise {

namespace {

// Rows of this many tiles give a block enough to do, so that a run may be a single row.
constexpr int64_t kWideRow = 32;

// Rows of this many tiles give the threads that share one enough to do.
constexpr int64_t kLongRow = 4;

// So many rows are enough for a GPU to give each a few threads.
constexpr int64_t kManyRows = 4224;

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

bool has_mode(const Loop& loop, const Plan& plan, WriteMode mode) {
  return std::find(plan.modes, plan.modes + loop.num_writes, mode) != plan.modes + loop.num_writes;
}

void choose_modes(const Loop& loop, const Tiling& tiling, Plan& plan) {
  for (int w = 0; w < loop.num_writes; ++w) {
    const Operand& write = loop.operands[loop.num_reads + w];
    if (write.data == nullptr) plan.modes[w] = WriteMode::kAbsent;
    else if (!is_reduced(loop, write)) plan.modes[w] = WriteMode::kDense;
    else if (is_reduced(loop, write, 0)) plan.modes[w] = WriteMode::kAll;
    else plan.modes[w] = WriteMode::kColumn;
  }
  const bool has_columns = has_mode(loop, plan, WriteMode::kColumn);
  const bool many_rows = tiling.flat_item > 0 && plan.rows >= kManyRows;
  const bool short_runs = has_columns || plan.tiles < kWideRow || many_rows;
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
}

bool sums_cross(const Loop& loop, const Operand& a, const Operand& b) {
  if (a.data == nullptr || b.data == nullptr) return false;
  bool only_a = false, only_b = false;
  for (int d = 1; d < loop.num_dims; ++d) {
    const bool in_a = is_reduced(loop, a, d);
    const bool in_b = is_reduced(loop, b, d);
    if (in_a && in_b) return false;
    only_a = only_a || in_a;
    only_b = only_b || in_b;
  }
  return only_a && only_b;
}

bool crosses_earlier(const Loop& loop, int k) {
  for (int j = loop.num_reads; j < k; ++j) {
    if (sums_cross(loop, loop.operands[j], loop.operands[k])) return true;
  }
  return false;
}

bool has_crossing_sums(const Loop& loop) {
  for (int k = loop.num_reads; k < num_operands(loop); ++k) {
    if (crosses_earlier(loop, k)) return true;
  }
  return false;
}

// Two sums that cross are taken in one pass if nothing else is summed; see crossing.cuh. Sets the run, how
// it is cut, and the modes.
void cross_sums(const Loop& loop, const Tiling& tiling, Plan& plan) {
  int first = -1, second = -1;  // writes
  for (int w = 0; w < loop.num_writes; ++w) {
    if (!needs_finish(plan.modes[w])) continue;
    if (plan.modes[w] != WriteMode::kColumn || second >= 0) return;
    (first < 0 ? first : second) = w;
  }
  const auto sums = [&](int w, int d) {
    return is_reduced(loop, loop.operands[loop.num_reads + w], d);
  };
  constexpr int64_t kGroups = kBlockThreads / kCrossingLanes;
  int64_t least = 0;
  for (int near = 1; near < loop.num_dims; ++near) {
    for (int far = 1; far < loop.num_dims; ++far) {
      const bool is_first = sums(first, near) && sums(second, far);
      if (!is_first && !(sums(second, near) && sums(first, far))) continue;
      const int64_t rows = loop.sizes[near];
      const int64_t tiles = ceil_div(rows, kGroups * crossing_rows(loop.num_reads));
      const int64_t tile_rows = ceil_div(rows, tiles);
      // Threads for each that has something to do: no more than another pass would cost.
      const int64_t cost = 1000 * tiles * ceil_div(tile_rows, kGroups) * kGroups / rows;
      if (cost > 1500 || (plan.traversal == Traversal::kCross && cost >= least)) continue;
      least = cost;
      plan.traversal = Traversal::kCross;
      plan.near_rows = tile_rows;
      plan.near_tiles = tiles;
      plan.outer[0] = near;
      plan.outer[1] = far;
      plan.modes[first] = is_first ? WriteMode::kNear : WriteMode::kFar;
      plan.modes[second] = is_first ? WriteMode::kFar : WriteMode::kNear;
    }
  }
  if (plan.traversal != Traversal::kCross) return;
  plan.tile = kCrossingLanes * (tiling.tile * tiling.step / kBlockThreads);
  plan.tiles = ceil_div(plan.columns, plan.tile);
  plan.run_dims = plan.num_outer = 2;
  for (int d = 1; d < loop.num_dims; ++d) {
    if (d != plan.outer[0] && d != plan.outer[1]) plan.outer[plan.num_outer++] = d;
  }
}

// A thread of a GPU goes through a row, or down two dimensions, by additions alone. What more a run
// has is left to the second step: the shortest dimensions.
void shorten_runs(const Loop& loop, Plan& plan) {
  const auto is_shorter = [&](int a, int b) { return loop.sizes[a] < loop.sizes[b]; };
  const int most = plan.traversal == Traversal::kDown ? 2 : 1;
  int* const begin = plan.outer;
  while (plan.run_dims > most) {
    int* const end = begin + plan.run_dims--;
    int* const shortest = std::min_element(begin, end, is_shorter);
    std::rotate(shortest, shortest + 1, end);
  }
}

void choose_traversal(const Loop& loop, const Tiling& tiling, Plan& plan) {
  const bool has_rows = has_mode(loop, plan, WriteMode::kRow);
  const bool has_alls = has_mode(loop, plan, WriteMode::kAll);
  if (has_mode(loop, plan, WriteMode::kColumn)) {
    plan.traversal = Traversal::kDown;
  } else if (tiling.flat_item > 0) {
    const bool many_rows = plan.rows >= kManyRows && plan.tiles >= kLongRow;
    if (has_rows) plan.traversal = many_rows && !has_alls ? Traversal::kAlong : Traversal::kDown;
    // Along rows one after the other a run has one dimension, which is little of short ones; down them two.
    else plan.traversal = plan.run_dims > 1 && plan.tiles == 1 ? Traversal::kDown : Traversal::kFlat;
  } else {
    // Either way is even. The longer is taken.
    int64_t run_rows = 1;
    for (int i = 0; i < plan.run_dims; ++i) run_rows *= loop.sizes[plan.outer[i]];
    plan.traversal =
        plan.run_dims > 0 && run_rows > plan.tiles ? Traversal::kDown : Traversal::kAlong;
    if (plan.traversal == Traversal::kAlong) plan.run_dims = 0;
  }
  if (tiling.flat_item == 0) return;
  if (plan.traversal != Traversal::kAlong) return shorten_runs(loop, plan);
  plan.tile = plan.columns;
  plan.tiles = 1;
}

void cut_runs(const Loop& loop, const Tiling& tiling, bool reduces, Plan& plan) {
  plan.run_rows = 1;
  for (int i = 0; i < plan.run_dims; ++i) plan.run_rows *= loop.sizes[plan.outer[i]];
  int64_t runs = 1;
  for (int i = plan.run_dims; i < plan.num_outer; ++i) runs *= loop.sizes[plan.outer[i]];
  const bool flat = plan.traversal == Traversal::kFlat;
  if (flat) plan.run_items = ceil_div(plan.run_rows * plan.columns, tiling.flat_item);
  else plan.run_items = plan.run_rows * (plan.traversal == Traversal::kDown ? 1 : plan.tiles);
  if (plan.traversal == Traversal::kCross) plan.run_items = loop.sizes[plan.outer[1]];
  const int64_t step = flat ? 1 : tiling.step;
  const int64_t least = tiling.least_steps * step;
  if (tiling.flat_item > 0 && plan.traversal == Traversal::kAlong) {
    plan.chunk_items = step;
  } else if (plan.traversal == Traversal::kCross) {
    // Few chunks, for each leaves a sum over the second dimension for each row of the first: two blocks for a
    // multiprocessor, which may hold more.
    const int64_t chunks = std::max<int64_t>(1, 2 * kMultiprocessors / (runs * plan.unit_columns()));
    plan.chunk_items = ceil_div(plan.run_items, chunks);
  } else if (reduces) {
    const int64_t items = runs * plan.run_items * plan.unit_columns();
    const int64_t least_items = ceil_div(items, tiling.many_units);
    const int64_t most_items = std::max({least, least_items, items / tiling.few_units});
    const int64_t good = std::clamp(tiling.good_steps * step, least_items, most_items);
    const int64_t per_chunk = std::max<int64_t>(1, runs * plan.unit_columns());
    const int64_t most_chunks = std::max<int64_t>(1, tiling.many_units / per_chunk);
    const int64_t nearest = std::clamp<int64_t>((plan.run_items + good / 2) / good, 1, most_chunks);
    // Where so few more would be left for later, all begin at once, if that leaves few places.
    const int64_t at_once = tiling.places / per_chunk;
    const bool fills = at_once > 0 && 10 * at_once * per_chunk >= 9 * tiling.places;
    const bool is_little = tiling.begins_at_once || 4 * nearest * per_chunk < 7 * tiling.places;
    // What only reads is fast enough with a chunk a run, which leaves nothing to add.
    const bool is_enough = !has_mode(loop, plan, WriteMode::kDense) &&
                           per_chunk >= tiling.few_units && per_chunk <= tiling.places;
    const int64_t chunks = is_enough            ? 1
                           : fills && is_little ? std::min(at_once, nearest)
                                                : nearest;
    plan.chunk_items = std::clamp(ceil_div(plan.run_items, chunks), least, tiling.max_items);
  } else {
    plan.chunk_items = least;
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
  plan.traversal = Traversal::kDown;
  plan.near_rows = 0;
  plan.near_tiles = 1;
  choose_modes(loop, tiling, plan);
  if (tiling.crosses && numel(loop) > 0 && has_crossing_sums(loop)) cross_sums(loop, tiling, plan);
  if (plan.traversal != Traversal::kCross) choose_traversal(loop, tiling, plan);
  cut_runs(loop, tiling, has_reduced_write(loop), plan);
  place_partials(loop, 0, plan);
  return plan;
}

void place_partials(const Loop& loop, uint32_t results, Plan& plan) {
  plan.num_partials = 0;
  for (int w = 0; w < loop.num_writes; ++w) {
    plan.offsets[w] = plan.num_partials;
    if ((results >> w & 1) != 0) continue;
    switch (plan.modes[w]) {
      case WriteMode::kAbsent:
      case WriteMode::kDense: break;
      case WriteMode::kColumn: plan.num_partials += plan.chunks * plan.columns; break;
      case WriteMode::kAll: plan.num_partials += plan.units(); break;
      case WriteMode::kRow: plan.num_partials += plan.rows * plan.tiles; break;
      case WriteMode::kNear:
        plan.num_partials +=
            plan.rows / loop.sizes[plan.outer[0]] * plan.near_tiles * plan.columns;
        break;
      case WriteMode::kFar:
        plan.num_partials += plan.chunks * loop.sizes[plan.outer[0]] * plan.columns;
        break;
    }
  }
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
  const bool sums_columns = mode == WriteMode::kAll || mode == WriteMode::kRow;
  if (!sums_columns) keep(plan.columns, write.strides[0]);
  else sum(mode == WriteMode::kAll ? plan.unit_columns() : plan.tiles);
  if (mode == WriteMode::kNear || mode == WriteMode::kFar) {
    const int kept = plan.outer[mode == WriteMode::kNear ? 1 : 0];
    keep(loop.sizes[kept], write.strides[kept]);
  }
  if (mode == WriteMode::kNear) sum(plan.near_tiles);
  if (is_accumulated(mode) || mode == WriteMode::kFar) sum(plan.chunks_per_run);
  // The dimensions of which partials are left.
  const int first = mode == WriteMode::kRow ? 0 : plan.run_dims;
  for (int i = first; i < plan.num_outer; ++i) {
    const int dim = plan.outer[i];
    if (is_reduced(loop, write, dim)) sum(loop.sizes[dim]);
    else keep(loop.sizes[dim], write.strides[dim]);
  }
  return finish;
}

bool is_whole(const Loop& loop, const Plan& plan, int w) {
  if (!needs_finish(plan.modes[w])) return false;
  const Finish finish = plan_finish(loop, plan, w);
  if (plan.traversal == Traversal::kCross) {
    return plan.modes[w] == WriteMode::kNear && finish.terms == 1;
  }
  // Partial sums lie in order, and so must the results.
  bool in_order = finish.terms == 1;
  for (int d = 0; d < finish.num_kept; ++d) {
    in_order &= finish.kept_strides[d] == finish.kept_steps[d] * size_of(finish.dtype);
  }
  return in_order;
}

constexpr int64_t kCpuTile = 4096;

// The sums of a tile stay in the cache; without any, longer items save the steps between them.
Tiling cpu_tiling(const Loop& loop) {
  const int64_t tile = has_reduced_write(loop) ? kCpuTile : 2 * kCpuTile;
  const int64_t item = std::clamp<int64_t>(inner_size(loop), 1, tile);
  return Tiling{.tile = tile,
                .step = std::min<int64_t>(256, ceil_div(8192, item)),
                .least_steps = 1,
                .good_steps = 1,
                .max_items = 256,
                .few_units = 256,
                .many_units = 256,
                .places = 0,
                .flat_item = 0,
                .begins_at_once = false,
                .crosses = false};
}

bool split_sums(const Loop& loop, Loop& first, Loop& rest) {
  if (!has_crossing_sums(loop)) return false;
  first = rest = loop;
  for (int k = loop.num_reads; k < num_operands(loop); ++k) {
    Operand& dropped = (crosses_earlier(loop, k) ? first : rest).operands[k];
    dropped.data = nullptr;
    std::fill_n(dropped.strides, loop.num_dims, 0);
  }
  return true;
}

}  // namespace fusewise
