#include <fusewise/cpu/row_batch.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include <fusewise/cpu/row_plan.h>

namespace fusewise {
namespace {

constexpr int64_t kFewRows = 16;  // fewer rows would leave most lanes empty

constexpr auto kItem = static_cast<int64_t>(sizeof(float));

int64_t power_of_two(int64_t least) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(1, least))));
}

Stream in_buffer(float* buffer, int64_t step, int64_t row_step) {
  return {reinterpret_cast<char*>(buffer), step * kItem, row_step * kItem, Dtype::kFloat};
}

}  // namespace

bool has_rows_side_by_side(const Loop& loop) {
  if (loop.num_dims < 2 || loop.sizes[0] < 2 || loop.sizes[1] < kFewRows) return false;
  int near = 0, far = 0;  // operands whose rows are side by side, and others
  for (int k = 0; k < num_operands(loop); ++k) {
    const int64_t* const strides = loop.operands[k].strides;
    if (loop.operands[k].data == nullptr || strides[0] == 0 || strides[1] == 0) continue;
    ++(std::abs(strides[1]) < std::abs(strides[0]) ? near : far);
  }
  return near > far;
}

RowBatches::RowBatches(const Loop& loop, const Number* params, const CpuTerms& terms)
    : loop_(loop),
      params_(params),
      terms_(terms),
      length_(loop.sizes[0]),
      width_(power_of_two(length_)),
      kind_(kind()) {
  for (int k = 0; k < num_operands(loop); ++k) {
    types_[k] = loop.operands[k].dtype;
    ends_[k] = memory_end(loop, loop.operands[k]);
  }
}

RowBatches::Kind RowBatches::kind() const {
  if (loop_.num_dims < 2 || loop_.sizes[1] < 2 || length_ == 0) return Kind::kNone;
  if (length_ <= kSegmentBlocks * kBlockTerms && has_rows_side_by_side(loop_)) return Kind::kSideBySide;
  return length_ <= kMostLanes ? Kind::kPacked : Kind::kNone;
}

RowBatches::Work::Work(const RowBatches& batches) {
  const Loop& loop = batches.loop_;
  const int of_writes = batches.kind_ == Kind::kPacked ? 1 : 3;  // buffers of each write
  buffers = std::make_unique_for_overwrite<float[]>(
      static_cast<size_t>((loop.num_reads + of_writes * loop.num_writes) * kElements));
  for (int k = 0; k < loop.num_reads; ++k) {
    const Operand& operand = loop.operands[k];
    if (operand.data == nullptr) *buffer(k) = operand.fill.as<float>();
  }
}

int64_t RowBatches::run(Work& work, int64_t row, int64_t end) const {
  const RowIndex at(loop_, row);
  const int64_t most = kind_ == Kind::kPacked ? kElements / width_ : kMostLanes;
  const int64_t rows = std::min({most, end - row, loop_.sizes[1] - at.index[1]});
  if (kind_ == Kind::kPacked) run_packed(work, at, rows);
  else run_side_by_side(work, at, rows);
  return rows;
}

void RowBatches::run_packed(Work& work, const RowIndex& at, int64_t rows) const {
  const int64_t vectors = ceil_div(rows * width_, kMostLanes);
  Stream streams[kMaxOperands];
  for (int k = 0; k < loop_.num_reads; ++k) streams[k] = packed(work, k, at, rows);
  float* const terms = work.buffer(loop_.num_reads);
  terms_.float_loop(streams, params_, types_, kMostLanes, vectors, terms, nullptr);
  for (int w = 0; w < loop_.num_writes; ++w) {
    float* const own = terms + w * vectors * kMostLanes;
    reduction(w).packed(own, length_, width_, rows);
    store(w, at, own, rows);
  }
}

// The memory of a read for packed rows. Fills its buffer if it needs one.
Stream RowBatches::packed(Work& work, int k, const RowIndex& at, int64_t rows) const {
  const Operand& operand = loop_.operands[k];
  float* const buffer = work.buffer(k);
  if (operand.data == nullptr) return in_buffer(buffer, 0, 0);
  const int64_t stride = inner_stride(loop_, operand);
  const int64_t row_step = operand.strides[1];
  char* const data = at.data_of(loop_, k);
  if (stride == 0 && row_step == 0) return {data, 0, 0, operand.dtype};
  const int64_t item = size_of(operand.dtype);
  const bool is_dense = length_ == width_ && stride == (length_ == 1 ? 0 : item) && row_step == length_ * item;
  const int64_t reach = whole_lanes(rows * width_) * item;
  if (is_dense && is_vector_type(operand.dtype) && ends_[k] - data >= reach) {
    return {data, item, kMostLanes * item, operand.dtype};
  }
  const bool repeats = row_step == 0;
  if (!repeats || work.filled[k] != data) {
    conversions_.widen_rows(buffer, width_, data, operand.dtype, stride, length_, row_step,
                            repeats ? kMostLanes / width_ : rows);
  }
  work.filled[k] = repeats ? data : nullptr;
  return in_buffer(buffer, 1, repeats ? 0 : kMostLanes);
}

void RowBatches::run_side_by_side(Work& work, const RowIndex& at, int64_t rows) const {
  int64_t blocks = 0;
  for (int64_t first = 0; first < length_; first += kBlockTerms, ++blocks) {
    run_block(work, at, first, std::min(kBlockTerms, length_ - first), rows, blocks);
  }
  for (int w = 0; w < loop_.num_writes; ++w) {
    float* const totals = block_totals(work, w);
    merge_in_pairs(reduction(w), totals, blocks);
    store(w, at, totals, rows);
  }
}

// Computes the totals of `count` elements, at most kBlockTerms. Lane i of all rows takes the terms i, i + kMostLanes
// and so on; then the upper half of the lanes is combined with the lower half.
void RowBatches::run_block(Work& work, const RowIndex& at, int64_t first, int64_t count, int64_t rows,
                           int64_t block) const {
  const int64_t num_lanes = std::min<int64_t>(count, kMostLanes);
  float* const terms = work.buffer(loop_.num_reads);
  float* const lanes = work.buffer(loop_.num_reads + loop_.num_writes);
  for (int64_t done = 0; done < count; done += kMostLanes) {
    const int64_t part = std::min<int64_t>(kMostLanes, count - done);
    Stream streams[kMaxOperands];
    for (int k = 0; k < loop_.num_reads; ++k) streams[k] = side_by_side(work, k, at, first + done, part, rows);
    terms_.float_loop(streams, params_, types_, kMostLanes, part, done == 0 ? lanes : terms, nullptr);
    for (int w = 0; done > 0 && w < loop_.num_writes; ++w) {
      reduction(w).merge(lanes + w * num_lanes * kMostLanes, terms + w * part * kMostLanes, part * kMostLanes);
    }
  }
  for (int w = 0; w < loop_.num_writes; ++w) {
    float* const own = lanes + w * num_lanes * kMostLanes;
    for (int64_t left = num_lanes, half = power_of_two(num_lanes) / 2; half > 0; left = half, half /= 2) {
      reduction(w).merge(own, own + half * kMostLanes, (left - half) * kMostLanes);
    }
    std::copy_n(own, kMostLanes, block_totals(work, w) + block * kMostLanes);
  }
}

// As in_pairs of totals.h, for the totals of kMostLanes rows.
void RowBatches::merge_in_pairs(const BatchReduction& reduce, float* totals, int64_t count) const {
  if (count == 1) return;
  const int64_t half = power_of_two(count) / 2;
  float* const second = totals + half * kMostLanes;
  merge_in_pairs(reduce, totals, half);
  merge_in_pairs(reduce, second, count - half);
  reduce.merge(totals, second, kMostLanes);
}

// The memory of a read for rows side by side: its steps go along these rows, its rows are the elements. Fills its
// buffer if it needs one.
Stream RowBatches::side_by_side(Work& work, int k, const RowIndex& at, int64_t first, int64_t count,
                                int64_t rows) const {
  const Operand& operand = loop_.operands[k];
  float* const buffer = work.buffer(k);
  if (operand.data == nullptr) return in_buffer(buffer, 0, 0);
  const int64_t along = inner_stride(loop_, operand);
  const int64_t across = operand.strides[1];
  char* const data = at.data_of(loop_, k) + first * along;
  if (across == 0) return {data, 0, along, operand.dtype};
  const int64_t item = size_of(operand.dtype);
  const int64_t reach = (count - 1) * along + kMostLanes * item;
  if (across == item && is_vector_type(operand.dtype) && ends_[k] - data >= reach) {
    return {data, item, along, operand.dtype};
  }
  conversions_.widen_rows(buffer, kMostLanes, data, operand.dtype, across, rows, along, along == 0 ? 1 : count);
  return in_buffer(buffer, 1, along == 0 ? 0 : kMostLanes);
}

// The totals of adjacent rows are adjacent; see RowLoops.
void RowBatches::store(int w, const RowIndex& at, const float* totals, int64_t rows) const {
  std::copy_n(totals, rows, reinterpret_cast<float*>(at.data_of(loop_, loop_.num_reads + w)));
}

}  // namespace fusewise
