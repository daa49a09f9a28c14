// Generated from specs/basics/clip_by_norm.yaml by `fusewise generate`. Do not edit.
// The formulas stand in clip_by_norm.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>
#include <fusewise/torch/row_dims.h>

namespace fusewise::ops::clip_by_norm {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const double max_norm = params[0].as<double>();
  const double eps = params[1].as<double>();
  const Value size = aten::linalg_vector_norm(x);
  const Value minimum0 = aten::minimum(max_norm / (size + eps), constant(1, reads[0]));
  writes[0] = x * minimum0;
  writes[1] = size;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& grad_total_norm = reads[1];
  const Value& x = reads[2];
  const double max_norm = params[0].as<double>();
  const double eps = params[1].as<double>();
  const Value size = aten::linalg_vector_norm(x);
  const Value add0 = size + eps;
  const Value div0 = max_norm / add0;
  const Value minimum0 = aten::minimum(div0, constant(1, reads[0]));
  const Value sum0 = aten::sum(grad_out * x);
  const Value where0 = aten::where(div0 == 1, sum0 * 0.5, sum0);
  const Value where1 = aten::where(div0 > 1, 0, -(div0 / add0 * where0));
  const Value eq0 = size == 0;
  const Value stop_grad0 = aten::detach(grad_total_norm);
  const Value where2 = aten::where(eq0, stop_grad0, grad_total_norm);
  const Value where3 = aten::where(eq0, 0, (where2 + where1) / size);
  writes[0] = grad_out * minimum0 + x * where3;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_out = reads[1];
  const Value& grad_total_norm = reads[2];
  const Value& x = reads[3];
  const double max_norm = params[0].as<double>();
  const double eps = params[1].as<double>();
  const Value size = aten::linalg_vector_norm(x);
  const Value add0 = size + eps;
  const Value div0 = max_norm / add0;
  const Value minimum0 = aten::minimum(div0, constant(1, reads[0]));
  const Value sum0 = aten::sum(grad_out * x);
  const Value gt0 = div0 > 1;
  const Value eq0 = div0 == 1;
  const Value where0 = aten::where(eq0, sum0 * 0.5, sum0);
  const Value div1 = div0 / add0;
  const Value where1 = aten::where(gt0, 0, -(div1 * where0));
  const Value logical_not0 = aten::logical_not(gt0);
  const Value eq1 = size == 0;
  const Value sum1 = aten::sum(grad_grad_x * x);
  const Value div2 = sum1 / size;
  const Value mul0 = div2 * where0;
  const Value mul1 = div2 * div1;
  const Value where2 = aten::where(eq1, 0, -mul1);
  const Value where3 = aten::where(gt0, 0, where2);
  const Value where4 = aten::where(eq1, 0, -(mul0 / add0));
  const Value where5 = aten::where(eq1, 0, div1 / add0 * mul0);
  const Value where6 = aten::where(eq1, 0, -(mul1 * 0.5));
  const Value where7 = aten::where(gt0, 0, where6);
  const Value where8 = aten::where(eq0, where7, where3);
  const Value logical_not1 = aten::logical_not(eq1);
  const Value logical_and0 = aten::logical_and(logical_not0, logical_not1);
  const Value sum2 = aten::sum(grad_grad_x * grad_out);
  const Value where9 = aten::where(eq0, sum2 * 0.5, sum2);
  const Value where10 = aten::where(gt0, 0, where5 - div1 * (where4 + where9));
  const Value logical_or0 = aten::logical_or(logical_not1, logical_not0);
  const Value stop_grad0 = aten::detach(x);
  const Value stop_grad1 = aten::detach(grad_out);
  const Value stop_grad2 = aten::detach(grad_total_norm);
  const Value where11 = aten::where(eq1, stop_grad2, grad_total_norm);
  const Value stop_grad3 = aten::detach(grad_grad_x);
  const Value where12 = aten::where(eq1, stop_grad3, grad_grad_x);
  const Value where13 = aten::where(logical_and0, x, stop_grad0);
  const Value where14 = aten::where(logical_and0, where8 * where13, 0);
  const Value where15 = aten::where(eq1, 0, where12 * ((where11 + where1) / size));
  const Value where16 = aten::where(logical_and0, grad_out, stop_grad1);
  const Value where17 = aten::where(logical_and0, where8 * where16, 0);
  const Value where18 = aten::where(logical_or0, x, stop_grad0);
  const Value where19 = aten::where(logical_or0, grad_total_norm, stop_grad2);
  const Value stop_grad4 = aten::detach(where19);
  const Value where20 = aten::where(eq1, stop_grad4, where19);
  const Value stop_grad5 = aten::detach(where20);
  const Value where21 = aten::where(eq1, stop_grad5, where19);
  const Value neg0 = -((where21 + where1) / size / size * sum1);
  const Value where22 = aten::where(eq1, 0, neg0);
  const Value where23 = aten::where(eq1, 0, (where22 + where10) / size);
  const Value where24 = aten::where(logical_or0, where18 * where23, 0);
  writes[0] = where14 + grad_grad_x * minimum0;
  writes[1] = aten::where(eq1, 0, div2);
  writes[2] = where15 + where17 + where24;
}

const Pass kDoubleBackward = {
    .schema = "clip_by_norm__rows_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? "
              "grad_total_norm, Tensor? x, *, float max_norm, float eps, bool[3] needs) -> "
              "(Tensor, Tensor, Tensor)",
    .name = "clip_by_norm_double_backward",
    .inputs = {{.name = "grad_grad_x"},
               {.name = "grad_out", .optional = true},
               {.name = "grad_total_norm", .optional = true, .extent = Extent::kRow},
               {.name = "x"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 3}},
                {.name = "grad_grad_total_norm", .like = 2, .reads = {0, 3},
                 .extent = Extent::kRow},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "clip_by_norm__rows_backward(Tensor? grad_out, Tensor? grad_total_norm, Tensor? x, "
              "Tensor? kept_total0, *, float max_norm, float eps, bool[1] needs) -> Tensor",
    .name = "clip_by_norm_backward",
    .inputs = {{.name = "grad_out", .optional = true},
               {.name = "grad_total_norm", .optional = true, .extent = Extent::kRow},
               {.name = "x"},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_x", .like = 2, .reads = {0, 1, 2, 3}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
    .reduces = true,
};

const Pass kForward = {
    .schema = "clip_by_norm__rows(Tensor x, *, float max_norm=1, float eps=1e-06) -> (Tensor, "
              "Tensor)",
    .name = "clip_by_norm",
    .inputs = {{.name = "x"}},
    .outputs = {{.name = "out"}, {.name = "total_norm", .extent = Extent::kRow}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0},
    .gradients = {0},
    .kept_totals = 1,
    .reduces = true,
};

const RowDimsRegistration kForwardRegistration("fusewise",
    "clip_by_norm(Tensor x, *, float max_norm=1, float eps=1e-06) -> (Tensor, Tensor)",
    kForward, {kAllDims});

}  // namespace
}  // namespace fusewise::ops::clip_by_norm
