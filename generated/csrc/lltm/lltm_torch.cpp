// Generated from specs/recurrent/lltm.yaml by `fusewise generate`. Do not edit.
//
// gates = linear(cat([old_h, input], 1), weights, bias)
// new_h, new_cell = lltm_cell(gates, old_cell)
// return new_h, new_cell
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>
#include <fusewise/torch/compose.h>

namespace fusewise::ops::lltm {
namespace {

constexpr const char* kLltmCell = "fusewise::lltm_cell";

void compose(const Tensor* reads, const Number*, bool decompose, Tensor* writes) {
  const Tensor& input = reads[0];
  const Tensor& weights = reads[1];
  const Tensor& bias = reads[2];
  const Tensor& old_h = reads[3];
  const Tensor& old_cell = reads[4];
  const Tensor gates = at::linear(at::cat({old_h, input}, 1), weights, bias);
  const std::vector<Tensor> step1 = call_op(kLltmCell, decompose, {gates, old_cell});
  const Tensor& new_h = step1[0];
  const Tensor& new_cell = step1[1];
  writes[0] = new_h;
  writes[1] = new_cell;
}

const Registration kRegistration(
    "fusewise",
    "lltm(Tensor input, Tensor weights, Tensor bias, Tensor old_h, Tensor old_cell) -> (Tensor, "
    "Tensor)",
    compose);

}  // namespace
}  // namespace fusewise::ops::lltm
