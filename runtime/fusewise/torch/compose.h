#pragma once
// What the file of an op that calls other ops needs beside the functions of ATen that it calls.

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>

#include <initializer_list>
#include <vector>

#include <fusewise/torch/op.h>

namespace fusewise {

// Calls another op, say call_op("fusewise::lltm_cell", decompose, {gates, old_cell}).
std::vector<Tensor> call_op(const char* name, bool decompose, std::initializer_list<Tensor> inputs,
                            std::initializer_list<Number> params = {});

}  // namespace fusewise
