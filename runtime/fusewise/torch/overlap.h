#pragma once
// Which tensors may be written while others are read.

#include <fusewise/torch/operator.h>

namespace fusewise {

// Refuses an output that shares memory with an input or another output, as far as strides tell. An input may be
// the very output, since every element is read before it is written; a packed one may not, since its parts are
// read at other places.
void check_overlap(const Operator& op, const Arguments& arguments, const Outputs& outputs);

}  // namespace fusewise
