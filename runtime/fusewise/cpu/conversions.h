// Conversions of rows of any storage type to the compute type of a pass, and back. Free of torch.
#pragma once

#include <cstdint>

#include <fusewise/math/dtype.h>

namespace fusewise {

// T is float, double or int64_t; strides are in bytes.
template <class T>
struct Conversions {
  // `dtype` is not a float8 type, since these are only written.
  void (*widen)(T* to, const char* from, Dtype dtype, int64_t stride, int64_t count);
  void (*narrow)(char* to, const T* from, Dtype dtype, int64_t stride, int64_t count);
};

// The conversions for the capability of the processor.
template <class T>
Conversions<T> conversions();

}  // namespace fusewise
