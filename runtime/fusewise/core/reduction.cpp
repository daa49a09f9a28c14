// The planner of reductions, compiled once for all ops. Free of torch.
#include <algorithm>

#include <fusewise/core/reduction.h>

namespace fusewise {

namespace {

// A row of so many tiles is enough work for a block, so a segment may be a single row.
constexpr int64_t kWideRow = 32;

// A row of so many tiles is enough work for the threads that share it.
constexpr int64_t kLongRow = 4;

// With so many rows a GPU is busy even if only a few threads share a row.
constexpr int64_t kManyRows = 4224;

// On the CPU, a row of so many columns is worth a partial sum of its own.
constexpr int64_t kOwnSum = 512;

// Sets the order of the outer dimensions: those that every accumulator sums come first, whatever their order in
// memory, because they form the segments. Returns false if there are none.
bool order_rows(const Loop& loop, Plan& plan) {
  bool in_segment[kMaxDims];
  for (int d = 1; d < loop.num_dims; ++d) {
    in_segment[d] = true;
    for (int w = 0; w < loop.num_writes; ++w) {
      const Operand& write = loop.operands[loop.num_reads + w];
      if (is_accumulated(plan.modes[w]) && !is_reduced(loop, write, d) && loop.sizes[d] != 1) {
        in_segment[d] = false;
      }
    }
  }
  plan.num_outer = 0;
  for (int d = 1; d < loop.num_dims; ++d) {
    if (in_segment[d]) plan.outer[plan.num_outer++] = d;
  }
  plan.segment_dims = plan.num_outer;
  for (int d = 1; d < loop.num_dims; ++d) {
    if (!in_segment[d]) plan.outer[plan.num_outer++] = d;
  }
  return plan.segment_dims > 0;
}

bool has_mode(const Loop& loop, const Plan& plan, WriteMode mode) {
  return std::find(plan.modes, plan.modes + loop.num_writes, mode) != plan.modes + loop.num_writes;
}

// True if a sum keeps the inner dimension, so that each split leaves a partial sum for each column.
bool has_column_sums(const Loop& loop) {
  for (int k = loop.num_reads; k < num_operands(loop); ++k) {
    const Operand& write = loop.operands[k];
    if (is_reduced(loop, write) && !is_reduced(loop, write, 0)) return true;
  }
  return false;
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
  const bool short_segments = has_columns || plan.tiles < kWideRow || many_rows;
  if (plan.rows > 1 && short_segments) {
    // A write that keeps every row gains nothing from segments, and would limit them to one row.
    for (int w = 0; w < loop.num_writes; ++w) {
      const Operand& write = loop.operands[loop.num_reads + w];
      bool keeps_rows = plan.modes[w] == WriteMode::kAll;
      for (int d = 1; d < loop.num_dims; ++d) keeps_rows &= !is_reduced(loop, write, d);
      if (keeps_rows) plan.modes[w] = WriteMode::kRow;
    }
  }
  const bool has_segments = order_rows(loop, plan);
  // On the CPU, rows that run in the order of memory are read up to twice as fast as distant ones.
  const bool leaves_order = !std::is_sorted(plan.outer, plan.outer + plan.num_outer);
  const bool is_slow = tiling.flat_item == 0 && plan.columns > kOwnSum && leaves_order;
  if (is_slow || (!has_segments && plan.rows > 1 && short_segments)) {
    for (int w = 0; w < loop.num_writes; ++w) {
      if (plan.modes[w] == WriteMode::kAll) plan.modes[w] = WriteMode::kRow;
    }
    order_rows(loop, plan);
  }
}

bool are_two_axis(const Loop& loop, const Operand& a, const Operand& b) {
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

bool is_two_axis_with_earlier(const Loop& loop, int k) {
  for (int j = loop.num_reads; j < k; ++j) {
    if (are_two_axis(loop, loop.operands[j], loop.operands[k])) return true;
  }
  return false;
}

bool has_two_axis_sums(const Loop& loop) {
  for (int k = loop.num_reads; k < num_operands(loop); ++k) {
    if (is_two_axis_with_earlier(loop, k)) return true;
  }
  return false;
}

// Plans a two-axis reduction if there is no third sum; see two_axis.cuh. Sets the axes, their tiles, and the
// modes of both writes.
void plan_two_axis(const Loop& loop, const Tiling& tiling, Plan& plan) {
  int first = -1, second = -1;  // writes
  for (int w = 0; w < loop.num_writes; ++w) {
    if (!needs_finalize(plan.modes[w])) continue;
    if (plan.modes[w] != WriteMode::kColumn || second >= 0) return;
    (first < 0 ? first : second) = w;
  }
  const auto sums = [&](int w, int d) {
    return is_reduced(loop, loop.operands[loop.num_reads + w], d);
  };
  constexpr int64_t kGroups = kBlockThreads / kTwoAxisLanes;
  int64_t least = 0;
  for (int axis0 = 1; axis0 < loop.num_dims; ++axis0) {
    for (int axis1 = 1; axis1 < loop.num_dims; ++axis1) {
      const bool is_first = sums(first, axis0) && sums(second, axis1);
      if (!is_first && !(sums(second, axis0) && sums(first, axis1))) continue;
      const int64_t rows = loop.sizes[axis0];
      const int64_t tiles = ceil_div(rows, kGroups * two_axis_rows(loop.num_reads));
      const int64_t tile_rows = ceil_div(rows, tiles);
      // The threads for each busy thread, times 1000. Beyond 1500 a second pass is cheaper.
      const int64_t cost = 1000 * tiles * ceil_div(tile_rows, kGroups) * kGroups / rows;
      if (cost > 1500 || (plan.traversal == Traversal::kTwoAxis && cost >= least)) continue;
      least = cost;
      plan.traversal = Traversal::kTwoAxis;
      plan.axis0_rows = tile_rows;
      plan.axis0_tiles = tiles;
      plan.outer[0] = axis0;
      plan.outer[1] = axis1;
      plan.modes[first] = is_first ? WriteMode::kAxis0 : WriteMode::kAxis1;
      plan.modes[second] = is_first ? WriteMode::kAxis1 : WriteMode::kAxis0;
    }
  }
  if (plan.traversal != Traversal::kTwoAxis) return;
  plan.tile = kTwoAxisLanes * (tiling.tile * tiling.step / kBlockThreads);
  plan.tiles = ceil_div(plan.columns, plan.tile);
  plan.segment_dims = plan.num_outer = 2;
  for (int d = 1; d < loop.num_dims; ++d) {
    if (d != plan.outer[0] && d != plan.outer[1]) plan.outer[plan.num_outer++] = d;
  }
}

// A thread of a GPU steps along a row, or down two dimensions, by additions only. If a segment has more
// dimensions, the shortest of them are left to the second step.
void shorten_segments(const Loop& loop, Plan& plan) {
  const auto is_shorter = [&](int a, int b) { return loop.sizes[a] < loop.sizes[b]; };
  const int most = plan.traversal == Traversal::kDown ? 2 : 1;
  int* const begin = plan.outer;
  while (plan.segment_dims > most) {
    int* const end = begin + plan.segment_dims--;
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
    // A flat traversal has one dimension of rows, which is little work if rows are short; down the rows it has
    // two.
    else plan.traversal = plan.segment_dims > 1 && plan.tiles == 1 ? Traversal::kDown : Traversal::kFlat;
  } else {
    // On the CPU both orders are equally good for stores, and the longer one is taken. Sums go along rows of
    // several tiles, which is the order of memory.
    int64_t segment_rows = 1;
    for (int i = 0; i < plan.segment_dims; ++i) segment_rows *= loop.sizes[plan.outer[i]];
    const bool is_down = has_rows || has_alls ? plan.tiles == 1 : segment_rows > plan.tiles;
    plan.traversal = plan.segment_dims > 0 && is_down ? Traversal::kDown : Traversal::kAlong;
    if (plan.traversal == Traversal::kAlong) plan.segment_dims = 0;
  }
  if (tiling.flat_item == 0) return;
  if (plan.traversal != Traversal::kAlong) return shorten_segments(loop, plan);
  plan.tile = plan.columns;
  plan.tiles = 1;
}

void split_segments(const Loop& loop, const Tiling& tiling, bool reduces, Plan& plan) {
  plan.segment_rows = 1;
  for (int i = 0; i < plan.segment_dims; ++i) plan.segment_rows *= loop.sizes[plan.outer[i]];
  int64_t segments = 1;
  for (int i = plan.segment_dims; i < plan.num_outer; ++i) segments *= loop.sizes[plan.outer[i]];
  const bool flat = plan.traversal == Traversal::kFlat;
  if (flat) plan.segment_items = ceil_div(plan.segment_rows * plan.columns, tiling.flat_item);
  else plan.segment_items = plan.segment_rows * (plan.traversal == Traversal::kDown ? 1 : plan.tiles);
  if (plan.traversal == Traversal::kTwoAxis) plan.segment_items = loop.sizes[plan.outer[1]];
  const int64_t step = flat ? 1 : tiling.step;
  const int64_t least = tiling.least_steps * step;
  const bool is_step = flat || plan.traversal == Traversal::kTwoAxis;  // an item is a step of a thread
  const int64_t most = is_step ? tiling.max_items / tiling.step : tiling.max_items;
  if (tiling.flat_item > 0 && plan.traversal == Traversal::kAlong) {
    plan.split_items = step;
  } else if (plan.traversal == Traversal::kTwoAxis) {
    // There are few splits, because each leaves a partial sum over axis 1 for each index of axis 0: two blocks
    // for each multiprocessor, although it may hold more.
    const int64_t splits = std::max<int64_t>(1, 2 * kMultiprocessors / (segments * plan.work_tile_columns()));
    plan.split_items = std::min(ceil_div(plan.segment_items, splits), most);
  } else if (reduces) {
    const int64_t items = segments * plan.segment_items * plan.work_tile_columns();
    const int64_t least_items = ceil_div(items, tiling.many_work_tiles);
    const int64_t most_items = std::max({least, least_items, items / tiling.few_work_tiles});
    const int64_t good = std::clamp(tiling.good_steps * step, least_items, most_items);
    const int64_t per_split = std::max<int64_t>(1, segments * plan.work_tile_columns());
    const int64_t most_splits = std::max<int64_t>(1, tiling.many_work_tiles / per_split);
    const int64_t nearest = std::clamp<int64_t>((plan.segment_items + good / 2) / good, 1, most_splits);
    // If only a few work tiles would have to wait, the plan has fewer, which all run at the same time, as long
    // as this leaves at most a tenth of the GPU idle.
    const int64_t at_once = tiling.places / per_split;
    const bool fills = at_once > 0 && 10 * at_once * per_split >= 9 * tiling.places;
    const bool is_little = tiling.begins_at_once || 4 * nearest * per_split < 7 * tiling.places;
    // A loop without dense writes is fast enough with one split for each segment, which leaves nothing to add.
    const bool is_enough = !has_mode(loop, plan, WriteMode::kDense) &&
                           per_split >= tiling.few_work_tiles && per_split <= tiling.places;
    const int64_t splits = is_enough            ? 1
                           : fills && is_little ? std::min(at_once, nearest)
                                                : nearest;
    plan.split_items = std::clamp(ceil_div(plan.segment_items, splits), least, most);
  } else {
    plan.split_items = least;
  }
  plan.splits_per_segment = ceil_div(plan.segment_items, plan.split_items);
  plan.splits = segments * plan.splits_per_segment;
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
  plan.axis0_rows = 0;
  plan.axis0_tiles = 1;
  choose_modes(loop, tiling, plan);
  if (tiling.two_axis && numel(loop) > 0 && has_two_axis_sums(loop)) plan_two_axis(loop, tiling, plan);
  if (plan.traversal != Traversal::kTwoAxis) choose_traversal(loop, tiling, plan);
  split_segments(loop, tiling, has_reduced_write(loop), plan);
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
      case WriteMode::kColumn: plan.num_partials += plan.splits * plan.columns; break;
      case WriteMode::kAll: plan.num_partials += plan.work_tiles(); break;
      case WriteMode::kRow: plan.num_partials += plan.rows * plan.tiles; break;
      case WriteMode::kAxis0:
        plan.num_partials +=
            plan.rows / loop.sizes[plan.outer[0]] * plan.axis0_tiles * plan.columns;
        break;
      case WriteMode::kAxis1:
        plan.num_partials += plan.splits * loop.sizes[plan.outer[0]] * plan.columns;
        break;
    }
  }
}

Finalize plan_finalize(const Loop& loop, const Plan& plan, int w) {
  const Operand& write = loop.operands[loop.num_reads + w];
  const WriteMode mode = plan.modes[w];
  Finalize finalize{};
  finalize.data = static_cast<char*>(write.data);
  finalize.dtype = write.dtype;
  finalize.offset = plan.offsets[w];
  finalize.outputs = 1;
  finalize.terms = 1;
  int64_t step = 1;
  const auto keep = [&](int64_t size, int64_t stride) {
    if (size != 1) {
      finalize.kept_sizes[finalize.num_kept] = size;
      finalize.kept_steps[finalize.num_kept] = step;
      finalize.kept_strides[finalize.num_kept] = stride;
      ++finalize.num_kept;
    }
    finalize.outputs *= size;
    step *= size;
  };
  const auto sum = [&](int64_t size) {
    const int last = finalize.num_summed - 1;
    if (last >= 0 && finalize.summed_steps[last] * finalize.summed_sizes[last] == step) {
      finalize.summed_sizes[last] *= size;
    } else if (size != 1) {
      finalize.summed_sizes[finalize.num_summed] = size;
      finalize.summed_steps[finalize.num_summed] = step;
      ++finalize.num_summed;
    }
    finalize.terms *= size;
    step *= size;
  };
  const bool sums_columns = mode == WriteMode::kAll || mode == WriteMode::kRow;
  if (!sums_columns) keep(plan.columns, write.strides[0]);
  else sum(mode == WriteMode::kAll ? plan.work_tile_columns() : plan.tiles);
  if (mode == WriteMode::kAxis0 || mode == WriteMode::kAxis1) {
    const int kept = plan.outer[mode == WriteMode::kAxis0 ? 1 : 0];
    keep(loop.sizes[kept], write.strides[kept]);
  }
  if (mode == WriteMode::kAxis0) sum(plan.axis0_tiles);
  if (is_accumulated(mode) || mode == WriteMode::kAxis1) sum(plan.splits_per_segment);
  // The dimensions that the partial sums keep.
  const int first = mode == WriteMode::kRow ? 0 : plan.segment_dims;
  for (int i = first; i < plan.num_outer; ++i) {
    const int dim = plan.outer[i];
    if (is_reduced(loop, write, dim)) sum(loop.sizes[dim]);
    else keep(loop.sizes[dim], write.strides[dim]);
  }
  return finalize;
}

bool is_whole(const Loop& loop, const Plan& plan, int w) {
  if (!needs_finalize(plan.modes[w])) return false;
  const Finalize finalize = plan_finalize(loop, plan, w);
  if (plan.traversal == Traversal::kTwoAxis) {
    return plan.modes[w] == WriteMode::kAxis0 && finalize.terms == 1;
  }
  // Partial sums are stored in the order of the plan, so the result must have the same order.
  bool in_order = finalize.terms == 1;
  for (int d = 0; d < finalize.num_kept; ++d) {
    in_order &= finalize.kept_strides[d] == finalize.kept_steps[d] * size_of(finalize.dtype);
  }
  return in_order;
}

// The sums of a tile and its reads that are repeated for each row stay in the first cache. Without sums of
// columns, larger tiles save the steps between them. A split with sums of columns is longer than others, since
// writing and adding its partial sums takes as long as several rows do.
Tiling cpu_tiling(const Loop& loop) {
  const bool has_columns = has_column_sums(loop);
  const int64_t tile = has_columns ? 1024 : has_reduced_write(loop) ? 4096 : 8192;
  const int64_t item = std::clamp<int64_t>(inner_size(loop), 1, tile);
  return Tiling{.tile = tile,
                .step = std::min<int64_t>(256, ceil_div(8192, item)),
                .least_steps = 1,
                .good_steps = has_columns ? 8 : 1,
                .max_items = 256,
                .few_work_tiles = has_columns ? 64 : 256,
                .many_work_tiles = 256,
                .places = 0,
                .flat_item = 0,
                .begins_at_once = false,
                .two_axis = false};
}

bool separate_sums(const Loop& loop, Loop& first, Loop& rest) {
  if (!has_two_axis_sums(loop)) return false;
  first = rest = loop;
  for (int k = loop.num_reads; k < num_operands(loop); ++k) {
    Operand& dropped = (is_two_axis_with_earlier(loop, k) ? first : rest).operands[k];
    dropped.data = nullptr;
    std::fill_n(dropped.strides, loop.num_dims, 0);
  }
  return true;
}

}  // namespace fusewise
