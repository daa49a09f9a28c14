#pragma once
// The dtypes of a call: the promoted dtype, the compute type, and the storage types of kernels.

#include <fusewise/torch/operator.h>

namespace fusewise {

// The promoted dtype of the inputs by PyTorch's rules.
at::ScalarType common_dtype(const Operator& op, const Arguments& arguments);

// The compute type of a call. An op of integers and bools with a float result computes in float.
at::ScalarType compute_dtype(const Operator& op, at::ScalarType common);

// The dtype of an output that its pass fixes, or another.
at::ScalarType dtype_or(const Output& output, at::ScalarType other);

// The dtype of an output without a model.
at::ScalarType result_dtype(const Output& output, const Arguments& arguments,
                            at::ScalarType common);

// The storage type of a dtype, which must be one that check_inputs accepts, or float8.
Dtype storage_dtype(at::ScalarType dtype);

// The inverse.
at::ScalarType scalar_type(Dtype dtype);

// The name of a dtype in Python.
std::string dtype_name(at::ScalarType dtype);

}  // namespace fusewise
