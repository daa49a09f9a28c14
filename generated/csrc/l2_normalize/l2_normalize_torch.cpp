// Generated from specs/norms/l2_normalize.yaml by `fusewise generate`. Do not edit.
// The formulas stand in l2_normalize.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::l2_normalize {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& x = reads[0];
  const double eps = params[0].as<double>();
  const Value norm0 = aten::linalg_vector_norm(x);
  const Value maximum0 = aten::maximum(norm0, constant(eps, reads[0]));
  writes[0] = x / maximum0;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_out = reads[0];
  const Value& x = reads[1];
  const double eps = params[0].as<double>();
  const Value norm0 = aten::linalg_vector_norm(x);
  const Value maximum0 = aten::maximum(norm0, constant(eps, reads[0]));
  const Value sum0 = aten::sum(x / maximum0 / maximum0 * grad_out);
  const Value where0 = aten::where(norm0 == eps, -(sum0 * 0.5), -sum0);
  const Value where1 = aten::where(norm0 < eps, 0, where0);
  const Value where2 = aten::where(norm0 == 0, 0, where1 / norm0);
  writes[0] = grad_out / maximum0 + x * where2;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x = reads[0];
  const Value& grad_out = reads[1];
  const Value& x = reads[2];
  const double eps = params[0].as<double>();
  const Value norm0 = aten::linalg_vector_norm(x);
  const Value maximum0 = aten::maximum(norm0, constant(eps, reads[0]));
  const Value sum0 = aten::sum(x / maximum0 / maximum0 * grad_out);
  const Value lt0 = norm0 < eps;
  const Value eq0 = norm0 == eps;
  const Value where0 = aten::where(eq0, -(sum0 * 0.5), -sum0);
  const Value where1 = aten::where(lt0, 0, where0);
  const Value eq1 = norm0 == 0;
  const Value div0 = where1 / norm0;
  const Value sum1 = aten::sum(grad_grad_x * x);
  const Value div1 = sum1 / norm0;
  const Value where2 = aten::where(eq1, 0, -(div0 / norm0 * sum1));
  const Value where3 = aten::where(eq1, 0, -div1);
  const Value where4 = aten::where(lt0, 0, where3);
  const Value where5 = aten::where(eq1, 0, -(div1 * 0.5));
  const Value where6 = aten::where(lt0, 0, where5);
  const Value where7 = aten::where(eq0, where6, where4);
  const Value logical_and0 = aten::logical_and(aten::logical_not(lt0), aten::logical_not(eq1));
  const Value logical_or0 = aten::logical_or(aten::logical_and(eq0, logical_and0),
      aten::logical_and(aten::logical_not(eq0), logical_and0));
  const Value stop_grad0 = aten::detach(x);
  const Value stop_grad1 = aten::detach(grad_out);
  const Value stop_grad2 = aten::detach(grad_grad_x);
  const Value where8 = aten::where(eq1, stop_grad2, grad_grad_x);
  const Value where9 = aten::where(logical_or0, x, stop_grad0);
  const Value div2 = where9 / maximum0 / maximum0;
  const Value where10 = aten::where(logical_or0, where7 * div2, 0);
  const Value where11 = aten::where(eq1, 0, where8 * div0);
  const Value where12 = aten::where(logical_or0, grad_out, stop_grad1);
  const Value mul0 = where7 * where12;
  const Value where13 = aten::where(logical_or0, -(div2 / maximum0 * mul0), 0);
  const Value div3 = mul0 / maximum0;
  const Value where14 = aten::where(logical_or0, div3 / maximum0, 0);
  const Value where15 = aten::where(logical_or0, -(div2 * div3), 0);
  const Value add0 = where13 - grad_out / maximum0 / maximum0 * grad_grad_x + where15;
  const Value sum2 = aten::sum(add0);
  const Value where16 = aten::where(eq0, sum2 * 0.5, sum2);
  const Value where17 = aten::where(lt0, 0, where16);
  const Value where18 = aten::where(eq1, 0, (where2 + where17) / norm0);
  writes[0] = where10 + grad_grad_x / maximum0;
  writes[1] = where11 + where14 + x * where18;
}

const Pass kDoubleBackward = {
    .schema = "l2_normalize_double_backward(Tensor grad_grad_x, Tensor? grad_out, Tensor? x, *, "
              "float eps, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x"}, {.name = "grad_out"}, {.name = "x"}},
    .outputs = {{.name = "grad_grad_out", .like = 1, .reads = {0, 2}},
                {.name = "grad_x", .like = 2, .reads = {0, 1, 2}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "l2_normalize_backward(Tensor grad_out, Tensor? x, Tensor? kept_total0, *, float "
              "eps, bool[1] needs) -> Tensor",
    .inputs = {{.name = "grad_out"},
               {.name = "x"},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 1, 2}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
    .reduces = true,
};

const Pass kForward = {
    .schema = "l2_normalize(Tensor x, *, float eps=1e-12) -> Tensor",
    .inputs = {{.name = "x"}},
    .outputs = {{.name = "out"}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0},
    .gradients = {0},
    .kept_totals = 1,
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::l2_normalize
