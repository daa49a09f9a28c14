// Generated from specs/softmax/softcapped_softmax.yaml by `fusewise generate`. Do not edit.
// The formulas stand in softcapped_softmax.math.h.
#include <ATen/ops/detach.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <fusewise/torch/decomposition.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::softcapped_softmax {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& x = reads[0];
  const Tensor& last = reads[1];
  const Tensor index = reads[2];
  const double cap = params[0].as<double>();
  const double scale = params[1].as<double>();
  const Tensor le0 = index <= last;
  const Tensor stop_grad0 = at::detach(x);
  const Tensor where0 = at::where(le0, x, stop_grad0);
  const Tensor tanh0 = at::tanh(scale * where0 / cap);
  const Tensor where1 = at::where(le0, cap * tanh0, -INFINITY);
  writes[0] = at::softmax(where1, -1);
}

void backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_out = reads[0];
  const Tensor& x = reads[1];
  const Tensor& last = reads[2];
  const Tensor& out = reads[3];
  const Tensor index = reads[4];
  const double cap = params[0].as<double>();
  const double scale = params[1].as<double>();
  const Tensor le0 = index <= last;
  const Tensor sum0 = at::sum(grad_out * out, {-1}, true);
  const Tensor stop_grad0 = at::detach(x);
  const Tensor where0 = at::where(le0, x, stop_grad0);
  const Tensor stop_grad1 = at::detach(grad_out);
  const Tensor where1 = at::where(le0, grad_out, stop_grad1);
  const Tensor stop_grad2 = at::detach(out);
  const Tensor where2 = at::where(le0, out, stop_grad2);
  const Tensor mul0 = where2 * (where1 - sum0) * cap;
  const Tensor mul1 = 2 * (scale * where0 / cap);
  const Tensor sigmoid0 = at::sigmoid(mul1);
  const Tensor sigmoid1 = at::sigmoid(-mul1);
  const Tensor mul2 = mul0 * (4 * (sigmoid0 * sigmoid1)) / cap * scale;
  writes[0] = at::where(le0, mul2, 0);
}

void double_backward_decomposition(
    const Tensor* reads, const Number* params, const at::ScalarType*, Tensor* writes) {
  const Tensor& grad_grad_x = reads[0];
  const Tensor& grad_out = reads[1];
  const Tensor& x = reads[2];
  const Tensor& last = reads[3];
  const Tensor& out = reads[4];
  const Tensor index = reads[5];
  const double cap = params[0].as<double>();
  const double scale = params[1].as<double>();
  const Tensor le0 = index <= last;
  const Tensor sum0 = at::sum(grad_out * out, {-1}, true);
  const Tensor stop_grad0 = at::detach(x);
  const Tensor where0 = at::where(le0, x, stop_grad0);
  const Tensor div0 = scale * where0 / cap;
  const Tensor tanh0 = at::tanh(div0);
  const Tensor stop_grad1 = at::detach(grad_out);
  const Tensor where1 = at::where(le0, grad_out, stop_grad1);
  const Tensor stop_grad2 = at::detach(out);
  const Tensor where2 = at::where(le0, out, stop_grad2);
  const Tensor sub0 = where1 - sum0;
  const Tensor mul0 = 2 * div0;
  const Tensor sigmoid0 = at::sigmoid(mul0);
  const Tensor sigmoid1 = at::sigmoid(-mul0);
  const Tensor mul1 = 4 * (sigmoid0 * sigmoid1);
  const Tensor stop_grad3 = at::detach(grad_grad_x);
  const Tensor where3 = at::where(le0, grad_grad_x, stop_grad3);
  const Tensor div1 = where3 * scale / cap;
  const Tensor mul2 = div1 * (where2 * sub0 * cap);
  const Tensor mul3 = div1 * mul1 * cap;
  const Tensor mul4 = mul3 * where2;
  const Tensor where4 = at::where(le0, mul4, 0);
  const Tensor where5 = at::where(le0, -mul4, 0);
  const Tensor sum1 = at::sum(where5, {-1}, true);
  const Tensor mul5 = mul2 * (-2 * tanh0 * mul1) / cap * scale;
  const Tensor where6 = at::where(le0, mul3 * sub0, 0);
  writes[0] = where4 + sum1 * out;
  writes[1] = at::where(le0, mul5, 0);
  writes[2] = where6 + sum1 * grad_out;
}

const Pass kDoubleBackward = {
    .schema = "softcapped_softmax_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? "
              "x, Tensor? last, Tensor? out, *, float cap, float scale, bool[3] needs) -> "
              "(Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x"},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "last", .kind = Kind::kInt, .extent = Extent::kRow},
               {.name = "out"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2, 3, 4}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_out", .like = 4, .reads = {0, 1, 2, 3, 4}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "softcapped_softmax_backward(Tensor grad_out, Tensor? x, Tensor? last, Tensor? out,"
              " *, float cap, float scale, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"},
               {.name = "x"},
               {.name = "last", .kind = Kind::kInt, .extent = Extent::kRow},
               {.name = "out"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2, 3}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 3},
    .reduces = true,
};

const Pass kForward = {
    .schema = "softcapped_softmax(Tensor x, Tensor last, *, float cap=50, float scale=1) -> "
              "Tensor",
    .inputs = {{.name = "x"}, {.name = "last", .kind = Kind::kInt, .extent = Extent::kRow}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .saved_outputs = {0},
    .gradients = {0},
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::softcapped_softmax
