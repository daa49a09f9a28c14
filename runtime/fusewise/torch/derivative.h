#pragma once
// The call of a pass's derivative, and what it gets in place of tensors that were not saved.

#include <fusewise/torch/operator.h>

namespace fusewise {

// What one backward call needs beside the incoming gradients: tensors in the derivative's order.
struct Saved {
  std::vector<Tensor> tensors;
  Params params;
  Needs needs;
};

// Whether the derivative takes a gradient of the output.
bool has_gradient(const Operator& op, const Output& output);

// How many gradients arrive at the derivative of a pass that has one.
int num_arriving(const Operator& op);

// The gradients of the inputs that `saved` says are needed, given those of the outputs.
std::vector<Tensor> differentiate(const Operator& op, const std::vector<Tensor>& grads,
                                  const Saved& saved);

// Whether a tensor, or a part of it, is as large as a result, or a part of that.
bool is_full(const Tensor& tensor, int parts, const Tensor& result, int result_parts);

// Whether a gradient made without a model comes out with the shape, type and strides of the tensor.
bool is_laid_out_alike(const Tensor& tensor, int parts, const Tensor& result, int result_parts);

// Whether a tensor is memory and nothing that wants to see how it is made.
bool is_plain(const Tensor& tensor);

// One number, never read, with the shape, type and device of a tensor.
Tensor expanded_number(const Tensor& tensor);

}  // namespace fusewise
