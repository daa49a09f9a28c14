#pragma once
// The call of a pass's derivative, and stand-ins for tensors that were not saved.

#include <fusewise/torch/operator.h>

namespace fusewise {

// The arguments of a derivative except the incoming gradients. Tensors are in the order of its inputs.
struct Saved {
  std::vector<Tensor> tensors;
  Params params;
  Needs needs;
};

// True if the derivative takes a gradient of the output.
bool has_gradient(const Operator& op, const Output& output);

// Sets the fields of an op that describe the tensors saved for its derivative. `op.derivative` must be set.
void describe_saved(Operator& op);

// The gradients of the inputs, given those of the outputs; undefined where `saved` does not need them.
std::vector<Tensor> differentiate(const Operator& op, const std::vector<Tensor>& grads,
                                  const Saved& saved);

// True if the tensor, or a part of it, has the shape of the result, or of a part of it.
bool is_full(const Tensor& tensor, int parts, const Tensor& result, int result_parts);

// True if a gradient that is made without a model has the shape, dtype and strides of the tensor.
bool is_laid_out_alike(const Tensor& tensor, int parts, const Tensor& result, int result_parts);

// True if a tensor is plain memory of a CPU or GPU, and no subclass or mode would intercept its creation.
bool is_plain(const Tensor& tensor);

// One uninitialized number, expanded to the shape of a tensor, with its dtype and device.
Tensor expanded_number(const Tensor& tensor);

}  // namespace fusewise
