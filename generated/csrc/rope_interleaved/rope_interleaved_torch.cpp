// Generated from specs/rotary/rope_interleaved.yaml by `fusewise generate`. Do not edit.
// The formulas stand in rope_interleaved.math.h.
#include <fusewise/torch/aten.h>
#include <fusewise/torch/op.h>

namespace fusewise::ops::rope_interleaved {

KernelFunction forward_cpu, forward_cuda;
KernelFunction backward_cpu, backward_cuda;
KernelFunction double_backward_cpu, double_backward_cuda;

namespace {

void forward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& x1 = reads[0];
  const Value& x2 = reads[1];
  const Value& cosine = reads[2];
  const Value& sine = reads[3];
  writes[0] = x1 * cosine - x2 * sine;
  writes[1] = x2 * cosine + x1 * sine;
}

void backward_decomposition(
    const Value* reads, const Number*, const Dtype*, Value* writes) {
  const Value& grad_out_0 = reads[0];
  const Value& grad_out_1 = reads[1];
  const Value& x1 = reads[2];
  const Value& x2 = reads[3];
  const Value& cosine = reads[4];
  const Value& sine = reads[5];
  writes[0] = grad_out_1 * sine + grad_out_0 * cosine;
  writes[1] = grad_out_1 * cosine - grad_out_0 * sine;
  writes[2] = grad_out_1 * x2 + grad_out_0 * x1;
  writes[3] = grad_out_1 * x1 - grad_out_0 * x2;
}

void double_backward_decomposition(
    const Value* reads, const Number* params, const Dtype*, Value* writes) {
  const Value& grad_grad_x1 = reads[0];
  const Value& grad_grad_x2 = reads[1];
  const Value& grad_grad_cosine = reads[2];
  const Value& grad_grad_sine = reads[3];
  const Value& grad_out_0 = reads[4];
  const Value& grad_out_1 = reads[5];
  const Value& x1 = reads[6];
  const Value& x2 = reads[7];
  const Value& cosine = reads[8];
  const Value& sine = reads[9];
  const bool has_grad_grad_x = params[0].as<bool>();
  const bool has_grad_grad_cosine = params[1].as<bool>();
  const bool has_grad_grad_sine = params[2].as<bool>();
  const Value where0 = aten::where(condition(has_grad_grad_cosine, reads[0]), grad_grad_cosine * x1,
      0);
  const Value where1 = aten::where(condition(has_grad_grad_cosine, reads[0]), grad_grad_cosine *
      grad_out_0, 0);
  const Value where2 = aten::where(condition(has_grad_grad_sine, reads[0]), -(grad_grad_sine * x2),
      0);
  const Value where3 = aten::where(condition(has_grad_grad_sine, reads[0]), -(grad_grad_sine *
      grad_out_0), 0);
  const Value where4 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x1 * cosine -
      grad_grad_x2 * sine, 0);
  const Value where5 = aten::where(condition(has_grad_grad_cosine, reads[0]), grad_grad_cosine * x2,
      0);
  const Value where6 = aten::where(condition(has_grad_grad_cosine, reads[0]), grad_grad_cosine *
      grad_out_1, 0);
  const Value where7 = aten::where(condition(has_grad_grad_sine, reads[0]), grad_grad_sine * x1, 0);
  const Value where8 = aten::where(condition(has_grad_grad_sine, reads[0]), grad_grad_sine *
      grad_out_1, 0);
  const Value where9 = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x2 * cosine +
      grad_grad_x1 * sine, 0);
  writes[0] = where0 + where4 + where2;
  writes[1] = where5 + where9 + where7;
  writes[2] = where1 + where8;
  writes[3] = where3 + where6;
  writes[4] = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x1 * grad_out_0 +
      grad_grad_x2 * grad_out_1, 0);
  writes[5] = aten::where(condition(has_grad_grad_x, reads[0]), grad_grad_x1 * grad_out_1 -
      grad_grad_x2 * grad_out_0, 0);
}

const Pass kDoubleBackward = {
    .schema = "rope_interleaved_double_backward(Tensor? grad_grad_x, Tensor? grad_grad_cosine, "
              "Tensor? grad_grad_sine, Tensor? grad_out, Tensor? x, Tensor? cosine, Tensor? sine,"
              " bool[4] needs) -> (Tensor, Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_grad_x", .optional = true, .parts = 2,
                .layout = Layout::kInterleaved},
               {.name = "grad_grad_cosine", .optional = true},
               {.name = "grad_grad_sine", .optional = true},
               {.name = "grad_out", .parts = 2, .layout = Layout::kInterleaved},
               {.name = "x", .parts = 2, .layout = Layout::kInterleaved},
               {.name = "cosine"},
               {.name = "sine"}},
    .outputs = {{.name = "grad_grad_out", .like = 3, .reads = {0, 1, 2, 4, 5, 6}, .parts = 2,
                 .layout = Layout::kInterleaved},
                {.name = "grad_x", .like = 4, .reads = {1, 2, 3}, .parts = 2,
                 .layout = Layout::kInterleaved},
                {.name = "grad_cosine", .like = 5, .reads = {0, 3}},
                {.name = "grad_sine", .like = 6, .reads = {0, 3}}},
    .kernels = {double_backward_cpu, kWithCuda ? double_backward_cuda : nullptr},
    .decomposition = double_backward_decomposition,
    .arrivals = {0, 1, 2},
};

const Pass kBackward = {
    .schema = "rope_interleaved_backward(Tensor grad_out, Tensor? x, Tensor? cosine, Tensor? "
              "sine, bool[3] needs) -> (Tensor, Tensor, Tensor)",
    .inputs = {{.name = "grad_out", .parts = 2, .layout = Layout::kInterleaved},
               {.name = "x", .parts = 2, .layout = Layout::kInterleaved},
               {.name = "cosine"},
               {.name = "sine"}},
    .outputs = {{.name = "grad_x", .like = 1, .reads = {0, 2, 3}, .parts = 2,
                 .layout = Layout::kInterleaved},
                {.name = "grad_cosine", .like = 2, .reads = {0, 1}},
                {.name = "grad_sine", .like = 3, .reads = {0, 1}}},
    .kernels = {backward_cpu, kWithCuda ? backward_cuda : nullptr},
    .decomposition = backward_decomposition,
    .derivative = &kDoubleBackward,
    .saved_inputs = {0, 1, 2, 3},
    .gradients = {0, 1, 2, 3},
};

const Pass kForward = {
    .schema = "rope_interleaved(Tensor x, Tensor cosine, Tensor sine) -> Tensor",
    .inputs = {{.name = "x", .parts = 2, .layout = Layout::kInterleaved},
               {.name = "cosine"},
               {.name = "sine"}},
    .outputs = {{.name = "out", .parts = 2, .layout = Layout::kInterleaved}},
    .kernels = {forward_cpu, kWithCuda ? forward_cuda : nullptr},
    .decomposition = forward_decomposition,
    .derivative = &kBackward,
    .saved_inputs = {0, 1, 2},
    .gradients = {0, 1, 2},
};

const Registration kForwardRegistration("fusewise", kForward);

}  // namespace
}  // namespace fusewise::ops::rope_interleaved
