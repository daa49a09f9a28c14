#pragma once
// Functions that decompositions call: those of ATen, by its names, and others.

#include <fusewise/torch/value.h>

namespace fusewise {

// A number as a 0-dim tensor, for functions of ATen that take tensors only. It has the dtype of `like` and
// promotes nothing.
Value constant(Scalar value, const Value& like);

Value condition(bool value, const Value& like);

// The length of a row, given the index of an element in it.
Value row_length(const Value& index);

// The value rounded to `type`, with the derivative of the unrounded value. Integer types and wider types do not
// round.
Value round_to(const Value& value, Dtype type);

// `value` with the derivative of `carrier`.
Value straight_through(const Value& value, const Value& carrier);

namespace aten {

Value abs(const Value& x);
Value sign(const Value& x);
Value floor(const Value& x);
Value ceil(const Value& x);
Value trunc(const Value& x);
Value round(const Value& x);
Value square(const Value& x);
Value reciprocal(const Value& x);
Value isnan(const Value& x);
Value isinf(const Value& x);
Value isfinite(const Value& x);
Value sqrt(const Value& x);
Value rsqrt(const Value& x);
Value exp(const Value& x);
Value exp2(const Value& x);
Value expm1(const Value& x);
Value log(const Value& x);
Value log2(const Value& x);
Value log10(const Value& x);
Value log1p(const Value& x);
Value sin(const Value& x);
Value cos(const Value& x);
Value tan(const Value& x);
Value asin(const Value& x);
Value acos(const Value& x);
Value atan(const Value& x);
Value sinh(const Value& x);
Value cosh(const Value& x);
Value tanh(const Value& x);
Value asinh(const Value& x);
Value acosh(const Value& x);
Value atanh(const Value& x);
Value erf(const Value& x);
Value erfc(const Value& x);
Value erfinv(const Value& x);
Value lgamma(const Value& x);
Value digamma(const Value& x);
Value sigmoid(const Value& x);
Value log_sigmoid(const Value& x);
Value relu(const Value& x);
Value relu6(const Value& x);
Value selu(const Value& x);
Value logical_not(const Value& x);
Value detach(const Value& x);

Value minimum(const Value& x, const Value& y);
Value maximum(const Value& x, const Value& y);
Value hypot(const Value& x, const Value& y);
Value xlogy(const Value& x, const Value& y);
Value logaddexp(const Value& x, const Value& y);
Value atan2(const Value& x, const Value& y);
Value remainder(const Value& x, const Value& y);
Value pow(const Value& x, const Value& y);
Value logical_and(const Value& x, const Value& y);
Value logical_or(const Value& x, const Value& y);
Value special_zeta(const Value& x, const Value& y);
Value pow(const Value& x, Scalar y);
Value div(const Value& x, const Value& y, const char* rounding_mode);
Value clamp(const Value& x, const Value& low, const Value& high);
Value clamp(const Value& x, Scalar low, Scalar high);
Value where(const Value& condition, const Value& a, const Value& b);
Value where(const Value& condition, const Value& a, Scalar b);
Value where(const Value& condition, Scalar a, const Value& b);

// Of the last dimension, which keeps size 1.
Value sum(const Value& x);
Value mean(const Value& x);
Value amax(const Value& x);
Value amin(const Value& x);
Value logsumexp(const Value& x);
Value var(const Value& x, double correction);
Value std(const Value& x, double correction);
Value linalg_vector_norm(const Value& x);
Value any(const Value& x);
Value all(const Value& x);
// Along the last dimension.
Value softmax(const Value& x);
Value log_softmax(const Value& x);

}  // namespace aten
}  // namespace fusewise
