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
  const bool has_grad_grad_student = params[1].as<bool>();
  const bool has_grad_grad_teacher = params[2].as<bool>();
  const Value p = aten::softmax(teacher);
  const Value q = aten::softmax(student);
  const double sub0 = 1 - beta;
  const Value eq0 = p == 0;
  const Value log_softmax0 = aten::log_softmax(teacher);
  const Value eq1 = q == 0;
  const Value log_softmax1 = aten::log_softmax(student);
  const Value logical_not0 = aten::logical_not(eq1);
  const Value logical_not1 = aten::logical_not(eq0);
  const Value logical_or0 = aten::logical_or(logical_not0, logical_not1);
  const Value sum0 = aten::sum(grad_grad_teacher * p);
  const Value where0 = aten::where(condition(has_grad_grad_teacher, reads[0]), -sum0, 0);
  const Value sum1 = aten::sum(grad_grad_student * q);
  const Value where1 = aten::where(condition(has_grad_grad_student, reads[0]), -sum1, 0);
  const Value logical_or1 = aten::logical_or(logical_or0, condition(has_grad_grad_teacher,
      reads[0]));
  const Value logical_or2 = aten::logical_or(logical_or0, condition(has_grad_grad_student,
      reads[0]));
  const Value logical_or3 = aten::logical_or(aten::logical_and(logical_not0,
      condition(has_grad_grad_student, reads[0])), aten::logical_and(logical_not1,
      condition(has_grad_grad_teacher, reads[0])));
  const Value logical_or4 = aten::logical_or(logical_or0, logical_or3);
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
  const Value mul0 = where8 * sub0;
  const Value where9 = aten::where(eq1, 0, mul0 * (where7 - log1));
  const Value where10 = aten::where(eq1, 0, mul0 * where6);
  const Value sum2 = aten::sum(where10);
  const Value where11 = aten::where(eq0, stop_grad4, grad_loss);
  const Value mul1 = where11 * beta;
  const Value where12 = aten::where(logical_or0, p, stop_grad0);
  const Value where13 = aten::where(logical_or0, q, stop_grad1);
  const Value where14 = aten::where(logical_or0, grad_loss, stop_grad4);
  const Value stop_grad5 = aten::detach(where13);
  const Value where15 = aten::where(eq1, stop_grad5, where13);
  const Value stop_grad6 = aten::detach(where14);
  const Value where16 = aten::where(eq1, stop_grad6, where14);
  const Value where17 = aten::where(eq1, 0, -(where16 * sub0 * where15));
  const Value stop_grad7 = aten::detach(where12);
  const Value where18 = aten::where(eq0, stop_grad7, where12);
  const Value where19 = aten::where(eq0, stop_grad6, where14);
  const Value where20 = aten::where(eq0, 0, -(where19 * beta * where18));
  const Value div0 = (where17 + where20) / (beta * where12 + sub0 * where13);
  const Value where21 = aten::where(logical_or0, div0 * sub0, 0);
  const Value sum3 = aten::sum((where9 + where21) * q);
  const Value where22 = aten::where(eq0, 0, mul1 * (where4 - log0));
  const Value where23 = aten::where(eq0, 0, mul1 * where2);
  const Value sum4 = aten::sum(where23);
  const Value where24 = aten::where(logical_or0, div0 * beta, 0);
  const Value sum5 = aten::sum((where22 + where24) * p);
  const Value where25 = aten::where(condition(has_grad_grad_teacher, reads[0]), p, stop_grad0);
  const Value stop_grad8 = aten::detach(grad_grad_teacher);
  const Value where26 = aten::where(condition(has_grad_grad_teacher, reads[0]), grad_grad_teacher,
      stop_grad8);
  const Value where27 = aten::where(condition(has_grad_grad_student, reads[0]), q, stop_grad1);
  const Value stop_grad9 = aten::detach(grad_grad_student);
  const Value where28 = aten::where(condition(has_grad_grad_student, reads[0]), grad_grad_student,
      stop_grad9);
  const Value where29 = aten::where(condition(has_grad_grad_teacher, reads[0]), q, stop_grad1);
  const Value where30 = aten::where(condition(has_grad_grad_teacher, reads[0]), log_softmax0,
      stop_grad2);
  const Value where31 = aten::where(eq0, stop_grad9, grad_grad_student);
  const Value where32 = aten::where(eq0, stop_grad8, grad_grad_teacher);
  const Value stop_grad10 = aten::detach(where2);
  const Value where33 = aten::where(condition(has_grad_grad_teacher, reads[0]), where2,
      stop_grad10);
  const Value stop_grad11 = aten::detach(where32);
  const Value where34 = aten::where(condition(has_grad_grad_teacher, reads[0]), where32,
      stop_grad11);
  const Value sub1 = where34 * where33 - sum0 * where33;
  const Value stop_grad12 = aten::detach(where3);
  const Value stop_grad13 = aten::detach(where31);
  const Value where35 = aten::where(logical_or1, where2, stop_grad10);
  const Value where36 = aten::where(logical_or1, where3, stop_grad12);
  const Value where37 = aten::where(logical_or1, where31, stop_grad13);
  const Value where38 = aten::where(logical_or1, where32, stop_grad11);
  const Value stop_grad14 = aten::detach(where35);
  const Value stop_grad15 = aten::detach(where38);
  const Value stop_grad16 = aten::detach(where36);
  const Value stop_grad17 = aten::detach(where37);
  const Value where39 = aten::where(logical_or0, where35, stop_grad14);
  const Value where40 = aten::where(logical_or0, where36, stop_grad16);
  const Value where41 = aten::where(logical_or0, where37, stop_grad17);
  const Value where42 = aten::where(logical_or0, where38, stop_grad15);
  const Value stop_grad18 = aten::detach(where39);
  const Value where43 = aten::where(condition(has_grad_grad_teacher, reads[0]), where39,
      stop_grad18);
  const Value stop_grad19 = aten::detach(where42);
  const Value where44 = aten::where(condition(has_grad_grad_teacher, reads[0]), where42,
      stop_grad19);
  const Value where45 = aten::where(condition(has_grad_grad_teacher, reads[0]), (where44 * where43 -
      sum0 * where43) * beta, 0);
  const Value stop_grad20 = aten::detach(where40);
  const Value where46 = aten::where(condition(has_grad_grad_student, reads[0]), where40,
      stop_grad20);
  const Value stop_grad21 = aten::detach(where41);
  const Value where47 = aten::where(condition(has_grad_grad_student, reads[0]), where41,
      stop_grad21);
  const Value where48 = aten::where(condition(has_grad_grad_student, reads[0]), (where47 * where46 -
      sum1 * where46) * sub0, 0);
  const Value div1 = (where45 + where48) / (beta * where39 + sub0 * where40);
  const Value where49 = aten::where(logical_or0, -div1, 0);
  const Value add0 = where49 + (where38 + where0);
  const Value where50 = aten::where(logical_or1, add0 * where35, 0);
  const Value where51 = aten::where(condition(has_grad_grad_teacher, reads[0]), where3,
      stop_grad12);
  const Value log2 = aten::log(beta * where33 + sub0 * where51);
  const Value stop_grad22 = aten::detach(where4);
  const Value where52 = aten::where(condition(has_grad_grad_teacher, reads[0]), where4,
      stop_grad22);
  const Value where53 = aten::where(condition(has_grad_grad_teacher, reads[0]), sub1 * (where52 -
      log2), 0);
  const Value where54 = aten::where(eq0, 0, where50 + where53);
  const Value where55 = aten::where(condition(has_grad_grad_student, reads[0]), p, stop_grad0);
  const Value where56 = aten::where(condition(has_grad_grad_student, reads[0]), log_softmax1,
      stop_grad3);
  const Value where57 = aten::where(eq1, stop_grad9, grad_grad_student);
  const Value where58 = aten::where(eq1, stop_grad8, grad_grad_teacher);
  const Value stop_grad23 = aten::detach(where6);
  const Value where59 = aten::where(condition(has_grad_grad_student, reads[0]), where6,
      stop_grad23);
  const Value stop_grad24 = aten::detach(where57);
  const Value where60 = aten::where(condition(has_grad_grad_student, reads[0]), where57,
      stop_grad24);
  const Value stop_grad25 = aten::detach(where5);
  const Value stop_grad26 = aten::detach(where58);
  const Value sub2 = where60 * where59 - sum1 * where59;
  const Value where61 = aten::where(logical_or2, where5, stop_grad25);
  const Value where62 = aten::where(logical_or2, where6, stop_grad23);
  const Value where63 = aten::where(logical_or2, where57, stop_grad24);
  const Value where64 = aten::where(logical_or2, where58, stop_grad26);
  const Value stop_grad27 = aten::detach(where62);
  const Value stop_grad28 = aten::detach(where63);
  const Value stop_grad29 = aten::detach(where61);
  const Value stop_grad30 = aten::detach(where64);
  const Value where65 = aten::where(logical_or0, where61, stop_grad29);
  const Value where66 = aten::where(logical_or0, where62, stop_grad27);
  const Value where67 = aten::where(logical_or0, where63, stop_grad28);
  const Value where68 = aten::where(logical_or0, where64, stop_grad30);
  const Value stop_grad31 = aten::detach(where65);
  const Value where69 = aten::where(condition(has_grad_grad_teacher, reads[0]), where65,
      stop_grad31);
  const Value stop_grad32 = aten::detach(where68);
  const Value where70 = aten::where(condition(has_grad_grad_teacher, reads[0]), where68,
      stop_grad32);
  const Value where71 = aten::where(condition(has_grad_grad_teacher, reads[0]), (where70 * where69 -
      sum0 * where69) * beta, 0);
  const Value stop_grad33 = aten::detach(where66);
  const Value where72 = aten::where(condition(has_grad_grad_student, reads[0]), where66,
      stop_grad33);
  const Value stop_grad34 = aten::detach(where67);
  const Value where73 = aten::where(condition(has_grad_grad_student, reads[0]), where67,
      stop_grad34);
  const Value where74 = aten::where(condition(has_grad_grad_student, reads[0]), (where73 * where72 -
      sum1 * where72) * sub0, 0);
  const Value div2 = (where71 + where74) / (beta * where65 + sub0 * where66);
  const Value where75 = aten::where(logical_or0, -div2, 0);
  const Value add1 = where75 + (where63 + where1);
  const Value where76 = aten::where(logical_or2, add1 * where62, 0);
  const Value where77 = aten::where(condition(has_grad_grad_student, reads[0]), where5,
      stop_grad25);
  const Value log3 = aten::log(beta * where77 + sub0 * where59);
  const Value stop_grad35 = aten::detach(where7);
  const Value where78 = aten::where(condition(has_grad_grad_student, reads[0]), where7,
      stop_grad35);
  const Value where79 = aten::where(condition(has_grad_grad_student, reads[0]), sub2 * (where78 -
      log3), 0);
  const Value where80 = aten::where(eq1, 0, where76 + where79);
  const Value sum6 = aten::sum(where54);
  const Value sum7 = aten::sum(where80);
  const Value where81 = aten::where(condition(has_grad_grad_student, reads[0]), grad_loss,
      stop_grad4);
  const Value stop_grad36 = aten::detach(where55);
  const Value where82 = aten::where(eq1, stop_grad36, where55);
  const Value stop_grad37 = aten::detach(where27);
  const Value where83 = aten::where(eq1, stop_grad37, where27);
  const Value log4 = aten::log(beta * where82 + sub0 * where83);
  const Value stop_grad38 = aten::detach(where56);
  const Value where84 = aten::where(eq1, stop_grad38, where56);
  const Value stop_grad39 = aten::detach(where81);
  const Value where85 = aten::where(eq1, stop_grad39, where81);
  const Value where86 = aten::where(eq1, 0, where85 * sub0 * (where84 - log4));
  const Value where87 = aten::where(logical_or0, where55, stop_grad36);
  const Value where88 = aten::where(logical_or0, where27, stop_grad37);
  const Value where89 = aten::where(logical_or0, where81, stop_grad39);
  const Value stop_grad40 = aten::detach(where88);
  const Value where90 = aten::where(eq1, stop_grad40, where88);
  const Value stop_grad41 = aten::detach(where89);
  const Value where91 = aten::where(eq1, stop_grad41, where89);
  const Value where92 = aten::where(eq1, 0, -(where91 * sub0 * where90));
  const Value stop_grad42 = aten::detach(where87);
  const Value where93 = aten::where(eq0, stop_grad42, where87);
  const Value where94 = aten::where(eq0, stop_grad41, where89);
  const Value where95 = aten::where(eq0, 0, -(where94 * beta * where93));
  const Value div3 = (where92 + where95) / (beta * where87 + sub0 * where88);
  const Value where96 = aten::where(logical_or0, div3 * sub0, 0);
  const Value add2 = where86 + where96;
  const Value sub3 = where28 * (add2 - sum3) - sum1 * add2;
  const Value where97 = aten::where(condition(has_grad_grad_student, reads[0]), sub3 - where28 *
      sum2, 0);
  const Value stop_grad43 = aten::detach(where8);
  const Value where98 = aten::where(logical_or2, where8, stop_grad43);
  const Value where99 = aten::where(logical_or2, add1 * (where98 * sub0), 0);
  const Value where100 = aten::where(eq1, 0, where99);
  const Value where101 = aten::where(condition(has_grad_grad_student, reads[0]), where8,
      stop_grad43);
  const Value where102 = aten::where(condition(has_grad_grad_student, reads[0]), sub2 * (where101 *
      sub0), 0);
  const Value where103 = aten::where(eq1, 0, where102);
  const Value sum8 = aten::sum(where103);
  const Value stop_grad44 = aten::detach(where28);
  const Value where104 = aten::where(eq1, stop_grad44, where28);
  const Value stop_grad45 = aten::detach(where83);
  const Value where105 = aten::where(condition(has_grad_grad_student, reads[0]), where83,
      stop_grad45);
  const Value stop_grad46 = aten::detach(where85);
  const Value where106 = aten::where(condition(has_grad_grad_student, reads[0]), where85,
      stop_grad46);
  const Value stop_grad47 = aten::detach(where104);
  const Value where107 = aten::where(condition(has_grad_grad_student, reads[0]), where104,
      stop_grad47);
  const Value mul2 = (where107 * where105 - sum1 * where105) * (where106 * sub0);
  const Value where108 = aten::where(condition(has_grad_grad_student, reads[0]), mul2, 0);
  const Value where109 = aten::where(eq1, 0, where108);
  const Value where110 = aten::where(condition(has_grad_grad_student, reads[0]), where109 - where27
      * sum8, 0);
  const Value where111 = aten::where(condition(has_grad_grad_teacher, reads[0]), grad_loss,
      stop_grad4);
  const Value stop_grad48 = aten::detach(where11);
  const Value where112 = aten::where(condition(has_grad_grad_teacher, reads[0]), where11,
      stop_grad48);
  const Value where113 = aten::where(logical_or4, p, stop_grad0);
  const Value where114 = aten::where(logical_or4, q, stop_grad1);
  const Value where115 = aten::where(logical_or4, grad_loss, stop_grad4);
  const Value stop_grad49 = aten::detach(where114);
  const Value stop_grad50 = aten::detach(where115);
  const Value stop_grad51 = aten::detach(where113);
  const Value where116 = aten::where(logical_or4, grad_grad_student, stop_grad9);
  const Value where117 = aten::where(logical_or4, grad_grad_teacher, stop_grad8);
  const Value stop_grad52 = aten::detach(where117);
  const Value stop_grad53 = aten::detach(where116);
  const Value where118 = aten::where(logical_or0, where113, stop_grad51);
  const Value where119 = aten::where(logical_or0, where114, stop_grad49);
  const Value add3 = beta * where118 + sub0 * where119;
  const Value where120 = aten::where(logical_or0, where115, stop_grad50);
  const Value stop_grad54 = aten::detach(where119);
  const Value where121 = aten::where(eq1, stop_grad54, where119);
  const Value stop_grad55 = aten::detach(where120);
  const Value where122 = aten::where(eq1, stop_grad55, where120);
  const Value where123 = aten::where(eq1, 0, -(where122 * sub0 * where121));
  const Value stop_grad56 = aten::detach(where118);
  const Value where124 = aten::where(eq0, stop_grad56, where118);
  const Value where125 = aten::where(eq0, stop_grad55, where120);
  const Value where126 = aten::where(eq0, 0, -(where125 * beta * where124));
  const Value where127 = aten::where(logical_or0, where116, stop_grad53);
  const Value where128 = aten::where(logical_or0, where117, stop_grad52);
  const Value where129 = aten::where(condition(has_grad_grad_teacher, reads[0]), where118,
      stop_grad56);
  const Value stop_grad57 = aten::detach(where128);
  const Value where130 = aten::where(condition(has_grad_grad_teacher, reads[0]), where128,
      stop_grad57);
  const Value where131 = aten::where(condition(has_grad_grad_teacher, reads[0]), (where130 *
      where129 - sum0 * where129) * beta, 0);
  const Value where132 = aten::where(condition(has_grad_grad_student, reads[0]), where119,
      stop_grad54);
  const Value stop_grad58 = aten::detach(where127);
  const Value where133 = aten::where(condition(has_grad_grad_student, reads[0]), where127,
      stop_grad58);
  const Value where134 = aten::where(condition(has_grad_grad_student, reads[0]), (where133 *
      where132 - sum1 * where132) * sub0, 0);
  const Value mul3 = (where123 + where126) / add3 / add3 * (where131 + where134);
  const Value where135 = aten::where(logical_or0, -mul3, 0);
  const Value where136 = aten::where(logical_or3, where113, stop_grad51);
  const Value where137 = aten::where(logical_or3, where114, stop_grad49);
  const Value where138 = aten::where(logical_or3, where115, stop_grad50);
  const Value where139 = aten::where(logical_or3, where116, stop_grad53);
  const Value where140 = aten::where(logical_or3, where117, stop_grad52);
  const Value stop_grad59 = aten::detach(where137);
  const Value stop_grad60 = aten::detach(where138);
  const Value stop_grad61 = aten::detach(where139);
  const Value where141 = aten::where(eq1, stop_grad59, where137);
  const Value where142 = aten::where(eq1, stop_grad60, where138);
  const Value where143 = aten::where(eq1, stop_grad61, where139);
  const Value stop_grad62 = aten::detach(where141);
  const Value where144 = aten::where(condition(has_grad_grad_student, reads[0]), where141,
      stop_grad62);
  const Value stop_grad63 = aten::detach(where142);
  const Value where145 = aten::where(condition(has_grad_grad_student, reads[0]), where142,
      stop_grad63);
  const Value stop_grad64 = aten::detach(where143);
  const Value where146 = aten::where(condition(has_grad_grad_student, reads[0]), where143,
      stop_grad64);
  const Value mul4 = (where146 * where144 - sum1 * where144) * (where145 * sub0);
  const Value where147 = aten::where(condition(has_grad_grad_student, reads[0]), -mul4, 0);
  const Value where148 = aten::where(eq1, 0, where147);
  const Value stop_grad65 = aten::detach(where136);
  const Value stop_grad66 = aten::detach(where140);
  const Value where149 = aten::where(eq0, stop_grad65, where136);
  const Value where150 = aten::where(eq0, stop_grad60, where138);
  const Value where151 = aten::where(eq0, stop_grad66, where140);
  const Value stop_grad67 = aten::detach(where149);
  const Value where152 = aten::where(condition(has_grad_grad_teacher, reads[0]), where149,
      stop_grad67);
  const Value stop_grad68 = aten::detach(where150);
  const Value where153 = aten::where(condition(has_grad_grad_teacher, reads[0]), where150,
      stop_grad68);
  const Value stop_grad69 = aten::detach(where151);
  const Value where154 = aten::where(condition(has_grad_grad_teacher, reads[0]), where151,
      stop_grad69);
  const Value mul5 = (where154 * where152 - sum0 * where152) * (where153 * beta);
  const Value where155 = aten::where(condition(has_grad_grad_teacher, reads[0]), -mul5, 0);
  const Value where156 = aten::where(eq0, 0, where155);
  const Value div4 = (where148 + where156) / (beta * where136 + sub0 * where137);
  const Value where157 = aten::where(logical_or3, div4, 0);
  const Value add4 = where135 + where157;
  const Value where158 = aten::where(logical_or4, add4 * sub0, 0);
  const Value add5 = where97 + where100 + where158;
  const Value sum9 = aten::sum(add5 * q);
  const Value stop_grad70 = aten::detach(where29);
  const Value stop_grad71 = aten::detach(where111);
  const Value stop_grad72 = aten::detach(where25);
  const Value where159 = aten::where(eq0, stop_grad72, where25);
  const Value where160 = aten::where(eq0, stop_grad70, where29);
  const Value log5 = aten::log(beta * where159 + sub0 * where160);
  const Value stop_grad73 = aten::detach(where30);
  const Value where161 = aten::where(eq0, stop_grad73, where30);
  const Value where162 = aten::where(eq0, stop_grad71, where111);
  const Value where163 = aten::where(eq0, 0, where162 * beta * (where161 - log5));
  const Value where164 = aten::where(logical_or0, where25, stop_grad72);
  const Value where165 = aten::where(logical_or0, where29, stop_grad70);
  const Value where166 = aten::where(logical_or0, where111, stop_grad71);
  const Value stop_grad74 = aten::detach(where165);
  const Value where167 = aten::where(eq1, stop_grad74, where165);
  const Value stop_grad75 = aten::detach(where166);
  const Value where168 = aten::where(eq1, stop_grad75, where166);
  const Value where169 = aten::where(eq1, 0, -(where168 * sub0 * where167));
  const Value stop_grad76 = aten::detach(where164);
  const Value where170 = aten::where(eq0, stop_grad76, where164);
  const Value where171 = aten::where(eq0, stop_grad75, where166);
  const Value where172 = aten::where(eq0, 0, -(where171 * beta * where170));
  const Value div5 = (where169 + where172) / (beta * where164 + sub0 * where165);
  const Value where173 = aten::where(logical_or0, div5 * beta, 0);
  const Value add6 = where163 + where173;
  const Value sub4 = where26 * (add6 - sum5) - sum0 * add6;
  const Value where174 = aten::where(condition(has_grad_grad_teacher, reads[0]), sub4 - where26 *
      sum4, 0);
  const Value where175 = aten::where(logical_or1, where11, stop_grad48);
  const Value where176 = aten::where(logical_or1, add0 * (where175 * beta), 0);
  const Value where177 = aten::where(eq0, 0, where176);
  const Value where178 = aten::where(condition(has_grad_grad_teacher, reads[0]), sub1 * (where112 *
      beta), 0);
  const Value where179 = aten::where(eq0, 0, where178);
  const Value sum10 = aten::sum(where179);
  const Value stop_grad77 = aten::detach(where26);
  const Value where180 = aten::where(eq0, stop_grad77, where26);
  const Value stop_grad78 = aten::detach(where159);
  const Value where181 = aten::where(condition(has_grad_grad_teacher, reads[0]), where159,
      stop_grad78);
  const Value stop_grad79 = aten::detach(where162);
  const Value where182 = aten::where(condition(has_grad_grad_teacher, reads[0]), where162,
      stop_grad79);
  const Value stop_grad80 = aten::detach(where180);
  const Value where183 = aten::where(condition(has_grad_grad_teacher, reads[0]), where180,
      stop_grad80);
  const Value mul6 = (where183 * where181 - sum0 * where181) * (where182 * beta);
  const Value where184 = aten::where(condition(has_grad_grad_teacher, reads[0]), mul6, 0);
  const Value where185 = aten::where(eq0, 0, where184);
  const Value where186 = aten::where(condition(has_grad_grad_teacher, reads[0]), where185 - where25
      * sum10, 0);
  const Value where187 = aten::where(logical_or4, add4 * beta, 0);
  const Value add7 = where174 + where177 + where187;
  const Value sum11 = aten::sum(add7 * p);
  writes[0] = sum6 * beta + sum7 * sub0;
  writes[1] = where110 + q * (add5 - sum9);
  writes[2] = where186 + p * (add7 - sum11);
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
    .arrivals = {0, 1},
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
