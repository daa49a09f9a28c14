// What running a pass on the CPU is for all passes: how rows are cut, threads, memory that is not as
// the row loops take it, and sums. Free of torch.
#include <fusewise/cpu/elementwise.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <fusewise/cpu/conversions.h>
#include <fusewise/core/reduction.h>

namespace fusewise {

namespace {

// A sum is in so many lanes whatever the machine, so that all give the same bits.
template <class T>
void add_to_lanes(T* lanes, const T* values, int64_t count) {
  int64_t i = 0;
  for (; i + kMostLanes <= count; i += kMostLanes) {
    for (int lane = 0; lane < kMostLanes; ++lane) lanes[lane] += values[i + lane];
  }
  for (int lane = 0; i < count; ++i, ++lane) lanes[lane] += values[i];
}

template <class T>
T sum_of_lanes(T* lanes) {
  for (int width = kMostLanes / 2; width > 0; width /= 2) {
    for (int lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
  }
  return lanes[0];
}

// Whether the loops over rows of floats take numbers of a type.
bool takes(Dtype dtype) {
  return dtype == Dtype::kFloat || dtype == Dtype::kHalf || dtype == Dtype::kBFloat16;
}

template <class T>
class Pass {
 public:
  Pass(const Loop& loop, const Number* params, const Launch& launch, RowLoop row_loop,
       int instructions, uint32_t pairs)
      : loop_(loop),
        row_loop_(row_loop),
        params_(params),
        grain_(kWork / (kMoves + instructions)),
        plan_(plan_reduction(loop, cpu_tiling(loop))),
        partials_(allocate_partials<T>(plan_, launch)) {
    for (int k = 0; k < num_operands_; ++k) inner_strides_[k] = inner_stride(loop, loop.operands[k]);
    for (int k = 0; k < num_operands_; ++k) {
      if ((pairs >> k & 1) && is_pair(k)) pairs_ |= uint32_t{1} << k;
    }
    for (int k = 0; k < num_operands_; ++k) {
      const Operand& operand = loop.operands[k];
      types_[k] = operand.dtype;
      ways_[k] = way_of(k);
      buffered_ |= !kOnVectors || ways_[k] == Way::kCopied;
      ends_[k] = static_cast<char*>(operand.data) + size_of(operand.dtype);
      for (int d = 0; d < loop.num_dims; ++d) {
        ends_[k] += std::max<int64_t>(0, operand.strides[d]) * (loop.sizes[d] - 1);
      }
    }
    runs_ = runs_at_once();
    most_rows_ = runs_ > 1 ? 1 : rows_at_once();
    if (kOnVectors && bytes_in_place() >= cpu_cache_bytes()) {
      for (int k = num_reads_; k < num_operands_; ++k) {
        if (may_bypass(k)) stored_[k] = Written::kPastCaches;
      }
    }
  }

  void run(const Launch& launch) {
    const int64_t items = std::min(plan_.chunk_items, plan_.run_items);
    const int64_t unit = items * std::min(plan_.columns, plan_.tile) * runs_;
    for_each(launch, plan_.units() / runs_, unit, [this](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) run_unit(i);
#if defined(__x86_64__)
      __builtin_ia32_sfence();  // what goes past the caches is there before a thread says that it is done
#endif
    });
    for (int w = 0; w < num_writes_; ++w) {
      if (!needs_finish(plan_.modes[w])) continue;
      const Finish finish = plan_finish(loop_, plan_, w);
      for_each(launch, finish.outputs, finish.terms, [&](int64_t begin, int64_t end) {
        while (begin < end) begin += finish_outputs(finish, begin, end);
      });
    }
  }

 private:
  static constexpr bool kOnVectors = std::is_same_v<T, float>;
  // Measured: what is worth a thread, some microseconds, and what an element takes beside arithmetic.
  // Numbers one by one are slower than vectors.
  static constexpr int64_t kWork = kOnVectors ? 1 << 19 : 1 << 17;
  static constexpr int64_t kMoves = 16;  // 32768 elements without arithmetic
  static constexpr int64_t kLaneTerms = 4096;  // after so many, lanes go to totals

  static constexpr int64_t kBlock = 4096;  // elements of short rows that are run at once
  static constexpr int64_t kAcross = 1024;  // elements of short rows that follow each other in memory

  // How a row of an operand gets to the row loop and back.
  enum class Way : int8_t {
    kInPlace,
    kAbsent,  // a read is `fill`; a write goes where nobody looks
    kNumber,  // one value for all of the row
    kCopied,  // through a buffer, converted
    kColumn,  // added to the partial sums of columns
    kLanes,   // added up in lanes
  };

  struct Sums {
    alignas(64) T lanes[kMostLanes];
    T totals[kMostLanes];  // of lanes that have enough terms
  };

  // What a unit of work has of its own.
  struct Unit {
    alignas(64) T buffers[kMaxOperands][kCpuBuffer];
    std::vector<Sums> sums;              // in lanes, of each write in each of the runs
    int64_t terms;                       // elements in the lanes
    T* partials[kMaxOperands];           // of writes that keep columns
    char* data[kMaxOperands];            // of the item
    const char* filled[kMaxOperands];    // the number that is in a buffer
    int64_t index[kMaxDims];             // of the row
  };

  template <class Body>
  void for_each(const Launch& launch, int64_t count, int64_t cost, const Body& body) const {
    if (count == 0) return;
    const int64_t grain = std::max<int64_t>(1, grain_ / std::max<int64_t>(1, cost));
    if (launch.parallel_for == nullptr || count <= grain) return body(int64_t{0}, count);
    launch.parallel_for(
        count, grain,
        [](void* context, int64_t begin, int64_t end) {
          (*static_cast<const Body*>(context))(begin, end);
        },
        const_cast<Body*>(&body));
  }

  bool is_taken(int k) const { return kOnVectors && takes(loop_.operands[k].dtype); }

  // Whether an operand and the next are dense together, in a type that the row loops take.
  bool is_pair(int k) const {
    const bool stays = k < num_reads_ || !is_reduced(loop_, loop_.operands[k]);
    return stays && is_taken(k) && is_interleaved(loop_, k);
  }

  bool is_second(int k) const { return k > 0 && (pairs_ >> (k - 1) & 1); }

  Way way_of(int k) const {
    const Operand& operand = loop_.operands[k];
    if ((pairs_ >> k & 1) || is_second(k)) return Way::kInPlace;
    if (operand.data == nullptr) return Way::kAbsent;
    if (k >= num_reads_ && needs_finish(plan_.modes[k - num_reads_])) {
      return plan_.modes[k - num_reads_] == WriteMode::kColumn ? Way::kColumn : Way::kLanes;
    }
    if (k < num_reads_ && inner_strides_[k] == 0) return Way::kNumber;
    const bool fits = operand.dtype == dtype_of<T>() || is_taken(k);
    return fits && inner_strides_[k] == size_of(operand.dtype) ? Way::kInPlace : Way::kCopied;
  }

  // What is read and written once, where it is.
  int64_t bytes_in_place() const {
    int64_t bytes = 0;
    for (int k = 0; k < num_operands_; ++k) {
      const Operand& operand = loop_.operands[k];
      if (ways_[k] == Way::kInPlace && !is_reduced(loop_, operand)) bytes += size_of(operand.dtype);
    }
    return bytes * numel(loop_);
  }

  // Whether a write may go past the caches. Tiles are whole lines of them; a line that was just read is
  // written faster where it is.
  bool may_bypass(int k) const {
    const Operand& operand = loop_.operands[k];
    int64_t bits = reinterpret_cast<int64_t>(operand.data);
    for (int d = 1; d < loop_.num_dims; ++d) bits |= operand.strides[d];
    bool may = ways_[k] == Way::kInPlace && bits % kLine == 0;
    for (int i = 0; i < num_reads_; ++i) may &= loop_.operands[i].data != operand.data;
    return may;
  }

  // Rows of which none goes through a buffer or has a sum of its own.
  int64_t rows_at_once() const {
    bool single = buffered_ || plan_.num_outer == 0 || plan_.traversal != Traversal::kDown;
    for (int k = 0; k < num_reads_; ++k) single |= ways_[k] == Way::kNumber && !is_taken(k);
    for (int w = 0; w < num_writes_; ++w) single |= plan_.modes[w] == WriteMode::kRow;
    const int64_t count = std::clamp<int64_t>(plan_.columns, 1, plan_.tile);
    return single ? 1 : std::max<int64_t>(1, kBlock / count);
  }

  // Runs that are taken together, row by row, since in memory a row of the next run follows: to walk down
  // the short rows of one would leave most of each page to later.
  int64_t runs_at_once() const {
    const bool is_plain = kOnVectors && !buffered_ && plan_.traversal == Traversal::kDown;
    const bool is_short = plan_.columns <= kAcross / 2 && plan_.tiles == 1;
    if (!is_plain || !is_short || plan_.run_dims == 0 || plan_.run_dims == plan_.num_outer) return 1;
    const int along = plan_.outer[plan_.run_dims];
    for (int k = 0; k < num_operands_; ++k) {
      const int64_t* const strides = loop_.operands[k].strides;
      if (ways_[k] == Way::kNumber && !is_taken(k)) return 1;
      if (ways_[k] != Way::kInPlace) continue;
      if (strides[along] != 0 && strides[plan_.outer[0]] != 0 &&
          strides[along] > strides[plan_.outer[0]]) {
        return 1;
      }
    }
    for (int w = 0; w < num_writes_; ++w) {
      if (plan_.modes[w] == WriteMode::kRow) return 1;
    }
    int64_t runs = std::min(loop_.sizes[along], kAcross / std::max<int64_t>(1, plan_.columns));
    while (loop_.sizes[along] % runs != 0) --runs;
    return runs;
  }

  // The dimension in which the rows lie that are run at once.
  int rows_dim() const { return plan_.outer[runs_ > 1 ? plan_.run_dims : 0]; }

  void run_unit(int64_t number) const {
    Unit unit;
    const int64_t in_run = number / plan_.unit_columns() % plan_.chunks_per_run;
    const int64_t run = number / plan_.unit_columns() / plan_.chunks_per_run * runs_;
    const int64_t chunk = run * plan_.chunks_per_run + in_run;
    const int64_t begin = in_run * plan_.chunk_items;
    const int64_t end = std::min(begin + plan_.chunk_items, plan_.run_items);
    const bool is_down = plan_.traversal == Traversal::kDown;
    int64_t tile = is_down ? number % plan_.tiles : begin;
    int64_t row = is_down ? run * plan_.run_rows + begin : run;
    start(unit, row, tile);
    for (int w = 0; w < num_writes_; ++w) {
      if (plan_.modes[w] != WriteMode::kColumn) continue;
      const int64_t first = tile * plan_.tile;
      unit.partials[w] = partials_ + plan_.offsets[w] + chunk * plan_.columns + first;
      for (int64_t i = 0; i < runs_; ++i) {
        T* const partials = unit.partials[w] + i * plan_.chunks_per_run * plan_.columns;
        std::fill_n(partials, std::min(plan_.tile, plan_.columns - first), T(0));
      }
    }
    for (int64_t item = begin; item < end;) {
      int64_t rows = 1;
      if (most_rows_ > 1) {
        const int64_t left = loop_.sizes[plan_.outer[0]] - unit.index[0];
        rows = std::min({most_rows_, end - item, left});
      }
      run_items(unit, row, tile, rows * runs_);
      item += rows;
      if (is_down) {
        row += rows;
        next_row(unit, rows);
      } else {
        ++tile;
        for (int k = 0; k < num_operands_; ++k) advance(unit, k, plan_.tile * inner_strides_[k]);
      }
    }
    for (int w = 0; w < num_writes_; ++w) {
      if (plan_.modes[w] != WriteMode::kAll) continue;
      for (int64_t i = 0; i < runs_; ++i) {
        Sums& sums = unit.sums[static_cast<size_t>(w * runs_ + i)];
        add_to_lanes(sums.totals, sums.lanes, kMostLanes);
        const int64_t place = (chunk + i * plan_.chunks_per_run) * plan_.unit_columns();
        partials_[plan_.offsets[w] + place + number % plan_.unit_columns()] =
            sum_of_lanes(sums.totals);
      }
    }
  }

  void start(Unit& unit, int64_t row, int64_t tile) const {
    int64_t rest = row;
    for (int i = 0; i < plan_.num_outer; ++i) {
      unit.index[i] = rest % loop_.sizes[plan_.outer[i]];
      rest /= loop_.sizes[plan_.outer[i]];
    }
    for (int k = 0; k < num_operands_; ++k) {
      const Operand& operand = loop_.operands[k];
      unit.data[k] = static_cast<char*>(operand.data);
      unit.filled[k] = nullptr;
      advance(unit, k, tile * plan_.tile * inner_strides_[k]);
      for (int i = 0; i < plan_.num_outer; ++i) {
        advance(unit, k, unit.index[i] * operand.strides[plan_.outer[i]]);
      }
      if (ways_[k] == Way::kAbsent && k < num_reads_) {
        std::fill_n(unit.buffers[k], copies(), operand.fill.as<T>());
      } else if (ways_[k] == Way::kLanes) {
        unit.sums.resize(static_cast<size_t>(num_writes_ * runs_));
      }
    }
    unit.terms = 0;
  }

  // The row after so many, none of which starts a new index of an outer dimension.
  void next_row(Unit& unit, int64_t rows) const {
    for (int i = 0; i < plan_.num_outer; ++i) {
      const int d = plan_.outer[i];
      unit.index[i] += rows;
      const bool ends = unit.index[i] == loop_.sizes[d];
      const int64_t steps = ends ? rows - loop_.sizes[d] : rows;
      for (int k = 0; k < num_operands_; ++k) advance(unit, k, steps * loop_.operands[k].strides[d]);
      if (!ends) return;
      unit.index[i] = 0;
      rows = 1;
    }
  }

  void advance(Unit& unit, int k, int64_t bytes) const {
    if (ways_[k] != Way::kAbsent) unit.data[k] += bytes;
  }

  // How many times a number stands in its buffer.
  static constexpr int64_t copies() { return kOnVectors ? 1 : kCpuBuffer; }

  // The item of each of `rows` rows.
  void run_items(Unit& unit, int64_t row, int64_t tile, int64_t rows) const {
    const int64_t count = std::min(plan_.tile, plan_.columns - tile * plan_.tile);
    const int64_t block = buffered_ ? kCpuBuffer : count;
    for (int64_t done = 0; done < count; done += block) {
      run_block(unit, done, std::min(block, count - done), rows);
    }
    unit.terms += count * rows / runs_;
    const bool enough = unit.terms >= kLaneTerms;
    if (enough) unit.terms = 0;
    for (int w = 0; w < num_writes_; ++w) {
      const bool keeps_row = plan_.modes[w] == WriteMode::kRow;
      if (!keeps_row && !(plan_.modes[w] == WriteMode::kAll && enough)) continue;
      for (int64_t i = 0; i < runs_; ++i) {
        Sums& sums = unit.sums[static_cast<size_t>(w * runs_ + i)];
        if (!keeps_row) add_to_lanes(sums.totals, sums.lanes, kMostLanes);
        else partials_[plan_.offsets[w] + row * plan_.tiles + tile] = sum_of_lanes(sums.lanes);
        std::fill_n(sums.lanes, kMostLanes, T(0));
      }
    }
  }

  // A part of the items: at most a buffer where there are any.
  void run_block(Unit& unit, int64_t first, int64_t count, int64_t rows) const {
    Stream streams[kMaxOperands];
    for (int k = 0; k < num_operands_; ++k) {
      const Operand& operand = loop_.operands[k];
      const Dtype dtype = operand.dtype;
      const int64_t row_step = rows > 1 ? operand.strides[rows_dim()] : 0;
      char* const data = unit.data[k] + first * inner_strides_[k];
      char* const buffer = reinterpret_cast<char*>(unit.buffers[k]);
      streams[k] = {buffer, sizeof(T), 0, dtype_of<T>()};
      switch (ways_[k]) {
        case Way::kInPlace:
          streams[k] = {data, inner_strides_[k], row_step, dtype, stored_[k]};
          break;
        case Way::kAbsent:
          streams[k].step = 0;
          if (k >= num_reads_) streams[k].written = Written::kDropped;
          break;
        case Way::kNumber:
          streams[k].step = 0;
          if (is_taken(k)) {
            streams[k] = {data, 0, row_step, dtype};
          } else if (unit.filled[k] != data) {
            conversions_.widen(unit.buffers[k], data, dtype, 0, copies());
            unit.filled[k] = data;
          }
          break;
        case Way::kCopied:
          if (k < num_reads_) conversions_.widen(unit.buffers[k], data, dtype, inner_strides_[k], count);
          break;
        case Way::kColumn:
          if (kOnVectors) {
            T* const sums = unit.partials[k - num_reads_] + first;
            char* const to = reinterpret_cast<char*>(sums);
            const int64_t next = runs_ > 1 ? plan_.chunks_per_run * plan_.columns : 0;
            const auto bytes = static_cast<int64_t>(sizeof(T));
            streams[k] = {to, sizeof(T), next * bytes, dtype_of<T>(), Written::kAdded};
          }
          break;
        case Way::kLanes:
          if (kOnVectors) {
            Sums* const sums = unit.sums.data() + (k - num_reads_) * runs_;
            char* const to = reinterpret_cast<char*>(sums->lanes);
            const int64_t next = runs_ > 1 ? sizeof(Sums) : 0;
            streams[k] = {to, 0, next, dtype_of<T>(), Written::kAdded};
          }
          break;
      }
    }
    if constexpr (kOnVectors) run_vectors(unit, streams, count, rows);
    else row_loop_(streams, params_, types_, count, 1);
    for (int k = num_reads_; k < num_operands_; ++k) {
      const T* const values = unit.buffers[k];
      if (ways_[k] == Way::kCopied) {
        char* const data = unit.data[k] + first * inner_strides_[k];
        conversions_.narrow(data, values, loop_.operands[k].dtype, inner_strides_[k], count);
      } else if (!kOnVectors && ways_[k] == Way::kColumn) {
        T* const sums = unit.partials[k - num_reads_] + first;
        for (int64_t i = 0; i < count; ++i) sums[i] += values[i];
      } else if (!kOnVectors && ways_[k] == Way::kLanes) {
        add_to_lanes(unit.sums[static_cast<size_t>(k - num_reads_)].lanes, values, count);
      }
    }
  }

  // What whole vectors leave over of a row is one more.
  void run_vectors(Unit& unit, Stream* streams, int64_t count, int64_t rows) const {
    const int64_t rest = count % kMostLanes;
    const int64_t whole = count - rest;
    if (whole > 0) row_loop_(streams, params_, types_, whole, rows);
    if (rest == 0) return;
    for (int k = 0; k < num_operands_; ++k) streams[k].data += whole * streams[k].step;
    constexpr int64_t kMostRows = kCpuBuffer / kMostLanes;
    for (int64_t row = 0; row < rows; row += kMostRows) {
      const int64_t group = std::min(kMostRows, rows - row);
      run_rests(unit, streams, rest, group);
      for (int k = 0; k < num_operands_; ++k) streams[k].data += group * streams[k].row_step;
    }
  }

  // There may be more in memory than the rows have of what is read, and in buffers. Of others there are
  // vectors in the buffer, which has no other use for an operand that is in place or a sum. Two parts
  // that are interleaved are in the buffers of both, which follow each other.
  void run_rests(Unit& unit, const Stream* streams, int64_t rest, int64_t rows) const {
    Stream vectors[kMaxOperands];
    bool in_buffer[kMaxOperands];
    const auto each_row = [&](int k, const auto& body) {
      if (is_second(k)) return;
      const size_t bytes = static_cast<size_t>(rest * vectors[k].step);
      for (int64_t row = 0; row < rows; ++row) {
        body(streams[k].data + row * streams[k].row_step,
             vectors[k].data + row * vectors[k].row_step, bytes);
      }
    };
    for (int k = 0; k < num_operands_; ++k) {
      const Stream& stream = streams[k];
      const int64_t item = size_of(stream.dtype);
      const bool reads = k < num_reads_;
      const int64_t reach = (rows - 1) * stream.row_step + kMostLanes * stream.step;
      vectors[k] = stream;
      const bool adds = stream.written == Written::kAdded;
      in_buffer[k] = reads ? ways_[k] == Way::kInPlace && ends_[k] - stream.data < reach
                           : ways_[k] == Way::kInPlace || adds;
      if (!in_buffer[k]) continue;
      const int64_t step = adds ? item : stream.step;
      char* const buffer = reinterpret_cast<char*>(unit.buffers[k]);
      char* const data = is_second(k) ? vectors[k - 1].data + item : buffer;
      vectors[k] = {data, step, kMostLanes * step, stream.dtype};
      if (reads) std::fill_n(unit.buffers[k], kCpuBuffer, T(0));
    }
    for (int k = 0; k < num_reads_; ++k) {
      if (!in_buffer[k]) continue;
      each_row(k, [](const char* from, char* to, size_t bytes) { memcpy(to, from, bytes); });
    }
    row_loop_(vectors, params_, types_, kMostLanes, rows);
    for (int k = num_reads_; k < num_operands_; ++k) {
      if (streams[k].written == Written::kAdded) {
        each_row(k, [&](char* to, const char* from, size_t) {
          add_to_lanes(reinterpret_cast<T*>(to), reinterpret_cast<const T*>(from), rest);
        });
      } else if (in_buffer[k]) {
        each_row(k, [](char* to, const char* from, size_t bytes) { memcpy(to, from, bytes); });
      }
    }
  }

  // The first outputs of a range, as many as follow each other in memory; returns how many.
  int64_t finish_outputs(const Finish& finish, int64_t begin, int64_t end) const {
    const bool keeps = finish.num_kept > 0;
    const int64_t most = keeps ? finish.kept_sizes[0] - begin % finish.kept_sizes[0] : 1;
    const int64_t count = std::min({end - begin, most, kCpuBuffer});
    const T* partials = partials_ + finish.offset;
    char* data = finish.data;
    for (int d = 0; d < finish.num_kept; ++d) {
      const int64_t index = begin % finish.kept_sizes[d];
      begin /= finish.kept_sizes[d];
      partials += index * finish.kept_steps[d];
      data += index * finish.kept_strides[d];
    }
    const int64_t step = keeps ? finish.kept_steps[0] : 0;
    const int64_t stride = keeps ? finish.kept_strides[0] : 0;
    // Sums of sums: rounding errors grow with the root of the number of terms at most.
    const int64_t group = std::max<int64_t>(1, static_cast<int64_t>(std::sqrt(finish.terms)));
    T totals[kCpuBuffer];
    T group_totals[kCpuBuffer];
    std::fill_n(totals, count, T(0));
    for (int64_t first = 0; first < finish.terms; first += group) {
      std::fill_n(group_totals, count, T(0));
      for (int64_t i = first; i < std::min(first + group, finish.terms); ++i) {
        const T* const terms = partials + finish.place_of(i);
        for (int64_t j = 0; j < count; ++j) group_totals[j] += terms[j * step];
      }
      for (int64_t j = 0; j < count; ++j) totals[j] += group_totals[j];
    }
    conversions_.narrow(data, totals, finish.dtype, stride, count);
    return count;
  }

  const Loop& loop_;
  const RowLoop row_loop_;
  const Number* const params_;
  const int64_t grain_;  // elements that are worth a thread
  const Plan plan_;
  const Conversions<T> conversions_ = conversions<T>();
  T* const partials_;
  const int num_reads_ = loop_.num_reads;
  const int num_writes_ = loop_.num_writes;
  const int num_operands_ = num_reads_ + num_writes_;
  Dtype types_[kMaxOperands];
  int64_t inner_strides_[kMaxOperands];
  Way ways_[kMaxOperands];
  char* ends_[kMaxOperands];  // of the memory of each
  Written stored_[kMaxOperands] = {};  // of what is in place
  uint32_t pairs_ = 0;        // a bit for the first of two operands that are interleaved
  bool buffered_ = false;     // some operand goes through a buffer
  int64_t runs_;              // that are taken together
  int64_t most_rows_;         // of a run that are run at once
};

// A short row of floats that lie dense, as those of small tensors do: it needs no plan, whose making
// would take longer than the row. Returns whether the loop is one.
bool run_short_row(const Loop& loop, const Number* params, RowLoop row_loop) {
  if (loop.num_dims != 1 || loop.sizes[0] == 0 || loop.sizes[0] > kCpuBuffer) return false;
  const int64_t count = loop.sizes[0];
  Stream streams[kMaxOperands];
  Dtype types[kMaxOperands];
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    const Dtype dtype = types[k] = operand.dtype;
    const bool is_dense = operand.data != nullptr && operand.strides[0] == size_of(dtype);
    if (!is_dense || !takes(dtype)) return false;
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

}  // namespace

template <class T>
void run_rows(const Loop& loop, const Number* params, const Launch& launch, RowLoop row_loop,
              int instructions, uint32_t pairs) {
  if (std::is_same_v<T, float> && run_short_row(loop, params, row_loop)) return;
  Pass<T>(loop, params, launch, row_loop, instructions, pairs).run(launch);
}

template void run_rows<float>(const Loop&, const Number*, const Launch&, RowLoop, int,
                              uint32_t);
template void run_rows<double>(const Loop&, const Number*, const Launch&, RowLoop, int,
                              uint32_t);
template void run_rows<int64_t>(const Loop&, const Number*, const Launch&, RowLoop, int,
                              uint32_t);

}  // namespace fusewise
