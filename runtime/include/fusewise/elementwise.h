// Runs a pass on the CPU. Free of torch.
//
// A unit of work goes block by block: reads are widened into small buffers of the compute type
// (those that are dense in it are used in place), the maths runs over the buffers as one plain loop
// that the compiler can vectorise, and writes are narrowed out of them, or summed. So mixed dtypes,
// strides and reductions share one loop per compute type.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <fusewise/reduction.h>

namespace fusewise {

namespace detail {

// Memory of bools is read as bytes: any byte but 0 is true.
template <class S>
using Stored = std::conditional_t<std::is_same_v<S, bool>, uint8_t, S>;

template <class S, class T>
void widen_row(T* to, const char* from, int64_t stride, int64_t count) {
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
void narrow_row(char* to, const T* from, int64_t stride, int64_t count) {
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
    if constexpr (!kIsFloat8<S>) widen_row<S>(to, from, stride, count);
  });
}

template <class T>
void narrow_row(char* to, const T* from, Dtype dtype, int64_t stride, int64_t count) {
  visit(dtype, [&]<class S>(S*) { narrow_row<S>(to, from, stride, count); });
}

template <class T>
T sum_row(const T* values, int64_t count) {
  constexpr int kLanes = 16;
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

// Compiled once, in src/rows.cpp, and not in every op's file.
extern template void widen_row(float*, const char*, Dtype, int64_t, int64_t);
extern template void narrow_row(char*, const float*, Dtype, int64_t, int64_t);
extern template float sum_row(const float*, int64_t);
extern template void widen_row(double*, const char*, Dtype, int64_t, int64_t);
extern template void narrow_row(char*, const double*, Dtype, int64_t, int64_t);
extern template double sum_row(const double*, int64_t);
extern template void widen_row(int64_t*, const char*, Dtype, int64_t, int64_t);
extern template void narrow_row(char*, const int64_t*, Dtype, int64_t, int64_t);
extern template int64_t sum_row(const int64_t*, int64_t);

template <class Op, class T>
class CpuPass {
 public:
  CpuPass(const Loop& loop, const double* params, const Launch& launch)
      : loop_(loop),
        plan_(plan_reduction(loop, cpu_tiling(loop))),
        partials_(static_cast<T*>(launch.workspace)) {
    for (int i = 0; i < Op::kParams; ++i) params_[i] = static_cast<T>(params[i]);
    for (int k = 0; k < kOperands; ++k) inner_strides_[k] = inner_stride(loop, loop.operands[k]);
  }

  void run(const Launch& launch) {
    const int64_t unit = plan_.chunk_items * std::min(plan_.columns, kCpuTile);
    for_each(launch, plan_.units(), unit, [this](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) run_unit(i);
    });
    for (int w = 0; w < Op::kWrites; ++w) {
      if (!needs_finish(plan_.modes[w])) continue;
      const Finish finish = plan_finish(loop_, plan_, w);
      for_each(launch, finish.outputs, finish.terms, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) finish_output(finish, i);
      });
    }
  }

 private:
  static constexpr int kOperands = Op::kReads + Op::kWrites;
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

  const Operand& write(int w) const { return loop_.operands[Op::kReads + w]; }

  void run_unit(int64_t unit) const {
    alignas(64) T buffers[kOperands][kCpuTile];
    alignas(64) T sums[Op::kWrites][kCpuTile];
    const int64_t chunk = unit / plan_.unit_columns();
    const int64_t run = chunk / plan_.chunks_per_run;
    const int64_t begin = chunk % plan_.chunks_per_run * plan_.chunk_items;
    const int64_t end = std::min(begin + plan_.chunk_items, plan_.run_items);
    for (int w = 0; w < Op::kWrites; ++w) {
      if (is_accumulated(plan_.modes[w])) {
        std::fill_n(sums[w], std::min(plan_.tile, plan_.columns), T(0));
      }
    }
    int64_t row = run * plan_.run_rows + begin / plan_.walked_tiles();
    int64_t tile = plan_.keeps_columns ? unit % plan_.tiles : begin % plan_.walked_tiles();
    for (int64_t item = begin; item < end; ++item) {
      run_item(row, tile, buffers, sums);
      if (plan_.keeps_columns || ++tile == plan_.tiles) {
        if (!plan_.keeps_columns) tile = 0;
        ++row;
      }
    }
    const int64_t first = plan_.keeps_columns ? tile * plan_.tile : 0;
    for (int w = 0; w < Op::kWrites; ++w) {
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
    char* data[kOperands];
    for (int k = 0; k < kOperands; ++k) {
      data[k] = static_cast<char*>(loop_.operands[k].data);
      if (data[k] != nullptr) data[k] += first * inner_strides_[k];
    }
    int64_t rest = row;
    for (int i = 0; i < plan_.num_outer && rest > 0; ++i) {
      const int dim = plan_.outer[i];
      const int64_t index = i + 1 == plan_.num_outer ? rest : rest % loop_.sizes[dim];
      rest = i + 1 == plan_.num_outer ? 0 : rest / loop_.sizes[dim];
      for (int k = 0; k < kOperands; ++k) {
        if (data[k] != nullptr) data[k] += index * loop_.operands[k].strides[dim];
      }
    }
    const T* in[Op::kReads];
    T* out[Op::kWrites];
    for (int k = 0; k < Op::kReads; ++k) {
      const Operand& read = loop_.operands[k];
      in[k] = buffers[k];
      if (data[k] == nullptr) std::fill_n(buffers[k], count, static_cast<T>(read.fill));
      else if (in_place(k)) in[k] = reinterpret_cast<const T*>(data[k]);
      else widen_row(buffers[k], data[k], read.dtype, inner_strides_[k], count);
    }
    for (int w = 0; w < Op::kWrites; ++w) {
      const int k = Op::kReads + w;
      const bool direct = plan_.modes[w] == WriteMode::kDense && in_place(k);
      out[w] = direct ? reinterpret_cast<T*>(data[k]) : buffers[k];
    }
    compute(in, out, count);
    for (int w = 0; w < Op::kWrites; ++w) {
      const int k = Op::kReads + w;
      switch (plan_.modes[w]) {
        case WriteMode::kAbsent: break;
        case WriteMode::kDense:
          if (out[w] != buffers[k]) break;
          narrow_row(data[k], out[w], write(w).dtype, inner_strides_[k], count);
          break;
        case WriteMode::kColumn:
        case WriteMode::kAll:
          for (int64_t i = 0; i < count; ++i) sums[w][i] += out[w][i];
          break;
        case WriteMode::kRow:
          partials_[plan_.offsets[w] + row * plan_.tiles + tile] = sum_row(out[w], count);
          break;
      }
    }
  }

  bool in_place(int k) const {
    return loop_.operands[k].dtype == dtype_of<T>() && inner_strides_[k] == sizeof(T);
  }

  void compute(const T* const* reads, T* const* writes, int64_t count) const {
    // Copies that cannot change under the loop: the compiler need not load them again.
    const T* in[Op::kReads];
    T* out[Op::kWrites];
    T params[kParams];
    std::copy_n(reads, Op::kReads, in);
    std::copy_n(writes, Op::kWrites, out);
    std::copy_n(params_, kParams, params);
    Dtype types[Op::kReads];
    for (int k = 0; k < Op::kReads; ++k) types[k] = loop_.operands[k].dtype;
    // An operand may be written over in place, at the same index; blocks never overlap otherwise.
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) {
      T x[Op::kReads];
      T y[Op::kWrites];
      for (int k = 0; k < Op::kReads; ++k) x[k] = in[k][i];
      apply<Op>(x, params, types, y);
      for (int w = 0; w < Op::kWrites; ++w) out[w][i] = y[w];
    }
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

  static constexpr int kParams = Op::kParams > 0 ? Op::kParams : 1;

  const Loop& loop_;
  const Plan plan_;
  T* const partials_;
  T params_[kParams] = {};
  int64_t inner_strides_[kOperands];
};

template <class Op, class T>
const char* run_cpu_as(const Loop& loop, const double* params, const Launch& launch) {
  CpuPass<Op, T>(loop, params, launch).run(launch);
  return nullptr;
}

}  // namespace detail

template <class Op, class Storage>
struct CpuRunner;

template <class Op, class... S>
struct CpuRunner<Op, Dtypes<S...>> {
  template <class T>
  static constexpr bool kComputes = (std::is_same_v<Compute<S>, T> || ...);

  static const char* run(const Loop& loop, const double* params, const Launch& launch) {
    if constexpr (kComputes<float>) {
      if (loop.compute == Dtype::kFloat) {
        return detail::run_cpu_as<Op, float>(loop, params, launch);
      }
    }
    if constexpr (kComputes<double>) {
      if (loop.compute == Dtype::kDouble) {
        return detail::run_cpu_as<Op, double>(loop, params, launch);
      }
    }
    if constexpr (kComputes<int64_t>) {
      if (loop.compute == Dtype::kInt64) {
        return detail::run_cpu_as<Op, int64_t>(loop, params, launch);
      }
    }
    return "no kernel was compiled for this dtype";
  }
};

template <class Op, class Storage>
const char* run_cpu(const Loop& loop, const double* params, const Launch& launch) {
  return CpuRunner<Op, Storage>::run(loop, params, launch);
}

}  // namespace fusewise
