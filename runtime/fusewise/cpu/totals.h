// The executor of totals on the CPU. A row is divided into blocks of a fixed size, whose terms are reduced in lanes.
// The totals of blocks are combined in pairs. Free of torch.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <type_traits>

#include <fusewise/core/reduction.h>
#include <fusewise/cpu/conversions.h>
#include <fusewise/cpu/lanes.h>
#include <fusewise/cpu/parallel.h>
#include <fusewise/cpu/row_batch.h>
#include <fusewise/cpu/row_index.h>
#include <fusewise/cpu/row_pass.h>
#include <fusewise/cpu/row_plan.h>

namespace fusewise {

// Combines totals in pairs, pairs of pairs and so on. A segment has a power of two blocks, so the totals of
// segments give the order that the totals of all blocks would give.
template <class Reduction, class T>
T in_pairs(const T* totals, int64_t count) {
  if (count == 1) return *totals;
  const auto half = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(count - 1)));
  const T first = in_pairs<Reduction>(totals, half);
  const T second = in_pairs<Reduction>(totals + half, count - half);
  using Number = typename Reduction::Number;
  return static_cast<T>(Reduction::combine(static_cast<Number>(first), static_cast<Number>(second)));
}

// Reduces the terms that a row loop writes to one number for each row and write. The bits of a total depend on the
// terms of its row, their number and the compute type alone. The writes of the loop are the totals: they have the
// compute type and the stride 0 in dimension 0, which is the row. The maximum of a row with a NaN is NaN. A sum of
// no terms is 0, and a maximum of no terms is the lowest number.
template <class T>
class Totals {
 public:
  static constexpr int64_t kSegment = kSegmentBlocks * kBlockTerms;  // the least part of a long row for a thread

  struct alignas(kLine) Buffer {
    T values[kBlockTerms];
  };

  // The memory of a thread.
  struct Work {
    explicit Work(const Totals& totals)
        : buffers(std::make_unique_for_overwrite<Buffer[]>(
              static_cast<size_t>(num_operands(totals.loop_)))) {
      for (int k = 0; k < totals.loop_.num_reads; ++k) {
        if (totals.modes_[k] != AccessMode::kAbsent) continue;
        std::fill_n(buffer(k), kBlockTerms, totals.loop_.operands[k].fill.template as<T>());
      }
      if (totals.batches_) batches.emplace(*totals.batches_);
    }

    T* buffer(int k) const { return buffers[static_cast<size_t>(k)].values; }

    std::unique_ptr<Buffer[]> buffers;      // of each operand
    const char* filled[kMaxOperands] = {};  // the address of the elements that the buffer of a read holds
    int64_t filled_counts[kMaxOperands];    // their number
    T totals[kMaxOperands][kSegmentBlocks];  // of each write: of short rows, or of the blocks of a segment
    float* held = nullptr;                  // where the held terms of row 0 would be; null if none are held
    std::optional<RowBatches::Work> batches;
  };

  Totals(const Loop& loop, const Number* params, const Launch& launch, const CpuTerms& terms)
      : loop_(loop),
        params_(params),
        launch_(launch),
        terms_(terms),
        grain_(thread_elements<T>(terms.instructions)) {
    for (int d = 1; d < loop.num_dims; ++d) rows_ *= loop.sizes[d];
    for (int k = 0; k < num_operands(loop); ++k) {
      types_[k] = loop.operands[k].dtype;
      modes_[k] = mode_of(k);
      ends_[k] = memory_end(loop, loop.operands[k]);
    }
    if constexpr (kInFloats) {
      batches_.emplace(loop, params, terms);
      if (!batches_->apply()) batches_.reset();
    }
    if (segments_ > 1 && rows_ > 0) {
      const size_t bytes = static_cast<size_t>(loop.num_writes * rows_ * segments_) * sizeof(T);
      partials_ = static_cast<T*>(launch.allocate(launch.context, bytes));
    }
  }

  // Runs all rows. The segments of a long row go to several threads.
  void run() const {
    const int64_t cost = std::clamp<int64_t>(length_, kMostLanes, kSegment);  // a row takes whole vectors
    parallel_for(launch_, rows_ * segments_, grain_ / cost, [this](int64_t begin, int64_t end) {
      Work work(*this);
      run_segments(work, begin, end);
    });
    if (segments_ == 1) return;
    parallel_for(launch_, rows_, grain_ / segments_, [this](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) combine_segments(row);
    });
  }

  // True if several rows run at once in vectors; their terms are not held.
  bool runs_in_batches() const { return batches_.has_value(); }

  // Runs the rows from `begin` to `end`, by the caller's thread.
  void run_rows(Work& work, int64_t begin, int64_t end) const {
    run_segments(work, begin * segments_, end * segments_);
    for (int64_t row = begin; segments_ > 1 && row < end; ++row) combine_segments(row);
  }

 private:
  static constexpr bool kInFloats = std::is_same_v<T, float>;  // true: in vectors; false: by elements

  AccessMode mode_of(int k) const {
    const Operand& operand = loop_.operands[k];
    if (operand.data == nullptr) return AccessMode::kAbsent;
    const int64_t stride = inner_stride(loop_, operand);
    if (stride == 0) return AccessMode::kRowScalar;
    const bool fits = operand.dtype == loop_.compute || (kInFloats && is_vector_type(operand.dtype));
    return fits && stride == size_of(operand.dtype) ? AccessMode::kInPlace : AccessMode::kConverted;
  }

  void run_segments(Work& work, int64_t begin, int64_t end) const {
    while (begin < end) {
      if (batches_) begin += batches_->run(*work.batches, begin, end);
      else begin += length_ <= kBlockTerms ? run_short_rows(work, begin, end) : run_segment(work, begin);
    }
  }

  void store(int w, const RowIndex& at, T total) const {
    *reinterpret_cast<T*>(at.data_of(loop_, loop_.num_reads + w)) = total;
  }

  bool is_maximum(int w) const { return (terms_.maxima >> w & 1) != 0; }

  T in_pairs(int w, const T* totals, int64_t count) const {
    return is_maximum(w) ? fusewise::in_pairs<Maximum<T>>(totals, count)
                         : fusewise::in_pairs<Sum<T>>(totals, count);
  }

  // Runs adjacent rows of one block each, as many as fit into a buffer. Returns their number.
  int64_t run_short_rows(Work& work, int64_t row, int64_t end) const {
    RowIndex at(loop_, row);
    int64_t rows = 1;
    if (kInFloats && loop_.num_dims > 1) {
      const int64_t most = kBlockTerms / std::max<int64_t>(kMostLanes, whole_lanes(length_));
      rows = std::min({most, end - row, loop_.sizes[1] - at.index[1]});
    }
    run_block(work, at, row, 0, length_, rows, 0);
    for (int w = 0; w < loop_.num_writes; ++w) {
      for (int64_t i = 0; i < rows; ++i, ++at.index[1]) store(w, at, work.totals[w][i]);
      at.index[1] -= rows;
    }
    return rows;
  }

  // Runs a segment of a row, which is the whole row if there is no other segment. Returns 1, its number.
  int64_t run_segment(Work& work, int64_t segment) const {
    const int64_t row = segment / segments_;
    const RowIndex at(loop_, row);
    const int64_t begin = segment % segments_ * kSegment;
    const int64_t end = std::min(begin + kSegment, length_);
    int64_t blocks = 0;
    for (int64_t first = begin; first < end; first += kBlockTerms, ++blocks) {
      run_block(work, at, row, first, std::min(kBlockTerms, end - first), 1, blocks);
    }
    for (int w = 0; w < loop_.num_writes; ++w) {
      const T total = in_pairs(w, work.totals[w], blocks);
      if (segments_ == 1) store(w, at, total);
      else partials_[w * rows_ * segments_ + segment] = total;
    }
    return 1;
  }

  void combine_segments(int64_t row) const {
    const RowIndex at(loop_, row);
    for (int w = 0; w < loop_.num_writes; ++w) {
      store(w, at, in_pairs(w, partials_ + (w * rows_ + row) * segments_, segments_));
    }
  }

  // Computes the totals of `count` elements of some rows, at most kBlockTerms elements in all. The rows are adjacent
  // in dimension 1, from `row` on, which is at `at`.
  void run_block(Work& work, const RowIndex& at, int64_t row, int64_t first, int64_t count, int64_t rows,
                 int64_t place) const {
    Stream streams[kMaxOperands];
    for (int k = 0; k < loop_.num_reads; ++k) streams[k] = read(work, k, at, first, count, rows);
    // The terms, or in floats the lanes, of each write in turn. In floats they fit the buffer of the first write.
    const int64_t step = kInFloats ? rows * kMostLanes : kBlockTerms;
    T* const terms = work.buffer(loop_.num_reads);
    if constexpr (kInFloats) {
      float* const held = work.held == nullptr ? nullptr : work.held + row * whole_lanes(length_) + first;
      terms_.float_loop(streams, params_, types_, count, rows, terms, held);
    } else {
      for (int k = loop_.num_reads; k < num_operands(loop_); ++k) streams[k] = in_buffer(work, k, 1, 0);
      terms_.row_loop(streams, params_, types_, count, rows);
    }
    for (int w = 0; w < loop_.num_writes; ++w) {
      const ReduceLanes<T> reduce = is_maximum(w) ? lanes_.maximum : lanes_.sum;
      reduce(terms + w * step, kInFloats ? kMostLanes : count, rows, work.totals[w] + place);
    }
  }

  // An operand in its buffer; steps are counted in elements.
  Stream in_buffer(Work& work, int k, int64_t step, int64_t row_step) const {
    constexpr auto kItem = static_cast<int64_t>(sizeof(T));
    return {reinterpret_cast<char*>(work.buffer(k)), step * kItem, row_step * kItem, dtype_of<T>()};
  }

  // The memory of a read for the row loop. Fills its buffer if it needs one.
  Stream read(Work& work, int k, const RowIndex& at, int64_t first, int64_t count, int64_t rows) const {
    if (modes_[k] == AccessMode::kAbsent) return in_buffer(work, k, 0, 0);
    const Operand& operand = loop_.operands[k];
    const int64_t stride = inner_stride(loop_, operand);
    const int64_t row_step = rows > 1 ? operand.strides[1] : 0;
    const char* const data = at.data_of(loop_, k) + first * stride;
    const bool is_row_scalar = modes_[k] == AccessMode::kRowScalar;
    if (is_row_scalar ? kInFloats : is_in_place(k, data, stride, row_step, count, rows)) {
      return {const_cast<char*>(data), stride, row_step, operand.dtype};
    }
    const int64_t whole = whole_lanes(count);
    const int64_t kept = row_step == 0 ? 1 : rows;  // rows in the buffer
    if (kept > 1 || work.filled[k] != data || work.filled_counts[k] != count) {
      for (int64_t row = 0; row < kept; ++row) {
        conversions_.widen(work.buffer(k) + row * whole, data + row * row_step, operand.dtype, stride, count);
      }
    }
    work.filled[k] = data;
    work.filled_counts[k] = count;
    return in_buffer(work, k, 1, kept > 1 ? whole : 0);
  }

  // True if the row loop reads the rows where they are. A row loop of floats reads whole vectors, so the memory
  // of the operand must continue behind the last row.
  bool is_in_place(int k, const char* data, int64_t stride, int64_t row_step, int64_t count,
                   int64_t rows) const {
    if (modes_[k] != AccessMode::kInPlace) return false;
    if (!kInFloats) return true;
    return ends_[k] - data >= std::max<int64_t>(0, (rows - 1) * row_step) + whole_lanes(count) * stride;
  }

  const Loop& loop_;
  const Number* const params_;
  const Launch& launch_;
  const CpuTerms terms_;
  const int64_t grain_;  // work that is worth a thread, in elements
  const LaneReductions<T> lanes_ = lane_reductions<T>();
  const Conversions<T> conversions_ = conversions<T>();
  const int64_t length_ = loop_.sizes[0];
  const int64_t segments_ = std::max<int64_t>(1, ceil_div(length_, kSegment));
  int64_t rows_ = 1;
  Dtype types_[kMaxOperands];
  AccessMode modes_[kMaxOperands];
  const char* ends_[kMaxOperands];  // the end of the memory of each operand
  std::optional<RowBatches> batches_;  // where several rows run at once
  T* partials_ = nullptr;           // of each write: the totals of segments
};

}  // namespace fusewise
