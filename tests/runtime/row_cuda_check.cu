// Checks the kernel that runs a row pass at once, on a GPU: against the phases of the same pass, whose totals have
// the same bits, and against double:
//   nvcc -std=c++20 -arch=native -lineinfo -Iruntime tests/runtime/row_cuda_check.cu
//     runtime/fusewise/core/r*.cpp runtime/fusewise/cuda/*.cu -o check
#include <cmath>
#include <string>
#include <vector>

#include <fusewise/core/rows.h>
#include <fusewise/cuda/index.h>
#include <fusewise/cuda/row.cuh>
#include <fusewise/cuda/totals.cuh>

#include "cuda_rows.h"

namespace {

// A softmax of x * scale over the elements that a mask lets pass, times a weight; its logarithm of the sum; and the
// number of the first elements up to a limit. The reads are x, mask, weight, scale and limit. Two phases.
struct Largest {
  static constexpr int kReads = 9, kWrites = 1, kParams = 2, kInstructions = 4;
  static constexpr unsigned kRowScalars = 0xf8;
  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 1 ? Dtype::kBool : others;
  }
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    out[0] = rt::where(in[1] != T(0), in[0] * in[3], T(-INFINITY));
  }
};
struct Sums {
  static constexpr int kReads = 9, kWrites = 2, kParams = 2, kInstructions = 20, kHoisted = 1;
  static constexpr unsigned kRowScalars = 0xf8, kHoistedFrom = 0x20;
  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 1 ? Dtype::kBool : others;
  }
  template <class T>
  RT_FN static void hoist(const T* in, const T*, T* hoisted) {
    hoisted[0] = in[5];
  }
  template <class T>
  RT_FN static void apply(const T* in, const T*, const T* hoisted, T* out) {
    out[0] = rt::where(in[1] != T(0), rt::exp(in[0] * in[3] - hoisted[0]), T(0));
    out[1] = rt::where(in[8] < in[4], T(1), T(0));
  }
};
struct Rows {
  static constexpr int kReads = 9, kWrites = 2, kParams = 2, kInstructions = 20;
  static constexpr unsigned kRowScalars = 0xf8;
  template <class T>
  RT_FN static void apply(const T* in, const T* params, T* out) {
    out[0] = in[5] + rt::log(in[6]);
    out[1] = in[7] + params[1] * params[0];
  }
};
struct Elements {
  static constexpr int kReads = 9, kWrites = 2, kParams = 2, kInstructions = 30, kHoisted = 2;
  static constexpr unsigned kRowScalars = 0xf8, kHoistedFrom = 0x60;
  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 1 || operand == 10 ? Dtype::kBool : others;
  }
  template <class T>
  RT_FN static void hoist(const T* in, const T*, T* hoisted) {
    hoisted[0] = in[5];
    hoisted[1] = T(1) / in[6];
  }
  template <class T>
  RT_FN static void apply(const T* in, const T*, const T* hoisted, T* out) {
    out[0] = rt::where(in[1] != T(0), rt::exp(in[0] * in[3] - hoisted[0]) * hoisted[1], T(0)) * in[2];
    out[1] = rt::where(in[8] < in[4], T(1), T(0));
  }
};

// The same from the first term of Sums, which has passed the mask.
struct OfTerm {
  static constexpr int kReads = 10, kWrites = 2, kHoisted = 1;
  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 1 || operand == 11 ? Dtype::kBool : others;
  }
  template <class T>
  RT_FN static void hoist(const T* in, const T*, T* hoisted) {
    hoisted[0] = T(1) / in[6];
  }
  template <class T>
  RT_FN static void apply(const T* in, const T*, const T* hoisted, T* out) {
    out[0] = rt::where(in[1] != T(0), in[9] * hoisted[0], T(0)) * in[2];
    out[1] = rt::where(in[8] < in[4], T(1), T(0));
  }
};

using Masked = cuda::RowPasses<12, 0, 0, 0, 0, true, Elements, Rows, cuda::HeldElements<OfTerm, 0>,
                               cuda::Phase<Largest, 1>, cuda::Phase<Sums, 0>>;

template <bool kAtOnce>
Status run_masked(const Loop& loop, const Number*, const Launch& launch) {
  static constexpr RowPhase kPhases[] = {{run_cuda_totals<Largest, Floats, 1>, 1},
                                         {run_cuda_totals<Sums, Floats, 0>, 2}};
  static constexpr RowPass kPass = {
      .phases = kPhases,
      .num_phases = 2,
      .num_totals = 3,
      .num_params = 1,
      .row_reads = 0x18,
      .row_writes = 12,
      .fill_index = fill_index_cuda,
      .rows = run_cuda_pointwise<Rows, Floats>,
      .elements = run_cuda_pointwise<Elements, Floats>,
      .at_once = kAtOnce ? run_cuda_rows<Masked, Floats> : nullptr,
  };
  const Number params[] = {Number(2.0)};
  return run_row_pass(kPass, loop, params, launch);
}

Status run_masked_at_once(const Loop& loop, const Number*, const Launch& launch) {
  const Number params[] = {Number(2.0), Number(static_cast<double>(loop.sizes[0]))};
  Status status;
  run_and_tell<Masked>(loop, params, nullptr, launch, status);
  return status;
}

struct Case {
  Sizes shape;
  Dtype dtype;
  Dtype scale_dtype;
  bool has_weight;
  int absent;  // the number of a write, or -1
  int64_t offset;
};

void check_case(const Case& one, bool expects_at_once, bool is_special = false) {
  const Sizes& shape = one.shape;
  Sizes row = shape;
  row.back() = 1;
  Tensor x(one.dtype, shape, one.offset), mask(Dtype::kBool, shape), weight(one.dtype, {shape.back()});
  Tensor scale(one.scale_dtype, row), limit(Dtype::kInt64, row);
  for (Tensor* const tensor : {&x, &weight, &scale}) fill_randomly(*tensor, 7);
  int64_t seed = shape.back();
  for_each_index(shape, [&](const Sizes& index) { mask.set(mask.place(index), next_integer(seed, 0, 3) > 0); });
  for_each_index(row, [&](const Sizes& index) {
    limit.set(limit.place(index), next_integer(seed, 0, static_cast<int>(shape.back())));
    if (is_special) x.set(x.place(index), index[0] % 2 == 0 ? NAN : INFINITY);
  });
  for (Tensor* const tensor : {&x, &mask, &limit}) tensor->upload();
  struct Results {
    Tensor out, inside, sum, count;
    Results(const Case& one, const Sizes& row)
        : out(one.dtype, one.shape), inside(Dtype::kBool, one.shape), sum(Dtype::kFloat, row),
          count(Dtype::kInt32, row) {}
    std::vector<const Tensor*> all(int absent) const {
      std::vector<const Tensor*> found{&out, &inside, &sum, &count};
      if (absent >= 0) found[static_cast<size_t>(absent)] = nullptr;
      return found;
    }
    void download() {
      for (Tensor* const tensor : {&out, &inside, &sum, &count}) tensor->download();
    }
  };
  Results at_once(one, row), phases(one, row);
  const std::vector<const Tensor*> reads{&x, &mask, one.has_weight ? &weight : nullptr, &scale, &limit};
  run(run_masked_at_once, row_loop(shape, reads, at_once.all(one.absent)));
  run(run_masked<true>, row_loop(shape, reads, at_once.all(one.absent)));
  run(run_masked<false>, row_loop(shape, reads, phases.all(one.absent)));
  at_once.download();
  phases.download();
  const std::string name = name_of(shape) + " " + name_of(one.dtype) + " " + name_of(one.scale_dtype) + " absent " +
                           std::to_string(one.absent) + " at " + std::to_string(one.offset);
  report(name + ": at once", is_taken == expects_at_once);
  report(name + ": the bits of elements", at_once.out.bytes() == phases.out.bytes());
  report(name + ": the bits of rows", at_once.sum.bytes() == phases.sum.bytes());
  report(name + ": counts", at_once.count.bytes() == phases.count.bytes());
  report(name + ": the index", at_once.inside.bytes() == phases.inside.bytes());
  bool is_close = true;
  const double unit = size_of(one.dtype) == 2 ? (one.dtype == Dtype::kHalf ? 1.0 / 1024 : 1.0 / 128) : 1e-6;
  for_each_index(row, [&](const Sizes& of_row) {
    if (is_special) return;
    Sizes index = of_row;
    const auto term = [&](int64_t i) {
      index.back() = i;
      return mask.get(mask.place(index)) != 0 ? x.get(x.place(index)) * value_of(scale, of_row) : -INFINITY;
    };
    double largest = -INFINITY, sum = 0;
    for (int64_t i = 0; i < shape.back(); ++i) largest = std::max(largest, term(i));
    for (int64_t i = 0; i < shape.back(); ++i) sum += std::isinf(largest) ? 0 : std::exp(term(i) - largest);
    if (std::isinf(largest)) return;
    const double expected_sum = largest + std::log(sum);
    const double size = 1 + std::fabs(expected_sum);
    is_close &= one.absent == 2 || std::fabs(value_of(at_once.sum, of_row) - expected_sum) < 1e-5 * size;
    for (int64_t i = 0; i < shape.back() && one.absent != 0; ++i) {
      const double factor = one.has_weight ? weight.get(weight.place({i})) : 1;
      const double expected = std::exp(term(i) - expected_sum) * factor;
      const double found = at_once.out.get(at_once.out.place(index));
      is_close &= std::fabs(found - expected) <= 1e-7 + std::fabs(expected) * (2 * unit + 2e-6 * size);
    }
  });
  report(name + ": values", is_close);
}

void check_lengths() {
  for (const int64_t length : {2,    3,    7,    8,    9,    16,   24,   31,   64,   100,  128,  129,
                               192,  256,  264,  384,  509,  512,  520,  768,  1016, 1017, 1020, 1021,
                               1024, 1025, 1032, 2045, 2048, 3000, 4089, 4095, 4096, 8192, 9216, 16384}) {
    for (const int64_t rows : {1, 3, 37}) {
      if (rows * length > 40000) continue;
      for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kHalf, Dtype::kFloat}) {
        check_case({{rows, length}, dtype, dtype, true, -1, 0}, true);
      }
    }
  }
}

void check_layouts() {
  for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat}) {
    for (const Sizes& shape : std::vector<Sizes>{{5, 4, 1024}, {2, 3, 40}, {3, 5000}, {9, 136}, {2, 5, 128}}) {
      for (const int absent : {-1, 0, 1, 2, 3}) {
        for (const Dtype scale : {Dtype::kFloat, Dtype::kHalf, Dtype::kInt32}) {
          check_case({shape, dtype, scale, absent != 1, absent, 0}, true);
        }
      }
      check_case({shape, dtype, dtype, true, -1, 1}, true);  // vectors that are not aligned
      check_case({shape, dtype, dtype, true, -1, 3}, true);
      check_case({shape, dtype, dtype, true, -1, 8}, true);
    }
    check_case({{5, 1021}, dtype, dtype, true, 1, 5}, true);
    check_case({{5, 1}, dtype, dtype, true, -1, 0}, false);
  }

}

// Rows of more than 16 tiles, which blocks of a cluster share.
void check_clusters() {
  for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat}) {
    for (const Sizes& shape : std::vector<Sizes>{{3, 16385}, {2, 16392}, {3, 20000}, {2, 2, 32768}, {1, 40961},
                                                 {2, 65536}, {2, 131072}, {1, 131080}, {1, 262144}}) {
      for (const int64_t offset : {0, 3}) {
        check_case({shape, dtype, dtype, true, -1, offset}, can_share(shape.back()));
      }
    }
    for (const int absent : {0, 1, 2, 3}) {
      check_case({{2, 17001}, dtype, dtype, absent != 1, absent, 0}, can_share(17001));
    }
    check_case({{6, 20000}, dtype, dtype, true, -1, 0}, can_share(20000), true);
  }
}

// Rows of more tiles than a cluster holds.
void check_long() {
  for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat}) {
    check_case({{2, 262152}, dtype, dtype, true, -1, 0}, false);  // too few rows of this length
    for (const int64_t offset : {0, 3}) {
      check_case({{66, 262152}, dtype, dtype, true, -1, offset}, true);
      check_case({{67, 262145}, dtype, dtype, false, 1, offset}, true);
    }
  }
}

void check_special() {
  for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat}) {
    for (const Sizes& shape : std::vector<Sizes>{{6, 1024}, {6, 40}, {6, 6000}}) {
      check_case({shape, dtype, dtype, true, -1, 0}, true, true);
    }
  }
}

}  // namespace

// Runs the groups that are named; all of them if none is.
int main(int count, char** arguments) {
  const bool passed = run_groups(count, arguments,
                                 {{"lengths", check_lengths},
                                  {"layouts", check_layouts},
                                  {"clusters", check_clusters},
                                  {"long", check_long},
                                  {"special", check_special}});
  return passed ? 0 : 1;
}
