#pragma once
// A tensor of a decomposition. The header has nothing of torch: its headers take a compiler longer than the
// file of an op.

#include <cstddef>
#include <type_traits>

#include <fusewise/core/loop.h>

namespace at {
class Tensor;
}

namespace fusewise {

using at::Tensor;

// An at::Tensor, which may be undefined.
class Value {
 public:
  Value() noexcept;
  Value(const Tensor& tensor);
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();

  const Tensor& tensor() const;

 private:
  alignas(void*) std::byte storage_[sizeof(void*)];
};

// A number beside a tensor: an integer, a bool or a double, which promote the tensor's dtype as in Python.
class Scalar {
 public:
  template <class Given>
    requires std::is_arithmetic_v<Given>
  Scalar(Given number)
      : number_(number),
        dtype_(std::is_same_v<Given, bool>   ? Dtype::kBool
               : std::is_integral_v<Given> ? Dtype::kInt64
                                           : Dtype::kDouble) {}

  Number number() const { return number_; }
  Dtype dtype() const { return dtype_; }

 private:
  Number number_;
  Dtype dtype_;
};

// The operators of two tensors, or of a tensor and a number.
#define RT_EACH_OPERATOR(body) \
  body(+) body(-) body(*) body(/) body(<) body(<=) body(>) body(>=) body(==) body(!=)
#define RT_OPERATOR(op)                              \
  Value operator op(const Value& x, const Value& y); \
  Value operator op(const Value& x, Scalar y);       \
  Value operator op(Scalar x, const Value& y);

RT_EACH_OPERATOR(RT_OPERATOR)
#undef RT_OPERATOR

Value operator-(const Value& x);

}  // namespace fusewise
