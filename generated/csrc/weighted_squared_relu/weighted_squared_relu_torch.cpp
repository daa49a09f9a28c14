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
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_weight = reads[1];
  const Value& grad_out = reads[2];
  const Value& x = reads[3];
  const Value& weight = reads[4];
  const bool has_grad_grad_x = params[0].as<bool>();
  const bool has_grad_grad_weight = params[1].as<bool>();
  const Value relu0 = aten::relu(x);
  const Value le0 = relu0 <= 0;
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(le0, stop_grad0, x);
  const Value stop_grad1 = aten::detach(weight);
  const Value where1 = aten::where(le0, stop_grad1, weight);
  const Value relu1 = aten::relu(where0);
  const Value stop_grad2 = aten::detach(grad_out);
  const Value where2 = aten::where(le0, stop_grad2, grad_out);
  const Value where3 = aten::where(condition(has_grad_grad_weight, reads[0]), x, stop_grad0);
  const Value relu2 = aten::relu(where3);
  const Value square0 = aten::square(relu2);
  const Value stop_grad3 = aten::detach(grad_grad_weight);
  const Value where4 = aten::where(condition(has_grad_grad_weight, reads[0]), grad_grad_weight,
      stop_grad3);
  const Value where5 = aten::where(condition(has_grad_grad_weight, reads[0]), where4 * square0, 0);
  const Value stop_grad4 = aten::detach(grad_grad_x);
  const Value where6 = aten::where(le0, stop_grad4, grad_grad_x);
  const Value stop_grad5 = aten::detach(where0);
  const Value where7 = aten::where(condition(has_grad_grad_x, reads[0]), where0, stop_grad5);
  const Value stop_grad6 = aten::detach(where1);
  const Value where8 = aten::where(condition(has_grad_grad_x, reads[0]), where1, stop_grad6);
  const Value relu3 = aten::relu(where7);
  const Value stop_grad7 = aten::detach(where6);
  const Value where9 = aten::where(condition(has_grad_grad_x, reads[0]), where6, stop_grad7);
  const Value mul0 = where9 * (2 * relu3);
  const Value where10 = aten::where(condition(has_grad_grad_x, reads[0]), mul0 * where8, 0);
  const Value where11 = aten::where(le0, 0, where10);
  const Value where12 = aten::where(le0, stop_grad3, grad_grad_weight);
  const Value where13 = aten::where(condition(has_grad_grad_x, reads[0]), where6 * (where2 * where1)
      * 2, 0);
  const Value where14 = aten::where(relu1 <= 0, 0, where13);
  const Value where15 = aten::where(condition(has_grad_grad_weight, reads[0]), where0, stop_grad5);
  const Value relu4 = aten::relu(where15);
  const Value stop_grad8 = aten::detach(where2);
  const Value where16 = aten::where(condition(has_grad_grad_weight, reads[0]), where2, stop_grad8);
  const Value stop_grad9 = aten::detach(where12);
  const Value where17 = aten::where(condition(has_grad_grad_weight, reads[0]), where12, stop_grad9);
  const Value where18 = aten::where(condition(has_grad_grad_weight, reads[0]), where17 * where16 *
      (2 * relu4), 0);
  const Value where19 = aten::where(condition(has_grad_grad_x, reads[0]), where2, stop_grad8);
  const Value where20 = aten::where(condition(has_grad_grad_x, reads[0]), mul0 * where19, 0);
  writes[0] = where5 + where11;
  writes[1] = aten::where(le0, 0, where14 + where18);
  writes[2] = aten::where(le0, 0, where20);
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
    .arrivals = {0, 1},
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
