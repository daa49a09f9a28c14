#include <fusewise/cpu/pages.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace fusewise {

namespace {

constexpr uintptr_t kHugePage = 2 << 20;       // bytes
constexpr size_t kLeastBytes = 2 * kHugePage;  // a block of this size always contains an aligned huge page
constexpr int kPopulateWrite = 23;             // MADV_POPULATE_WRITE of Linux 5.14

// True if a page is in memory, or if the system does not say.
bool is_resident(uintptr_t page) {
  unsigned char found = 1;
  mincore(reinterpret_cast<void*>(page), 1, &found);
  return (found & 1) != 0;
}

struct Pages {
  uintptr_t begin;
  uintptr_t end;

  // A system that does not know an advice ignores it, and gives pages at the first write.
  void advise(int advice) const { madvise(reinterpret_cast<void*>(begin), end - begin, advice); }

  // The pages in some of the huge pages of the address space.
  Pages within(uintptr_t first, uintptr_t last) const {
    return {std::max(begin, first * kHugePage), std::min(end, last * kHugePage)};
  }
};

}  // namespace

void populate(void* data, size_t bytes, decltype(Launch::parallel_for) parallel_for) {
  if (bytes < kLeastBytes) return;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<uintptr_t>(data);
  const Pages pages{(address + page - 1) / page * page, (address + bytes) / page * page};
  // An allocator may add new pages to the end of memory that it has kept, so the last page is checked.
  if (is_resident(pages.end - page)) return;
  pages.advise(MADV_HUGEPAGE);
  const uintptr_t first = pages.begin / kHugePage;
  const uintptr_t count = (pages.end - 1) / kHugePage + 1 - first;
  const auto body = [&](int64_t begin, int64_t end) {
    pages.within(first + static_cast<uintptr_t>(begin), first + static_cast<uintptr_t>(end))
        .advise(kPopulateWrite);
  };
  parallel_for(
      static_cast<int64_t>(count), 1,
      [](void* context, int64_t begin, int64_t end) {
        (*static_cast<const decltype(body)*>(context))(begin, end);
      },
      const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace fusewise
