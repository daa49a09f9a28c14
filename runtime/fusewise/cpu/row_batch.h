// Totals of several rows at once, in float, with the bits that each row has alone. Free of torch.
//
// Packed rows are short and share vectors. Each takes as many lanes as the next power of two.
// Rows that lie side by side in memory take a lane each. The loop over the terms then runs along the elements, whose
// terms are vectors of kMostLanes rows.
#pragma once

#include <cstdint>
#include <memory>

#include <fusewise/cpu/conversions.h>
#include <fusewise/cpu/lanes.h>
#include <fusewise/cpu/row_index.h>
#include <fusewise/cpu/row_pass.h>

namespace fusewise {

// True if adjacent rows of a loop are closer to each other in memory than the elements of a row.
bool has_rows_side_by_side(const Loop& loop);

class RowBatches {
 public:
  // The memory of a thread.
  struct Work {
    explicit Work(const RowBatches& batches);

    float* buffer(int k) const { return buffers.get() + k * kElements; }

    // Of each read, then the terms of each write; if rows are side by side, also their lanes and blocks.
    std::unique_ptr<float[]> buffers;
    const char* filled[kMaxOperands] = {};  // the address of the repeated row that a buffer holds
  };

  RowBatches(const Loop& loop, const Number* params, const CpuTerms& terms);

  // False if rows run one by one, since they are neither short nor side by side.
  bool apply() const { return kind_ != Kind::kNone; }

  // Computes the totals of some rows from `row` to `end`. Returns their number.
  int64_t run(Work& work, int64_t row, int64_t end) const;

 private:
  enum class Kind { kNone, kPacked, kSideBySide };

  static constexpr int64_t kElements = kMostLanes * kMostLanes;  // of a buffer

  Kind kind() const;
  void run_packed(Work& work, const RowIndex& at, int64_t rows) const;
  void run_side_by_side(Work& work, const RowIndex& at, int64_t rows) const;
  void run_block(Work& work, const RowIndex& at, int64_t first, int64_t count, int64_t rows, int64_t block) const;
  void merge_in_pairs(const BatchReduction& reduce, float* totals, int64_t count) const;
  void store(int w, const RowIndex& at, const float* totals, int64_t rows) const;
  Stream packed(Work& work, int k, const RowIndex& at, int64_t rows) const;
  Stream side_by_side(Work& work, int k, const RowIndex& at, int64_t first, int64_t count, int64_t rows) const;

  // The totals of the blocks of kMostLanes rows.
  float* block_totals(const Work& work, int w) const {
    return work.buffer(loop_.num_reads + 2 * loop_.num_writes + w);
  }

  const BatchReduction& reduction(int w) const {
    return (terms_.maxima >> w & 1) != 0 ? reductions_.maximum : reductions_.sum;
  }

  const Loop& loop_;
  const Number* const params_;
  const CpuTerms terms_;
  const int64_t length_;
  const int64_t width_;  // the lanes of a packed row
  const Kind kind_;
  const BatchReductions reductions_ = batch_reductions();
  const Conversions<float> conversions_ = conversions<float>();
  Dtype types_[kMaxOperands];
  const char* ends_[kMaxOperands];  // the end of the memory of each operand
};

}  // namespace fusewise
