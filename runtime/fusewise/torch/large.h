// For decompositions of so many ATen calls that the compiler would take minutes to optimize them.
#pragma once

#if defined(__clang__)
#define RT_UNOPTIMIZED [[clang::optnone]]
#else
#define RT_UNOPTIMIZED [[gnu::optimize("O0")]]
#endif
