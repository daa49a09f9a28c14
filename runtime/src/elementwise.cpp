// What running a pass on the CPU is for all passes: how rows are cut, threads, memory that is not as
// the row loops take it, and sums. Free of torch.
#include <fusewise/elementwise.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fusewise/reduction.h>

namespace fusewise {

namespace {

// Memory of bools is read as bytes: any byte but 0 is true.
template <class S>
using Stored = std::conditional_t<std::is_same_v<S, bool>, uint8_t, S>;

template <class S, class T>
void widen_elements(T* to, const char* from, int64_t stride, int64_t count) {
  const auto value = [](Stored<S> stored) {
    if constexpr (std::is_same_v<S, bool>) return stored != 0 ? T(1) : T(0);
    else return widen<T>(stored);
  };
  if (stride == 0) {
    std::fill_n(to, count, value(*reinterpret_cast<const Stored<S>*>(from)));
  } else if (stride == sizeof(S)) {
    const Stored<S>* const dense = reinterpret_cast<const Stored<S>*>(from);
    for (int64_t i = 0; i < count; ++i) to[i] = value(dense[i]);
  } else {
    for (int64_t i = 0; i < count; ++i) {
      to[i] = value(*reinterpret_cast<const Stored<S>*>(from + i * stride));
    }
  }
}

template <class S, class T>
void narrow_elements(char* to, const T* from, int64_t stride, int64_t count) {
  if (stride == sizeof(S)) {
    S* const dense = reinterpret_cast<S*>(to);
    for (int64_t i = 0; i < count; ++i) dense[i] = narrow<S>(from[i]);
  } else {
    for (int64_t i = 0; i < count; ++i) *reinterpret_cast<S*>(to + i * stride) = narrow<S>(from[i]);
  }
}

// Calls `visitor` with a null pointer to the storage type.
template <class Visitor>
void visit(Dtype dtype, const Visitor& visitor) {
  switch (dtype) {
    case Dtype::kBool: return visitor(static_cast<bool*>(nullptr));
    case Dtype::kUInt8: return visitor(static_cast<uint8_t*>(nullptr));
    case Dtype::kInt8: return visitor(static_cast<int8_t*>(nullptr));
    case Dtype::kInt16: return visitor(static_cast<int16_t*>(nullptr));
    case Dtype::kInt32: return visitor(static_cast<int32_t*>(nullptr));
    case Dtype::kInt64: return visitor(static_cast<int64_t*>(nullptr));
    case Dtype::kHalf: return visitor(static_cast<half*>(nullptr));
    case Dtype::kBFloat16: return visitor(static_cast<bfloat16*>(nullptr));
    case Dtype::kFloat: return visitor(static_cast<float*>(nullptr));
    case Dtype::kDouble: return visitor(static_cast<double*>(nullptr));
    case Dtype::kFloat8E4M3FN: return visitor(static_cast<float8_e4m3fn*>(nullptr));
    case Dtype::kFloat8E5M2: return visitor(static_cast<float8_e5m2*>(nullptr));
  }
}

template <class T>
void widen_row(T* to, const char* from, Dtype dtype, int64_t stride, int64_t count) {
  visit(dtype, [&]<class S>(S*) {
    if constexpr (!kIsFloat8<S>) widen_elements<S>(to, from, stride, count);
  });
}

template <class T>
void narrow_row(char* to, const T* from, Dtype dtype, int64_t stride, int64_t count) {
  visit(dtype, [&]<class S>(S*) { narrow_elements<S>(to, from, stride, count); });
}

// In so many lanes whatever the machine, so that all give the same bits.
template <class T>
T sum_row(const T* values, int64_t count) {
  constexpr int kLanes = 64;
  T lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) lanes[lane] += values[i + lane];
  }
  for (int lane = 0; i < count; ++i, ++lane) lanes[lane] += values[i];
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
  }
  return lanes[0];
}

template <class T>
class Pass {
 public:
  Pass(const Loop& loop, const double* params, const Launch& launch, RowLoop row_loop)
      : loop_(loop),
        row_loop_(row_loop),
        params_(params),
        plan_(plan_reduction(loop, cpu_tiling(loop))),
        partials_(static_cast<T*>(launch.workspace)) {
    for (int k = 0; k < num_operands_; ++k) {
      types_[k] = loop.operands[k].dtype;
      inner_strides_[k] = inner_stride(loop, loop.operands[k]);
      in_place_[k] = is_in_place(k);
      const bool broadcast = k < num_reads_ && inner_strides_[k] == 0;
      const bool absent = loop.operands[k].data == nullptr;
      buffered_ |= !kOnVectors || !(in_place_[k] || broadcast || absent);
    }
  }

  void run(const Launch& launch) {
    const int64_t unit = plan_.chunk_items * std::min(plan_.columns, plan_.tile);
    for_each(launch, plan_.units(), unit, [this](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) run_unit(i);
    });
    for (int w = 0; w < num_writes_; ++w) {
      if (!needs_finish(plan_.modes[w])) continue;
      const Finish finish = plan_finish(loop_, plan_, w);
      for_each(launch, finish.outputs, finish.terms, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) finish_output(finish, i);
      });
    }
  }

 private:
  static constexpr bool kOnVectors = std::is_same_v<T, float>;
  static constexpr int64_t kGrain = 32768;  // elements that are worth a thread

  template <class Body>
  static void for_each(const Launch& launch, int64_t count, int64_t cost, const Body& body) {
    if (count == 0) return;
    const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, cost));
    if (launch.parallel_for == nullptr || count <= grain) return body(int64_t{0}, count);
    launch.parallel_for(
        count, grain,
        [](void* context, int64_t begin, int64_t end) {
          (*static_cast<const Body*>(context))(begin, end);
        },
        const_cast<Body*>(&body));
  }

  const Operand& write(int w) const { return loop_.operands[num_reads_ + w]; }

  void run_unit(int64_t unit) const {
    alignas(64) T buffers[kMaxOperands][kCpuTile];
    alignas(64) T sums[kMaxOperands][kCpuTile];
    const int64_t chunk = unit / plan_.unit_columns();
    const int64_t run = chunk / plan_.chunks_per_run;
    const int64_t begin = chunk % plan_.chunks_per_run * plan_.chunk_items;
    const int64_t end = std::min(begin + plan_.chunk_items, plan_.run_items);
    for (int w = 0; w < num_writes_; ++w) {
      if (is_accumulated(plan_.modes[w])) {
        std::fill_n(sums[w], std::min(plan_.tile, plan_.columns), T(0));
      }
    }
    const int64_t tile = plan_.keeps_columns ? unit % plan_.tiles : 0;
    for (int64_t item = begin; item < end; ++item) {
      if (plan_.keeps_columns) run_item(run * plan_.run_rows + item, tile, buffers, sums);
      else run_item(run, item, buffers, sums);
    }
    const int64_t first = tile * plan_.tile;
    for (int w = 0; w < num_writes_; ++w) {
      T* const partials = partials_ + plan_.offsets[w];
      if (plan_.modes[w] == WriteMode::kColumn) {
        const int64_t count = std::min(plan_.tile, plan_.columns - first);
        std::copy_n(sums[w], count, partials + chunk * plan_.columns + first);
      } else if (plan_.modes[w] == WriteMode::kAll) {
        partials[unit] = sum_row(sums[w], std::min(plan_.tile, plan_.columns));
      }
    }
  }

  void run_item(int64_t row, int64_t tile, T (*buffers)[kCpuTile], T (*sums)[kCpuTile]) const {
    const int64_t first = tile * plan_.tile;
    const int64_t count = std::min(plan_.tile, plan_.columns - first);
    char* data[kMaxOperands];
    for (int k = 0; k < num_operands_; ++k) {
      data[k] = static_cast<char*>(loop_.operands[k].data);
      if (data[k] != nullptr) data[k] += first * inner_strides_[k];
    }
    int64_t rest = row;
    for (int i = 0; i < plan_.num_outer && rest > 0; ++i) {
      const int dim = plan_.outer[i];
      const int64_t index = i + 1 == plan_.num_outer ? rest : rest % loop_.sizes[dim];
      rest = i + 1 == plan_.num_outer ? 0 : rest / loop_.sizes[dim];
      for (int k = 0; k < num_operands_; ++k) {
        if (data[k] != nullptr) data[k] += index * loop_.operands[k].strides[dim];
      }
    }
    const int64_t block = buffered_ ? kCpuTile : count;
    for (int64_t done = 0; done < count; done += block) {
      run_block(data, std::min(block, count - done), buffers, sums);
      for (int k = 0; k < num_operands_; ++k) {
        if (data[k] != nullptr) data[k] += block * inner_strides_[k];
      }
    }
    for (int w = 0; w < num_writes_; ++w) {  // a tile with sums is one block
      const T* const values = buffers[num_reads_ + w];
      if (plan_.modes[w] == WriteMode::kRow) {
        const T sum = sum_row(values, kOnVectors ? kMostLanes : count);
        partials_[plan_.offsets[w] + row * plan_.tiles + tile] = sum;
      } else if (!kOnVectors && is_accumulated(plan_.modes[w])) {
        for (int64_t i = 0; i < count; ++i) sums[w][i] += values[i];
      }
    }
  }

  // At most a tile where there are buffers. Of writes that are summed, vectors are added to `sums`, or
  // to the lanes of a row's sum in the write's buffer; numbers are left there.
  void run_block(char* const* data, int64_t count, T (*buffers)[kCpuTile],
                 T (*sums)[kCpuTile]) const {
    const int64_t copies = kOnVectors ? kMostLanes : count;
    Stream streams[kMaxOperands];
    for (int k = 0; k < num_operands_; ++k) {
      const Operand& operand = loop_.operands[k];
      streams[k] = {reinterpret_cast<char*>(buffers[k]), sizeof(T), dtype_of<T>(), false};
      if (in_place_[k]) {
        streams[k] = {data[k], inner_strides_[k], operand.dtype, false};
      } else if (kOnVectors && k >= num_reads_ && needs_finish(plan_.modes[k - num_reads_])) {
        streams[k].adds = true;
        if (plan_.modes[k - num_reads_] == WriteMode::kRow) {
          streams[k].step = 0;
          std::fill_n(buffers[k], copies, T(0));
        } else {
          streams[k].data = reinterpret_cast<char*>(sums[k - num_reads_]);
        }
      } else if (data[k] == nullptr) {
        streams[k].step = 0;
        if (k < num_reads_) std::fill_n(buffers[k], copies, static_cast<T>(operand.fill));
      } else if (k < num_reads_ && inner_strides_[k] == 0) {
        streams[k].step = 0;
        widen_row(buffers[k], data[k], operand.dtype, 0, copies);
      } else if (k < num_reads_) {
        widen_row(buffers[k], data[k], operand.dtype, inner_strides_[k], count);
      }
    }
    if constexpr (kOnVectors) run_vectors(streams, count);
    else row_loop_(streams, params_, types_, count);
    for (int w = 0; w < num_writes_; ++w) {
      const int k = num_reads_ + w;
      if (plan_.modes[w] != WriteMode::kDense || in_place_[k]) continue;
      narrow_row(data[k], buffers[k], write(w).dtype, inner_strides_[k], count);
    }
  }

  bool is_in_place(int k) const {
    const Operand& operand = loop_.operands[k];
    if (operand.data == nullptr || inner_strides_[k] != size_of(operand.dtype)) return false;
    if (k >= num_reads_ && plan_.modes[k - num_reads_] != WriteMode::kDense) return false;
    if (operand.dtype == dtype_of<T>()) return true;
    return kOnVectors && (operand.dtype == Dtype::kHalf || operand.dtype == Dtype::kBFloat16);
  }

  // What whole vectors leave over goes through one more, of copies.
  void run_vectors(const Stream* streams, int64_t count) const {
    const int64_t rest = count % kMostLanes;
    const int64_t whole = count - rest;
    if (whole > 0) row_loop_(streams, params_, types_, whole);
    if (rest == 0) return;
    alignas(64) char lanes[kMaxOperands][kMostLanes * sizeof(float)];
    Stream copies[kMaxOperands];
    for (int k = 0; k < num_operands_; ++k) {
      copies[k] = streams[k];
      if (is_as_it_is(streams[k])) continue;
      copies[k].data = lanes[k];
      if (k >= num_reads_ && !streams[k].adds) continue;
      std::fill_n(lanes[k], sizeof(lanes[k]), char{0});
      memcpy(lanes[k], streams[k].data + whole * streams[k].step, bytes_of(rest, streams[k]));
    }
    row_loop_(copies, params_, types_, kMostLanes);
    for (int k = num_reads_; k < num_operands_; ++k) {
      if (is_as_it_is(streams[k])) continue;
      memcpy(streams[k].data + whole * streams[k].step, lanes[k], bytes_of(rest, streams[k]));
    }
  }

  static bool is_as_it_is(const Stream& stream) { return stream.step == 0 && !stream.adds; }

  static size_t bytes_of(int64_t count, const Stream& stream) {
    return static_cast<size_t>(count * size_of(stream.dtype));
  }

  void finish_output(const Finish& finish, int64_t output) const {
    const T* partials = partials_ + finish.offset;
    char* data = finish.data;
    for (int d = 0; d < finish.num_kept; ++d) {
      const int64_t index = output % finish.kept_sizes[d];
      output /= finish.kept_sizes[d];
      partials += index * finish.kept_steps[d];
      data += index * finish.kept_strides[d];
    }
    // Sums of sums: rounding errors grow with the root of the number of terms at most.
    const int64_t group = std::max<int64_t>(1, static_cast<int64_t>(std::sqrt(finish.terms)));
    T total = T(0);
    for (int64_t first = 0; first < finish.terms; first += group) {
      T group_total = T(0);
      for (int64_t i = first; i < std::min(first + group, finish.terms); ++i) {
        group_total += partials[finish.place_of(i)];
      }
      total += group_total;
    }
    store_as<T>(data, finish.dtype, total);
  }

  const Loop& loop_;
  const RowLoop row_loop_;
  const double* const params_;
  const Plan plan_;
  T* const partials_;
  const int num_reads_ = loop_.num_reads;
  const int num_writes_ = loop_.num_writes;
  const int num_operands_ = num_reads_ + num_writes_;
  Dtype types_[kMaxOperands];
  int64_t inner_strides_[kMaxOperands];
  bool in_place_[kMaxOperands];  // read or written where it is
  bool buffered_ = false;        // some operand goes through a buffer of a tile
};

}  // namespace

template <class T>
void run_rows(const Loop& loop, const double* params, const Launch& launch, RowLoop row_loop) {
  Pass<T>(loop, params, launch, row_loop).run(launch);
}

template void run_rows<float>(const Loop&, const double*, const Launch&, RowLoop);
template void run_rows<double>(const Loop&, const double*, const Launch&, RowLoop);
template void run_rows<int64_t>(const Loop&, const double*, const Launch&, RowLoop);

}  // namespace fusewise
