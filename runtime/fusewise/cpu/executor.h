// The executor of all passes on the CPU: it divides a loop into work tiles for threads and runs the row loop
// of the pass over each. Free of torch.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include <fusewise/cpu/conversions.h>
#include <fusewise/cpu/parallel.h>
#include <fusewise/cpu/sums.h>
#include <fusewise/cpu/tails.h>

namespace fusewise {

template <class T>
class Executor {
 public:
  // The state of a work tile.
  struct WorkTile {
    alignas(64) T buffers[kMaxOperands][kCpuBuffer];
    std::vector<LaneSums<T>> sums;     // of each write in each of the segments
    int64_t terms = 0;                 // elements that were added to the lanes
    T* partials[kMaxOperands];         // partial sums of the writes that keep columns
    char* data[kMaxOperands];          // of each operand at the current item
    const char* filled[kMaxOperands];  // the address of the row scalar that a buffer holds
    int64_t index[kMaxDims];           // of the current row, in the order of `outer`
  };

  Executor(const Loop& loop, const Number* params, const Launch& launch, const CpuPass& pass,
           const Packing& packing = {})
      : loop_(loop),
        launch_(launch),
        packing_(packing),
        plan_(loop, pass, packing_),
        run_row_{pass.row_loop, params, plan_.types},
        grain_(thread_elements<T>(pass.instructions)),
        partials_(allocate_partials<T>(reduction_, launch)) {}

  void run() const {
    const int64_t items = std::min(reduction_.split_items, reduction_.segment_items);
    const int64_t cost = items * std::min(reduction_.columns, reduction_.tile) * segments_;
    for_each(reduction_.work_tiles() / segments_, cost, [this](int64_t begin, int64_t end) {
      WorkTile work;
      for (int64_t i = begin; i < end; ++i) run_work_tile(work, i);
      finish_stores();
    });
    finalize();
  }

  // True if run_rows can take the place of run: rows are numbered in the order of the loop, and no sum outlasts a
  // row but those of columns.
  bool runs_by_rows() const {
    const int* const outer = reduction_.outer;
    const WriteMode* const modes = reduction_.modes;
    return reduction_.traversal == Traversal::kDown && segments_ == 1 &&
           std::is_sorted(outer, outer + reduction_.num_outer) &&
           std::find(modes, modes + loop_.num_writes, WriteMode::kAll) == modes + loop_.num_writes;
  }

  // The splits that a thread must run as a whole, row by row; 0 if any rows may run in any order.
  int64_t splits() const {
    const WriteMode* const modes = reduction_.modes;
    const bool has_columns = std::find(modes, modes + loop_.num_writes, WriteMode::kColumn) != modes + loop_.num_writes;
    return has_columns ? reduction_.splits : 0;
  }

  int64_t first_row(int64_t split) const {
    const int64_t segment = split / reduction_.splits_per_segment;
    return segment * reduction_.segment_rows +
           split % reduction_.splits_per_segment * reduction_.split_items;
  }

  // Runs the rows from `begin` to `end`, which are in one split if there are splits.
  void run_rows(WorkTile& work, int64_t begin, int64_t end) const {
    const int64_t in_segment = begin % reduction_.segment_rows;
    const int64_t split = begin / reduction_.segment_rows * reduction_.splits_per_segment +
                          in_segment / reduction_.split_items;
    start_lane_sums(work);
    for (int64_t column = 0; column < reduction_.tiles; ++column) {
      start(work, begin, column);
      place_column_sums(work, split, column);
      if (in_segment % reduction_.split_items == 0) clear_column_sums(work, column);
      run_items(work, begin, column, end - begin);
    }
  }

  // Makes non-temporal stores visible to other threads; a thread calls it when it is done.
  static void finish_stores() {
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#endif
  }

  // Adds up the partial sums of all work tiles.
  void finalize() const {
    for (int w = 0; w < loop_.num_writes; ++w) {
      if (!needs_finalize(reduction_.modes[w])) continue;
      Finalize finalize = plan_finalize(loop_, reduction_, w);
      if (packing_.length > 0 && packing_.strides[loop_.num_reads + w] == 0) sum_packed_rows(finalize);
      for_each(finalize.outputs, finalize.terms, [&](int64_t begin, int64_t end) {
        while (begin < end) begin += sum_partials(finalize, partials_, conversions_, begin, end);
      });
    }
  }

 private:
  static constexpr bool kInFloats = std::is_same_v<T, float>;  // true: in vectors; false: by elements
  static constexpr int64_t kLaneTerms = 4096;  // terms after which lanes are added to totals

  // Sums also the columns that are of one column of packed rows.
  void sum_packed_rows(Finalize& finalize) const {
    const int64_t rows = reduction_.columns / packing_.length;
    finalize.kept_sizes[0] = packing_.length;
    finalize.outputs /= rows;
    finalize.terms *= rows;
    std::copy_backward(finalize.summed_sizes, finalize.summed_sizes + finalize.num_summed,
                       finalize.summed_sizes + finalize.num_summed + 1);
    std::copy_backward(finalize.summed_steps, finalize.summed_steps + finalize.num_summed,
                       finalize.summed_steps + finalize.num_summed + 1);
    finalize.summed_sizes[0] = rows;
    finalize.summed_steps[0] = packing_.length;
    ++finalize.num_summed;
  }

  template <class Body>
  void for_each(int64_t count, int64_t cost, const Body& body) const {
    parallel_for(launch_, count, grain_ / std::max<int64_t>(1, cost), body);
  }

  LaneSums<T>& sums_of(WorkTile& work, int w, int64_t segment) const {
    return work.sums[static_cast<size_t>(w * segments_ + segment)];
  }

  void run_work_tile(WorkTile& work, int64_t number) const {
    const int64_t in_segment = number / reduction_.work_tile_columns() % reduction_.splits_per_segment;
    const int64_t segment =
        number / reduction_.work_tile_columns() / reduction_.splits_per_segment * segments_;
    const int64_t split = segment * reduction_.splits_per_segment + in_segment;
    const int64_t begin = in_segment * reduction_.split_items;
    const int64_t end = std::min(begin + reduction_.split_items, reduction_.segment_items);
    const int64_t column = is_down() ? number % reduction_.tiles : begin;
    const int64_t row = is_down() ? segment * reduction_.segment_rows + begin : segment;
    start(work, row, column);
    start_lane_sums(work);
    place_column_sums(work, split, column);
    clear_column_sums(work, column);
    run_items(work, row, column, end - begin);
    for (int w = 0; w < loop_.num_writes; ++w) {
      if (reduction_.modes[w] != WriteMode::kAll) continue;
      for (int64_t i = 0; i < segments_; ++i) {
        LaneSums<T>& sums = sums_of(work, w, i);
        add_to_lanes(sums.totals, sums.lanes, kMostLanes);
        const int64_t place = (split + i * reduction_.splits_per_segment) * reduction_.work_tile_columns();
        partials_[reduction_.offsets[w] + place + number % reduction_.work_tile_columns()] =
            sum_of_lanes(sums.totals);
      }
    }
  }

  bool is_down() const { return reduction_.traversal == Traversal::kDown; }

  // Runs some items from the place where the work tile is.
  void run_items(WorkTile& work, int64_t row, int64_t column, int64_t items) const {
    while (items > 0) {
      int64_t rows = 1;
      if (plan_.most_rows > 1) {
        const int64_t left = loop_.sizes[reduction_.outer[0]] - work.index[0];
        rows = std::min({plan_.most_rows, items, left});
      }
      segment_items(work, row, column, rows * segments_);
      items -= rows;
      if (is_down()) {
        row += rows;
        next_row(work, rows);
      } else {
        ++column;
        for (int k = 0; k < num_operands_; ++k) {
          advance(work, k, reduction_.tile * plan_.inner_strides[k]);
        }
      }
    }
  }

  // Moves the work tile to its first row and its first tile of columns.
  void start(WorkTile& work, int64_t row, int64_t column) const {
    for (int i = 0; i < reduction_.num_outer; ++i) {
      work.index[i] = row % loop_.sizes[reduction_.outer[i]];
      row /= loop_.sizes[reduction_.outer[i]];
    }
    for (int k = 0; k < num_operands_; ++k) {
      const Operand& operand = loop_.operands[k];
      work.data[k] = static_cast<char*>(operand.data);
      work.filled[k] = nullptr;
      advance(work, k, column * reduction_.tile * plan_.inner_strides[k]);
      for (int i = 0; i < reduction_.num_outer; ++i) {
        advance(work, k, work.index[i] * operand.strides[reduction_.outer[i]]);
      }
      if (plan_.modes[k] == AccessMode::kAbsent && k < loop_.num_reads) {
        std::fill_n(work.buffers[k], copies(), operand.fill.as<T>());
      }
    }
  }

  void start_lane_sums(WorkTile& work) const {
    work.terms = 0;
    work.sums.clear();
    for (int k = loop_.num_reads; k < num_operands_; ++k) {
      if (plan_.modes[k] != AccessMode::kLaneSums) continue;
      work.sums.resize(static_cast<size_t>(loop_.num_writes * segments_));
    }
  }

  void place_column_sums(WorkTile& work, int64_t split, int64_t column) const {
    for (int w = 0; w < loop_.num_writes; ++w) {
      if (reduction_.modes[w] != WriteMode::kColumn) continue;
      work.partials[w] =
          partials_ + reduction_.offsets[w] + split * reduction_.columns + column * reduction_.tile;
    }
  }

  void clear_column_sums(WorkTile& work, int64_t column) const {
    const int64_t count = std::min(reduction_.tile, reduction_.columns - column * reduction_.tile);
    for (int w = 0; w < loop_.num_writes; ++w) {
      if (reduction_.modes[w] != WriteMode::kColumn) continue;
      for (int64_t i = 0; i < segments_; ++i) {
        std::fill_n(work.partials[w] + i * segment_partials(), count, T(0));
      }
    }
  }

  // The number of partial sums of columns in one segment.
  int64_t segment_partials() const { return reduction_.splits_per_segment * reduction_.columns; }

  // Moves the work tile down by some rows, at most to the end of the first outer dimension.
  void next_row(WorkTile& work, int64_t rows) const {
    for (int i = 0; i < reduction_.num_outer; ++i) {
      const int d = reduction_.outer[i];
      work.index[i] += rows;
      const bool ends = work.index[i] == loop_.sizes[d];
      const int64_t steps = ends ? rows - loop_.sizes[d] : rows;
      for (int k = 0; k < num_operands_; ++k) advance(work, k, steps * loop_.operands[k].strides[d]);
      if (!ends) return;
      work.index[i] = 0;
      rows = 1;
    }
  }

  void advance(WorkTile& work, int k, int64_t bytes) const {
    if (plan_.modes[k] != AccessMode::kAbsent) work.data[k] += bytes;
  }

  // The number of copies of a row scalar in its buffer.
  static constexpr int64_t copies() { return kInFloats ? 1 : kCpuBuffer; }

  // Runs one tile of columns of some rows, and stores the sums that are complete.
  void segment_items(WorkTile& work, int64_t row, int64_t column, int64_t rows) const {
    const int64_t count = std::min(reduction_.tile, reduction_.columns - column * reduction_.tile);
    const int64_t block = plan_.buffered ? kCpuBuffer : count;
    for (int64_t done = 0; done < count; done += block) {
      run_block(work, done, std::min(block, count - done), rows);
    }
    work.terms += count * rows / segments_;
    const bool enough = work.terms >= kLaneTerms;
    if (enough) work.terms = 0;
    for (int w = 0; w < loop_.num_writes; ++w) {
      const bool keeps_row = reduction_.modes[w] == WriteMode::kRow;
      if (!keeps_row && !(reduction_.modes[w] == WriteMode::kAll && enough)) continue;
      for (int64_t i = 0; i < segments_; ++i) {
        LaneSums<T>& sums = sums_of(work, w, i);
        if (!keeps_row) add_to_lanes(sums.totals, sums.lanes, kMostLanes);
        else partials_[reduction_.offsets[w] + row * reduction_.tiles + column] = sum_of_lanes(sums.lanes);
        std::fill_n(sums.lanes, kMostLanes, T(0));
      }
    }
  }

  // Runs some columns of some rows. If an operand has a buffer, the columns fit into it.
  void run_block(WorkTile& work, int64_t first, int64_t count, int64_t rows) const {
    Stream streams[kMaxOperands];
    for (int k = 0; k < num_operands_; ++k) streams[k] = stream_of(work, k, first, count, rows);
    if constexpr (kInFloats) run_whole_rows(plan_, run_row_, streams, work.buffers, count, rows);
    else run_row_(streams, count, 1);
    for (int k = loop_.num_reads; k < num_operands_; ++k) {
      const T* const values = work.buffers[k];
      const int w = k - loop_.num_reads;
      if (plan_.modes[k] == AccessMode::kConverted) {
        char* const data = work.data[k] + first * plan_.inner_strides[k];
        conversions_.narrow(data, values, plan_.types[k], plan_.inner_strides[k], count);
      } else if (!kInFloats && plan_.modes[k] == AccessMode::kColumnSums) {
        T* const sums = work.partials[w] + first;
        for (int64_t i = 0; i < count; ++i) sums[i] += values[i];
      } else if (!kInFloats && plan_.modes[k] == AccessMode::kLaneSums) {
        add_to_lanes(sums_of(work, w, 0).lanes, values, count);
      }
    }
  }

  // The memory of an operand for the row loop. Fills the buffer of a read.
  Stream stream_of(WorkTile& work, int k, int64_t first, int64_t count, int64_t rows) const {
    const Dtype dtype = plan_.types[k];
    const int64_t stride = plan_.inner_strides[k];
    const int64_t row_step = rows > 1 ? loop_.operands[k].strides[plan_.rows_dim()] : 0;
    const bool is_read = k < loop_.num_reads;
    const int w = k - loop_.num_reads;
    char* const data = work.data[k] + first * stride;
    const auto in_compute_type = [](T* to, int64_t step, int64_t next = 0,
                                    Written written = Written::kStored) {
      constexpr auto kItem = static_cast<int64_t>(sizeof(T));
      return Stream{reinterpret_cast<char*>(to), step * kItem, next * kItem, dtype_of<T>(), written};
    };
    switch (plan_.modes[k]) {
      case AccessMode::kInPlace: return {data, stride, row_step, dtype, plan_.written[k]};
      case AccessMode::kAbsent:
        return in_compute_type(work.buffers[k], 0, 0, is_read ? Written::kStored : Written::kDropped);
      case AccessMode::kRowScalar:
        if (plan_.is_vector(k)) return {data, 0, row_step, dtype};
        if (work.filled[k] != data) conversions_.widen(work.buffers[k], data, dtype, 0, copies());
        work.filled[k] = data;
        return in_compute_type(work.buffers[k], 0);
      case AccessMode::kConverted:
        if (is_read && packing_.is_uniform(loop_, k)) {
          conversions_.widen(work.buffers[k], data, dtype, stride, count);
        } else if (is_read && work.filled[k] != data) {
          conversions_.widen_rows(work.buffers[k], packing_.length, data, dtype, stride, packing_.length,
                                  packing_.strides[k], count / packing_.length);
          if (packing_.strides[k] == 0) work.filled[k] = data;  // the same for all rows
        }
        break;
      case AccessMode::kColumnSums: {
        if (!kInFloats) break;
        const int64_t next = segments_ > 1 ? segment_partials() : 0;
        return in_compute_type(work.partials[w] + first, 1, next, Written::kAdded);
      }
      case AccessMode::kLaneSums: {
        if (!kInFloats) break;
        const int64_t next = segments_ > 1 ? sizeof(LaneSums<T>) / sizeof(T) : 0;
        return in_compute_type(sums_of(work, w, 0).lanes, 0, next, Written::kAdded);
      }
    }
    return in_compute_type(work.buffers[k], 1);
  }

  const Loop& loop_;
  const Launch& launch_;
  const Packing packing_;
  const RowPlan plan_;
  const Plan& reduction_ = plan_.reduction;
  const int64_t segments_ = plan_.segments;
  const int num_operands_ = plan_.num_operands;
  const RowFunction run_row_;
  const int64_t grain_;  // work that is worth a thread, in elements
  const Conversions<T> conversions_ = conversions<T>();
  T* const partials_;
};

}  // namespace fusewise
