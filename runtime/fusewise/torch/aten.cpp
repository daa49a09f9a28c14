// Values are tensors of ATen, and their functions are those of ATen.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/dtypes.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/relu6.h>
#include <ATen/ops/selu.h>
#include <ATen/ops/special_zeta.h>
#include <ATen/ops/std.h>
#include <ATen/ops/var.h>
#include <ATen/ops/where.h>

#include <memory>
#include <new>

namespace fusewise {

static_assert(sizeof(Tensor) == sizeof(Value) && alignof(Tensor) == alignof(Value));

const Tensor& Value::tensor() const { return *std::launder(reinterpret_cast<const Tensor*>(storage_)); }

namespace {

Tensor& tensor_of(Value& value) { return const_cast<Tensor&>(value.tensor()); }

at::Scalar scalar_of(Scalar scalar) {
  switch (scalar.dtype()) {
    case Dtype::kBool: return scalar.number().as<bool>();
    case Dtype::kInt64: return scalar.number().as<int64_t>();
    default: return scalar.number().as<double>();
  }
}

}  // namespace

Value::Value() noexcept { new (storage_) Tensor(); }
Value::Value(const Tensor& tensor) { new (storage_) Tensor(tensor); }
Value::Value(const Value& other) : Value(other.tensor()) {}
Value::Value(Value&& other) noexcept { new (storage_) Tensor(std::move(tensor_of(other))); }
Value& Value::operator=(const Value& other) {
  tensor_of(*this) = other.tensor();
  return *this;
}
Value& Value::operator=(Value&& other) noexcept {
  tensor_of(*this) = std::move(tensor_of(other));
  return *this;
}
Value::~Value() { std::destroy_at(&tensor_of(*this)); }

#define RT_OPERATOR(op)                                                                          \
  Value operator op(const Value& x, const Value& y) { return x.tensor() op y.tensor(); }          \
  Value operator op(const Value& x, Scalar y) { return x.tensor() op scalar_of(y); }              \
  Value operator op(Scalar x, const Value& y) { return scalar_of(x) op y.tensor(); }

RT_EACH_OPERATOR(RT_OPERATOR)
#undef RT_OPERATOR

Value operator-(const Value& x) { return -x.tensor(); }

Value constant(Scalar value, const Value& like) {
  return at::full({}, scalar_of(value), like.tensor().options());
}

Value condition(bool value, const Value& like) {
  return at::full({}, value, like.tensor().options().dtype(at::kBool));
}

Value row_length(const Value& index) {
  return at::full({}, index.tensor().sym_size(-1), index.tensor().options());
}

Value round_to(const Value& value, Dtype dtype) {
  const Tensor& unrounded = value.tensor();
  const at::ScalarType type = scalar_type(dtype);
  if (!c10::isFloatingType(type) || type == at::kDouble || type == unrounded.scalar_type()) return value;
  const Tensor plain = unrounded.detach();
  // Compilers drop a conversion to a type and back, unless an operation on the bits is in between.
  const at::ScalarType whole = type == at::kFloat ? at::kInt : at::kShort;
  const Tensor bits = plain.to(type).view(whole).bitwise_or(0);
  const Tensor rounded = bits.view(type).to(unrounded.scalar_type());
  // The difference keeps the sign of zero. Infinities and NaN stay as they are.
  return at::where(unrounded.isfinite(), rounded - (plain - unrounded), unrounded);
}

Value straight_through(const Value& value, const Value& carrier) {
  const Tensor& slope = carrier.tensor();
  const Tensor zero = slope - slope.detach();  // NaN where the carrier is infinite
  return value.tensor().detach() + at::where(slope.isfinite(), zero, 0);
}

namespace aten {

Value abs(const Value& x) { return x.tensor().abs(); }
Value sign(const Value& x) { return x.tensor().sign(); }
Value floor(const Value& x) { return x.tensor().floor(); }
Value ceil(const Value& x) { return x.tensor().ceil(); }
Value trunc(const Value& x) { return x.tensor().trunc(); }
Value round(const Value& x) { return x.tensor().round(); }
Value square(const Value& x) { return x.tensor().square(); }
Value reciprocal(const Value& x) { return x.tensor().reciprocal(); }
Value isnan(const Value& x) { return x.tensor().isnan(); }
Value isinf(const Value& x) { return x.tensor().isinf(); }
Value isfinite(const Value& x) { return x.tensor().isfinite(); }
Value sqrt(const Value& x) { return x.tensor().sqrt(); }
Value rsqrt(const Value& x) { return x.tensor().rsqrt(); }
Value exp(const Value& x) { return x.tensor().exp(); }
Value exp2(const Value& x) { return x.tensor().exp2(); }
Value expm1(const Value& x) { return x.tensor().expm1(); }
Value log(const Value& x) { return x.tensor().log(); }
Value log2(const Value& x) { return x.tensor().log2(); }
Value log10(const Value& x) { return x.tensor().log10(); }
Value log1p(const Value& x) { return x.tensor().log1p(); }
Value sin(const Value& x) { return x.tensor().sin(); }
Value cos(const Value& x) { return x.tensor().cos(); }
Value tan(const Value& x) { return x.tensor().tan(); }
Value asin(const Value& x) { return x.tensor().asin(); }
Value acos(const Value& x) { return x.tensor().acos(); }
Value atan(const Value& x) { return x.tensor().atan(); }
Value sinh(const Value& x) { return x.tensor().sinh(); }
Value cosh(const Value& x) { return x.tensor().cosh(); }
Value tanh(const Value& x) { return x.tensor().tanh(); }
Value asinh(const Value& x) { return x.tensor().asinh(); }
Value acosh(const Value& x) { return x.tensor().acosh(); }
Value atanh(const Value& x) { return x.tensor().atanh(); }
Value erf(const Value& x) { return x.tensor().erf(); }
Value erfc(const Value& x) { return x.tensor().erfc(); }
Value erfinv(const Value& x) { return x.tensor().erfinv(); }
Value lgamma(const Value& x) { return x.tensor().lgamma(); }
Value digamma(const Value& x) { return x.tensor().digamma(); }
Value sigmoid(const Value& x) { return x.tensor().sigmoid(); }
Value log_sigmoid(const Value& x) { return at::log_sigmoid(x.tensor()); }
Value relu(const Value& x) { return x.tensor().relu(); }
Value relu6(const Value& x) { return at::relu6(x.tensor()); }
Value selu(const Value& x) { return at::selu(x.tensor()); }
Value logical_not(const Value& x) { return x.tensor().logical_not(); }
Value detach(const Value& x) { return x.tensor().detach(); }

Value minimum(const Value& x, const Value& y) { return x.tensor().minimum(y.tensor()); }
Value maximum(const Value& x, const Value& y) { return x.tensor().maximum(y.tensor()); }
Value hypot(const Value& x, const Value& y) { return x.tensor().hypot(y.tensor()); }
Value xlogy(const Value& x, const Value& y) { return x.tensor().xlogy(y.tensor()); }
Value logaddexp(const Value& x, const Value& y) { return x.tensor().logaddexp(y.tensor()); }
Value atan2(const Value& x, const Value& y) { return x.tensor().atan2(y.tensor()); }
Value remainder(const Value& x, const Value& y) { return x.tensor().remainder(y.tensor()); }
Value pow(const Value& x, const Value& y) { return x.tensor().pow(y.tensor()); }
Value logical_and(const Value& x, const Value& y) { return x.tensor().logical_and(y.tensor()); }
Value logical_or(const Value& x, const Value& y) { return x.tensor().logical_or(y.tensor()); }
Value special_zeta(const Value& x, const Value& y) { return at::special_zeta(x.tensor(), y.tensor()); }
Value pow(const Value& x, Scalar y) { return x.tensor().pow(scalar_of(y)); }
Value div(const Value& x, const Value& y, const char* rounding_mode) {
  return x.tensor().div(y.tensor(), rounding_mode);
}
Value clamp(const Value& x, const Value& low, const Value& high) {
  return x.tensor().clamp(low.tensor(), high.tensor());
}
Value clamp(const Value& x, Scalar low, Scalar high) {
  return x.tensor().clamp(scalar_of(low), scalar_of(high));
}
Value where(const Value& condition, const Value& a, const Value& b) {
  return at::where(condition.tensor(), a.tensor(), b.tensor());
}
Value where(const Value& condition, const Value& a, Scalar b) {
  return at::where(condition.tensor(), a.tensor(), scalar_of(b));
}
Value where(const Value& condition, Scalar a, const Value& b) {
  return at::where(condition.tensor(), scalar_of(a), b.tensor());
}

Value sum(const Value& x) { return x.tensor().sum(-1, /*keepdim=*/true); }
Value mean(const Value& x) { return x.tensor().mean(-1, /*keepdim=*/true); }
Value amax(const Value& x) { return x.tensor().amax(-1, /*keepdim=*/true); }
Value amin(const Value& x) { return x.tensor().amin(-1, /*keepdim=*/true); }
Value logsumexp(const Value& x) { return x.tensor().logsumexp(-1, /*keepdim=*/true); }
Value var(const Value& x, double correction) {
  return at::var(x.tensor(), at::IntArrayRef{-1}, correction, /*keepdim=*/true);
}
Value std(const Value& x, double correction) {
  return at::std(x.tensor(), at::IntArrayRef{-1}, correction, /*keepdim=*/true);
}
Value linalg_vector_norm(const Value& x) {
  return at::linalg_vector_norm(x.tensor(), 2, at::IntArrayRef{-1}, /*keepdim=*/true);
}
Value any(const Value& x) { return x.tensor().any(-1, /*keepdim=*/true); }
Value all(const Value& x) { return x.tensor().all(-1, /*keepdim=*/true); }
Value softmax(const Value& x) { return x.tensor().softmax(-1); }
Value log_softmax(const Value& x) { return x.tensor().log_softmax(-1); }

}  // namespace aten
}  // namespace fusewise
