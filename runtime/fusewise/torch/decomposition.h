#pragma once
// What a decomposition needs besides ATen's own functions.

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/bitwise_or.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/full.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/where.h>

namespace fusewise {

// A number where ATen takes tensors only: of the dtype and device of `like`, so that nothing is promoted.
inline at::Tensor constant(const at::Scalar& value, const at::Tensor& like) {
  return at::full({}, value, like.options());
}

inline at::Tensor condition(bool value, const at::Tensor& like) {
  return at::full({}, value, like.options().dtype(at::kBool));
}

// The value that `type` holds, with the derivative of the value itself. Types that are no floats, or
// wider ones, leave it alone.
inline at::Tensor round_to(const at::Tensor& value, at::ScalarType type) {
  if (!c10::isFloatingType(type) || type == at::kDouble || type == value.scalar_type()) return value;
  const at::Tensor plain = at::detach(value);
  // Compilers drop a conversion there and back, unless something is done to the bits in between.
  const at::ScalarType whole = type == at::kFloat ? at::kInt : at::kShort;
  const at::Tensor bits = at::bitwise_or(plain.to(type).view(whole), 0);
  const at::Tensor rounded = bits.view(type).to(value.scalar_type());
  // A difference, which keeps the sign of a zero; what is not finite stays as it is.
  return at::where(at::isfinite(value), rounded - (plain - value), value);
}

// The value of the first with the derivative of the second.
inline at::Tensor straight_through(const at::Tensor& value, const at::Tensor& carrier) {
  const at::Tensor zero = carrier - at::detach(carrier);  // NaN where the carrier is infinite
  return at::detach(value) + at::where(at::isfinite(carrier), zero, 0);
}

}  // namespace fusewise
