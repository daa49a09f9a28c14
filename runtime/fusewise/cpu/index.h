// The index of an element in its row, as an operand of the passes of a row pass (core/rows.h).
#pragma once

#include <fusewise/core/loop.h>

namespace fusewise {

// Writes 0, 1, 2, ... to the write of a loop of one dimension, which is dense and in the compute type.
Status fill_index_cpu(const Loop& loop, const Number* params, const Launch& launch);

}  // namespace fusewise
