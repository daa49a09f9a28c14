// Checks the row kernel with columns that all rows share, on a GPU: sums over rows, of rows of any length, and reads
// that are loaded late; against the phases of the same pass and against double:
//   nvcc -std=c++20 -arch=native -lineinfo -Iruntime tests/runtime/norm_cuda_check.cu
//     runtime/fusewise/core/r*.cpp runtime/fusewise/cuda/*.cu -o check
#include <cmath>
#include <string>
#include <vector>

#include <fusewise/core/rows.h>
#include <fusewise/cuda/reduction.cuh>

#include "cuda_rows.h"

namespace {

// The gradients of a product with a mean: of x, which has elements, and of a weight and a bias, which are sums over
// rows. The reads are the incoming gradient, x and the weight.
struct Mean {
  static constexpr int kReads = 4, kWrites = 1, kParams = 1, kInstructions = 2;
  static constexpr unsigned kRowScalars = 8;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    out[0] = in[0] * in[1] * in[2];
  }
};
struct Gradients {
  static constexpr int kReads = 4, kWrites = 3, kParams = 1, kInstructions = 4, kHoisted = 1;
  static constexpr unsigned kRowScalars = 8, kHoistedFrom = 8;
  template <class T>
  RT_FN static void hoist(const T* in, const T* params, T* hoisted) {
    hoisted[0] = in[3] / params[0];
  }
  template <class T>
  RT_FN static void apply(const T* in, const T*, const T* hoisted, T* out) {
    out[0] = in[0] * in[2] - hoisted[0] * in[1];
    out[1] = in[0] * in[1] * hoisted[0];
    out[2] = in[0];
  }
};
using Norm = cuda::RowPasses<0, 0, 4, 0, 6, false, Gradients, cuda::NoPass, cuda::NoPass, cuda::Phase<Mean, 0>>;

// Rows that are too long for the kernel to hold them take the totals of the phases.
Status run_norm(const Loop& loop, const Number*, const Launch& launch) {
  static constexpr RowPhase kPhases[] = {{run_cuda_totals<Mean, Floats, 0>, 1}};
  static constexpr RowPass kPass = {
      .phases = kPhases,
      .num_phases = 1,
      .num_totals = 1,
      .num_params = 0,
      .row_reads = 0,
      .row_writes = 0,
      .fill_index = nullptr,
      .rows = nullptr,
      .elements = run_cuda_reduction_strided<Gradients, Floats>,
      .at_once = run_and_tell<Norm>,
  };
  return run_row_pass(kPass, loop, nullptr, launch);
}

// The same gradients where the sums of the rows are given, as the fourth read: a pass without phases.
Status run_given(const Loop& loop, const Number*, const Launch& launch) {
  using Given = cuda::RowPasses<0, 0, 4, 0, 6, false, Gradients, cuda::NoPass, cuda::NoPass>;
  static constexpr RowPass kPass = {
      .phases = nullptr,
      .num_phases = 0,
      .num_totals = 0,
      .num_params = 0,
      .row_reads = 8,
      .row_writes = 0,
      .fill_index = nullptr,
      .rows = nullptr,
      .elements = run_cuda_reduction_strided<Gradients, Floats>,
      .at_once = run_and_tell<Given>,
  };
  return run_row_pass(kPass, loop, nullptr, launch);
}

// Those of the elements alone.
template <bool kAtOnce>
Status run_given_elements(const Loop& loop, const Number*, const Launch& launch) {
  using Given = cuda::RowPasses<0, 0, 0, 0, 0, false, Gradients, cuda::NoPass, cuda::NoPass>;
  static constexpr RowPass kPass = {
      .phases = nullptr,
      .num_phases = 0,
      .num_totals = 0,
      .num_params = 0,
      .row_reads = 8,
      .row_writes = 0,
      .fill_index = nullptr,
      .rows = nullptr,
      .elements = run_cuda_pointwise<Gradients, Floats>,
      .at_once = kAtOnce ? run_and_tell<Given> : nullptr,
  };
  return run_row_pass(kPass, loop, nullptr, launch);
}

// x divided by the mean of its squares, times a weight that is loaded late. So few registers are needed that a block
// has 32 warps.
struct Square {
  static constexpr int kReads = 3, kWrites = 1, kParams = 1, kInstructions = 1;
  static constexpr unsigned kRowScalars = 4;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    out[0] = in[0] * in[0];
  }
};
struct Scaled {
  static constexpr int kReads = 3, kWrites = 1, kParams = 1, kInstructions = 2, kHoisted = 1;
  static constexpr unsigned kRowScalars = 4, kHoistedFrom = 4;
  template <class T>
  RT_FN static void hoist(const T* in, const T* params, T* hoisted) {
    hoisted[0] = params[0] / in[2];
  }
  template <class T>
  RT_FN static void apply(const T* in, const T*, const T* hoisted, T* out) {
    out[0] = in[0] * hoisted[0] * in[1];
  }
};
using Late = cuda::RowPasses<0, 0, 2, 2, 0, false, Scaled, cuda::NoPass, cuda::NoPass, cuda::Phase<Square, 0>>;

template <bool kAtOnce>
Status run_late(const Loop& loop, const Number*, const Launch& launch) {
  static constexpr RowPhase kPhases[] = {{run_cuda_totals<Square, Floats, 0>, 1}};
  static constexpr RowPass kPass = {
      .phases = kPhases,
      .num_phases = 1,
      .num_totals = 1,
      .num_params = 0,
      .row_reads = 0,
      .row_writes = 0,
      .fill_index = nullptr,
      .rows = nullptr,
      .elements = run_cuda_pointwise<Scaled, Floats>,
      .at_once = kAtOnce ? run_and_tell<Late> : nullptr,
  };
  return run_row_pass(kPass, loop, nullptr, launch);
}

// Both ways of running the pass have the same bits; the values against double.
void check_late_case(const Sizes& shape, Dtype dtype, int64_t offset) {
  Tensor x(dtype, shape, offset), weight(dtype, {shape.back()});
  Tensor out(dtype, shape, offset), of_phases(dtype, shape, offset);
  fill_randomly(x, 3);
  fill_randomly(weight, 5);
  run(run_late<true>, row_loop(shape, {&x, &weight}, {&out}));
  const std::string name = "late " + name_of(shape) + " " + name_of(dtype) + " at " + std::to_string(offset);
  // A float takes twice the registers, so that its blocks have half as many warps.
  const int64_t of_block = dtype == Dtype::kFloat ? 16384 : 32768;
  const bool is_held = shape.back() <= of_block || shape[0] >= 66 || can_share(shape.back());
  report(name + ": at once", is_taken == is_held);
  run(run_late<false>, row_loop(shape, {&x, &weight}, {&of_phases}));
  out.download();
  of_phases.download();
  report(name + ": the bits of the phases", out.bytes() == of_phases.bytes());
  const double unit = dtype == Dtype::kFloat ? 1e-6 : 1.0 / 128;
  bool is_close = true;
  for_each_index(without_columns(shape), [&](const Sizes& row) {
    Sizes index = row;
    double sum = 0;
    const auto value = [&](const Tensor& tensor) { return tensor.get(tensor.place(index)); };
    for (index.back() = 0; index.back() < shape.back(); ++index.back()) sum += value(x) * value(x);
    for (index.back() = 0; index.back() < shape.back(); ++index.back()) {
      const double factor = static_cast<double>(shape.back()) / sum * weight.get(weight.place({index.back()}));
      const double expected = value(x) * factor;
      is_close &= std::fabs(value(out) - expected) <= unit * std::fabs(expected) + 1e-7;
    }
  });
  report(name + ": values", is_close);
}

void check_late() {
  for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat}) {
    for (const Sizes& shape : std::vector<Sizes>{{3, 40}, {2, 3, 1000}, {5, 4096}, {3, 16384}, {2, 17001}, {2, 32768},
                                                 {66, 33000}, {2, 65537}, {1, 131072}}) {
      for (const int64_t offset : {0, 3}) {
        check_late_case(shape, dtype, offset);
      }
    }
  }
}

// The sums of the products of three tensors over each row. An absent one is 1.
void sum_products(const Sizes& shape, const Tensor& a, const Tensor& b, const Tensor* c, Tensor& totals) {
  for_each_index(without_columns(shape), [&](const Sizes& row) {
    Sizes index = row;
    double total = 0;
    for (index.back() = 0; index.back() < shape.back(); ++index.back()) {
      const double factor = c == nullptr ? 1 : c->get(c->place({index.back()}));
      total += a.get(a.place(index)) * b.get(b.place(index)) * factor;
    }
    totals.set(totals.place(row), total);
  });
  totals.upload();
}

// The writes and sums against double.
void check_norm(const Sizes& shape, Dtype dtype, Dtype sum_dtype, bool has_weight, bool expects_at_once,
                bool is_given = false) {
  Tensor grad(dtype, shape), x(dtype, shape), weight(dtype, {shape.back()});
  Tensor totals(Dtype::kFloat, without_columns(shape));
  uint32_t seed = 1;
  for (Tensor* const tensor : {&grad, &x, &weight}) fill_randomly(*tensor, ++seed);
  const Tensor* const given_weight = has_weight ? &weight : nullptr;
  if (is_given) sum_products(shape, grad, x, given_weight, totals);
  Tensor grad_x(dtype, shape), grad_weight(sum_dtype, {shape.back()}), grad_bias(Dtype::kFloat, {shape.back()});
  std::vector<std::vector<char>> first;
  for (int again = 0; again < 2; ++again) {
    const std::vector<const Tensor*> writes{&grad_x, has_weight ? &grad_weight : nullptr, &grad_bias};
    if (is_given) run(run_given, row_loop(shape, {&grad, &x, given_weight, &totals}, writes));
    else run(run_norm, row_loop(shape, {&grad, &x, given_weight}, writes));
    for (Tensor* const tensor : {&grad_x, &grad_weight, &grad_bias}) {
      tensor->download();
      first.push_back(tensor->bytes());
    }
  }
  const std::string name =
      (is_given ? "given " : "norm ") + name_of(shape) + " " + name_of(dtype) + " " + name_of(sum_dtype);
  report(name + ": at once", is_taken == expects_at_once);
  if (!is_taken) return;
  report(name + ": the same bits again", first[0] == first[3] && first[1] == first[4] && first[2] == first[5]);
  const int64_t columns = shape.back();
  std::vector<double> sums(static_cast<size_t>(columns)), sizes(sums), biases(sums), bias_sizes(sums);
  bool is_close = true;
  const double unit = dtype == Dtype::kBFloat16 ? 1.0 / 256 : 1e-6;
  const auto element = [&](const Tensor& tensor, const Sizes& index) { return tensor.get(tensor.place(index)); };
  for_each_index(without_columns(shape), [&](const Sizes& row) {
    Sizes index = row;
    double total = 0, size = 0;
    for (index.back() = 0; index.back() < columns; ++index.back()) {
      const double term = element(grad, index) * element(x, index) * (has_weight ? element(weight, index) : 1);
      total += term;
      size += std::fabs(term);
    }
    const double mean = total / static_cast<double>(columns);
    for (index.back() = 0; index.back() < columns; ++index.back()) {
      const double g = element(grad, index), value = element(x, index);
      const double expected = g * (has_weight ? element(weight, index) : 1) - mean * value;
      const double noise = 1e-6 * (20 + size / static_cast<double>(columns) * 10);
      is_close &= std::fabs(element(grad_x, index) - expected) <= unit * std::fabs(expected) + noise;
      const auto column = static_cast<size_t>(index.back());
      sums[column] += g * value * mean;
      sizes[column] += std::fabs(g * value) * (std::fabs(mean) + noise);
      biases[column] += g;
      bias_sizes[column] += std::fabs(g);
    }
  });
  report(name + ": elements", is_close);
  bool is_precise = true;
  for (int64_t i = 0; i < columns; ++i) {
    const auto column = static_cast<size_t>(i);
    const double rounding = sum_dtype == Dtype::kBFloat16 ? std::fabs(sums[column]) / 256 : 0;
    const double error = has_weight ? std::fabs(element(grad_weight, {i}) - sums[column]) : 0;
    is_precise &= error <= 1e-5 * sizes[column] + rounding;
    is_precise &= std::fabs(element(grad_bias, {i}) - biases[column]) <= 1e-5 * bias_sizes[column];
  }
  report(name + ": sums", is_precise);
}

// The bits of results and sums do not depend on the place of rows in memory. At 0 all vectors are aligned.
void check_places(const Sizes& shape, Dtype dtype) {
  std::vector<double> first;
  for (const int64_t offset : {0, 1, 2, 5}) {
    Tensor grad(dtype, shape, offset), x(dtype, shape, 2 * offset), weight(dtype, {shape.back()}, offset);
    Tensor grad_x(dtype, shape, offset);
    Tensor grad_weight(dtype, {shape.back()}), grad_bias(Dtype::kFloat, {shape.back()});
    uint32_t seed = 1;
    for (Tensor* const tensor : {&grad, &x, &weight}) fill_randomly(*tensor, ++seed);
    run(run_norm, row_loop(shape, {&grad, &x, &weight}, {&grad_x, &grad_weight, &grad_bias}));
    const std::string name = "place " + name_of(shape) + " " + name_of(dtype) + " at " + std::to_string(offset);
    report(name + ": at once", is_taken);
    std::vector<double> found;  // exact
    for (Tensor* const tensor : {&grad_x, &grad_weight, &grad_bias}) {
      tensor->download();
      for_each_index(tensor == &grad_x ? shape : Sizes{shape.back()},
                     [&](const Sizes& index) { found.push_back(tensor->get(tensor->place(index))); });
    }
    if (first.empty()) first = found;
    report(name + ": the same bits", found == first);
  }
}

// The kernel of rows sums columns, and no row of sums.
void check_sum_over_all(Dtype dtype) {
  const Sizes shape{6, 64};
  Tensor grad(dtype, shape), x(dtype, shape), weight(dtype, {64});
  uint32_t seed = 1;
  for (Tensor* const tensor : {&grad, &x, &weight}) fill_randomly(*tensor, ++seed);
  Tensor grad_x(dtype, shape), grad_weight(dtype, {64}), sum(Dtype::kFloat, {1});
  run(run_norm, row_loop(shape, {&grad, &x, &weight}, {&grad_x, &grad_weight, &sum}));
  report(std::string("a sum over all, ") + name_of(dtype) + ": not at once", !is_taken);
}

void check_sums() {
  for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat}) {
    for (const Sizes& shape : std::vector<Sizes>{{1, 8}, {3, 64}, {1000, 64}, {5000, 128}, {40, 3, 520}, {900, 512},
                                                 {300, 768}, {700, 1024}, {3, 2048}, {600, 1536}, {150, 8192},
                                                 {900, 7}, {400, 61}, {300, 1021}, {300, 1017}, {70, 4095},
                                                 {3, 9000}, {70, 16384}, {2, 5, 12296}, {140, 20001}, {5, 20001},
                                                 {5, 32761}, {5, 32768}}) {
      check_norm(shape, dtype, dtype, true, true);
      check_norm(shape, dtype, Dtype::kFloat, false, true);
    }
    for (const Sizes& shape : std::vector<Sizes>{{9, 200000}, {2, 262141}}) {
      check_norm(shape, dtype, dtype, true, can_share(shape.back()));
    }
    for (const Sizes& shape : std::vector<Sizes>{{9, 8}, {1000, 64}, {300, 200}, {400, 512}, {300, 1017}, {300, 1021},
                                                 {700, 1024}, {140, 3000}, {70, 4089}, {70, 4096}, {20, 12296},
                                                 {4, 16384}}) {
      check_places(shape, dtype);
    }
    check_sum_over_all(dtype);
  }
}

// Both ways of running the pass have the same bits.
void check_given_elements(const Sizes& shape, Dtype dtype, int64_t offset) {
  Tensor grad(dtype, shape, offset), x(dtype, shape, offset), weight(dtype, shape, offset);
  Tensor totals(Dtype::kFloat, without_columns(shape));
  uint32_t seed = 1;
  for (Tensor* const tensor : {&grad, &x, &weight}) fill_randomly(*tensor, ++seed);
  fill_randomly(totals, ++seed);
  std::vector<std::vector<char>> found;
  for (const bool at_once : {true, false}) {
    Tensor a(dtype, shape, offset), b(dtype, shape, offset), c(dtype, shape, offset);
    const Loop loop = row_loop(shape, {&grad, &x, &weight, &totals}, {&a, &b, &c});
    run(at_once ? run_given_elements<true> : run_given_elements<false>, loop);
    for (Tensor* const tensor : {&a, &b, &c}) {
      tensor->download();
      found.push_back(tensor->bytes());
    }
  }
  const std::string name = "given " + name_of(shape) + " " + name_of(dtype) + " at " + std::to_string(offset);
  report(name + ": at once", is_taken);
  report(name + ": the bits of the elements", found[0] == found[3] && found[1] == found[4] && found[2] == found[5]);
}

void check_given() {
  for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat}) {
    for (const Sizes& shape : std::vector<Sizes>{{3, 64}, {1000, 64}, {40, 3, 520}, {600, 1536}, {400, 61}, {300, 1021},
                                                 {70, 4095}, {3, 9000}, {2, 5, 12296}, {140, 20001}}) {
      check_norm(shape, dtype, dtype, true, true, true);
      check_norm(shape, dtype, Dtype::kFloat, false, true, true);
    }
    for (const Sizes& shape : std::vector<Sizes>{{3, 40}, {2, 3, 1000}, {5, 1021}, {5, 4096}, {66, 17001}}) {
      for (const int64_t offset : {0, 3}) check_given_elements(shape, dtype, offset);
    }
  }
}

}  // namespace

// Runs the groups that are named; all of them if none is.
int main(int count, char** arguments) {
  return run_groups(count, arguments, {{"sums", check_sums}, {"given", check_given}, {"late", check_late}}) ? 0 : 1;
}
