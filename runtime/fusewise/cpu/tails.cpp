#include <fusewise/cpu/tails.h>

#include <algorithm>
#include <cstring>

#include <fusewise/cpu/sums.h>

namespace fusewise {

namespace {

// The rests of rows, which are their elements beyond whole vectors, and the vectors that the row loop reads and
// writes in their place.
struct Rests {
  Rests(const RowPlan& plan, const Stream* streams, int64_t rest, int64_t rows)
      : plan(plan), streams(streams), rest(rest), rows(rows) {}

  const RowPlan& plan;
  const Stream* streams;
  int64_t rest;  // elements of a row
  int64_t rows;
  Stream vectors[kMaxOperands];
  bool is_copied[kMaxOperands];

  // Calls body(memory, vector, bytes) for the rest of each row.
  template <class Body>
  void for_each_row(int k, const Body& body) const {
    if (plan.is_second_of_pair(k)) return;  // the first copies both
    const size_t bytes = static_cast<size_t>(rest * vectors[k].step);
    for (int64_t row = 0; row < rows; ++row) {
      body(streams[k].data + row * streams[k].row_step, vectors[k].data + row * vectors[k].row_step,
           bytes);
    }
  }

  // Sets the memory of an operand's vectors. A read is not copied if its tensor continues behind the row, or if
  // it is in a buffer already. Other vectors are in the operand's buffer, which an operand in place or a sum
  // does not use otherwise. The buffers of an interleaved pair are adjacent and serve as one.
  void place(int k, Buffer* buffers) {
    const Stream& stream = streams[k];
    const bool is_in_place = plan.modes[k] == AccessMode::kInPlace;
    const bool is_read = k < plan.loop.num_reads;
    const bool is_added = stream.written == Written::kAdded;
    const int64_t reach = (rows - 1) * stream.row_step + kMostLanes * stream.step;
    is_copied[k] = is_read ? is_in_place && plan.ends[k] - stream.data < reach : is_in_place || is_added;
    vectors[k] = stream;
    if (!is_copied[k]) return;
    const int64_t item = size_of(stream.dtype);
    const int64_t step = is_added ? item : stream.step;
    char* const buffer = reinterpret_cast<char*>(buffers[k]);
    char* const data = plan.is_second_of_pair(k) ? vectors[k - 1].data + item : buffer;
    vectors[k] = {data, step, kMostLanes * step, stream.dtype};
    if (is_read) std::fill_n(buffers[k], kCpuBuffer, 0.0f);
  }
};

void run_rests(const RowPlan& plan, const RowFunction& run, const Stream* streams, Buffer* buffers,
               int64_t rest, int64_t rows) {
  Rests rests(plan, streams, rest, rows);
  const int num_reads = plan.loop.num_reads;
  for (int k = 0; k < plan.num_operands; ++k) rests.place(k, buffers);
  for (int k = 0; k < num_reads; ++k) {
    if (!rests.is_copied[k]) continue;
    rests.for_each_row(
        k, [](const char* from, char* to, size_t bytes) { std::memcpy(to, from, bytes); });
  }
  run(rests.vectors, kMostLanes, rows);
  for (int k = num_reads; k < plan.num_operands; ++k) {
    if (streams[k].written == Written::kAdded) {
      rests.for_each_row(k, [&](char* to, const char* from, size_t) {
        add_to_lanes(reinterpret_cast<float*>(to), reinterpret_cast<const float*>(from), rest);
      });
    } else if (rests.is_copied[k]) {
      rests.for_each_row(
          k, [](char* to, const char* from, size_t bytes) { std::memcpy(to, from, bytes); });
    }
  }
}

}  // namespace

void run_whole_rows(const RowPlan& plan, const RowFunction& run, Stream* streams, Buffer* buffers,
                    int64_t count, int64_t rows) {
  const int64_t rest = count % kMostLanes;
  const int64_t whole = count - rest;
  if (whole > 0) run(streams, whole, rows);
  if (rest == 0) return;
  for (int k = 0; k < plan.num_operands; ++k) streams[k].data += whole * streams[k].step;
  constexpr int64_t kMostRows = kCpuBuffer / kMostLanes;
  for (int64_t row = 0; row < rows; row += kMostRows) {
    const int64_t group = std::min(kMostRows, rows - row);
    run_rests(plan, run, streams, buffers, rest, group);
    for (int k = 0; k < plan.num_operands; ++k) streams[k].data += group * streams[k].row_step;
  }
}

bool run_short_row(const Loop& loop, const Number* params, RowLoop row_loop) {
  if (loop.num_dims != 1 || loop.sizes[0] == 0 || loop.sizes[0] > kCpuBuffer) return false;
  const int64_t count = loop.sizes[0];
  Stream streams[kMaxOperands];
  Dtype types[kMaxOperands];
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    const Dtype dtype = types[k] = operand.dtype;
    const bool is_dense = operand.data != nullptr && operand.strides[0] == size_of(dtype);
    if (!is_dense || !is_vector_type(dtype)) return false;
    streams[k] = {static_cast<char*>(operand.data), operand.strides[0], 0, dtype};
  }
  const int64_t rest = count % kMostLanes;
  if (rest < count) row_loop(streams, params, types, count - rest, 1);
  if (rest == 0) return true;
  alignas(64) char lanes[kMaxOperands][kMostLanes * sizeof(float)];
  char* ends[kMaxOperands];
  for (int k = 0; k < num_operands(loop); ++k) {
    Stream& stream = streams[k];
    const auto bytes = static_cast<size_t>(rest * stream.step);
    ends[k] = stream.data + (count - rest) * stream.step;
    stream.data = lanes[k];
    if (k >= loop.num_reads) continue;
    std::memcpy(lanes[k], ends[k], bytes);
    std::memset(lanes[k] + bytes, 0, static_cast<size_t>(kMostLanes * stream.step) - bytes);
  }
  row_loop(streams, params, types, kMostLanes, 1);
  for (int k = loop.num_reads; k < num_operands(loop); ++k) {
    std::memcpy(ends[k], lanes[k], static_cast<size_t>(rest * streams[k].step));
  }
  return true;
}

}  // namespace fusewise
