// Generated from specs/losses/kl_divergence.yaml by `fusewise generate`. Do not edit.
// The formulas stand in kl_divergence.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::kl_divergence {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& student = reads[0];
  const Value& teacher = reads[1];
  const Value amax0 = aten::amax(teacher);
  const Value stop_grad0 = aten::detach(amax0);
  const Value of_teacher = teacher - stop_grad0;
  const Value amax1 = aten::amax(student);
  const Value stop_grad1 = aten::detach(amax1);
  const Value of_student = student - stop_grad1;
  const Value power = aten::exp(of_teacher);
  const Value total = aten::sum(power);
  const Value eq0 = power == 0;
  const Value log0 = aten::log(total);
  const Value exp0 = aten::exp(of_student);
  const Value sum0 = aten::sum(exp0);
  const Value log1 = aten::log(sum0);
  const Value stop_grad2 = aten::detach(student);
  const Value where0 = aten::where(eq0, stop_grad2, student);
  const Value stop_grad3 = aten::detach(teacher);
  const Value where1 = aten::where(eq0, stop_grad3, teacher);
  const Value where2 = aten::where(eq0, stop_grad0, amax0);
  const Value stop_grad4 = aten::detach(where2);
  const Value sub0 = where1 - stop_grad4;
  const Value where3 = aten::where(eq0, stop_grad1, amax1);
  const Value stop_grad5 = aten::detach(where3);
  const Value exp1 = aten::exp(sub0);
  const Value where4 = aten::where(eq0, 0, exp1 * (sub0 - (where0 - stop_grad5)));
  const Value sum1 = aten::sum(where4);
  const Value gap = sum1 / total;
  writes[0] = gap - log0 + log1;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_loss = reads[0];
  const Value& student = reads[1];
  const Value& teacher = reads[2];
  const Value amax0 = aten::amax(teacher);
  const Value stop_grad0 = aten::detach(amax0);
  const Value of_teacher = teacher - stop_grad0;
  const Value amax1 = aten::amax(student);
  const Value stop_grad1 = aten::detach(amax1);
  const Value of_student = student - stop_grad1;
  const Value power = aten::exp(of_teacher);
  const Value total = aten::sum(power);
  const Value eq0 = power == 0;
  const Value exp0 = aten::exp(of_student);
  const Value sum0 = aten::sum(exp0);
  const Value stop_grad2 = aten::detach(student);
  const Value where0 = aten::where(eq0, stop_grad2, student);
  const Value stop_grad3 = aten::detach(teacher);
  const Value where1 = aten::where(eq0, stop_grad3, teacher);
  const Value sub0 = where1 - stop_grad0;
  const Value exp1 = aten::exp(sub0);
  const Value stop_grad4 = aten::detach(grad_loss);
  const Value where2 = aten::where(eq0, stop_grad4, grad_loss);
  const Value div0 = where2 / total;
  const Value mul0 = div0 * exp1;
  const Value where3 = aten::where(eq0, 0, -mul0);
  const Value sub1 = sub0 - (where0 - stop_grad1);
  const Value where4 = aten::where(eq0, 0, exp1 * sub1);
  const Value sum1 = aten::sum(where4);
  const Value gap = sum1 / total;
  const Value sub2 = -(grad_loss / total) - gap / total * grad_loss;
  const Value where5 = aten::where(eq0, 0, div0 * sub1);
  const Value where6 = aten::where(eq0, 0, mul0);
  writes[0] = grad_loss / sum0 * exp0 + where3;
  writes[1] = where6 + (where5 + sub2) * power;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_student = reads[0];
  const Value& grad_grad_teacher = reads[1];
  const Value& grad_loss = reads[2];
  const Value& student = reads[3];
  const Value& teacher = reads[4];
  const bool has_grad_grad_student = params[0].as<bool>();
  const bool has_grad_grad_teacher = params[1].as<bool>();
  const Value amax0 = aten::amax(teacher);
  const Value stop_grad0 = aten::detach(amax0);
  const Value of_teacher = teacher - stop_grad0;
  const Value amax1 = aten::amax(student);
  const Value stop_grad1 = aten::detach(amax1);
  const Value of_student = student - stop_grad1;
  const Value power = aten::exp(of_teacher);
  const Value total = aten::sum(power);
  const Value eq0 = power == 0;
  const Value exp0 = aten::exp(of_student);
  const Value sum0 = aten::sum(exp0);
  const Value sum1 = aten::sum(grad_grad_teacher * power);
  const Value where0 = aten::where(condition(has_grad_grad_teacher, reads[0]), -sum1, 0);
  const Value sum2 = aten::sum(grad_grad_student * exp0);
  const Value where1 = aten::where(condition(has_grad_grad_student, reads[0]), sum2 / sum0, 0);
  const Value stop_grad2 = aten::detach(student);
  const Value where2 = aten::where(eq0, stop_grad2, student);
  const Value stop_grad3 = aten::detach(teacher);
  const Value where3 = aten::where(eq0, stop_grad3, teacher);
  const Value sub0 = where3 - stop_grad0;
  const Value exp1 = aten::exp(sub0);
  const Value stop_grad4 = aten::detach(grad_loss);
  const Value where4 = aten::where(eq0, stop_grad4, grad_loss);
  const Value where5 = aten::where(eq0, 0, exp1 * (sub0 - (where2 - stop_grad1)));
  const Value sum3 = aten::sum(where5);
  const Value gap = sum3 / total;
  const Value div0 = gap / total;
  const Value where6 = aten::where(condition(has_grad_grad_teacher, reads[0]), teacher, stop_grad3);
  const Value stop_grad5 = aten::detach(grad_grad_teacher);
  const Value where7 = aten::where(condition(has_grad_grad_teacher, reads[0]), grad_grad_teacher,
      stop_grad5);
  const Value where8 = aten::where(condition(has_grad_grad_teacher, reads[0]), student, stop_grad2);
  const Value stop_grad6 = aten::detach(where8);
  const Value where9 = aten::where(eq0, stop_grad6, where8);
  const Value stop_grad7 = aten::detach(where6);
  const Value where10 = aten::where(eq0, stop_grad7, where6);
  const Value where11 = aten::where(condition(has_grad_grad_teacher, reads[0]), -(sum1 * div0), 0);
  const Value where12 = aten::where(condition(has_grad_grad_student, reads[0]), student,
      stop_grad2);
  const Value exp2 = aten::exp(where12 - stop_grad1);
  const Value stop_grad8 = aten::detach(grad_grad_student);
  const Value where13 = aten::where(condition(has_grad_grad_student, reads[0]), grad_grad_student,
      stop_grad8);
  const Value where14 = aten::where(eq0, stop_grad8, grad_grad_student);
  const Value where15 = aten::where(eq0, stop_grad5, grad_grad_teacher);
  const Value sub1 = where15 - where14;
  const Value stop_grad9 = aten::detach(where2);
  const Value where16 = aten::where(condition(has_grad_grad_teacher, reads[0]), where2, stop_grad9);
  const Value stop_grad10 = aten::detach(where3);
  const Value where17 = aten::where(condition(has_grad_grad_teacher, reads[0]), where3,
      stop_grad10);
  const Value sub2 = where17 - stop_grad0;
  const Value exp3 = aten::exp(sub2);
  const Value sub3 = sub2 - (where16 - stop_grad1);
  const Value stop_grad11 = aten::detach(where15);
  const Value where18 = aten::where(condition(has_grad_grad_teacher, reads[0]), where15,
      stop_grad11);
  const Value where19 = aten::where(condition(has_grad_grad_teacher, reads[0]), exp3 * sub3 *
      where18, 0);
  const Value where20 = aten::where(eq0, 0, sub1 * exp1 + where19);
  const Value sum4 = aten::sum(where20);
  const Value add0 = where0 + sum4;
  const Value where21 = aten::where(condition(has_grad_grad_student, reads[0]), grad_loss,
      stop_grad4);
  const Value div1 = where21 / sum0;
  const Value mul0 = (where13 * div1 - div1 / sum0 * sum2) * exp2;
  const Value where22 = aten::where(condition(has_grad_grad_student, reads[0]), mul0, 0);
  const Value where23 = aten::where(condition(has_grad_grad_teacher, reads[0]), grad_loss,
      stop_grad4);
  const Value mul1 = sum1 * where23;
  const Value stop_grad12 = aten::detach(where4);
  const Value where24 = aten::where(condition(has_grad_grad_teacher, reads[0]), where4,
      stop_grad12);
  const Value div2 = sum1 * where24 / total / total;
  const Value sub4 = where24 / total * exp3 * where18 - div2 * exp3;
  const Value where25 = aten::where(condition(has_grad_grad_teacher, reads[0]), -sub4, 0);
  const Value where26 = aten::where(eq0, 0, where25);
  const Value stop_grad13 = aten::detach(where23);
  const Value where27 = aten::where(eq0, stop_grad13, where23);
  const Value mul2 = where27 / total * (where10 - stop_grad0 - (where9 - stop_grad1));
  const Value where28 = aten::where(eq0, 0, mul2);
  const Value add1 = where28 + (-(where23 / total) - div0 * where23);
  const Value where29 = aten::where(condition(has_grad_grad_teacher, reads[0]), where7 * add1, 0);
  const Value where30 = aten::where(condition(has_grad_grad_teacher, reads[0]), div0 / total * mul1,
      0);
  const Value where31 = aten::where(condition(has_grad_grad_teacher, reads[0]), div0 * (mul1 /
      total), 0);
  const Value where32 = aten::where(condition(has_grad_grad_teacher, reads[0]), -(div2 * sub3), 0);
  const Value where33 = aten::where(eq0, 0, sub1 * (where4 / total) + where32);
  const Value add2 = where30 - grad_loss / total / total * add0 + where31;
  const Value where34 = aten::where(condition(has_grad_grad_teacher, reads[0]), sub4, 0);
  const Value where35 = aten::where(eq0, 0, where34);
  writes[0] = where11 + add0 / total + where1;
  writes[1] = where22 + where26;
  writes[2] = where35 + (where29 + where33 + add2) * power;
}

const Pass kDoubleBackward = {
    .schema = "kl_divergence_double_backward(Tensor? grad_grad_student, Tensor? "
              "grad_grad_teacher, Tensor? grad_loss, Tensor? student, Tensor? teacher, bool[3] "
              "needs) -> (Tensor, Tensor, Tensor)",
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
    .arrivals = {0, 1},
    .reduces = true,
    .needs_elements = true,
};

const Pass kBackward = {
    .schema = "kl_divergence_backward(Tensor grad_loss, Tensor? student, Tensor? teacher, Tensor?"
              " kept_total0, Tensor? kept_total1, Tensor? kept_total2, Tensor? kept_total3, "
              "Tensor? kept_total4, bool[2] needs) -> (Tensor, Tensor)",
    .inputs = {{.name = "grad_loss", .extent = Extent::kRow},
               {.name = "student"},
               {.name = "teacher"},
               {.name = "kept_total0", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total1", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total2", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total3", .kind = Kind::kTotal, .extent = Extent::kRow},
               {.name = "kept_total4", .kind = Kind::kTotal, .extent = Extent::kRow}},
    .outputs = {{.name = "grad_student", .like = 1, .reads = {0, 1, 2, 3, 4, 5, 6, 7}},
                {.name = "grad_teacher", .like = 2, .reads = {0, 1, 2, 3, 4, 5, 6, 7}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
    .reduces = true,
    .needs_elements = true,
};

const Pass kForward = {
    .schema = "kl_divergence(Tensor student, Tensor teacher) -> Tensor",
    .inputs = {{.name = "student"}, {.name = "teacher"}},
    .outputs = {{.name = "loss", .extent = Extent::kRow}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1},
    .gradients = {0, 1},
    .kept_totals = 5,
    .reduces = true,
    .needs_elements = true,
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::kl_divergence
