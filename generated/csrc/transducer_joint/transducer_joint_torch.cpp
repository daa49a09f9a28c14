// Generated from specs/bias/transducer_joint.yaml by `fusewise generate`. Do not edit.
// The formulas stand in transducer_joint.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::transducer_joint {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& f = reads[0];
  const Value& g = reads[1];
  writes[0] = aten::relu(f + g);
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& out = reads[1];
  const Value where0 = aten::where(out <= 0, 0, grad_out);
  writes[0] = where0;
  writes[1] = where0;
}

void double_backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_grad_f = reads[0];
  const Value& grad_grad_g = reads[1];
  const Value& out = reads[3];
  writes[0] = aten::where(out <= 0, 0, grad_grad_f + grad_grad_g);
}

const Pass kDoubleBackward = {
    .schema = "transducer_joint_double_backward(Tensor? grad_grad_f, Tensor? grad_grad_g, Tensor?"
              " grad_out, Tensor? out, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_grad_f", .optional = true},
               {.name = "grad_grad_g", .optional = true},
               {.name = "grad_out"},
               {.name = "out"}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "transducer_joint_backward(Tensor grad_out, Tensor? out, Tensor? f, Tensor? g, "
              "bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_out"},
               {.name = "out"},
               {.name = "f", .shape_only = true},
               {.name = "g", .shape_only = true}},
    .outputs = {{.name = "grad_f", .like = 2, .reads = {0, 1}},
                {.name = "grad_g", .like = 3, .reads = {0, 1}, .equal_output = 0}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0},
};

const Pass kForward = {
    .schema = "transducer_joint(Tensor f, Tensor g) -> Tensor",
    .inputs = {{.name = "f"}, {.name = "g"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_outputs = {0},
    .saved_shapes = {0, 1},
    .gradients = {0, 1},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::transducer_joint
