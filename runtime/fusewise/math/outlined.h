// The functions of math.h as calls, with the same bits: a pass that is so large that inlining them would take
// the compiler minutes calls these. Each is compiled once for a value type. They have internal linkage,
// because the object files of other capabilities have functions of the same names.
#pragma once

#include <fusewise/math/math.h>

#if defined(__CUDACC__)
#define RT_OUTLINED static __host__ __device__ __noinline__
#else
#define RT_OUTLINED static __attribute__((noinline))
#endif

namespace fusewise::rt::outlined {

#define RT_UNARY(name) \
  template <class T>   \
  RT_OUTLINED T name(T x) { return rt::name(x); }
#define RT_BINARY(name) \
  template <class T>    \
  RT_OUTLINED T name(T x, T y) { return rt::name(x, y); }

RT_BINARY(floordiv)
RT_BINARY(mod)
RT_BINARY(pow)
RT_UNARY(cbrt)
RT_BINARY(hypot)
RT_UNARY(exp)
RT_UNARY(exp2)
RT_UNARY(expm1)
RT_UNARY(log)
RT_UNARY(log2)
RT_UNARY(log10)
RT_UNARY(log1p)
RT_UNARY(log1p_unit)
RT_UNARY(exp_negative)
RT_BINARY(exp_mul)
RT_UNARY(exp_remainder)
RT_UNARY(sin)
RT_UNARY(cos)
RT_UNARY(sin_doubled)
RT_UNARY(sin_squared)
RT_UNARY(tan)
RT_UNARY(asin)
RT_UNARY(acos)
RT_UNARY(atan)
RT_BINARY(atan2)
RT_UNARY(sinh)
RT_UNARY(cosh)
RT_UNARY(tanh)
RT_UNARY(tanh_near_zero)
RT_UNARY(asinh)
RT_UNARY(acosh)
RT_UNARY(atanh)
RT_UNARY(erf)
RT_UNARY(erfc)
RT_UNARY(erfinv)
RT_UNARY(normal_cdf)
RT_UNARY(lgamma)
RT_UNARY(digamma)
RT_BINARY(zeta)

#undef RT_UNARY
#undef RT_BINARY

}  // namespace fusewise::rt::outlined
