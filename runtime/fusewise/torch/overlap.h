#pragma once
// The check that results of out= share no memory with inputs.

#include <fusewise/torch/operator.h>

namespace fusewise {

// Refuses an output that, judged by strides, may share memory with an input or another output. An input may be
// the output itself, because every element is read before it is written. A packed input may not, because its
// parts are read at other places.
void check_overlap(const Operator& op, const Arguments& arguments, const Outputs& outputs);

}  // namespace fusewise
