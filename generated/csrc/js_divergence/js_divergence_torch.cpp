// Generated from specs/losses/js_divergence.yaml by `fusewise generate`. Do not edit.
// The formulas stand in js_divergence.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::js_divergence {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& student = reads[0];
  const Value& teacher = reads[1];
  const double beta = params[0].as<double>();
  const Value p = aten::softmax(teacher);
  const Value q = aten::softmax(student);
  const double sub0 = 1 - beta;
  const Value eq0 = p == 0;
  const Value log_softmax0 = aten::log_softmax(teacher);
  const Value eq1 = q == 0;
  const Value log_softmax1 = aten::log_softmax(student);
  const Value stop_grad0 = aten::detach(p);
  const Value where0 = aten::where(eq0, stop_grad0, p);
  const Value stop_grad1 = aten::detach(q);
  const Value where1 = aten::where(eq0, stop_grad1, q);
  const Value log0 = aten::log(beta * where0 + sub0 * where1);
  const Value stop_grad2 = aten::detach(log_softmax0);
  const Value where2 = aten::where(eq0, stop_grad2, log_softmax0);
  const Value of_p = aten::where(eq0, 0, where0 * (where2 - log0));
  const Value where3 = aten::where(eq1, stop_grad0, p);
  const Value where4 = aten::where(eq1, stop_grad1, q);
  const Value log1 = aten::log(beta * where3 + sub0 * where4);
  const Value stop_grad3 = aten::detach(log_softmax1);
  const Value where5 = aten::where(eq1, stop_grad3, log_softmax1);
  const Value of_q = aten::where(eq1, 0, where4 * (where5 - log1));
  writes[0] = aten::sum(beta * of_p + sub0 * of_q);
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_loss = reads[0];
  const Value& student = reads[1];
  const Value& teacher = reads[2];
  const double beta = params[0].as<double>();
  const Value p = aten::softmax(teacher);
  const Value q = aten::softmax(student);
  const double sub0 = 1 - beta;
  const Value eq0 = p == 0;
  const Value log_softmax0 = aten::log_softmax(teacher);
  const Value eq1 = q == 0;
  const Value log_softmax1 = aten::log_softmax(student);
  const Value where0 = aten::where(eq1, 0, grad_loss * sub0 * q);
  const Value sum0 = aten::sum(where0);
  const Value where1 = aten::where(eq0, 0, grad_loss * beta * p);
  const Value sum1 = aten::sum(where1);
  const Value logical_or0 = aten::logical_or(aten::logical_not(eq1), aten::logical_not(eq0));
  const Value stop_grad0 = aten::detach(p);
  const Value where2 = aten::where(eq0, stop_grad0, p);
  const Value stop_grad1 = aten::detach(q);
  const Value where3 = aten::where(eq0, stop_grad1, q);
  const Value log0 = aten::log(beta * where2 + sub0 * where3);
  const Value stop_grad2 = aten::detach(log_softmax0);
  const Value where4 = aten::where(eq0, stop_grad2, log_softmax0);
  const Value where5 = aten::where(eq1, stop_grad0, p);
  const Value where6 = aten::where(eq1, stop_grad1, q);
  const Value log1 = aten::log(beta * where5 + sub0 * where6);
  const Value stop_grad3 = aten::detach(log_softmax1);
  const Value where7 = aten::where(eq1, stop_grad3, log_softmax1);
  const Value stop_grad4 = aten::detach(grad_loss);
  const Value where8 = aten::where(eq1, stop_grad4, grad_loss);
  const Value where9 = aten::where(eq1, 0, where8 * sub0 * (where7 - log1));
  const Value where10 = aten::where(logical_or0, p, stop_grad0);
  const Value where11 = aten::where(logical_or0, q, stop_grad1);
  const Value where12 = aten::where(logical_or0, grad_loss, stop_grad4);
  const Value where13 = aten::where(where11 == 0, 0, -(where12 * sub0 * where11));
  const Value where14 = aten::where(where10 == 0, 0, -(where12 * beta * where10));
  const Value div0 = (where13 + where14) / (beta * where10 + sub0 * where11);
  const Value where15 = aten::where(logical_or0, div0 * sub0, 0);
  const Value add0 = where9 + where15;
  const Value sum2 = aten::sum(add0 * q);
  const Value where16 = aten::where(eq0, stop_grad4, grad_loss);
  const Value where17 = aten::where(eq0, 0, where16 * beta * (where4 - log0));
  const Value where18 = aten::where(logical_or0, div0 * beta, 0);
  const Value add1 = where17 + where18;
  const Value sum3 = aten::sum(add1 * p);
  writes[0] = where0 - q * sum0 + q * (add0 - sum2);
  writes[1] = where1 - p * sum1 + p * (add1 - sum3);
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_student = reads[0];
  const Value& grad_grad_teacher = reads[1];
  const Value& grad_loss = reads[2];
  const Value& student = reads[3];
  const Value& teacher = reads[4];
  const double beta = params[0].as<double>();
  const Value p = aten::softmax(teacher);
  const Value q = aten::softmax(student);
  const double sub0 = 1 - beta;
  const Value eq0 = p == 0;
  const Value log_softmax0 = aten::log_softmax(teacher);
  const Value eq1 = q == 0;
  const Value log_softmax1 = aten::log_softmax(student);
  const Value mul0 = grad_loss * sub0;
  const Value mul1 = grad_loss * beta;
  const Value where0 = aten::where(eq1, 0, mul0 * q);
  const Value sum0 = aten::sum(where0);
  const Value where1 = aten::where(eq0, 0, mul1 * p);
  const Value sum1 = aten::sum(where1);
  const Value logical_or0 = aten::logical_or(aten::logical_not(eq1), aten::logical_not(eq0));
  const Value mul2 = grad_grad_teacher * p;
  const Value sum2 = aten::sum(mul2);
  const Value mul3 = grad_grad_student * q;
  const Value sum3 = aten::sum(mul3);
  const Value where2 = aten::where(eq0, 0, (mul2 - sum2 * p) * mul1);
  const Value where3 = aten::where(eq1, 0, (mul3 - sum3 * q) * mul0);
  const Value sum4 = aten::sum(where3);
  const Value sum5 = aten::sum(where2);
  const Value stop_grad0 = aten::detach(p);
  const Value where4 = aten::where(eq0, stop_grad0, p);
  const Value stop_grad1 = aten::detach(q);
  const Value where5 = aten::where(eq0, stop_grad1, q);
  const Value log0 = aten::log(beta * where4 + sub0 * where5);
  const Value stop_grad2 = aten::detach(log_softmax0);
  const Value where6 = aten::where(eq0, stop_grad2, log_softmax0);
  const Value sub1 = where6 - log0;
  const Value where7 = aten::where(eq1, stop_grad0, p);
  const Value where8 = aten::where(eq1, stop_grad1, q);
  const Value log1 = aten::log(beta * where7 + sub0 * where8);
  const Value stop_grad3 = aten::detach(log_softmax1);
  const Value where9 = aten::where(eq1, stop_grad3, log_softmax1);
  const Value sub2 = where9 - log1;
  const Value stop_grad4 = aten::detach(grad_loss);
  const Value where10 = aten::where(eq1, stop_grad4, grad_loss);
  const Value mul4 = where10 * sub0;
  const Value where11 = aten::where(eq1, 0, mul4 * sub2);
  const Value where12 = aten::where(logical_or0, p, stop_grad0);
  const Value where13 = aten::where(logical_or0, q, stop_grad1);
  const Value add0 = beta * where12 + sub0 * where13;
  const Value eq2 = where12 == 0;
  const Value eq3 = where13 == 0;
  const Value where14 = aten::where(logical_or0, grad_loss, stop_grad4);
  const Value mul5 = where14 * sub0;
  const Value mul6 = where14 * beta;
  const Value where15 = aten::where(eq3, 0, -(mul5 * where13));
  const Value where16 = aten::where(eq2, 0, -(mul6 * where12));
  const Value div0 = (where15 + where16) / add0;
  const Value where17 = aten::where(logical_or0, div0 * sub0, 0);
  const Value add1 = where11 + where17;
  const Value sum6 = aten::sum(add1 * q);
  const Value where18 = aten::where(eq0, stop_grad4, grad_loss);
  const Value mul7 = where18 * beta;
  const Value where19 = aten::where(eq0, 0, mul7 * sub1);
  const Value where20 = aten::where(logical_or0, div0 * beta, 0);
  const Value add2 = where19 + where20;
  const Value sum7 = aten::sum(add2 * p);
  const Value stop_grad5 = aten::detach(grad_grad_student);
  const Value where21 = aten::where(logical_or0, grad_grad_student, stop_grad5);
  const Value stop_grad6 = aten::detach(grad_grad_teacher);
  const Value where22 = aten::where(logical_or0, grad_grad_teacher, stop_grad6);
  const Value sub3 = where22 * where12 - sum2 * where12;
  const Value sub4 = where21 * where13 - sum3 * where13;
  const Value where23 = aten::where(eq0, stop_grad5, grad_grad_student);
  const Value where24 = aten::where(eq0, stop_grad6, grad_grad_teacher);
  const Value stop_grad7 = aten::detach(where4);
  const Value where25 = aten::where(logical_or0, where4, stop_grad7);
  const Value stop_grad8 = aten::detach(where5);
  const Value where26 = aten::where(logical_or0, where5, stop_grad8);
  const Value stop_grad9 = aten::detach(where23);
  const Value where27 = aten::where(logical_or0, where23, stop_grad9);
  const Value stop_grad10 = aten::detach(where24);
  const Value where28 = aten::where(logical_or0, where24, stop_grad10);
  const Value mul8 = (where28 * where25 - sum2 * where25) * beta;
  const Value add3 = mul8 + (where27 * where26 - sum3 * where26) * sub0;
  const Value neg0 = -(add3 / (beta * where25 + sub0 * where26));
  const Value where29 = aten::where(logical_or0, neg0, 0);
  const Value add4 = where29 + (where24 - sum2);
  const Value mul9 = (where24 * where4 - sum2 * where4) * sub1;
  const Value where30 = aten::where(eq0, 0, add4 * where4 + mul9);
  const Value where31 = aten::where(eq1, stop_grad5, grad_grad_student);
  const Value where32 = aten::where(eq1, stop_grad6, grad_grad_teacher);
  const Value stop_grad11 = aten::detach(where7);
  const Value where33 = aten::where(logical_or0, where7, stop_grad11);
  const Value stop_grad12 = aten::detach(where8);
  const Value where34 = aten::where(logical_or0, where8, stop_grad12);
  const Value stop_grad13 = aten::detach(where31);
  const Value where35 = aten::where(logical_or0, where31, stop_grad13);
  const Value stop_grad14 = aten::detach(where32);
  const Value where36 = aten::where(logical_or0, where32, stop_grad14);
  const Value mul10 = (where36 * where33 - sum2 * where33) * beta;
  const Value add5 = mul10 + (where35 * where34 - sum3 * where34) * sub0;
  const Value neg1 = -(add5 / (beta * where33 + sub0 * where34));
  const Value where37 = aten::where(logical_or0, neg1, 0);
  const Value add6 = where37 + (where31 - sum3);
  const Value mul11 = (where31 * where8 - sum3 * where8) * sub2;
  const Value where38 = aten::where(eq1, 0, add6 * where8 + mul11);
  const Value sum8 = aten::sum(where30);
  const Value sum9 = aten::sum(where38);
  const Value sub5 = grad_grad_student * (add1 - sum6) - sum3 * add1;
  const Value where39 = aten::where(eq1, 0, add6 * mul4);
  const Value mul12 = div0 / add0 * (sub3 * beta + sub4 * sub0);
  const Value where40 = aten::where(eq3, 0, -(sub4 * mul5));
  const Value where41 = aten::where(eq2, 0, -(sub3 * mul6));
  const Value sub6 = (where40 + where41) / add0 - mul12;
  const Value where42 = aten::where(logical_or0, sub6 * sub0, 0);
  const Value add7 = sub5 - grad_grad_student * sum0 + where39 + where42;
  const Value sum10 = aten::sum(add7 * q);
  const Value sub7 = grad_grad_teacher * (add2 - sum7) - sum2 * add2;
  const Value where43 = aten::where(eq0, 0, add4 * mul7);
  const Value where44 = aten::where(logical_or0, sub6 * beta, 0);
  const Value add8 = sub7 - grad_grad_teacher * sum1 + where43 + where44;
  const Value sum11 = aten::sum(add8 * p);
  writes[0] = sum8 * beta + sum9 * sub0;
  writes[1] = where3 - q * sum4 + q * (add7 - sum10);
  writes[2] = where2 - p * sum5 + p * (add8 - sum11);
}

const Pass kDoubleBackward = {
    .schema = "js_divergence_double_backward(Tensor? grad_grad_student, Tensor? "
              "grad_grad_teacher, Tensor? grad_loss, Tensor? student, Tensor? teacher, *, float "
              "beta, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_student", .optional = true},
               {.name = "grad_grad_teacher", .optional = true},
               {.name = "grad_loss", .extent = Extent::kRow},
               {.name = "student"},
               {.name = "teacher"}},
    .outputs = {{.name = "grad_grad_loss", .like = 2, .reads = {0, 1, 3, 4},
                 .extent = Extent::kRow},
                {.name = "grad_student", .like = 3, .reads = {0, 1, 2, 3, 4}},
                {.name = "grad_teacher", .like = 4, .reads = {0, 1, 2, 3, 4}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .reduces = true,
};

const Pass kBackward = {
    .schema = "js_divergence_backward(Tensor grad_loss, Tensor? student, Tensor? teacher, Tensor?"
              " kept_total0, Tensor? kept_total1, Tensor? kept_total2, Tensor? kept_total3, *, "
              "float beta, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_loss", .extent = Extent::kRow},
               {.name = "student"},
               {.name = "teacher"},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total1", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total2", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total3", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_student", .like = 1, .reads = {0, 1, 2, 3, 4, 5, 6}},
                {.name = "grad_teacher", .like = 2, .reads = {0, 1, 2, 3, 4, 5, 6}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
    .reduces = true,
};

const Pass kForward = {
    .schema = "js_divergence(Tensor student, Tensor teacher, *, float beta=0.5) -> Tensor",
    .inputs = {{.name = "student"}, {.name = "teacher"}},
    .outputs = {{.name = "loss", .extent = Extent::kRow}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
    .kept_totals = 4,
    .reduces = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::js_divergence
