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

using Loss = cuda::RowPasses<15, 0, 0, 0, 0, true, cuda::NoPass, LossRows, cuda::NoPass, cuda::Phase<Maxima, 3>,
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

// A loss whose sums are relative to the maxima: those of exp(x - max(x)), of y - max(y), and of the exponential times
// the difference of both, and x - max(x) at the target.
struct RelativeSums {
  static constexpr int kReads = 10, kWrites = 4, kParams = 1, kInstructions = 30;
  static constexpr unsigned kRowScalars = 0x1fc;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    const T x = in[0] - in[3];
    const T y = in[1] - in[4];
    out[0] = rt::exp_negative(x);
    out[1] = y;
    out[2] = rt::where(out[0] == T(0), T(0), out[0] * (x - y));
    out[3] = rt::where(in[9] == in[2], x, T(0));
  }
};
struct RelativeMaxima : Maxima {
  static constexpr int kReads = 10;
  static constexpr unsigned kRowScalars = 0x1fc;
};
struct Rescale {
  static constexpr int kWrites = 4;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    constexpr T kLeast = -T(INFINITY);
    const auto difference = [](T tile, T row) {
      return rt::where((row > kLeast) & ((tile == row) | (tile == kLeast)), T(0), tile - row);
    };
    const T of_x = difference(in[4], in[6]);
    const T of_y = difference(in[5], in[7]);
    const T factor = rt::exp_negative(of_x);
    const T sum = in[0];
    out[0] = sum * factor;
    out[1] = in[1] + of_y * in[8];
    out[2] = rt::where(factor == T(0), T(0), in[2] * factor + (of_x - of_y) * factor * sum);
    out[3] = in[3];
  }
};
struct RelativeRows {
  static constexpr int kReads = 10, kWrites = 6, kParams = 1, kInstructions = 20;
  static constexpr unsigned kRowScalars = 0x1fc;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    out[0] = in[3];
    out[1] = in[4];
    out[2] = rt::log(in[5]);
    out[3] = in[8];
    out[4] = in[6];
    out[5] = in[7];
  }
};

using MaximaPhase = cuda::Phase<RelativeMaxima, 3>;
using RelativePhase = cuda::Phase<RelativeSums, 0, 8, 2, Rescale>;
using Relative =
    cuda::RowPasses<63, 0, 0, 0, 0, true, cuda::NoPass, RelativeRows, cuda::NoPass, MaximaPhase, RelativePhase>;

Status run_relative_phases(const Loop& loop, const Number*, const Launch& launch) {
  static constexpr RowPhase kPhases[] = {{run_cuda_totals<RelativeMaxima, Floats, 3>, 2},
                                         {run_cuda_relative_totals<MaximaPhase, RelativePhase, 3, Floats>, 4}};
  static constexpr RowPass kPass = {
      .phases = kPhases,
      .num_phases = 2,
      .num_totals = 6,
      .num_params = 0,
      .row_reads = 4,
      .row_writes = 63,
      .fill_index = fill_index_cuda,
      .rows = run_cuda_pointwise<RelativeRows, Floats>,
      .elements = nullptr,
      .at_once = nullptr,
  };
  return run_row_pass(kPass, loop, nullptr, launch);
}

struct Case {
  std::string name;
  Kernel at_once;
  Kernel phases;
  bool is_relative;
};

// The last columns are padding: x is so small there that exponentials vanish, and y is minus infinity.
void check_loss(const Case& loss, const Sizes& shape, Dtype dtype, int64_t offset, bool is_special,
                int64_t padding = 0) {
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
  for_each_index(row, [&](const Sizes& index) {
    Sizes place = index;
    for (place.back() = shape.back() - padding; place.back() < shape.back(); ++place.back()) {
      x.set(x.place(place), -1e4);
      y.set(y.place(place), -INFINITY);
    }
  });
  for (Tensor* const tensor : {&x, &y, &target}) tensor->upload();
  std::deque<Tensor> at_once, phases;
  const size_t writes = loss.is_relative ? 6 : 4;
  for (size_t w = 0; w < writes; ++w) {
    at_once.emplace_back(Dtype::kFloat, row);
    phases.emplace_back(Dtype::kFloat, row);
  }
  const auto loop_of = [&](const std::deque<Tensor>& results) {
    std::vector<const Tensor*> all;
    for (const Tensor& result : results) all.push_back(&result);
    return row_loop(shape, {&x, &y, &target}, all);
  };
  run(loss.at_once, loop_of(at_once));
  run(loss.phases, loop_of(phases));
  bool is_same = true;
  for (size_t w = 0; w < writes; ++w) {
    at_once[w].download();
    phases[w].download();
    is_same &= at_once[w].bytes() == phases[w].bytes();
  }
  bool is_close = true;
  for_each_index(row, [&](const Sizes& of_row) {
    double largest[2] = {-INFINITY, -INFINITY};
    double sum = 0, differences = 0, products = 0, magnitude = 0;
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
      const double of_x = x.get(x.place(index)) - largest[0];
      const double of_y = y.get(y.place(index)) - largest[1];
      sum += std::exp(of_x);
      differences += of_y;
      if (std::exp(of_x) == 0) continue;
      products += std::exp(of_x) * (of_x - of_y);
      magnitude += std::exp(of_x) * std::fabs(of_x - of_y);
    }
    is_close &= std::fabs(value_of(at_once[2], of_row) - std::log(sum)) < 1e-5;
    index.back() = static_cast<int64_t>(value_of(target, of_row));
    const bool is_inside = index.back() >= 0 && index.back() < shape.back();
    const double other = loss.is_relative ? largest[0] : is_inside ? y.get(y.place(index)) : 0;
    const double picked = is_inside ? x.get(x.place(index)) - other : 0;
    if (loss.is_relative) {
      const double found = value_of(at_once[4], of_row);
      is_close &= found == differences || std::fabs(found - differences) <= std::fabs(differences) * 1e-6;
      is_close &= std::fabs(value_of(at_once[5], of_row) - products) <= magnitude * 2e-6;
    }
    is_close &= std::fabs(value_of(at_once[3], of_row) - picked) <= std::fabs(picked) * 1e-6;
  });
  const std::string name = loss.name + " " + name_of(shape) + " " + name_of(dtype) + " at " + std::to_string(offset) +
                           (is_special ? " of special values" : "") + (padding > 0 ? " padded" : "");
  report(name + ": at once", is_taken);
  report(name + ": the bits", is_same);
  report(name + ": values", is_close);
}

void check_each(const Case& loss) {
  for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kHalf, Dtype::kFloat}) {
    for (const Sizes& shape : std::vector<Sizes>{{37, 2}, {37, 7}, {6, 40}, {2, 3, 136}, {5, 509}, {5, 1024}, {5, 1021},
                                                 {3, 4096}, {3, 5000}, {66, 16392}, {67, 17001}}) {
      for (const bool is_special : {false, true}) check_loss(loss, shape, dtype, 0, is_special);
      check_loss(loss, shape, dtype, 3, false);
    }
  }
  check_loss(loss, {600, 4100}, Dtype::kBFloat16, 0, false);  // so many rows have smaller blocks
}

void check_losses() { check_each({"loss", run_at_once<Loss>, run_loss_phases, false}); }
void check_relative() {
  const Case loss{"relative loss", run_at_once<Relative>, run_relative_phases, true};
  check_each(loss);
  for (const Sizes& shape : std::vector<Sizes>{{5, 3000}, {66, 17001}}) {
    for (const int64_t padding : {10, 1500}) check_loss(loss, shape, Dtype::kBFloat16, 0, false, padding);
  }
}

}  // namespace

// Runs the groups that are named; all of them if none is.
int main(int count, char** arguments) {
  return run_groups(count, arguments, {{"losses", check_losses}, {"relative", check_relative}}) ? 0 : 1;
}
