// Generated from specs/activations/weighted_squared_relu.yaml by `fusewise generate`. Do not edit.
// The formulas stand in weighted_squared_relu.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::weighted_squared_relu {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& weight = reads[1];
  const Value relu0 = aten::relu(x);
  const Value square0 = aten::square(relu0);
  writes[0] = square0 * weight;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& weight = reads[2];
  const Value relu0 = aten::relu(x);
  const Value square0 = aten::square(relu0);
  const Value le0 = relu0 <= 0;
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(le0, stop_grad0, x);
  const Value stop_grad1 = aten::detach(weight);
  const Value where1 = aten::where(le0, stop_grad1, weight);
  const Value relu1 = aten::relu(where0);
  const Value stop_grad2 = aten::detach(grad_out);
  const Value where2 = aten::where(le0, stop_grad2, grad_out);
  writes[0] = aten::where(le0, 0, where2 * where1 * (2 * relu1));
  writes[1] = grad_out * square0;
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_weight = reads[1];
  const Value& grad_out = reads[2];
  const Value& x = reads[3];
  const Value& weight = reads[4];
  const Value relu0 = aten::relu(x);
  const Value square0 = aten::square(relu0);
  const Value le0 = relu0 <= 0;
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(le0, stop_grad0, x);
  const Value stop_grad1 = aten::detach(weight);
  const Value where1 = aten::where(le0, stop_grad1, weight);
  const Value relu1 = aten::relu(where0);
  const Value stop_grad2 = aten::detach(grad_out);
  const Value where2 = aten::where(le0, stop_grad2, grad_out);
  const Value mul0 = 2 * relu1;
  const Value stop_grad3 = aten::detach(grad_grad_x);
  const Value where3 = aten::where(le0, stop_grad3, grad_grad_x);
  const Value mul1 = where3 * mul0;
  const Value where4 = aten::where(le0, 0, mul1 * where1);
  const Value stop_grad4 = aten::detach(grad_grad_weight);
  const Value where5 = aten::where(le0, stop_grad4, grad_grad_weight);
  const Value where6 = aten::where(relu1 <= 0, 0, where3 * (where2 * where1) * 2);
  writes[0] = grad_grad_weight * square0 + where4;
  writes[1] = aten::where(le0, 0, where6 + where5 * where2 * mul0);
  writes[2] = aten::where(le0, 0, mul1 * where2);
}

const Pass kDoubleBackward = {
    .schema = "weighted_squared_relu_double_backward(Tensor? grad_grad_x, Tensor? "
              "grad_grad_weight, Tensor? grad_out, Tensor? x, Tensor? weight, bool[3] needs) -> "
              "(Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_weight", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "weight"}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_weight", .like = 4, .reads = {0, 2, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "weighted_squared_relu_backward(Tensor grad_out, Tensor? x, Tensor? weight, bool[2]"
              " needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "weight"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}},
                {.name = "grad_weight", .like = 2, .reads = {0, 1}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Pass kForward = {
    .schema = "weighted_squared_relu(Tensor x, Tensor weight) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "weight"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::weighted_squared_relu
