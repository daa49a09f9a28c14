// Checks the CUDA kernels that reduce rows on a GPU: the bits of their totals against the tree of additions that
// kernels/totals.cuh defines, computed on the host, and their values against double:
//   nvcc -std=c++20 -arch=native -lineinfo -Iruntime tests/runtime/totals_cuda_check.cu
//     runtime/fusewise/core/reduction.cpp runtime/fusewise/cuda/*.cu -o check
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <fusewise/cuda/totals.cuh>

#include "cuda_tensor.h"

namespace {

struct Squares {
  static constexpr int kReads = 1, kWrites = 1, kParams = 0, kInstructions = 2;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    out[0] = in[0] * in[0];
  }
};

// A sum and a maximum, with a value that is hoisted from a row scalar.
struct Pair {
  static constexpr int kReads = 3, kWrites = 2, kParams = 0, kInstructions = 8, kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 4;
  template <class T>
  RT_FN static void hoist(const T* in, const T*, T* hoisted) {
    hoisted[0] = in[2] * T(2);
  }
  template <class T>
  RT_FN static void apply(const T* in, const T*, const T* hoisted, T* out) {
    out[0] = in[0] * in[1];
    out[1] = in[0] + hoisted[0];
  }
};

// Many reads, of which the first two are row scalars and the third is bool.
struct Masked {
  static constexpr int kReads = 6, kWrites = 3, kParams = 0, kInstructions = 80;
  static constexpr unsigned kRowScalars = 3;
  RT_FN static constexpr Dtype stored_dtype(int operand, Dtype others) {
    return operand == 2 ? Dtype::kBool : others;
  }
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    out[0] = rt::where(in[2] != T(0), in[3], in[0]);
    out[1] = in[4] + in[1];
    out[2] = in[5] - in[0];
  }
};

template <class Op_, uint32_t kMaxima_>
struct Case {
  using Op = Op_;
  static constexpr uint32_t kMaxima = kMaxima_;
  static Status run(const Loop& loop, const Number* params, const Launch& launch) {
    return run_cuda_totals<Op, Numbers, kMaxima>(loop, params, launch);
  }
};

using SquaresCase = Case<Squares, 0>;
using LargestCase = Case<Squares, 1>;
using PairCase = Case<Pair, 2>;
using MaskedCase = Case<Masked, 4>;

// The tree of additions of a row

template <class T>
T combine(bool is_maximum, T a, T b) {
  return is_maximum ? rt::maximum(a, b) : static_cast<T>(a + b);
}

template <class T>
T identity_of(bool is_maximum) {
  if (!is_maximum) return T(0);
  return std::is_same_v<T, int64_t> ? std::numeric_limits<T>::min() : -std::numeric_limits<T>::infinity();
}

template <class T>
T binary_tree(bool is_maximum, std::vector<T> values) {
  while (values.size() > 1) {
    if (values.size() % 2 != 0) values.push_back(identity_of<T>(is_maximum));
    for (size_t i = 0; i < values.size() / 2; ++i) {
      values[i] = combine(is_maximum, values[2 * i], values[2 * i + 1]);
    }
    values.resize(values.size() / 2);
  }
  return values[0];
}

template <class T>
T total_of(bool is_maximum, const std::vector<T>& terms) {
  const size_t unit = sizeof(T) == 8 ? 1 : 4;
  const T identity = identity_of<T>(is_maximum);
  std::vector<T> tiles;
  for (size_t tile = 0; tile == 0 || tile < terms.size(); tile += 1024) {
    std::vector<T> lanes(64, identity);
    for (size_t i = 0; i < 1024; i += unit) {
      std::vector<T> of_unit;
      for (size_t e = tile + i; e < tile + i + unit; ++e) {
        of_unit.push_back(e < terms.size() ? terms[e] : identity);
      }
      T& lane = lanes[i / unit % 64];
      lane = combine(is_maximum, lane, binary_tree(is_maximum, of_unit));
    }
    tiles.push_back(binary_tree(is_maximum, lanes));
  }
  return binary_tree(is_maximum, tiles);
}

// A loop whose dimension 0 is the last one of `shape`, and a total for each row. Absent operands are null.
Loop make_rows(const Sizes& shape, const std::vector<const Tensor*>& reads, const std::vector<const Tensor*>& writes,
               Dtype compute) {
  Loop loop{};
  loop.num_dims = static_cast<int>(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) loop.sizes[d] = shape[shape.size() - 1 - d];
  loop.num_reads = static_cast<int>(reads.size());
  loop.num_writes = static_cast<int>(writes.size());
  loop.compute = compute;
  int k = 0;
  for (const auto* list : {&reads, &writes}) {
    for (const Tensor* tensor : *list) {
      if (tensor != nullptr) loop.operands[k] = tensor->operand(shape);
      else loop.operands[k].dtype = compute;
      if (list == &writes) loop.operands[k].strides[0] = 0;
      ++k;
    }
  }
  return loop;
}

// The shape of the totals of rows.
Sizes without_columns(Sizes shape) {
  shape.back() = 1;
  return shape;
}

constexpr double kFill = 3;  // the value of absent reads

// What a check varies beside shapes and dtypes.
struct Setting {
  int64_t offset = 0;  // of the first read, in elements
  int64_t spread = 1;  // of all reads
  int transposed = -1;
  unsigned absent = 0;  // operands, a bit each
};

// Runs a case on reads, and checks each total: its bits, and its error against double. Returns the bits of all.
template <class Case, class T>
std::vector<char> check_totals(const std::string& name, const Sizes& shape, const std::vector<const Tensor*>& reads,
                               unsigned absent_writes = 0, int64_t spread = 1) {
  using Op = typename Case::Op;
  constexpr Dtype kCompute = dtype_of<T>();
  const Sizes kept = without_columns(shape);
  std::deque<Tensor> results;
  std::vector<const Tensor*> writes;
  for (int w = 0; w < Op::kWrites; ++w) {
    const Tensor& result = results.emplace_back(kCompute, kept, 1, spread);
    writes.push_back((absent_writes >> w & 1) != 0 ? nullptr : &result);
  }
  Loop loop = make_rows(shape, reads, writes, kCompute);
  for (int k = 0; k < Op::kReads; ++k) loop.operands[k].fill = Number(kFill);
  run(Case::run, loop);
  std::vector<std::vector<char>> expected;
  for (Tensor& result : results) {
    expected.push_back(result.bytes());
    result.download();
  }
  bool is_exact = true, is_precise = true;
  std::vector<char> bits;
  for_each_index(kept, [&](const Sizes& row) {
    std::vector<std::vector<T>> terms(static_cast<size_t>(Op::kWrites));
    Sizes index = row;
    for (index.back() = 0; index.back() < shape.back(); ++index.back()) {
      T in[Op::kReads], hoisted[kHoisted<Op> + 1], out[Op::kWrites];
      for (size_t k = 0; k < static_cast<size_t>(Op::kReads); ++k) {
        in[k] = static_cast<T>(reads[k] == nullptr ? kFill : reads[k]->get(reads[k]->place(index)));
      }
      hoist<Op>(in, in, hoisted);
      apply<Op>(in, in, hoisted, static_cast<const Dtype*>(nullptr), out);
      for (size_t w = 0; w < terms.size(); ++w) terms[w].push_back(out[w]);
    }
    for (size_t w = 0; w < terms.size(); ++w) {
      if (writes[w] == nullptr) continue;
      const bool is_maximum = (Case::kMaxima >> w & 1) != 0;
      const T total = total_of(is_maximum, terms[w]);
      const size_t place = results[w].place(row) * sizeof(T);
      T found;
      std::memcpy(&found, results[w].bytes().data() + place, sizeof(T));
      is_exact &= std::memcmp(&found, &total, sizeof(T)) == 0 || (found != found && total != total);
      std::memcpy(expected[w].data() + place, &found, sizeof(T));
      bits.insert(bits.end(), reinterpret_cast<char*>(&found), reinterpret_cast<char*>(&found + 1));
      if (is_maximum || std::is_same_v<T, int64_t>) continue;
      long double sum = 0, size = 0;
      for (const T term : terms[w]) {
        sum += static_cast<long double>(term);
        size += std::fabs(static_cast<long double>(term));
      }
      const double unit = std::is_same_v<T, float> ? 6e-8 : 1.2e-16;
      const long double bound = unit * (24 + std::log2(static_cast<double>(terms[w].size() + 1))) * size;
      is_precise &= !(std::fabs(static_cast<long double>(found) - sum) > bound);
    }
  });
  report(name + ": bits", is_exact);
  report(name + ": values", is_precise);
  bool is_kept = true;
  for (size_t w = 0; w < results.size(); ++w) is_kept &= results[w].bytes() == expected[w];
  report(name + ": nothing beside them", is_kept);
  return bits;
}

template <class Case>
std::vector<char> check_in(Dtype compute, const std::string& name, const Sizes& shape,
                           const std::vector<const Tensor*>& reads, unsigned absent_writes = 0, int64_t spread = 1) {
  const auto check = compute == Dtype::kDouble  ? check_totals<Case, double>
                     : compute == Dtype::kInt64 ? check_totals<Case, int64_t>
                                                : check_totals<Case, float>;
  return check(name, shape, reads, absent_writes, spread);
}

Dtype compute_of(Dtype dtype) {
  if (dtype == Dtype::kDouble) return dtype;
  return size_of(dtype) == 2 || dtype == Dtype::kFloat ? Dtype::kFloat : Dtype::kInt64;
}

const std::vector<int64_t> kLengths{0,    1,    2,    3,    7,     8,     9,     15,     17,     31,    32,   33,
                                    61,   63,   64,   100,  119,   127,   128,   129,    253,    255,   256,  257,
                                    511,  513,  768,  1000, 1021,  1023,  1024,  1025,   1031,   2048,  3000, 4095,
                                    4096, 4097, 8190, 9001, 16384, 32769, 65537, 262144, 262145, 600001};

void check_lengths() {
  for (const int64_t length : kLengths) {
    for (const int64_t rows : {1, 2, 7, 40, 1000}) {
      if (rows > 1 && rows * length > 300000) continue;
      for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kHalf, Dtype::kFloat, Dtype::kDouble, Dtype::kInt64}) {
        const Sizes shape{rows, length};
        Tensor x(dtype, shape);
        fill_randomly(x, static_cast<uint32_t>(length + rows));
        const std::string name = name_of(shape) + " " + name_of(dtype);
        check_in<SquaresCase>(compute_of(dtype), "sums " + name, shape, {&x});
        check_in<LargestCase>(compute_of(dtype), "maxima " + name, shape, {&x});
      }
    }
  }
}

// Reads of other dtypes, strides and alignments, for rows that start anywhere.
void check_layouts() {
  const std::vector<Sizes> shapes{{5, 1021}, {3, 4, 1000}, {2, 3, 5, 264}, {9, 5000}, {2, 33000}, {4, 3, 2, 7}};
  const std::vector<Setting> settings{{}, {1}, {3}, {4}, {0, 2}, {1, 3}, {0, 1, 0}, {5, 1, 0}};
  for (const Sizes& shape : shapes) {
    const Sizes row = without_columns(shape);
    for (const Setting& setting : settings) {
      for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat, Dtype::kDouble, Dtype::kInt32}) {
        const Dtype compute = compute_of(dtype);
        Tensor x(dtype, shape, setting.offset, setting.spread, setting.transposed);
        Tensor same(dtype, {shape.back()}, setting.offset), other(compute, shape), scalar(compute, row);
        Tensor one(Dtype::kInt64, row);
        for (Tensor* const tensor : {&x, &same, &other, &scalar, &one}) fill_randomly(*tensor, 9);
        for_each_index(shape, [&](const Sizes& index) {  // the elements, not their places, decide the values
          int64_t seed = 1;
          for (const int64_t i : index) seed = seed * 31 + i;
          x.set(x.place(index), next_integer(seed, -9, 9) / 2);
        });
        x.upload();
        const std::string name = name_of(shape) + " " + name_of(dtype) + " at " + std::to_string(setting.offset) +
                                 " spread " + std::to_string(setting.spread) + " transposed " +
                                 std::to_string(setting.transposed);
        check_in<SquaresCase>(compute, "layout " + name, shape, {&x}, 0, setting.spread);
        check_in<PairCase>(compute, "broadcast " + name, shape, {&x, &same, &scalar});
        check_in<PairCase>(compute, "mixed " + name, shape, {&x, &other, &one}, 0, 2);
        check_in<PairCase>(compute, "scalars " + name, shape, {&x, &scalar, &x});
        check_in<PairCase>(compute, "absent " + name, shape, {&x, nullptr, &scalar}, 1);
        check_in<PairCase>(compute, "absent maxima " + name, shape, {nullptr, &x, nullptr}, 2);
        check_in<PairCase>(compute, "row scalars alone " + name, shape, {&scalar, nullptr, &one});
      }
    }
  }
}

// A pass of many reads with a bool among them, and row scalars of other dtypes.
void check_masked() {
  for (const Sizes& shape : std::vector<Sizes>{{5, 1021}, {33, 768}, {2, 3, 5000}, {1, 70000}}) {
    const Sizes row = without_columns(shape);
    for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kHalf, Dtype::kFloat, Dtype::kDouble}) {
      for (const Dtype type : {compute_of(dtype), Dtype::kInt64, dtype}) {
        for (const int64_t offset : {0, 3}) {
          Tensor first(type, row), second(Dtype::kFloat, row), mask(Dtype::kBool, shape, offset);
          Tensor x(dtype, shape, offset), y(dtype, {shape.back()}), z(dtype, shape);
          for (Tensor* const tensor : {&first, &second, &mask, &x, &y, &z}) fill_randomly(*tensor, 5);
          int64_t seed = 3;
          for_each_index(shape, [&](const Sizes& index) { mask.set(mask.place(index), next_integer(seed, 0, 1)); });
          mask.upload();
          const std::string name = name_of(shape) + " " + name_of(dtype) + " " + name_of(type) + " at " +
                                   std::to_string(offset);
          const auto check = [&](const char* kind, const std::vector<const Tensor*>& reads) {
            check_in<MaskedCase>(compute_of(dtype), kind + name, shape, reads);
          };
          check("masked ", {&first, &second, &mask, &x, &y, &z});
          check("masked, no row scalars ", {&x, &second, &mask, &x, &y, &first});
        }
      }
    }
  }
}

// The bits of a row are the same among any number of rows, at any place, stride and alignment.
void check_invariance() {
  for (const int64_t length : kLengths) {
    for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat}) {
      Tensor one(dtype, {1, length});
      fill_randomly(one, 7);
      const auto bits = check_in<SquaresCase>(Dtype::kFloat, "a row " + std::to_string(length), {1, length}, {&one});
      const auto same = [&](const Sizes& shape, const Tensor& x) {
        Tensor totals(Dtype::kFloat, without_columns(shape));
        run(SquaresCase::run, make_rows(shape, {&x}, {&totals}, Dtype::kFloat));
        totals.download();
        bool is_same = true;
        for_each_index(without_columns(shape), [&](const Sizes& row) {
          is_same &= std::memcmp(totals.bytes().data() + totals.place(row) * 4, bits.data(), 4) == 0;
        });
        report("the same row " + name_of(shape) + " " + name_of(dtype), is_same);
      };
      for (const int64_t rows : {2, 5, 31, 100, 300, 1500, 40000}) {
        if (rows * length < 500000000) same({rows, length}, one);  // one row, expanded
      }
      same({7, 3, length}, one);
      for (const auto& [offset, spread] : std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {2, 1}, {7, 1}, {0, 5}}) {
        for (const int transposed : {-1, 0}) {
          Tensor x(dtype, {3, length}, offset, spread, transposed);
          for_each_index({3, length}, [&](const Sizes& index) {
            x.set(x.place(index), one.get(one.place({0, index[1]})));
          });
          x.upload();
          same({3, length}, x);
        }
      }
    }
  }
}

// NaN and infinities, where they stand in a row.
void check_special() {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const int64_t length : {1, 5, 264, 1021, 5000, 70001}) {
    for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat, Dtype::kDouble}) {
      for (const double value : {nan, inf, -inf, -0.0}) {
        const Sizes shape{6, length};
        Tensor x(dtype, shape), y(dtype, shape);
        fill_randomly(x, 3);
        fill_randomly(y, 4);
        for (int64_t row = 0; row < shape[0]; ++row) {
          for (int64_t i = 0; i < length; ++i) {
            const size_t place = x.place({row, i});
            if (row == 5 || i == row * (length - 1) / 4) x.set(place, value);
          }
        }
        x.upload();
        const std::string name = std::to_string(value) + " " + name_of(shape) + " " + name_of(dtype);
        check_in<PairCase>(compute_of(dtype), "special " + name, shape, {&x, &y, nullptr});
        check_in<LargestCase>(compute_of(dtype), "special square " + name, shape, {&x});
      }
    }
  }
}

// Of zeros of both signs +0 is the maximum, wherever they lie, among any number of rows.
void check_zeros() {
  for (const auto& [plus, minus] : std::vector<std::pair<int64_t, int64_t>>{{0, 1}, {38912, 39936}, {39936, 38912}}) {
    for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat, Dtype::kDouble}) {
      Tensor x(dtype, {1, 40960}), zero(dtype, {1, 1});
      for (int64_t i = 0; i < x.numel(); ++i) x.set(x.place({0, i}), i == plus ? 0.0 : i == minus ? -0.0 : -1.0);
      zero.set(zero.first(), -0.0);  // x + -0 is x
      for (Tensor* const tensor : {&x, &zero}) tensor->upload();
      for (const int64_t rows : {1, 300}) {
        Tensor top(compute_of(dtype), {rows, 1});
        run(PairCase::run, make_rows({rows, x.numel()}, {&x, &x, &zero}, {nullptr, &top}, top.dtype()));
        top.download();
        const double found = top.get(top.place({rows - 1, 0}));
        report("zeros " + std::to_string(plus) + " " + std::to_string(rows), found == 0 && !std::signbit(found));
      }
    }
  }
}

}  // namespace

// Runs the groups that are named; all of them if none is.
int main(int count, char** arguments) {
  const bool passed = run_groups(count, arguments,
                                 {{"lengths", check_lengths},
                                  {"layouts", check_layouts},
                                  {"masked", check_masked},
                                  {"invariance", check_invariance},
                                  {"special", check_special},
                                  {"zeros", check_zeros}});
  return passed ? 0 : 1;
}
