// Generated from specs/softmax/sink_softmax.yaml by `fusewise generate`. Do not edit.
// The formulas stand in sink_softmax.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::sink_softmax {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& sink = reads[1];
  const double scale = params[0].as<double>();
  const Value mul0 = scale * x;
  const Value amax0 = aten::amax(mul0);
  const Value maximum0 = aten::maximum(amax0, sink);
  const Value largest = aten::detach(maximum0);
  const Value e = aten::exp(mul0 - largest);
  const Value sum0 = aten::sum(e);
  const Value exp0 = aten::exp(sink - largest);
  const Value share = 1 / (sum0 + exp0);
  writes[0] = e * share;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& sink = reads[2];
  const double scale = params[0].as<double>();
  const Value mul0 = scale * x;
  const Value amax0 = aten::amax(mul0);
  const Value maximum0 = aten::maximum(amax0, sink);
  const Value largest = aten::detach(maximum0);
  const Value e = aten::exp(mul0 - largest);
  const Value sum0 = aten::sum(e);
  const Value exp0 = aten::exp(sink - largest);
  const Value add0 = sum0 + exp0;
  const Value share = 1 / add0;
  const Value sum1 = aten::sum(grad_out * e);
  const Value div0 = share / add0;
  const Value mul1 = e * (grad_out / add0) * scale;
  writes[0] = mul1 - e * div0 * sum1 * scale;
  writes[1] = -(exp0 * div0 * sum1);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_sink = reads[1];
  const Value& grad_out = reads[2];
  const Value& x = reads[3];
  const Value& sink = reads[4];
  const double scale = params[0].as<double>();
  const bool has_grad_grad_x = params[1].as<bool>();
  const bool has_grad_grad_sink = params[2].as<bool>();
  const Value mul0 = scale * x;
  const Value amax0 = aten::amax(mul0);
  const Value maximum0 = aten::maximum(amax0, sink);
  const Value largest = aten::detach(maximum0);
  const Value e = aten::exp(mul0 - largest);
  const Value sum0 = aten::sum(e);
  const Value exp0 = aten::exp(sink - largest);
  const Value add0 = sum0 + exp0;
  const Value share = 1 / add0;
  const Value sum1 = aten::sum(grad_out * e);
  const Value div0 = share / add0;
  const Value sum2 = aten::sum(grad_grad_x * e);
  const Value where0 = aten::where(condition(has_grad_grad_x, reads[0]), -(scale * sum1 * sum2), 0);
  const Value sum3 = aten::sum(e * (grad_out / add0 / add0) * grad_grad_x);
  const Value where1 = aten::where(condition(has_grad_grad_x, reads[0]), -(scale * sum3), 0);
  const Value stop_grad0 = aten::detach(x);
  const Value stop_grad1 = aten::detach(sink);
  const Value where2 = aten::where(condition(has_grad_grad_sink, reads[0]), sink, stop_grad1);
  const Value maximum1 = aten::maximum(amax0, where2);
  const Value stop_grad2 = aten::detach(maximum1);
  const Value exp1 = aten::exp(where2 - stop_grad2);
  const Value add1 = sum0 + exp1;
  const Value div1 = 1 / add1 / add1;
  const Value stop_grad3 = aten::detach(grad_grad_sink);
  const Value where3 = aten::where(condition(has_grad_grad_sink, reads[0]), grad_grad_sink,
      stop_grad3);
  const Value where4 = aten::where(condition(has_grad_grad_sink, reads[0]), -(where3 * (exp1 *
      div1)), 0);
  const Value where5 = aten::where(condition(has_grad_grad_x, reads[0]), x, stop_grad0);
  const Value where6 = aten::where(condition(has_grad_grad_x, reads[0]), sink, stop_grad1);
  const Value maximum2 = aten::maximum(amax0, where6);
  const Value stop_grad4 = aten::detach(maximum2);
  const Value exp2 = aten::exp(scale * where5 - stop_grad4);
  const Value exp3 = aten::exp(where6 - stop_grad4);
  const Value add2 = sum0 + exp3;
  const Value div2 = 1 / add2 / add2;
  const Value stop_grad5 = aten::detach(grad_grad_x);
  const Value where7 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x, stop_grad5);
  const Value where8 = aten::where(condition(has_grad_grad_x, reads[0]), -(scale * div2 * sum2), 0);
  const Value add3 = where4 + where8;
  const Value mul1 = where7 * scale;
  const Value where9 = aten::where(condition(has_grad_grad_x, reads[0]), mul1 * exp2 / add2, 0);
  const Value stop_grad6 = aten::detach(grad_out);
  const Value where10 = aten::where(condition(has_grad_grad_x, reads[0]), grad_out, stop_grad6);
  const Value sub0 = mul1 * (where10 / add2) - mul1 * sum1 * div2;
  const Value where11 = aten::where(condition(has_grad_grad_x, reads[0]), sub0, 0);
  const Value where12 = aten::where(condition(has_grad_grad_sink, reads[0]), -(exp1 * sum1 *
      where3), 0);
  const Value add4 = where12 + where0;
  const Value neg0 = -(div0 / add0 * add4);
  const Value add5 = neg0 - div0 * (add4 / add0) + where1;
  const Value where13 = aten::where(condition(has_grad_grad_sink, reads[0]), -(where3 * sum1 *
      div1), 0);
  writes[0] = add3 * e + where9;
  writes[1] = (where11 + add3 * grad_out + add5) * e * scale;
  writes[2] = (where13 + add5) * exp0;
}

const Pass kDoubleBackward = {
    .schema = "sink_softmax_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_sink, Tensor? "
              "grad_out, Tensor? x, Tensor? sink, *, float scale, bool[3] needs) -> (Tensor, "
              "Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true},
               {.name = "grad_grad_sink", .optional = true, .extent = Extent::kRow},
               {.name = "grad_out"},
               {.name = "x"},
               {.name = "sink", .extent = Extent::kRow}},
    .outputs = {{.name = "grad_grad_out", .like = 2, .reads = {0, 1, 3, 4}},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_sink", .like = 4, .reads = {0, 1, 2, 3, 4}, .extent = Extent::kRow}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {0, 1},
    .reduces = true,
    .needs_elements = true,
};

const Pass kBackward = {
    .schema = "sink_softmax_backward(Tensor grad_out, Tensor? x, Tensor? sink, Tensor? "
              "kept_total0, Tensor? kept_total1, *, float scale, bool[2] needs) -> (Tensor, "
              "Tensor)",
    .inputs = {{.name = "grad_out"},
               {.name = "x"},
               {.name = "sink", .extent = Extent::kRow},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total1", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_sink", .like = 2, .reads = {0, 1, 2, 3, 4}, .extent = Extent::kRow}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
    .reduces = true,
    .needs_elements = true,
};

const Pass kForward = {
    .schema = "sink_softmax(Tensor x, Tensor sink, *, float scale=1) -> Tensor",
    .inputs = {{.name = "x"}, {.name = "sink", .extent = Extent::kRow}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
    .kept_totals = 2,
    .reduces = true,
    .needs_elements = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::sink_softmax
