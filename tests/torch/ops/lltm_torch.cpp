#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>
#include <fusewise/torch/compose.h>

namespace fusewise::lltm {
namespace {

void compose(const Tensor* in, const Number*, bool decompose, Tensor* out) {
  const Tensor& input = in[0];
  const Tensor& weights = in[1];
  const Tensor& bias = in[2];
  const Tensor& old_h = in[3];
  const Tensor& old_cell = in[4];
  const Tensor gates = at::linear(at::cat({old_h, input}, 1), weights, bias);
  const std::vector<Tensor> lltm_cell0 =
      call_op("fusewise_test::lltm_cell", decompose, {gates, old_cell});
  out[0] = lltm_cell0[0];
  out[1] = lltm_cell0[1];
}

const Registration kRegistration(
    "fusewise_test",
    "lltm(Tensor input, Tensor weights, Tensor bias, Tensor old_h, Tensor old_cell) "
    "-> (Tensor, Tensor)",
    compose);

}  // namespace
}  // namespace fusewise::lltm
