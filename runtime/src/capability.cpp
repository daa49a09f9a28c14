// What the processor has. Free of torch.
#include <cstdlib>
#include <string_view>

#include <fusewise/capability.h>

namespace fusewise {

namespace {

Capability best_of_processor() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  // All that have AVX2 have F16C, which Clang 14 cannot ask for.
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

const Capability kCapability = choose();

}  // namespace

Capability cpu_capability() { return kCapability; }

}  // namespace fusewise
