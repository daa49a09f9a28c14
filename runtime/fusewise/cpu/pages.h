// The pages of memory that a pass is about to write. Free of torch.
#pragma once

#include <cstddef>

#include <fusewise/core/loop.h>

namespace fusewise {

// Asks the system for the pages of a large block that has none yet: in huge pages if it has them, and by all
// threads. Otherwise each page would be given at its first write, which takes several times as long as the
// pass, and longest for non-temporal stores. The contents do not change. Does nothing for a block with pages.
void populate(void* data, size_t bytes, decltype(Launch::parallel_for) parallel_for);

}  // namespace fusewise
