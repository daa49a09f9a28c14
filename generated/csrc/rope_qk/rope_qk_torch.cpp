// Generated from specs/rotary/rope_qk.yaml by `fusewise generate`. Do not edit.
// The formulas stand in rope_qk.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::rope_qk {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& q1 = reads[0];
  const Value& q2 = reads[1];
  const Value& k1 = reads[2];
  const Value& k2 = reads[3];
  const Value& cosine = reads[4];
  const Value& sine = reads[5];
  writes[0] = q1 * cosine - q2 * sine;
  writes[1] = q2 * cosine + q1 * sine;
  writes[2] = k1 * cosine - k2 * sine;
  writes[3] = k2 * cosine + k1 * sine;
}

void backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_q_out_0 = reads[0];
  const Value& grad_q_out_1 = reads[1];
  const Value& grad_k_out_0 = reads[2];
  const Value& grad_k_out_1 = reads[3];
  const Value& q1 = reads[4];
  const Value& q2 = reads[5];
  const Value& k1 = reads[6];
  const Value& k2 = reads[7];
  const Value& cosine = reads[8];
  const Value& sine = reads[9];
  const bool has_grad_q_out = params[0].as<bool>();
  const bool has_grad_k_out = params[1].as<bool>();
  const Value where0 = aten::where(condition(has_grad_k_out, reads[0]), grad_k_out_1 * k1 -
      grad_k_out_0 * k2, 0);
  const Value where1 = aten::where(condition(has_grad_k_out, reads[0]), grad_k_out_1 * k2 +
      grad_k_out_0 * k1, 0);
  const Value where2 = aten::where(condition(has_grad_q_out, reads[0]), grad_q_out_1 * q1 -
      grad_q_out_0 * q2, 0);
  const Value where3 = aten::where(condition(has_grad_q_out, reads[0]), grad_q_out_1 * q2 +
      grad_q_out_0 * q1, 0);
  writes[0] = aten::where(condition(has_grad_q_out, reads[0]), grad_q_out_1 * sine + grad_q_out_0 *
      cosine, 0);
  writes[1] = aten::where(condition(has_grad_q_out, reads[0]), grad_q_out_1 * cosine - grad_q_out_0
      * sine, 0);
  writes[2] = aten::where(condition(has_grad_k_out, reads[0]), grad_k_out_1 * sine + grad_k_out_0 *
      cosine, 0);
  writes[3] = aten::where(condition(has_grad_k_out, reads[0]), grad_k_out_1 * cosine - grad_k_out_0
      * sine, 0);
  writes[4] = where1 + where3;
  writes[5] = where0 + where2;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_q1 = reads[0];
  const Value& grad_grad_q2 = reads[1];
  const Value& grad_grad_k1 = reads[2];
  const Value& grad_grad_k2 = reads[3];
  const Value& grad_grad_cosine = reads[4];
  const Value& grad_grad_sine = reads[5];
  const Value& grad_q_out_0 = reads[6];
  const Value& grad_q_out_1 = reads[7];
  const Value& grad_k_out_0 = reads[8];
  const Value& grad_k_out_1 = reads[9];
  const Value& q1 = reads[10];
  const Value& q2 = reads[11];
  const Value& k1 = reads[12];
  const Value& k2 = reads[13];
  const Value& cosine = reads[14];
  const Value& sine = reads[15];
  const bool has_grad_q_out = params[0].as<bool>();
  const bool has_grad_k_out = params[1].as<bool>();
  const bool has_grad_grad_q = params[2].as<bool>();
  const bool has_grad_grad_k = params[3].as<bool>();
  const bool has_grad_grad_cosine = params[4].as<bool>();
  const bool has_grad_grad_sine = params[5].as<bool>();
  const Value where0 = aten::where(condition(has_grad_grad_cosine, reads[0]), grad_grad_cosine * q1,
      0);
  const Value where1 = aten::where(condition(has_grad_grad_cosine, reads[0]), grad_grad_cosine *
      grad_q_out_0, 0);
  const Value where2 = aten::where(condition(has_grad_grad_q, reads[0]), grad_grad_q1 * cosine, 0);
  const Value where3 = aten::where(condition(has_grad_grad_sine, reads[0]), -(grad_grad_sine * q2),
      0);
  const Value where4 = aten::where(condition(has_grad_grad_sine, reads[0]), -(grad_grad_sine *
      grad_q_out_0), 0);
  const Value where5 = aten::where(condition(has_grad_grad_q, reads[0]), -(grad_grad_q2 * sine), 0);
  const Value where6 = aten::where(condition(has_grad_grad_cosine, reads[0]), grad_grad_cosine * q2,
      0);
  const Value where7 = aten::where(condition(has_grad_grad_cosine, reads[0]), grad_grad_cosine *
      grad_q_out_1, 0);
  const Value where8 = aten::where(condition(has_grad_grad_q, reads[0]), grad_grad_q2 * cosine, 0);
  const Value where9 = aten::where(condition(has_grad_grad_q, reads[0]), grad_grad_q1 * grad_q_out_0
      + grad_grad_q2 * grad_q_out_1, 0);
  const Value where10 = aten::where(condition(has_grad_q_out, reads[0]), where9, 0);
  const Value where11 = aten::where(condition(has_grad_grad_sine, reads[0]), grad_grad_sine * q1,
      0);
  const Value where12 = aten::where(condition(has_grad_grad_sine, reads[0]), grad_grad_sine *
      grad_q_out_1, 0);
  const Value where13 = aten::where(condition(has_grad_grad_q, reads[0]), grad_grad_q1 * sine, 0);
  const Value where14 = aten::where(condition(has_grad_grad_q, reads[0]), grad_grad_q1 *
      grad_q_out_1 - grad_grad_q2 * grad_q_out_0, 0);
  const Value where15 = aten::where(condition(has_grad_q_out, reads[0]), where14, 0);
  const Value where16 = aten::where(condition(has_grad_grad_cosine, reads[0]), grad_grad_cosine *
      k1, 0);
  const Value where17 = aten::where(condition(has_grad_grad_cosine, reads[0]), grad_grad_cosine *
      grad_k_out_0, 0);
  const Value where18 = aten::where(condition(has_grad_grad_k, reads[0]), grad_grad_k1 * cosine, 0);
  const Value where19 = aten::where(condition(has_grad_grad_sine, reads[0]), -(grad_grad_sine * k2),
      0);
  const Value where20 = aten::where(condition(has_grad_grad_sine, reads[0]), -(grad_grad_sine *
      grad_k_out_0), 0);
  const Value where21 = aten::where(condition(has_grad_grad_k, reads[0]), -(grad_grad_k2 * sine),
      0);
  const Value where22 = aten::where(condition(has_grad_grad_cosine, reads[0]), grad_grad_cosine *
      k2, 0);
  const Value where23 = aten::where(condition(has_grad_grad_cosine, reads[0]), grad_grad_cosine *
      grad_k_out_1, 0);
  const Value where24 = aten::where(condition(has_grad_grad_k, reads[0]), grad_grad_k2 * cosine, 0);
  const Value where25 = aten::where(condition(has_grad_grad_k, reads[0]), grad_grad_k1 *
      grad_k_out_0 + grad_grad_k2 * grad_k_out_1, 0);
  const Value where26 = aten::where(condition(has_grad_k_out, reads[0]), where25, 0);
  const Value where27 = aten::where(condition(has_grad_grad_sine, reads[0]), grad_grad_sine * k1,
      0);
  const Value where28 = aten::where(condition(has_grad_grad_sine, reads[0]), grad_grad_sine *
      grad_k_out_1, 0);
  const Value where29 = aten::where(condition(has_grad_grad_k, reads[0]), grad_grad_k1 * sine, 0);
  const Value where30 = aten::where(condition(has_grad_grad_k, reads[0]), grad_grad_k1 *
      grad_k_out_1 - grad_grad_k2 * grad_k_out_0, 0);
  const Value where31 = aten::where(condition(has_grad_k_out, reads[0]), where30, 0);
  writes[0] = where0 + where2 + where3 + where5;
  writes[1] = where6 + where8 + where11 + where13;
  writes[2] = where16 + where18 + where19 + where21;
  writes[3] = where22 + where24 + where27 + where29;
  writes[4] = aten::where(condition(has_grad_q_out, reads[0]), where1 + where12, 0);
  writes[5] = aten::where(condition(has_grad_q_out, reads[0]), where4 + where7, 0);
  writes[6] = aten::where(condition(has_grad_k_out, reads[0]), where17 + where28, 0);
  writes[7] = aten::where(condition(has_grad_k_out, reads[0]), where20 + where23, 0);
  writes[8] = where10 + where26;
  writes[9] = where15 + where31;
}

const Pass kDoubleBackward = {
    .schema = "rope_qk_double_backward(Tensor? grad_grad_q, Tensor? grad_grad_k, Tensor? "
              "grad_grad_cosine, Tensor? grad_grad_sine, Tensor? grad_q_out, Tensor? grad_k_out, "
              "Tensor? q, Tensor? k, Tensor? cosine, Tensor? sine, bool[6] needs) -> (Tensor, "
              "Tensor, Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_q", .optional = true, .parts = 2},
               {.name = "grad_grad_k", .optional = true, .parts = 2},
               {.name = "grad_grad_cosine", .optional = true},
               {.name = "grad_grad_sine", .optional = true},
               {.name = "grad_q_out", .optional = true, .parts = 2},
               {.name = "grad_k_out", .optional = true, .parts = 2},
               {.name = "q", .parts = 2},
               {.name = "k", .parts = 2},
               {.name = "cosine"},
               {.name = "sine"}},
    .outputs = {{.name = "grad_grad_q_out", .like = 4, .reads = {0, 2, 3, 6, 8, 9}, .parts = 2},
                {.name = "grad_grad_k_out", .like = 5, .reads = {1, 2, 3, 7, 8, 9}, .parts = 2},
                {.name = "grad_q", .like = 6, .reads = {2, 3, 4}, .parts = 2},
                {.name = "grad_k", .like = 7, .reads = {2, 3, 5}, .parts = 2},
                {.name = "grad_cosine", .like = 8, .reads = {0, 1, 4, 5}},
                {.name = "grad_sine", .like = 9, .reads = {0, 1, 4, 5}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {4, 5, 0, 1, 2, 3},
};

const Pass kBackward = {
    .schema = "rope_qk_backward(Tensor? grad_q_out, Tensor? grad_k_out, Tensor? q, Tensor? k, "
              "Tensor? cosine, Tensor? sine, bool[4] needs) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_q_out", .optional = true, .parts = 2},
               {.name = "grad_k_out", .optional = true, .parts = 2},
               {.name = "q", .parts = 2},
               {.name = "k", .parts = 2},
               {.name = "cosine"},
               {.name = "sine"}},
    .outputs = {{.name = "grad_q", .like = 2, .reads = {0, 4, 5}, .parts = 2},
                {.name = "grad_k", .like = 3, .reads = {1, 4, 5}, .parts = 2},
                {.name = "grad_cosine", .like = 4, .reads = {0, 1, 2, 3}},
                {.name = "grad_sine", .like = 5, .reads = {0, 1, 2, 3}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3, 4, 5},
    .gradients = {0, 1, 2, 3, 4, 5},
    .arrivals = {0, 1},
};

const Pass kForward = {
    .schema = "rope_qk(Tensor q, Tensor k, Tensor cosine, Tensor sine) -> (Tensor, Tensor)",
    .inputs = {{.name = "q", .parts = 2},
               {.name = "k", .parts = 2},
               {.name = "cosine"},
               {.name = "sine"}},
    .outputs = {{.name = "q_out", .parts = 2}, {.name = "k_out", .parts = 2}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::rope_qk
