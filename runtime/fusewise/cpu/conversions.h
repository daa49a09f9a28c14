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
  // The same as `widen` for several rows, whose results begin `to_step` elements apart.
  void (*widen_rows)(T* to, int64_t to_step, const char* from, Dtype dtype, int64_t stride, int64_t count,
                     int64_t row_step, int64_t rows);
};

// The conversions for the capability of the processor.
template <class T>
Conversions<T> conversions();

}  // namespace fusewise
