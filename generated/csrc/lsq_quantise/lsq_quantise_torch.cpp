// Generated from specs/quantised/lsq_quantise.yaml by `fusewise generate`. Do not edit.
// The formulas stand in lsq_quantise.math.h.
#include <ATen/ops/clamp.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/logical_and.h>
#include <ATen/ops/round.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::lsq_quantise {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor& step = reads[1];
  const double low = params[0].as<double>();
  const double high = params[1].as<double>();
  const Tensor steps = x / step;
  const Tensor v = at::clamp(steps, low, high);
  const Tensor round0 = at::round(v);
  const Tensor level = straight_through(round0, v);
  writes[0] = level * step;
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& x = reads[1];
  const Tensor& step = reads[2];
  const double low = params[0].as<double>();
  const double high = params[1].as<double>();
  const Tensor steps = x / step;
  const Tensor inside = at::logical_and(steps >= low, steps <= high);
  const Tensor stop_grad0 = at::detach(x);
  const Tensor where0 = at::where(inside, x, stop_grad0);
  const Tensor stop_grad1 = at::detach(step);
  const Tensor where1 = at::where(inside, step, stop_grad1);
  const Tensor clamp0 = at::clamp(where0 / where1, low, high);
  const Tensor round0 = at::round(clamp0);
  const Tensor straight_through0 = straight_through(round0, clamp0);
  const Tensor where2 = at::where(inside, stop_grad0, x);
  const Tensor where3 = at::where(inside, stop_grad1, step);
  const Tensor clamp1 = at::clamp(where2 / where3, low, high);
  const Tensor where4 = at::where(inside, straight_through0 - clamp0, clamp1);
  writes[0] = at::where(inside, grad_out, 0);
  writes[1] = grad_out * where4;
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_grad_step = reads[1];
  const Tensor& grad_out = reads[2];
  const Tensor& x = reads[3];
  const Tensor& step = reads[4];
  const double low = params[0].as<double>();
  const double high = params[1].as<double>();
  const Tensor steps = x / step;
  const Tensor inside = at::logical_and(steps >= low, steps <= high);
  const Tensor where0 = at::where(inside, grad_grad_x, 0);
  const Tensor stop_grad0 = at::detach(x);
  const Tensor where1 = at::where(inside, x, stop_grad0);
  const Tensor stop_grad1 = at::detach(step);
  const Tensor where2 = at::where(inside, step, stop_grad1);
  const Tensor div0 = where1 / where2;
  const Tensor clamp0 = at::clamp(div0, low, high);
  const Tensor round0 = at::round(clamp0);
  const Tensor straight_through0 = straight_through(round0, clamp0);
  const Tensor where3 = at::where(inside, stop_grad0, x);
  const Tensor where4 = at::where(inside, stop_grad1, step);
  const Tensor clamp1 = at::clamp(where3 / where4, low, high);
  const Tensor where5 = at::where(inside, straight_through0 - clamp0, clamp1);
  const Tensor stop_grad2 = at::detach(grad_out);
  const Tensor where6 = at::where(inside, grad_out, stop_grad2);
  const Tensor stop_grad3 = at::detach(grad_grad_step);
  const Tensor where7 = at::where(inside, grad_grad_step, stop_grad3);
  const Tensor mul0 = where7 * where6;
  const Tensor where8 = at::where(at::logical_and(div0 >= low, div0 <= high), mul0 - mul0, mul0);
  writes[0] = grad_grad_step * where5 + where0;
  writes[1] = at::where(inside, where8 / where2, 0);
  writes[2] = at::where(inside, -(div0 / where2 * where8), 0);
}

const Pass kDoubleBackward = {
    .schema = "lsq_quantise_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_step, Tensor? "
              "grad_out, Tensor? x, Tensor? step, *, int low, int high, bool[3] needs) -> "
              "(Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_step", .optional = true},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "step"}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_x", .like = 3, .reads = {1, 2, 3, 4}},
                {.name = "grad_step", .like = 4, .reads = {1, 2, 3, 4}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
};

const Pass kBackward = {
    .schema = "lsq_quantise_backward(Tensor grad_out, Tensor? x, Tensor? step, *, int low, int "
              "high, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_out"}, {.name = "x"}, {.name = "step"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}},
                {.name = "grad_step", .like = 2, .reads = {0, 1, 2}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Pass kForward = {
    .schema = "lsq_quantise(Tensor x, Tensor step, *, int low=-8, int high=7) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "step"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::lsq_quantise
