// The pages of memory that a pass is about to write. Free of torch.
#pragma once

#include <cstddef>

#include <fusewise/core/loop.h>

namespace fusewise {

// Asks the system for the pages of a large block that has none yet: from all threads, and for huge pages if the
// system has them. Otherwise the first write to each page would wait for it, which takes several times as long
// as the pass. The contents do not change. A block that has its pages, or is small, is left alone.
void populate(void* data, size_t bytes, decltype(Launch::parallel_for) parallel_for);

}  // namespace fusewise
