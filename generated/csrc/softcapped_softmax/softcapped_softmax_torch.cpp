// Generated from specs/softmax/softcapped_softmax.yaml by `fusewise generate`. Do not edit.
// The formulas stand in softcapped_softmax.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::softcapped_softmax {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& last = reads[1];
  const Value index = reads[2];
  const double cap = params[0].as<double>();
  const double scale = params[1].as<double>();
  const Value le0 = index <= last;
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(le0, x, stop_grad0);
  const Value tanh0 = aten::tanh(scale * where0 / cap);
  const Value where1 = aten::where(le0, cap * tanh0, -INFINITY);
  writes[0] = aten::softmax(where1);
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& last = reads[2];
  const Value& out = reads[3];
  const Value index = reads[4];
  const double cap = params[0].as<double>();
  const double scale = params[1].as<double>();
  const Value le0 = index <= last;
  const Value sum0 = aten::sum(grad_out * out);
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(le0, x, stop_grad0);
  const Value stop_grad1 = aten::detach(grad_out);
  const Value where1 = aten::where(le0, grad_out, stop_grad1);
  const Value stop_grad2 = aten::detach(out);
  const Value where2 = aten::where(le0, out, stop_grad2);
  const Value mul0 = where2 * (where1 - sum0) * cap;
  const Value mul1 = 2 * (scale * where0 / cap);
  const Value sigmoid0 = aten::sigmoid(mul1);
  const Value sigmoid1 = aten::sigmoid(-mul1);
  const Value mul2 = mul0 * (4 * (sigmoid0 * sigmoid1)) / cap * scale;
  writes[0] = aten::where(le0, mul2, 0);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_out = reads[1];
  const Value& x = reads[2];
  const Value& last = reads[3];
  const Value& out = reads[4];
  const Value index = reads[5];
  const double cap = params[0].as<double>();
  const double scale = params[1].as<double>();
  const Value le0 = index <= last;
  const Value sum0 = aten::sum(grad_out * out);
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(le0, x, stop_grad0);
  const Value div0 = scale * where0 / cap;
  const Value tanh0 = aten::tanh(div0);
  const Value stop_grad1 = aten::detach(grad_out);
  const Value where1 = aten::where(le0, grad_out, stop_grad1);
  const Value stop_grad2 = aten::detach(out);
  const Value where2 = aten::where(le0, out, stop_grad2);
  const Value sub0 = where1 - sum0;
  const Value mul0 = 2 * div0;
  const Value sigmoid0 = aten::sigmoid(mul0);
  const Value sigmoid1 = aten::sigmoid(-mul0);
  const Value mul1 = 4 * (sigmoid0 * sigmoid1);
  const Value stop_grad3 = aten::detach(grad_grad_x);
  const Value where3 = aten::where(le0, grad_grad_x, stop_grad3);
  const Value div1 = where3 * scale / cap;
  const Value mul2 = div1 * (where2 * sub0 * cap);
  const Value mul3 = div1 * mul1 * cap;
  const Value mul4 = mul3 * where2;
  const Value where4 = aten::where(le0, mul4, 0);
  const Value where5 = aten::where(le0, -mul4, 0);
  const Value sum1 = aten::sum(where5);
  const Value mul5 = mul2 * (-2 * tanh0 * mul1) / cap * scale;
  const Value where6 = aten::where(le0, mul3 * sub0, 0);
  writes[0] = where4 + sum1 * out;
  writes[1] = aten::where(le0, mul5, 0);
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
    .reads_index = true,
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
    .reads_index = true,
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
    .reads_index = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::softcapped_softmax
