// Checks the kernel that runs a row pass at once where the pass writes no elements, on a GPU: against the phases of the
// same pass, whose totals have the same bits, and against double:
//   nvcc -std=c++20 -arch=native -lineinfo -Iruntime tests/runtime/loss_cuda_check.cu
//     runtime/fusewise/core/r*.cpp runtime/fusewise/cuda/*.cu -o check
#include <cmath>
#include <deque>
#include <string>
#include <vector>

#include <fusewise/core/rows.h>
#include <fusewise/cuda/index.h>

#include "cuda_rows.h"

namespace {

// A loss of each row, as no elements are written: the maxima of x and y, log(sum(exp(x - max(x)))), and x - y at the
// target, 0 if that is no index. Two phases, the first one of copies.
struct Maxima {
  static constexpr int kReads = 8, kWrites = 2, kParams = 1, kInstructions = 0;
  static constexpr unsigned kRowScalars = 0x7c, kCopied = 3;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    out[0] = in[0];
    out[1] = in[1];
  }
};
struct LossSums {
  static constexpr int kReads = 8, kWrites = 2, kParams = 1, kInstructions = 20;
  static constexpr unsigned kRowScalars = 0x7c;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    out[0] = rt::exp(in[0] - in[3]);
    out[1] = rt::where(in[7] == in[2], in[0] - in[1], T(0));
  }
};
struct LossRows {
  static constexpr int kReads = 8, kWrites = 4, kParams = 1, kInstructions = 20;
  static constexpr unsigned kRowScalars = 0x7c;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    out[0] = in[3];
    out[1] = in[4];
    out[2] = rt::log(in[5]);
    out[3] = in[6];
  }
};

using Loss = cuda::RowPasses<15, 0, 0, 0, true, cuda::NoPass, LossRows, cuda::NoPass, cuda::Phase<Maxima, 3>,
                             cuda::Phase<LossSums, 0, 2, 2>>;

Status run_loss_phases(const Loop& loop, const Number*, const Launch& launch) {
  static constexpr RowPhase kPhases[] = {{run_cuda_totals<Maxima, Floats, 3>, 2},
                                         {run_cuda_totals<LossSums, Floats, 0>, 2}};
  static constexpr RowPass kPass = {
      .phases = kPhases,
      .num_phases = 2,
      .num_totals = 4,
      .num_params = 0,
      .row_reads = 4,
      .row_writes = 15,
      .fill_index = fill_index_cuda,
      .rows = run_cuda_pointwise<LossRows, Floats>,
      .elements = nullptr,
      .at_once = nullptr,
  };
  return run_row_pass(kPass, loop, nullptr, launch);
}

Status run_loss_at_once(const Loop& loop, const Number*, const Launch& launch) {
  const Number params[] = {Number(static_cast<double>(loop.sizes[0]))};
  Status status;
  run_and_tell<Loss>(loop, params, nullptr, launch, status);
  return status;
}

void check_loss(const Sizes& shape, Dtype dtype, int64_t offset, bool is_special) {
  Sizes row = shape;
  row.back() = 1;
  Tensor x(dtype, shape, offset), y(dtype, shape, offset), target(Dtype::kInt64, row);
  fill_randomly(x, 7);
  fill_randomly(y, 11);
  int64_t seed = shape.back();
  for_each_index(row, [&](const Sizes& index) {
    target.set(target.place(index), next_integer(seed, -2, static_cast<int>(shape.back()) + 2));
    Sizes last = index;
    last.back() = shape.back() - 1;
    if (is_special) x.set(x.place(last), index[0] % 2 == 0 ? NAN : INFINITY);
    if (is_special && index[0] % 3 == 0) {
      for (last.back() = 0; last.back() < shape.back(); ++last.back()) y.set(y.place(last), -INFINITY);
    }
  });
  for (Tensor* const tensor : {&x, &y, &target}) tensor->upload();
  std::deque<Tensor> at_once, phases;
  for (int w = 0; w < 4; ++w) {
    at_once.emplace_back(Dtype::kFloat, row);
    phases.emplace_back(Dtype::kFloat, row);
  }
  const auto loop_of = [&](const std::deque<Tensor>& results) {
    return row_loop(shape, {&x, &y, &target}, {&results[0], &results[1], &results[2], &results[3]});
  };
  run(run_loss_at_once, loop_of(at_once));
  run(run_loss_phases, loop_of(phases));
  bool is_same = true;
  for (int w = 0; w < 4; ++w) {
    at_once[w].download();
    phases[w].download();
    is_same &= at_once[w].bytes() == phases[w].bytes();
  }
  bool is_close = true;
  for_each_index(row, [&](const Sizes& of_row) {
    double largest[2] = {-INFINITY, -INFINITY};
    double sum = 0;
    Sizes index = of_row;
    for (index.back() = 0; index.back() < shape.back(); ++index.back()) {
      for (int k = 0; k < 2; ++k) {
        const Tensor& tensor = k == 0 ? x : y;
        const double value = tensor.get(tensor.place(index));
        largest[k] = std::isnan(value) || std::isnan(largest[k]) ? NAN : std::max(largest[k], value);
      }
    }
    for (int k = 0; k < 2; ++k) {
      const double found = value_of(at_once[k], of_row);
      is_close &= found == largest[k] || (std::isnan(found) && std::isnan(largest[k]));
    }
    if (is_special) return;
    for (index.back() = 0; index.back() < shape.back(); ++index.back()) {
      sum += std::exp(x.get(x.place(index)) - largest[0]);
    }
    is_close &= std::fabs(value_of(at_once[2], of_row) - std::log(sum)) < 1e-5;
    index.back() = static_cast<int64_t>(value_of(target, of_row));
    const bool is_inside = index.back() >= 0 && index.back() < shape.back();
    const double picked = is_inside ? x.get(x.place(index)) - y.get(y.place(index)) : 0;
    is_close &= std::fabs(value_of(at_once[3], of_row) - picked) <= std::fabs(picked) * 1e-6;
  });
  const std::string name = "loss " + name_of(shape) + " " + name_of(dtype) + " at " + std::to_string(offset) +
                           (is_special ? " of special values" : "");
  report(name + ": at once", is_taken);
  report(name + ": the bits", is_same);
  report(name + ": values", is_close);
}

void check_losses() {
  for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kHalf, Dtype::kFloat}) {
    for (const Sizes& shape : std::vector<Sizes>{{37, 2}, {37, 7}, {6, 40}, {2, 3, 136}, {5, 509}, {5, 1024}, {5, 1021},
                                                 {3, 4096}, {3, 5000}, {66, 16392}, {67, 17001}}) {
      for (const bool is_special : {false, true}) check_loss(shape, dtype, 0, is_special);
      check_loss(shape, dtype, 3, false);
    }
  }
}

}  // namespace

// Runs the groups that are named; all of them if none is.
int main(int count, char** arguments) { return run_groups(count, arguments, {{"losses", check_losses}}) ? 0 : 1; }
