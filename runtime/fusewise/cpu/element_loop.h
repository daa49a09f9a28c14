// The loop over the elements of a row pass, in an order that suits the memory of its operands. Free of torch.
//
// Short rows are packed: several of them make up the inner dimension. Rows that lie side by side in memory run along
// the dimension in which they are adjacent. All other loops stay as they are.
#pragma once

#include <cstdint>

#include <fusewise/core/loop.h>

namespace fusewise {

// Rows that make up the inner dimension of a loop. The strides of the loop are those within a row.
struct Packing {
  int64_t length = 0;              // of a row; 0 if none are packed
  int64_t strides[kMaxOperands];   // from row to row, in bytes

  // True if an operand has one stride along the inner dimension.
  bool is_uniform(const Loop& loop, int k) const {
    return length == 0 || strides[k] == length * loop.operands[k].strides[0];
  }
};

struct ElementLoop {
  // `elements`: the loop whose dimension 0 is a row of `length` elements, unless it was merged with others.
  ElementLoop(const Loop& elements, int64_t length);

  Loop loop;
  Packing packing;
  // So many rows of the pass are so many rows of the loop; 0 if some rows of the pass are no rows of the loop.
  int64_t pass_rows = 0;
  int64_t loop_rows = 0;

 private:
  void pack();
  void run_side_by_side();
};

}  // namespace fusewise
