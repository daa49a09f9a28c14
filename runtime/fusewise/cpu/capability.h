// What a file of CPU kernels is compiled for. Free of torch.
//
// Such a file is compiled several times: once for any machine, and on x86-64 also for AVX2 and for
// AVX-512, with FUSEWISE_CAPABILITY naming the namespace of all that depends on it. No symbol of one
// build may be taken by another. The build for any machine defines the kernels that others call, and
// goes over to the best build that the processor has.
#pragma once

#include <cstdint>

#if defined(FUSEWISE_CAPABILITY)
// The kernels by name are the other build's. Here they only bring about what they call.
#define RT_KERNEL [[gnu::used]] static
#else
#define FUSEWISE_CAPABILITY portable
#define FUSEWISE_PORTABLE
#define RT_KERNEL
#endif

namespace fusewise {

enum class Capability { kDefault, kAvx2, kAvx512 };

// The best that the processor has, or what ATEN_CPU_CAPABILITY names (default, avx2 or avx512) if that
// is less. Decided once, when the module is loaded.
Capability cpu_capability();

// Of the largest cache, or of one where the processor does not say.
int64_t cpu_cache_bytes();

}  // namespace fusewise
