// The capability and the cache of the processor. Free of torch.
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <fusewise/cpu/capability.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace fusewise {

namespace {

Capability best_of_processor() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  // Every processor with AVX2 has F16C, which Clang 14 cannot test.
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") &&
                          __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  if (has_avx512) return Capability::kAvx512;
  if (has_avx2) return Capability::kAvx2;
#endif
  return Capability::kDefault;
}

Capability choose() {
  const Capability best = best_of_processor();
  const char* const wish = std::getenv("ATEN_CPU_CAPABILITY");
  const std::string_view name = wish == nullptr ? "" : wish;
  if (name == "default") return Capability::kDefault;
  if (name == "avx2" && best == Capability::kAvx512) return Capability::kAvx2;
  return best;
}

// A larger cache belongs to a host of many cores, and a process has a part of it. On a host with 480 MiB, results
// of loops that move 96 MiB are written faster past the caches.
constexpr int64_t kMostCacheBytes = 96 << 20;

int64_t largest_cache() {
  int64_t largest = 32 << 20;
#if defined(__x86_64__)
  // Intel and AMD describe each cache in the same format, in leaf 0x4 and in leaf 0x8000001d.
  for (const unsigned leaf : {0x4u, 0x8000001du}) {
    unsigned a, b, c, d;
    for (unsigned i = 0; __get_cpuid_count(leaf, i, &a, &b, &c, &d) && (a & 31) != 0; ++i) {
      const int64_t ways = (b >> 22) + 1;
      const int64_t parts = (b >> 12 & 0x3ff) + 1;
      const int64_t line = (b & 0xfff) + 1;
      largest = i == 0 ? 0 : largest;
      largest = std::max(largest, ways * parts * line * (int64_t{c} + 1));
    }
  }
#endif
  return largest;
}

const Capability kCapability = choose();
const int64_t kCacheBytes = std::min(largest_cache(), kMostCacheBytes);

}  // namespace

Capability cpu_capability() { return kCapability; }

int64_t cpu_cache_bytes() { return kCacheBytes; }

}  // namespace fusewise
