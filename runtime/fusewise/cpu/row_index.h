// The place of a row in a loop whose dimension 0 is the row. Free of torch.
#pragma once

#include <cstdint>

#include <fusewise/core/loop.h>

namespace fusewise {

struct RowIndex {
  RowIndex(const Loop& loop, int64_t row) {
    for (int d = 1; d < loop.num_dims; ++d) {
      index[d] = row % loop.sizes[d];
      row /= loop.sizes[d];
    }
  }

  // The address of the row in an operand.
  char* data_of(const Loop& loop, int k) const {
    char* data = static_cast<char*>(loop.operands[k].data);
    if (data == nullptr) return nullptr;
    for (int d = 1; d < loop.num_dims; ++d) data += index[d] * loop.operands[k].strides[d];
    return data;
  }

  int64_t index[kMaxDims] = {};
};

}  // namespace fusewise
