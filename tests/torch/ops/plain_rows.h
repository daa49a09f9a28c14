// Runs a function on every row of a loop, in doubles and one after the other: the kernels of sample ops that
// reduce. Sums are plain, so that these tests depend on no kernel of the runtime.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include <fusewise/core/loop.h>
#include <fusewise/cpu/conversions.h>

namespace fusewise {

using Values = std::vector<double>;

// What the kernels are promised: dimension 0 is the row, and row operands do not move along it.
inline const char* check_row_loop(const Loop& loop, uint32_t row_operands) {
  if (loop.num_dims < 1) return "a loop without a row";
  for (int d = 1; d < loop.num_dims; ++d) {
    if (loop.sizes[d] == 1) return "a dimension of size 1 beside the row";
  }
  for (int k = 0; k < num_operands(loop); ++k) {
    const bool is_row = (row_operands >> k & 1) != 0;
    if (is_row && loop.operands[k].strides[0] != 0) return "a row operand that moves along the row";
  }
  return nullptr;
}

// Begins the sum of every element of a write, also where no row adds to it.
inline void begin_sums(const Loop& loop, const Operand& write, char* data, int d,
                       std::map<char*, double>& sums) {
  if (d == loop.num_dims) {
    sums[data] = 0;
    return;
  }
  const int64_t places = write.strides[d] == 0 ? 1 : loop.sizes[d];
  for (int64_t i = 0; i < places; ++i) begin_sums(loop, write, data + i * write.strides[d], d + 1, sums);
}

// Calls body(reads, length, writes) for each row. `row_operands` has a bit for each operand with one number for
// each row: the body reads and writes element 0 of it.
template <class Body>
Status run_plain_rows(const Loop& loop, uint32_t row_operands, const Body& body) {
  if (const char* message = check_row_loop(loop, row_operands)) return {.message = message};
  const Conversions<double> convert = conversions<double>();
  const int64_t length = loop.sizes[0];
  int64_t rows = 1;
  for (int d = 1; d < loop.num_dims; ++d) rows *= loop.sizes[d];
  std::vector<std::map<char*, double>> sums(loop.num_writes);
  for (int w = 0; w < loop.num_writes; ++w) {
    const Operand& write = loop.operands[loop.num_reads + w];
    if (write.data != nullptr) begin_sums(loop, write, static_cast<char*>(write.data), 0, sums[w]);
  }
  std::vector<Values> reads(loop.num_reads), writes(loop.num_writes);
  for (int64_t row = 0; row < rows; ++row) {
    const auto row_of = [&](const Operand& operand) {
      char* data = static_cast<char*>(operand.data);
      int64_t left = row;
      for (int d = 1; d < loop.num_dims; ++d) {
        data += left % loop.sizes[d] * operand.strides[d];
        left /= loop.sizes[d];
      }
      return data;
    };
    const auto count = [&](int k) { return (row_operands >> k & 1) != 0 ? 1 : length; };
    for (int k = 0; k < loop.num_reads; ++k) {
      const Operand& read = loop.operands[k];
      reads[k].assign(count(k), read.fill.as<double>());
      if (read.data == nullptr) continue;
      convert.widen(reads[k].data(), row_of(read), read.dtype, read.strides[0], count(k));
    }
    for (int w = 0; w < loop.num_writes; ++w) writes[w].assign(count(loop.num_reads + w), 0);
    body(reads, length, writes);
    for (int w = 0; w < loop.num_writes; ++w) {
      const Operand& write = loop.operands[loop.num_reads + w];
      if (write.data == nullptr) continue;
      char* const data = row_of(write);
      for (int64_t i = 0; i < count(loop.num_reads + w); ++i) {
        sums[w][data + i * write.strides[0]] += writes[w][i];
      }
    }
  }
  for (int w = 0; w < loop.num_writes; ++w) {
    const Dtype dtype = loop.operands[loop.num_reads + w].dtype;
    for (const auto& [data, sum] : sums[w]) convert.narrow(data, &sum, dtype, size_of(dtype), 1);
  }
  return {};
}

inline double sum(const Values& values) {
  double total = 0;
  for (const double value : values) total += value;
  return total;
}

inline double dot(const Values& a, const Values& b) {
  double total = 0;
  for (size_t i = 0; i < a.size(); ++i) total += a[i] * b[i];
  return total;
}

}  // namespace fusewise
