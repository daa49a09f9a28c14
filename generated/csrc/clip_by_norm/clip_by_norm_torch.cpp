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
  const bool has_grad_out = params[2].as<bool>();
  const bool has_grad_total_norm = params[3].as<bool>();
  const Value size = aten::linalg_vector_norm(x);
  const Value add0 = size + eps;
  const Value div0 = max_norm / add0;
  const Value minimum0 = aten::minimum(div0, constant(1, reads[0]));
  const Value sum0 = aten::sum(grad_out * x);
  const Value where0 = aten::where(condition(has_grad_out, reads[0]), sum0, 0);
  const Value gt0 = div0 > 1;
  const Value where1 = aten::where(condition(has_grad_out, reads[0]), sum0 * 0.5, 0);
  const Value where2 = aten::where(div0 == 1, where1, where0);
  const Value where3 = aten::where(condition(has_grad_out, reads[0]), -(div0 / add0 * where2), 0);
  const Value where4 = aten::where(gt0, 0, where3);
  const Value logical_or0 = aten::logical_or(condition(has_grad_total_norm, reads[0]),
      aten::logical_and(aten::logical_not(gt0), condition(has_grad_out, reads[0])));
  const Value eq0 = size == 0;
  const Value stop_grad0 = aten::detach(x);
  const Value stop_grad1 = aten::detach(grad_out);
  const Value where5 = aten::where(condition(has_grad_out, reads[0]), grad_out, stop_grad1);
  const Value where6 = aten::where(condition(has_grad_out, reads[0]), where5 * minimum0, 0);
  const Value stop_grad2 = aten::detach(grad_total_norm);
  const Value where7 = aten::where(logical_or0, x, stop_grad0);
  const Value where8 = aten::where(logical_or0, grad_total_norm, stop_grad2);
  const Value stop_grad3 = aten::detach(where8);
  const Value where9 = aten::where(eq0, stop_grad3, where8);
  const Value where10 = aten::where(eq0, 0, (where9 + where4) / size);
  const Value where11 = aten::where(logical_or0, where7 * where10, 0);
  writes[0] = where6 + where11;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_out = reads[1];
  const Value& grad_total_norm = reads[2];
  const Value& x = reads[3];
  const double max_norm = params[0].as<double>();
  const double eps = params[1].as<double>();
  const bool has_grad_out = params[2].as<bool>();
  const bool has_grad_total_norm = params[3].as<bool>();
  const Value size = aten::linalg_vector_norm(x);
  const Value add0 = size + eps;
  const Value div0 = max_norm / add0;
  const Value minimum0 = aten::minimum(div0, constant(1, reads[0]));
  const Value sum0 = aten::sum(grad_out * x);
  const Value where0 = aten::where(condition(has_grad_out, reads[0]), sum0, 0);
  const Value gt0 = div0 > 1;
  const Value eq0 = div0 == 1;
  const Value where1 = aten::where(condition(has_grad_out, reads[0]), sum0 * 0.5, 0);
  const Value where2 = aten::where(eq0, where1, where0);
  const Value div1 = div0 / add0;
  const Value where3 = aten::where(condition(has_grad_out, reads[0]), -(div1 * where2), 0);
  const Value where4 = aten::where(gt0, 0, where3);
  const Value logical_not0 = aten::logical_not(gt0);
  const Value logical_and0 = aten::logical_and(logical_not0, condition(has_grad_out, reads[0]));
  const Value logical_or0 = aten::logical_or(condition(has_grad_total_norm, reads[0]),
      logical_and0);
  const Value eq1 = size == 0;
  const Value sum1 = aten::sum(grad_grad_x * x);
  const Value div2 = sum1 / size;
  const Value mul0 = div2 * where2;
  const Value mul1 = div2 * div1;
  const Value neg0 = -mul1;
  const Value where5 = aten::where(logical_or0, neg0, 0);
  const Value where6 = aten::where(eq1, 0, where5);
  const Value where7 = aten::where(gt0, 0, where6);
  const Value where8 = aten::where(condition(has_grad_out, reads[0]), where7, 0);
  const Value where9 = aten::where(logical_or0, -(mul0 / add0), 0);
  const Value where10 = aten::where(eq1, 0, where9);
  const Value where11 = aten::where(gt0, 0, where10);
  const Value where12 = aten::where(condition(has_grad_out, reads[0]), where11, 0);
  const Value where13 = aten::where(logical_or0, div1 / add0 * mul0, 0);
  const Value where14 = aten::where(eq1, 0, where13);
  const Value where15 = aten::where(gt0, 0, where14);
  const Value where16 = aten::where(condition(has_grad_out, reads[0]), where15, 0);
  const Value neg1 = -(mul1 * 0.5);
  const Value where17 = aten::where(logical_or0, neg1, 0);
  const Value where18 = aten::where(eq1, 0, where17);
  const Value where19 = aten::where(gt0, 0, where18);
  const Value where20 = aten::where(condition(has_grad_out, reads[0]), where19, 0);
  const Value where21 = aten::where(eq0, where20, where8);
  const Value logical_not1 = aten::logical_not(eq1);
  const Value logical_and1 = aten::logical_and(logical_not1, logical_or0);
  const Value logical_and2 = aten::logical_and(condition(has_grad_out, reads[0]),
      aten::logical_and(logical_not0, logical_and1));
  const Value sum2 = aten::sum(grad_grad_x * grad_out);
  const Value where22 = aten::where(condition(has_grad_out, reads[0]), sum2, 0);
  const Value where23 = aten::where(condition(has_grad_out, reads[0]), sum2 * 0.5, 0);
  const Value where24 = aten::where(eq0, where23, where22);
  const Value where25 = aten::where(gt0, 0, where24);
  const Value logical_or1 = aten::logical_or(logical_and2, logical_and0);
  const Value where26 = aten::where(logical_or1, -(div1 * (where12 + where25)), 0);
  const Value logical_or2 = aten::logical_or(logical_and1, logical_or1);
  const Value logical_or3 = aten::logical_or(condition(has_grad_total_norm, reads[0]),
      logical_not0);
  const Value where27 = aten::where(logical_or3, neg0, 0);
  const Value where28 = aten::where(eq1, 0, where27);
  const Value where29 = aten::where(gt0, 0, where28);
  const Value where30 = aten::where(logical_or3, neg1, 0);
  const Value where31 = aten::where(eq1, 0, where30);
  const Value where32 = aten::where(gt0, 0, where31);
  const Value where33 = aten::where(eq0, where32, where29);
  const Value logical_and3 = aten::logical_and(logical_not0, aten::logical_and(logical_not1,
      logical_or3));
  const Value stop_grad0 = aten::detach(x);
  const Value stop_grad1 = aten::detach(grad_out);
  const Value where34 = aten::where(condition(has_grad_out, reads[0]), grad_out, stop_grad1);
  const Value stop_grad2 = aten::detach(grad_total_norm);
  const Value where35 = aten::where(eq1, stop_grad2, grad_total_norm);
  const Value stop_grad3 = aten::detach(grad_grad_x);
  const Value where36 = aten::where(eq1, stop_grad3, grad_grad_x);
  const Value stop_grad4 = aten::detach(where36);
  const Value where37 = aten::where(logical_and3, x, stop_grad0);
  const Value where38 = aten::where(logical_and3, where33 * where37, 0);
  const Value stop_grad5 = aten::detach(where35);
  const Value where39 = aten::where(logical_or0, where35, stop_grad5);
  const Value where40 = aten::where(logical_or0, where36, stop_grad4);
  const Value where41 = aten::where(logical_or0, where40 * ((where39 + where4) / size), 0);
  const Value where42 = aten::where(eq1, 0, where41);
  const Value stop_grad6 = aten::detach(where34);
  const Value where43 = aten::where(logical_and2, where34, stop_grad6);
  const Value where44 = aten::where(logical_and2, where21 * where43, 0);
  const Value where45 = aten::where(condition(has_grad_out, reads[0]), where44, 0);
  const Value where46 = aten::where(logical_or2, x, stop_grad0);
  const Value where47 = aten::where(logical_or2, grad_total_norm, stop_grad2);
  const Value stop_grad7 = aten::detach(where47);
  const Value where48 = aten::where(eq1, stop_grad7, where47);
  const Value stop_grad8 = aten::detach(where48);
  const Value where49 = aten::where(eq1, stop_grad8, where47);
  const Value stop_grad9 = aten::detach(where49);
  const Value where50 = aten::where(logical_or0, where49, stop_grad9);
  const Value neg2 = -((where50 + where4) / size / size * sum1);
  const Value where51 = aten::where(logical_or0, neg2, 0);
  const Value where52 = aten::where(eq1, 0, where51);
  const Value where53 = aten::where(eq1, 0, (where52 + (where16 + where26)) / size);
  const Value where54 = aten::where(logical_or2, where46 * where53, 0);
  writes[0] = where38 + grad_grad_x * minimum0;
  writes[1] = aten::where(eq1, 0, div2);
  writes[2] = where42 + where45 + where54;
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
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2, 3}},
                {.name = "grad_grad_total_norm", .like = 2, .reads = {0, 3},
                 .extent = Extent::kRow},
                {.name = "grad_x", .like = 3, .reads = {0, 1, 2, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {1, 2},
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
    .arrivals = {0, 1},
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
