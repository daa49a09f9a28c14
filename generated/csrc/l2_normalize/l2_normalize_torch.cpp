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
  const Value lt0 = norm0 < eps;
  const Value where0 = aten::where(norm0 == eps, -(sum0 * 0.5), -sum0);
  const Value where1 = aten::where(norm0 == 0, 0, where0 / norm0);
  const Value stop_grad0 = aten::detach(x);
  const Value where2 = aten::where(lt0, stop_grad0, x);
  const Value where3 = aten::where(lt0, 0, where2 * where1);
  writes[0] = grad_out / maximum0 + where3;
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
  const Value eq1 = norm0 == 0;
  const Value div0 = where0 / norm0;
  const Value sum1 = aten::sum(grad_grad_x * x);
  const Value logical_not0 = aten::logical_not(lt0);
  const Value div1 = sum1 / norm0;
  const Value where1 = aten::where(logical_not0, -(div0 / norm0 * sum1), 0);
  const Value where2 = aten::where(eq1, 0, where1);
  const Value where3 = aten::where(logical_not0, -div1, 0);
  const Value where4 = aten::where(eq1, 0, where3);
  const Value where5 = aten::where(logical_not0, -(div1 * 0.5), 0);
  const Value where6 = aten::where(eq1, 0, where5);
  const Value where7 = aten::where(eq0, where6, where4);
  const Value logical_and0 = aten::logical_and(aten::logical_not(eq1), logical_not0);
  const Value stop_grad0 = aten::detach(x);
  const Value stop_grad1 = aten::detach(grad_out);
  const Value where8 = aten::where(logical_not0, x, stop_grad0);
  const Value stop_grad2 = aten::detach(grad_grad_x);
  const Value where9 = aten::where(eq1, stop_grad2, grad_grad_x);
  const Value stop_grad3 = aten::detach(where9);
  const Value where10 = aten::where(logical_and0, x, stop_grad0);
  const Value div2 = where10 / maximum0 / maximum0;
  const Value where11 = aten::where(logical_and0, where7 * div2, 0);
  const Value where12 = aten::where(lt0, stop_grad3, where9);
  const Value where13 = aten::where(lt0, 0, where12 * div0);
  const Value where14 = aten::where(eq1, 0, where13);
  const Value where15 = aten::where(logical_and0, grad_out, stop_grad1);
  const Value mul0 = where7 * where15;
  const Value where16 = aten::where(logical_and0, -(div2 / maximum0 * mul0), 0);
  const Value div3 = mul0 / maximum0;
  const Value where17 = aten::where(logical_and0, div3 / maximum0, 0);
  const Value where18 = aten::where(logical_and0, -(div2 * div3), 0);
  const Value add0 = where16 - grad_out / maximum0 / maximum0 * grad_grad_x + where18;
  const Value sum2 = aten::sum(add0);
  const Value where19 = aten::where(eq0, sum2 * 0.5, sum2);
  const Value where20 = aten::where(lt0, 0, where19);
  const Value where21 = aten::where(eq1, 0, (where2 + where20) / norm0);
  const Value where22 = aten::where(logical_not0, where8 * where21, 0);
  writes[0] = where11 + grad_grad_x / maximum0;
  writes[1] = where14 + where17 + where22;
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
