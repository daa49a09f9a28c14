// RT_UNOPTIMIZED turns optimization off for a decomposition with so many ATen calls that it would take minutes.
#pragma once

#if defined(__clang__)
#define RT_UNOPTIMIZED [[clang::optnone]]
#else
#define RT_UNOPTIMIZED [[gnu::optimize("O0")]]
#endif
