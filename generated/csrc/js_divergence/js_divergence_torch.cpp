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
  const Value logical_or0 = aten::logical_or(aten::logical_not(eq1), aten::logical_not(eq0));
  const Value stop_grad0 = aten::detach(p);
  const Value where0 = aten::where(eq0, stop_grad0, p);
  const Value stop_grad1 = aten::detach(q);
  const Value where1 = aten::where(eq0, stop_grad1, q);
  const Value log0 = aten::log(beta * where0 + sub0 * where1);
  const Value stop_grad2 = aten::detach(log_softmax0);
  const Value where2 = aten::where(eq0, stop_grad2, log_softmax0);
  const Value where3 = aten::where(eq1, stop_grad0, p);
  const Value where4 = aten::where(eq1, stop_grad1, q);
  const Value log1 = aten::log(beta * where3 + sub0 * where4);
  const Value stop_grad3 = aten::detach(log_softmax1);
  const Value where5 = aten::where(eq1, stop_grad3, log_softmax1);
  const Value stop_grad4 = aten::detach(grad_loss);
  const Value where6 = aten::where(eq1, stop_grad4, grad_loss);
  const Value mul0 = where6 * sub0;
  const Value where7 = aten::where(eq1, 0, mul0 * (where5 - log1));
  const Value where8 = aten::where(eq1, 0, mul0 * where4);
  const Value sum0 = aten::sum(where8);
  const Value where9 = aten::where(eq0, stop_grad4, grad_loss);
  const Value mul1 = where9 * beta;
  const Value where10 = aten::where(logical_or0, p, stop_grad0);
  const Value where11 = aten::where(logical_or0, q, stop_grad1);
  const Value where12 = aten::where(logical_or0, grad_loss, stop_grad4);
  const Value stop_grad5 = aten::detach(where11);
  const Value where13 = aten::where(eq1, stop_grad5, where11);
  const Value stop_grad6 = aten::detach(where12);
  const Value where14 = aten::where(eq1, stop_grad6, where12);
  const Value where15 = aten::where(eq1, 0, -(where14 * sub0 * where13));
  const Value stop_grad7 = aten::detach(where10);
  const Value where16 = aten::where(eq0, stop_grad7, where10);
  const Value where17 = aten::where(eq0, stop_grad6, where12);
  const Value where18 = aten::where(eq0, 0, -(where17 * beta * where16));
  const Value div0 = (where15 + where18) / (beta * where10 + sub0 * where11);
  const Value where19 = aten::where(logical_or0, div0 * sub0, 0);
  const Value add0 = where7 + where19;
  const Value sum1 = aten::sum(add0 * q);
  const Value where20 = aten::where(eq0, 0, mul1 * (where2 - log0));
  const Value where21 = aten::where(eq0, 0, mul1 * where0);
  const Value sum2 = aten::sum(where21);
  const Value where22 = aten::where(logical_or0, div0 * beta, 0);
  const Value add1 = where20 + where22;
  const Value sum3 = aten::sum(add1 * p);
  writes[0] = where8 - q * sum0 + q * (add0 - sum1);
  writes[1] = where21 - p * sum2 + p * (add1 - sum3);
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
  const Value logical_or0 = aten::logical_or(aten::logical_not(eq1), aten::logical_not(eq0));
  const Value sum0 = aten::sum(grad_grad_teacher * p);
  const Value sum1 = aten::sum(grad_grad_student * q);
  const Value stop_grad0 = aten::detach(p);
  const Value where0 = aten::where(eq0, stop_grad0, p);
  const Value stop_grad1 = aten::detach(q);
  const Value where1 = aten::where(eq0, stop_grad1, q);
  const Value log0 = aten::log(beta * where0 + sub0 * where1);
  const Value stop_grad2 = aten::detach(log_softmax0);
  const Value where2 = aten::where(eq0, stop_grad2, log_softmax0);
  const Value sub1 = where2 - log0;
  const Value where3 = aten::where(eq1, stop_grad0, p);
  const Value where4 = aten::where(eq1, stop_grad1, q);
  const Value log1 = aten::log(beta * where3 + sub0 * where4);
  const Value stop_grad3 = aten::detach(log_softmax1);
  const Value where5 = aten::where(eq1, stop_grad3, log_softmax1);
  const Value sub2 = where5 - log1;
  const Value stop_grad4 = aten::detach(grad_loss);
  const Value where6 = aten::where(eq1, stop_grad4, grad_loss);
  const Value mul0 = where6 * sub0;
  const Value where7 = aten::where(eq1, 0, mul0 * sub2);
  const Value where8 = aten::where(eq1, 0, mul0 * where4);
  const Value sum2 = aten::sum(where8);
  const Value where9 = aten::where(eq0, stop_grad4, grad_loss);
  const Value mul1 = where9 * beta;
  const Value where10 = aten::where(logical_or0, p, stop_grad0);
  const Value where11 = aten::where(logical_or0, q, stop_grad1);
  const Value add0 = beta * where10 + sub0 * where11;
  const Value where12 = aten::where(logical_or0, grad_loss, stop_grad4);
  const Value stop_grad5 = aten::detach(where11);
  const Value where13 = aten::where(eq1, stop_grad5, where11);
  const Value stop_grad6 = aten::detach(where12);
  const Value where14 = aten::where(eq1, stop_grad6, where12);
  const Value mul2 = where14 * sub0;
  const Value where15 = aten::where(eq1, 0, -(mul2 * where13));
  const Value stop_grad7 = aten::detach(where10);
  const Value where16 = aten::where(eq0, stop_grad7, where10);
  const Value where17 = aten::where(eq0, stop_grad6, where12);
  const Value mul3 = where17 * beta;
  const Value where18 = aten::where(eq0, 0, -(mul3 * where16));
  const Value div0 = (where15 + where18) / add0;
  const Value where19 = aten::where(logical_or0, div0 * sub0, 0);
  const Value add1 = where7 + where19;
  const Value sum3 = aten::sum(add1 * q);
  const Value where20 = aten::where(eq0, 0, mul1 * sub1);
  const Value where21 = aten::where(eq0, 0, mul1 * where0);
  const Value sum4 = aten::sum(where21);
  const Value where22 = aten::where(logical_or0, div0 * beta, 0);
  const Value add2 = where20 + where22;
  const Value sum5 = aten::sum(add2 * p);
  const Value stop_grad8 = aten::detach(grad_grad_student);
  const Value where23 = aten::where(logical_or0, grad_grad_student, stop_grad8);
  const Value stop_grad9 = aten::detach(grad_grad_teacher);
  const Value where24 = aten::where(logical_or0, grad_grad_teacher, stop_grad9);
  const Value mul4 = (where24 * where10 - sum0 * where10) * beta;
  const Value add3 = mul4 + (where23 * where11 - sum1 * where11) * sub0;
  const Value where25 = aten::where(eq0, stop_grad8, grad_grad_student);
  const Value where26 = aten::where(eq0, stop_grad9, grad_grad_teacher);
  const Value sub3 = where26 * where0 - sum0 * where0;
  const Value stop_grad10 = aten::detach(where0);
  const Value where27 = aten::where(logical_or0, where0, stop_grad10);
  const Value stop_grad11 = aten::detach(where1);
  const Value where28 = aten::where(logical_or0, where1, stop_grad11);
  const Value stop_grad12 = aten::detach(where25);
  const Value where29 = aten::where(logical_or0, where25, stop_grad12);
  const Value stop_grad13 = aten::detach(where26);
  const Value where30 = aten::where(logical_or0, where26, stop_grad13);
  const Value mul5 = (where30 * where27 - sum0 * where27) * beta;
  const Value add4 = mul5 + (where29 * where28 - sum1 * where28) * sub0;
  const Value neg0 = -(add4 / (beta * where27 + sub0 * where28));
  const Value where31 = aten::where(logical_or0, neg0, 0);
  const Value add5 = where31 + (where26 - sum0);
  const Value where32 = aten::where(eq0, 0, add5 * where0 + sub3 * sub1);
  const Value where33 = aten::where(eq1, stop_grad8, grad_grad_student);
  const Value where34 = aten::where(eq1, stop_grad9, grad_grad_teacher);
  const Value sub4 = where33 * where4 - sum1 * where4;
  const Value stop_grad14 = aten::detach(where3);
  const Value where35 = aten::where(logical_or0, where3, stop_grad14);
  const Value stop_grad15 = aten::detach(where4);
  const Value where36 = aten::where(logical_or0, where4, stop_grad15);
  const Value stop_grad16 = aten::detach(where33);
  const Value where37 = aten::where(logical_or0, where33, stop_grad16);
  const Value stop_grad17 = aten::detach(where34);
  const Value where38 = aten::where(logical_or0, where34, stop_grad17);
  const Value mul6 = (where38 * where35 - sum0 * where35) * beta;
  const Value add6 = mul6 + (where37 * where36 - sum1 * where36) * sub0;
  const Value neg1 = -(add6 / (beta * where35 + sub0 * where36));
  const Value where39 = aten::where(logical_or0, neg1, 0);
  const Value add7 = where39 + (where33 - sum1);
  const Value where40 = aten::where(eq1, 0, add7 * where4 + sub4 * sub2);
  const Value sum6 = aten::sum(where32);
  const Value sum7 = aten::sum(where40);
  const Value sub5 = grad_grad_student * (add1 - sum3) - sum1 * add1;
  const Value where41 = aten::where(eq1, 0, add7 * mul0);
  const Value where42 = aten::where(eq1, 0, sub4 * mul0);
  const Value sum8 = aten::sum(where42);
  const Value stop_grad18 = aten::detach(where23);
  const Value where43 = aten::where(eq1, stop_grad18, where23);
  const Value neg2 = -((where43 * where13 - sum1 * where13) * mul2);
  const Value where44 = aten::where(eq1, 0, neg2);
  const Value stop_grad19 = aten::detach(where24);
  const Value where45 = aten::where(eq0, stop_grad19, where24);
  const Value neg3 = -((where45 * where16 - sum0 * where16) * mul3);
  const Value where46 = aten::where(eq0, 0, neg3);
  const Value sub6 = (where44 + where46) / add0 - div0 / add0 * add3;
  const Value where47 = aten::where(logical_or0, sub6 * sub0, 0);
  const Value add8 = sub5 - grad_grad_student * sum2 + where41 + where47;
  const Value sum9 = aten::sum(add8 * q);
  const Value sub7 = grad_grad_teacher * (add2 - sum5) - sum0 * add2;
  const Value where48 = aten::where(eq0, 0, add5 * mul1);
  const Value where49 = aten::where(eq0, 0, sub3 * mul1);
  const Value sum10 = aten::sum(where49);
  const Value where50 = aten::where(logical_or0, sub6 * beta, 0);
  const Value add9 = sub7 - grad_grad_teacher * sum4 + where48 + where50;
  const Value sum11 = aten::sum(add9 * p);
  writes[0] = sum6 * beta + sum7 * sub0;
  writes[1] = where42 - q * sum8 + q * (add8 - sum9);
  writes[2] = where49 - p * sum10 + p * (add9 - sum11);
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
