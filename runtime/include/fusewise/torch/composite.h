#pragma once
// What a composite needs besides ATen's own functions.

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/full.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/where.h>

namespace fusewise {

// A number where ATen takes tensors only: of the dtype and device of `like`, so that nothing is promoted.
inline at::Tensor constant(double value, const at::Tensor& like) {
  return at::full({}, value, like.options());
}

inline at::Tensor condition(bool value, const at::Tensor& like) {
  return at::full({}, value, like.options().dtype(at::kBool));
}

// The value that `type` holds, with the derivative of the value itself.
inline at::Tensor round_to(const at::Tensor& value, at::ScalarType type) {
  const at::Tensor plain = at::detach(value);
  const at::Tensor rounded = plain.to(type).to(value.scalar_type());
  // A difference, which keeps the sign of a zero; what is not finite stays as it is.
  return at::where(at::isfinite(value), rounded - (plain - value), value);
}

// The value of the first with the derivative of the second.
inline at::Tensor straight_through(const at::Tensor& value, const at::Tensor& carrier) {
  const at::Tensor zero = carrier - at::detach(carrier);  // NaN where the carrier is infinite
  return at::detach(value) + at::where(at::isfinite(carrier), zero, 0);
}

}  // namespace fusewise
