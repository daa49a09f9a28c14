#pragma once
// The dtypes of a call: promotion, the type of the arithmetic, and the storage types of kernels.

#include <fusewise/torch/operator.h>

namespace fusewise {

// The promoted dtype of the inputs, as PyTorch promotes.
at::ScalarType common_dtype(const Operator& op, const Arguments& arguments);

// The dtype of the arithmetic. An op of integers and bools that gives a float computes in float.
at::ScalarType compute_dtype(const Operator& op, at::ScalarType common);

// The dtype of an output without a model.
at::ScalarType result_dtype(const Output& output, const Arguments& arguments,
                            at::ScalarType common);

// The dtype must be one that check_inputs accepts, or float8.
Dtype storage_dtype(at::ScalarType dtype);

// The name in Python.
std::string dtype_name(at::ScalarType dtype);

}  // namespace fusewise
