// Checks the kernel of clusters that go through many rows, on a GPU: against the phases of the same pass, whose totals
// have the same bits, and against double:
//   nvcc -std=c++20 -arch=native -lineinfo -Iruntime tests/runtime/cluster_cuda_check.cu
//     runtime/fusewise/core/r*.cpp runtime/fusewise/cuda/*.cu -o check
#include <cmath>
#include <string>
#include <vector>

#include "cuda_rows.h"

namespace {

// A softmax of x * scale, times a weight, and its logarithm of the sum. The reads are x, weight and scale, then the
// largest number and the sum.
struct Largest {
  static constexpr int kReads = 5, kWrites = 1, kParams = 1, kInstructions = 2;
  static constexpr unsigned kRowScalars = 0x1c;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    out[0] = in[0] * in[2];
  }
};
struct Sum {
  static constexpr int kReads = 5, kWrites = 1, kParams = 1, kInstructions = 12;
  static constexpr unsigned kRowScalars = 0x1c;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    out[0] = rt::exp(in[0] * in[2] - in[3]);
  }
};
struct Rows {
  static constexpr int kReads = 5, kWrites = 1, kParams = 1, kInstructions = 10;
  static constexpr unsigned kRowScalars = 0x1c;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    out[0] = in[3] + rt::log(in[4]);
  }
};
struct Elements {
  static constexpr int kReads = 5, kWrites = 1, kParams = 1, kInstructions = 20, kHoisted = 1;
  static constexpr unsigned kRowScalars = 0x1c, kHoistedFrom = 0x10;
  template <class T>
  RT_FN static void hoist(const T* in, const T*, T* hoisted) {
    hoisted[0] = T(1) / in[4];
  }
  template <class T>
  RT_FN static void apply(const T* in, const T*, const T* hoisted, T* out) {
    out[0] = rt::exp(in[0] * in[2] - in[3]) * hoisted[0] * in[1];
  }
};
struct OfTerm {
  static constexpr int kReads = 6, kWrites = 1, kHoisted = 1;
  template <class T>
  RT_FN static void hoist(const T* in, const T*, T* hoisted) {
    hoisted[0] = T(1) / in[4];
  }
  template <class T>
  RT_FN static void apply(const T* in, const T*, const T* hoisted, T* out) {
    out[0] = in[5] * hoisted[0] * in[1];
  }
};

template <class Held>
using Softmax =
    cuda::RowPasses<2, 0, 0, 2, 0, false, Elements, Rows, Held, cuda::Phase<Largest, 1>, cuda::Phase<Sum, 0>>;
using FromTerms = Softmax<cuda::HeldElements<OfTerm, 0>>;
using Again = Softmax<cuda::NoPass>;

Status run_phases(const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr RowPhase kPhases[] = {{run_cuda_totals<Largest, Floats, 1>, 1},
                                         {run_cuda_totals<Sum, Floats, 0>, 1}};
  static constexpr RowPass kPass = {
      .phases = kPhases,
      .num_phases = 2,
      .num_totals = 2,
      .num_params = 0,
      .row_reads = 4,
      .row_writes = 2,
      .fill_index = nullptr,
      .rows = run_cuda_pointwise<Rows, Floats>,
      .elements = run_cuda_pointwise<Elements, Floats>,
      .at_once = nullptr,
  };
  return run_row_pass(kPass, loop, params, launch);
}

struct Results {
  Tensor out, sum;
  Results(const Sizes& shape, Dtype dtype) : out(dtype, shape), sum(Dtype::kFloat, without_columns(shape)) {}
};

// True if the results of a row are near those in double.
bool is_near(const Results& results, const Tensor& x, const Tensor& weight, const Tensor& scale, const Sizes& row,
             int64_t columns) {
  Sizes index = row;
  const auto term = [&](int64_t i) {
    index.back() = i;
    return x.get(x.place(index)) * value_of(scale, row);
  };
  double largest = -INFINITY, sum = 0;
  for (int64_t i = 0; i < columns; ++i) largest = std::max(largest, term(i));
  for (int64_t i = 0; i < columns; ++i) sum += std::exp(term(i) - largest);
  const double expected_sum = largest + std::log(sum);
  bool found = std::fabs(value_of(results.sum, row) - expected_sum) < 1e-5 * (1 + std::fabs(expected_sum));
  const double unit = size_of(x.dtype()) == 2 ? (x.dtype() == Dtype::kHalf ? 1.0 / 1024 : 1.0 / 128) : 1e-6;
  for (int64_t i = 0; i < columns; ++i) {
    const double expected = std::exp(term(i) - expected_sum) * weight.get(weight.place({i}));
    const double error = std::fabs(results.out.get(results.out.place(index)) - expected);
    found &= error <= 1e-7 + std::fabs(expected) * (2 * unit + (1 + std::fabs(expected_sum)) * 2e-6);
  }
  return found;
}

void check_case(const Sizes& shape, Dtype dtype, int64_t offset, bool is_special = false) {
  Tensor x(dtype, shape, offset), weight(dtype, {shape.back()}), scale(Dtype::kFloat, without_columns(shape));
  for (Tensor* const tensor : {&x, &weight, &scale}) fill_randomly(*tensor, 7);
  if (is_special) {
    for_each_index(without_columns(shape), [&](const Sizes& row) {
      x.set(x.place(row), row[0] % 2 == 0 ? NAN : INFINITY);
    });
    x.upload();
  }
  const std::vector<const Tensor*> reads{&x, &weight, &scale};
  Results from_terms(shape, dtype), again(shape, dtype), phases(shape, dtype);
  const std::string name = name_of(shape) + " " + name_of(dtype) + " at " + std::to_string(offset);
  const auto run_on = [&](const auto& pass, Results& results) {
    run(pass, row_loop(shape, reads, {&results.out, &results.sum}));
    for (Tensor* const tensor : {&results.out, &results.sum}) tensor->download();
  };
  run_on(run_phases, phases);
  run_on(run_at_once<FromTerms>, from_terms);
  report(name + ": at once", is_taken || !can_share(shape.back()));
  run_on(run_at_once<Again>, again);
  report(name + ": at once, without terms", is_taken || !can_share(shape.back()));
  for (const Results* const results : {&from_terms, &again}) {
    const std::string which = name + (results == &again ? ", without terms" : "");
    report(which + ": the bits of elements", results->out.bytes() == phases.out.bytes());
    report(which + ": the bits of rows", results->sum.bytes() == phases.sum.bytes());
  }
  bool is_close = true;
  for_each_index(without_columns(shape), [&](const Sizes& row) {
    is_close &= is_special || is_near(from_terms, x, weight, scale, row, shape.back());
  });
  report(name + ": values", is_close);
}

// A row for each cluster, or none for some.
void check_lengths() {
  for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kHalf, Dtype::kFloat}) {
    for (const Sizes& shape : std::vector<Sizes>{{1, 32776}, {2, 2, 33792}, {1, 40961}, {2, 65536}, {3, 131072},
                                                 {2, 200000}, {1, 262144}}) {
      check_case(shape, dtype, 0);
    }
    check_case({3, 65544}, dtype, 3);  // vectors that are not aligned
    check_case({4, 36864}, dtype, 0, true);
  }
}

// Several rows for each cluster: the last one has fewer. A block can hold a row of 26,624, but only one at a time.
void check_many() {
  check_case({400, 26624}, Dtype::kHalf, 0);
  check_case({5, 13, 131072}, Dtype::kBFloat16, 0);
  check_case({65, 66000}, Dtype::kHalf, 0);
  check_case({23, 163840}, Dtype::kBFloat16, 0);
}

}  // namespace

// Runs the groups that are named; all of them if none is.
int main(int count, char** arguments) {
  return run_groups(count, arguments, {{"lengths", check_lengths}, {"many", check_many}}) ? 0 : 1;
}
