// The instruction sets for which CPU kernels are compiled. Free of torch.
//
// A file of CPU kernels is compiled several times: once for any processor, and on x86-64 also for AVX2 and
// AVX-512. FUSEWISE_CAPABILITY is the namespace of all code that depends on the instruction set, so that the
// linker never takes a symbol of one build for another. The build for any processor, the portable one, defines
// the kernels by name and calls the best build that the processor supports. FUSEWISE_WITH_AVX2 and
// FUSEWISE_WITH_AVX512 tell it which builds exist.
#pragma once

#include <cstdint>

#if defined(FUSEWISE_CAPABILITY)
// The portable build defines the kernels by name. Here they only instantiate the functions that they call.
#define RT_KERNEL [[gnu::used]] static
#else
#define FUSEWISE_CAPABILITY portable
#define FUSEWISE_PORTABLE
#define RT_KERNEL
#endif

namespace fusewise {

enum class Capability { kDefault, kAvx2, kAvx512 };

// The best capability of the processor, or that of ATEN_CPU_CAPABILITY (default, avx2 or avx512) if it is
// lower. It is chosen once, when the module is loaded.
Capability cpu_capability();

// The size of the largest cache in bytes, at most 96 MiB, or a typical size if the processor does not report it.
int64_t cpu_cache_bytes();

}  // namespace fusewise
