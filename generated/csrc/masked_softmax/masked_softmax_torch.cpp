// Generated from specs/softmax/masked_softmax.yaml by `fusewise generate`. Do not edit.
// The formulas stand in masked_softmax.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::masked_softmax {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& keep = reads[1];
  const double scale = params[0].as<double>();
  const Value where0 = aten::where(keep, constant(1, reads[0]), constant(0, reads[0]));
  const Value sum0 = aten::sum(where0);
  const Value gt0 = sum0 > 0;
  const Value stop_grad0 = aten::detach(x);
  const Value where1 = aten::where(gt0, x, stop_grad0);
  const Value where2 = aten::where(keep, scale * where1, -INFINITY);
  const Value softmax0 = aten::softmax(where2);
  writes[0] = aten::where(gt0, softmax0, 0);
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& keep = reads[2];
  const double scale = params[0].as<double>();
  const Value where0 = aten::where(keep, scale * x, -INFINITY);
  const Value softmax0 = aten::softmax(where0);
  const Value where1 = aten::where(keep, constant(1, reads[0]), constant(0, reads[0]));
  const Value sum0 = aten::sum(where1);
  const Value gt0 = sum0 > 0;
  const Value sum1 = aten::sum(grad_out * softmax0);
  const Value stop_grad0 = aten::detach(softmax0);
  const Value stop_grad1 = aten::detach(grad_out);
  const Value where2 = aten::where(keep, softmax0, stop_grad0);
  const Value where3 = aten::where(keep, grad_out, stop_grad1);
  const Value stop_grad2 = aten::detach(where2);
  const Value where4 = aten::where(gt0, where2, stop_grad2);
  const Value stop_grad3 = aten::detach(where3);
  const Value where5 = aten::where(gt0, where3, stop_grad3);
  const Value where6 = aten::where(gt0, where4 * (where5 - sum1) * scale, 0);
  writes[0] = aten::where(keep, where6, 0);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_out = reads[1];
  const Value& x = reads[2];
  const Value& keep = reads[3];
  const double scale = params[0].as<double>();
  const Value where0 = aten::where(keep, scale * x, -INFINITY);
  const Value softmax0 = aten::softmax(where0);
  const Value where1 = aten::where(keep, constant(1, reads[0]), constant(0, reads[0]));
  const Value sum0 = aten::sum(where1);
  const Value gt0 = sum0 > 0;
  const Value sum1 = aten::sum(grad_out * softmax0);
  const Value stop_grad0 = aten::detach(softmax0);
  const Value where2 = aten::where(gt0, softmax0, stop_grad0);
  const Value stop_grad1 = aten::detach(grad_out);
  const Value where3 = aten::where(keep, softmax0, stop_grad0);
  const Value where4 = aten::where(keep, grad_out, stop_grad1);
  const Value stop_grad2 = aten::detach(where3);
  const Value where5 = aten::where(gt0, where3, stop_grad2);
  const Value stop_grad3 = aten::detach(where4);
  const Value where6 = aten::where(gt0, where4, stop_grad3);
  const Value stop_grad4 = aten::detach(grad_grad_x);
  const Value where7 = aten::where(keep, grad_grad_x, stop_grad4);
  const Value mul0 = where7 * scale;
  const Value where8 = aten::where(keep, -(mul0 * where3), 0);
  const Value sum2 = aten::sum(where8);
  const Value where9 = aten::where(gt0, grad_grad_x, stop_grad4);
  const Value stop_grad5 = aten::detach(where2);
  const Value where10 = aten::where(keep, where2, stop_grad5);
  const Value stop_grad6 = aten::detach(where9);
  const Value where11 = aten::where(keep, where9, stop_grad6);
  const Value where12 = aten::where(keep, where11 * scale * where10, 0);
  const Value where13 = aten::where(keep, mul0 * (where4 - sum1), 0);
  const Value sum3 = aten::sum((where13 + sum2 * grad_out) * softmax0);
  const Value stop_grad7 = aten::detach(where7);
  const Value where14 = aten::where(gt0, where7, stop_grad7);
  const Value stop_grad8 = aten::detach(where6);
  const Value where15 = aten::where(keep, where6, stop_grad8);
  const Value stop_grad9 = aten::detach(where14);
  const Value where16 = aten::where(keep, where14, stop_grad9);
  const Value where17 = aten::where(keep, where16 * scale * (where15 - sum1), 0);
  const Value mul1 = where5 * (where17 + sum2 * where6 - sum3) * scale;
  const Value where18 = aten::where(gt0, mul1, 0);
  writes[0] = aten::where(gt0, where12 + sum2 * where2, 0);
  writes[1] = aten::where(keep, where18, 0);
}

const Pass kDoubleBackward = {
    .schema = "masked_softmax_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? x, "
              "Tensor? keep, *, float scale, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x"},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "keep", .kind = Kind::kBool}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2, 3}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "masked_softmax_backward(Tensor grad_out, Tensor? x, Tensor? keep, Tensor? "
              "kept_total0, Tensor? kept_total1, Tensor? kept_total2, *, float scale, bool[1] "
              "needs) -> Tensor",
    .inputs = {{.name = "grad_out"},
               {.name = "x"},
               {.name = "keep", .kind = Kind::kBool},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total1", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total2", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2, 3, 4, 5}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1},
    .reduces = true,
};

const Pass kForward = {
    .schema = "masked_softmax(Tensor x, Tensor keep, *, float scale=1) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "keep", .kind = Kind::kBool}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0},
    .kept_totals = 3,
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::masked_softmax
