// Rows of any type to the type that a pass on the CPU computes in, and back. Free of torch.
#pragma once

#include <cstdint>

#include <fusewise/math/dtype.h>

namespace fusewise {

// T is float, double or int64_t; strides are in bytes.
template <class T>
struct Conversions {
  // float8 is not read.
  void (*widen)(T* to, const char* from, Dtype dtype, int64_t stride, int64_t count);
  void (*narrow)(char* to, const T* from, Dtype dtype, int64_t stride, int64_t count);
};

// The best that the processor has.
template <class T>
Conversions<T> conversions();

}  // namespace fusewise
