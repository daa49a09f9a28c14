// The interface between the row loop of a pass, which is compiled in the op's own file, and the executor,
// which is compiled once for all passes. Free of torch.
#pragma once

#include <cstdint>

#include <fusewise/core/loop.h>

namespace fusewise {

inline constexpr int kMostLanes = 64;  // the most lanes that a vector has on any processor
inline constexpr int kLine = 64;       // bytes of a cache line, and of the widest register

RT_FN void prefetch_lines(const char* from, int64_t bytes) {
  for (int64_t byte = 0; byte < bytes; byte += kLine) __builtin_prefetch(from + byte);
}

// The destination of the elements of a write.
enum class Written : int8_t {
  kStored,
  kPastCaches,  // memory, by non-temporal stores; all addresses are multiples of kLine
  kAdded,       // sums in memory: floats, to which the elements are added
  kDropped,
};

// Rows of an operand: element i of row r is at data + i * step + r * row_step. A row loop of floats takes
// these steps: 0 for a read that is a row scalar, the item size for a dense row, and twice the item size for
// the parts of an interleaved tensor, which are this operand and the next. A write that is added with a step
// of 0 goes to kMostLanes sums in turn. Rows of doubles and integers are dense and stored.
struct Stream {
  Stream() = default;  // leaves an array of them as it is, since most calls have few operands
  RT_FN Stream(char* data, int64_t step, int64_t row_step, Dtype dtype, Written written = Written::kStored)
      : data(data), step(step), row_step(row_step), dtype(dtype), written(written) {}

  char* data;
  int64_t step;
  int64_t row_step;
  Dtype dtype;
  Written written;
};

// Runs a pass over rows of `count` elements. In a row loop of floats the count is a multiple of kMostLanes,
// and the memory of all these elements must be accessible. Each vector is read before it is written.
using RowLoop = void (*)(const Stream* operands, const Number* params, const Dtype* types,
                         int64_t count, int64_t rows);

// A pass for one compute type.
struct CpuPass {
  RowLoop row_loop;   // null if the pass has no kernel for the type
  int instructions;   // the rough cost of an element, which determines the number of elements for a thread
  uint32_t pairs;     // the operands that may be the first part of an interleaved tensor: a bit each
  uint32_t integers;  // the reads that a row loop of floats takes as integers or bools, too: a bit each
};

// Runs a pass over a whole loop. T is float, double or int64_t.
template <class T>
void run_rows(const Loop& loop, const Number* params, const Launch& launch, const CpuPass& pass);

}  // namespace fusewise
