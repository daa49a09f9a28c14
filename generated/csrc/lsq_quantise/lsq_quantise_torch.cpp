// Generated from specs/quantised/lsq_quantise.yaml by `fusewise generate`. Do not edit.
// The formulas stand in lsq_quantise.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::lsq_quantise {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const Value& step = reads[1];
  const double low = params[0].as<double>();
  const double high = params[1].as<double>();
  const Value steps = x / step;
  const Value v = aten::clamp(steps, low, high);
  const Value round0 = aten::round(v);
  const Value level = straight_through(round0, v);
  writes[0] = level * step;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const Value& step = reads[2];
  const double low = params[0].as<double>();
  const double high = params[1].as<double>();
  const Value steps = x / step;
  const Value inside = aten::logical_and(steps >= low, steps <= high);
  const Value stop_grad0 = aten::detach(x);
  const Value where0 = aten::where(inside, x, stop_grad0);
  const Value stop_grad1 = aten::detach(step);
  const Value where1 = aten::where(inside, step, stop_grad1);
  const Value clamp0 = aten::clamp(where0 / where1, low, high);
  const Value round0 = aten::round(clamp0);
  const Value straight_through0 = straight_through(round0, clamp0);
  const Value where2 = aten::where(inside, stop_grad0, x);
  const Value where3 = aten::where(inside, stop_grad1, step);
  const Value clamp1 = aten::clamp(where2 / where3, low, high);
  const Value where4 = aten::where(inside, straight_through0 - clamp0, clamp1);
  writes[0] = aten::where(inside, grad_out, 0);
  writes[1] = grad_out * where4;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_grad_step = reads[1];
  const Value& grad_out = reads[2];
  const Value& x = reads[3];
  const Value& step = reads[4];
  const double low = params[0].as<double>();
  const double high = params[1].as<double>();
  const bool has_grad_grad_step = params[2].as<bool>();
  const Value steps = x / step;
  const Value inside = aten::logical_and(steps >= low, steps <= high);
  const Value where0 = aten::where(inside, grad_grad_x, 0);
  const Value stop_grad0 = aten::detach(x);
  const Value where1 = aten::where(inside, x, stop_grad0);
  const Value stop_grad1 = aten::detach(step);
  const Value where2 = aten::where(inside, step, stop_grad1);
  const Value where3 = aten::where(condition(has_grad_grad_step, reads[0]), x, stop_grad0);
  const Value where4 = aten::where(condition(has_grad_grad_step, reads[0]), step, stop_grad1);
  const Value stop_grad2 = aten::detach(where3);
  const Value where5 = aten::where(inside, where3, stop_grad2);
  const Value stop_grad3 = aten::detach(where4);
  const Value where6 = aten::where(inside, where4, stop_grad3);
  const Value clamp0 = aten::clamp(where5 / where6, low, high);
  const Value round0 = aten::round(clamp0);
  const Value straight_through0 = straight_through(round0, clamp0);
  const Value where7 = aten::where(inside, stop_grad2, where3);
  const Value where8 = aten::where(inside, stop_grad3, where4);
  const Value clamp1 = aten::clamp(where7 / where8, low, high);
  const Value where9 = aten::where(inside, straight_through0 - clamp0, clamp1);
  const Value stop_grad4 = aten::detach(grad_grad_step);
  const Value where10 = aten::where(condition(has_grad_grad_step, reads[0]), grad_grad_step,
      stop_grad4);
  const Value where11 = aten::where(condition(has_grad_grad_step, reads[0]), where10 * where9, 0);
  const Value stop_grad5 = aten::detach(grad_out);
  const Value where12 = aten::where(inside, grad_out, stop_grad5);
  const Value where13 = aten::where(inside, grad_grad_step, stop_grad4);
  const Value stop_grad6 = aten::detach(where2);
  const Value where14 = aten::where(condition(has_grad_grad_step, reads[0]), where2, stop_grad6);
  const Value stop_grad7 = aten::detach(where12);
  const Value where15 = aten::where(condition(has_grad_grad_step, reads[0]), where12, stop_grad7);
  const Value stop_grad8 = aten::detach(where13);
  const Value where16 = aten::where(condition(has_grad_grad_step, reads[0]), where13, stop_grad8);
  const Value mul0 = where16 * where15;
  const Value sub0 = mul0 - mul0;
  const Value where17 = aten::where(condition(has_grad_grad_step, reads[0]), sub0 / where14, 0);
  const Value stop_grad9 = aten::detach(where1);
  const Value where18 = aten::where(condition(has_grad_grad_step, reads[0]), where1, stop_grad9);
  const Value where19 = aten::where(condition(has_grad_grad_step, reads[0]), -(where18 / where14 /
      where14 * sub0), 0);
  writes[0] = where11 + where0;
  writes[1] = aten::where(inside, where17, 0);
  writes[2] = aten::where(inside, where19, 0);
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
    .arrivals = {1},
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
