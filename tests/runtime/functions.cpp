// C entry points that apply the functions of functions.h to arrays, for tests/runtime/test_functions.py:
// of floats, of vectors of floats, and of doubles, where the C library's functions are the reference.
#include <fusewise/cpu/simd.h>

namespace rt = fusewise::rt;

// For vectors, `count` must be a multiple of the number of lanes.
#define FUNCTION(name)                                                                        \
  extern "C" void name##_float(const float* in, float* out, int64_t count) {                  \
    for (int64_t i = 0; i < count; ++i) out[i] = rt::name(in[i]);                             \
  }                                                                                           \
  extern "C" void name##_double(const double* in, double* out, int64_t count) {               \
    for (int64_t i = 0; i < count; ++i) out[i] = rt::name(in[i]);                             \
  }                                                                                           \
  extern "C" void name##_vector(const float* in, float* out, int64_t count) {                 \
    for (int64_t i = 0; i < count; i += rt::kLanes) {                                         \
      rt::store(out + i, rt::name(rt::load(in + i)));                                         \
    }                                                                                         \
  }

// The second arguments follow the first ones in `in`.
#define FUNCTION_OF_TWO(name)                                                                 \
  extern "C" void name##_float(const float* in, float* out, int64_t count) {                  \
    for (int64_t i = 0; i < count; ++i) out[i] = rt::name(in[i], in[count + i]);              \
  }                                                                                           \
  extern "C" void name##_double(const double* in, double* out, int64_t count) {               \
    for (int64_t i = 0; i < count; ++i) out[i] = rt::name(in[i], in[count + i]);              \
  }                                                                                           \
  extern "C" void name##_vector(const float* in, float* out, int64_t count) {                 \
    for (int64_t i = 0; i < count; i += rt::kLanes) {                                         \
      rt::store(out + i, rt::name(rt::load(in + i), rt::load(in + count + i)));               \
    }                                                                                         \
  }

FUNCTION_OF_TWO(pow)
FUNCTION(exp)
FUNCTION(exp2)
FUNCTION(expm1)
FUNCTION(log)
FUNCTION(log2)
FUNCTION(log10)
FUNCTION(log1p)
FUNCTION(log1p_unit)
FUNCTION(exp_negative)
FUNCTION(sinh)
FUNCTION(cosh)
FUNCTION(tanh)
FUNCTION(tanh_near_zero)
FUNCTION(asinh)
FUNCTION(acosh)
FUNCTION(atanh)
FUNCTION(sin)
FUNCTION(cos)
FUNCTION(sin_doubled)
FUNCTION(sin_squared)
FUNCTION(tan)
FUNCTION(asin)
FUNCTION(acos)
FUNCTION(atan)
FUNCTION(erf)
FUNCTION(erfc)
FUNCTION(normal_cdf)
