// Generated from specs/softmax/causal_softmax.yaml by `fusewise generate`. Do not edit.
// The formulas stand in causal_softmax.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::causal_softmax {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& last = reads[1];
  const Value index = reads[2];
  const double scale = params[0].as<double>();
  const Value where0 = aten::where(index <= last, scale * x, -INFINITY);
  writes[0] = aten::softmax(where0);
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& last = reads[1];
  const Value& out = reads[2];
  const Value index = reads[3];
  const double scale = params[0].as<double>();
  const Value sum0 = aten::sum(grad_out * out);
  writes[0] = aten::where(index <= last, out * (grad_out - sum0) * scale, 0);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_out = reads[1];
  const Value& last = reads[2];
  const Value& out = reads[3];
  const Value index = reads[4];
  const double scale = params[0].as<double>();
  const Value le0 = index <= last;
  const Value sum0 = aten::sum(grad_out * out);
  const Value mul0 = grad_grad_x * scale;
  const Value where0 = aten::where(le0, mul0 * (grad_out - sum0), 0);
  const Value mul1 = mul0 * out;
  const Value where1 = aten::where(le0, mul1, 0);
  const Value where2 = aten::where(le0, -mul1, 0);
  const Value sum1 = aten::sum(where2);
  writes[0] = where1 + sum1 * out;
  writes[1] = where0 + sum1 * grad_out;
}

const Pass kDoubleBackward = {
    .schema = "causal_softmax_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? last,"
              " Tensor? out, *, float scale, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x"},
               {.name = "grad_out"},
               {.name = "last", .kind = Kind::kInt, .extent = Extent::kRow},
               {.name = "out"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2, 3}},
                {.name = "grad_out", .like = 3, .reads = {0, 1, 2, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
    .reads_index = true,
};

const Pass kBackward = {
    .schema = "causal_softmax_backward(Tensor grad_out, Tensor? last, Tensor? out, Tensor? x, *, "
              "float scale, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"},
               {.name = "last", .kind = Kind::kInt, .extent = Extent::kRow},
               {.name = "out"},
               {.name = "x", .shape_only = true}},
    .outputs = {{.name = "grad_x", .like = 3, .reads = {0, 1, 2}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 2},
    .reduces = true,
    .reads_index = true,
};

const Pass kForward = {
    .schema = "causal_softmax(Tensor x, Tensor last, *, float scale=1) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "last", .kind = Kind::kInt, .extent = Extent::kRow}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {1},
    .saved_outputs = {0},
    .saved_shapes = {0},
    .gradients = {0},
    .reduces = true,
    .reads_index = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::causal_softmax
