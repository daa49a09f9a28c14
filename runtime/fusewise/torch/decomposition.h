#pragma once
// Functions that decompositions call and ATen does not have.

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/bitwise_or.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/full.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/where.h>

namespace fusewise {

// A number as a 0-dim tensor, for functions of ATen that take tensors only. It has the dtype of `like` and
// promotes nothing.
inline at::Tensor constant(const at::Scalar& value, const at::Tensor& like) {
  return at::full({}, value, like.options());
}

inline at::Tensor condition(bool value, const at::Tensor& like) {
  return at::full({}, value, like.options().dtype(at::kBool));
}

// The length of a row, given the index of an element in it.
inline at::Tensor row_length(const at::Tensor& index) {
  return at::full({}, index.sym_size(-1), index.options());
}

// The value rounded to `type`, with the derivative of the unrounded value. Integer types and wider types do not
// round.
inline at::Tensor round_to(const at::Tensor& value, at::ScalarType type) {
  if (!c10::isFloatingType(type) || type == at::kDouble || type == value.scalar_type()) return value;
  const at::Tensor plain = at::detach(value);
  // Compilers drop a conversion to a type and back, unless an operation on the bits is in between.
  const at::ScalarType whole = type == at::kFloat ? at::kInt : at::kShort;
  const at::Tensor bits = at::bitwise_or(plain.to(type).view(whole), 0);
  const at::Tensor rounded = bits.view(type).to(value.scalar_type());
  // The difference keeps the sign of zero. Infinities and NaN stay as they are.
  return at::where(at::isfinite(value), rounded - (plain - value), value);
}

// `value` with the derivative of `carrier`.
inline at::Tensor straight_through(const at::Tensor& value, const at::Tensor& carrier) {
  const at::Tensor zero = carrier - at::detach(carrier);  // NaN where the carrier is infinite
  return at::detach(value) + at::where(at::isfinite(carrier), zero, 0);
}

}  // namespace fusewise
