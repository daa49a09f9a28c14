// How a loop with reduced writes is cut into pieces. Free of torch; shared by CPU and CUDA.
//
// A loop is `rows` of `columns` (the innermost dimension). A row is cut into tiles, and an *item*
// is one tile of one row. A *run* is the items over which every accumulator may stay in place; a
// *chunk* is a part of a run. Each chunk leaves one partial sum per accumulator in the workspace,
// and a second step adds the partials of each element of the result. The cut depends on the loop
// alone, never on the number of threads, and all sums are in a fixed order: the same bits every
// time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fusewise/loop.h>

namespace fusewise {

enum class WriteMode : int8_t {
  kAbsent,  // not needed
  kDense,   // stored element by element
  kColumn,  // inner dimension kept:            partials[chunk][column]
  kAll,     // inner dimension and run summed:  partials[chunk][tile]
  kRow,     // inner dimension summed, row kept: partials[row][tile]
};

// Such a write is summed over the items of a chunk in place.
RT_FN bool is_accumulated(WriteMode mode) {
  return mode == WriteMode::kColumn || mode == WriteMode::kAll;
}

struct Tiling {
  int64_t tile;        // columns of an item
  int64_t min_items;   // of a chunk, unless its run is shorter
  int64_t max_items;   // of a chunk: bounds the rounding errors of its sums
  int64_t few_units;   // units of work to aim at where the partials of an element would be many
  int64_t many_units;  // units of work to aim at elsewhere
  int64_t many_chunks; // "many" partials of an element
};

struct Plan {
  int64_t columns;
  int64_t rows;
  int64_t tile;
  int64_t tiles;
  int num_outer;
  int outer[kMaxDims];  // the loop's outer dimensions as rows are numbered, fastest first
  int run_dims;         // how many of them make up a run
  bool keeps_columns;   // a unit stays in one column of tiles; otherwise it walks whole rows
  int64_t run_rows;
  int64_t run_items;
  int64_t chunk_items;
  int64_t chunks_per_run;
  int64_t chunks;
  WriteMode modes[kMaxOperands];   // of each write
  int64_t offsets[kMaxOperands];   // of each write's partials in the workspace, in elements
  int64_t num_partials;

  int64_t unit_columns() const { return keeps_columns ? tiles : 1; }
  int64_t units() const { return chunks * unit_columns(); }  // unit = chunk * unit_columns() + tile
  int64_t walked_tiles() const { return keeps_columns ? 1 : tiles; }
};

// How one element of a reduced write is made of partials.
struct Finish {
  char* data;
  Dtype dtype;
  int64_t offset;   // of the first partial, in elements
  int64_t outputs;  // elements to write
  int64_t terms;    // partials of each
  int num_kept;
  int64_t kept_sizes[kMaxDims];
  int64_t kept_steps[kMaxDims];    // in partials
  int64_t kept_strides[kMaxDims];  // in bytes of the output
  int num_summed;
  int64_t summed_sizes[kMaxDims];
  int64_t summed_steps[kMaxDims];

  // Of a term, counted from the first partial of its output.
  RT_FN int64_t place_of(int64_t term) const {
    int64_t place = 0;
    for (int d = 0; d < num_summed; ++d) {
      const bool last = d + 1 == num_summed;
      place += (last ? term : term % summed_sizes[d]) * summed_steps[d];
      if (!last) term /= summed_sizes[d];
    }
    return place;
  }
};

constexpr int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

namespace detail {

// Rows of this many tiles give a block enough to do, so that a run may be a single row.
inline constexpr int64_t kWideRow = 32;

// The outer dimensions that every accumulator sums come first, whatever their place in memory: that
// makes runs long. Returns whether there are any.
inline bool order_rows(const Loop& loop, Plan& plan) {
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

inline void choose_modes(const Loop& loop, Plan& plan) {
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
}

inline void cut_runs(const Loop& loop, const Tiling& tiling, bool reduces, Plan& plan) {
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

}  // namespace detail

inline Plan plan_reduction(const Loop& loop, const Tiling& tiling) {
  Plan plan;
  plan.columns = inner_size(loop);
  plan.rows = 1;
  for (int d = 1; d < loop.num_dims; ++d) plan.rows *= loop.sizes[d];
  plan.tile = tiling.tile;
  plan.tiles = ceil_div(plan.columns, plan.tile);
  detail::choose_modes(loop, plan);
  detail::cut_runs(loop, tiling, has_reduced_write(loop), plan);
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

inline bool needs_finish(WriteMode mode) {
  return mode != WriteMode::kAbsent && mode != WriteMode::kDense;
}

inline Finish plan_finish(const Loop& loop, const Plan& plan, int w) {
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

inline constexpr int64_t kCpuTile = 512;

inline Tiling cpu_tiling(const Loop& loop) {
  const int64_t item = std::clamp<int64_t>(inner_size(loop), 1, kCpuTile);
  return Tiling{kCpuTile, std::min<int64_t>(256, ceil_div(16384, item)), 256,
                256, 256, 1};
}

inline constexpr int kBlockThreads = 256;

// `lanes` threads of `vector` columns each share a row; the other threads of the block take other
// rows. The numbers of units are those that measured well on a GPU of 132 multiprocessors; they are
// the same on all GPUs, so that all give the same bits.
inline int cuda_lanes(int64_t columns, int vector) {
  int lanes = 1;
  while (lanes < 32 && lanes * vector < columns) lanes *= 2;
  return lanes;
}

inline Tiling cuda_tiling(const Loop& loop, int vector) {
  const int lanes = cuda_lanes(inner_size(loop), vector);
  return Tiling{lanes * vector, 4 * (kBlockThreads / lanes), int64_t{1} << 62, 1056, 4224, 132};
}

// The workspace that a kernel asks for; 0 unless some write is reduced.
inline size_t workspace_bytes(const Loop& loop, bool cuda) {
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
