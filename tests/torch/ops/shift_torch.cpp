// x * scale + count, negated or not: an op with a param of each type.
#include <fusewise/torch/compose.h>

namespace fusewise::shift {
namespace {

void compose(const Tensor* in, const Number* params, bool, Tensor* out) {
  const Tensor shifted = in[0] * params[0].as<double>() + params[1].as<int64_t>();
  out[0] = params[2].as<bool>() ? -shifted : shifted;
}

const Registration kRegistration(
    "fusewise_test",
    "shift(Tensor x, *, float scale=1, int count=0, bool negate=False) -> Tensor", compose);

}  // namespace
}  // namespace fusewise::shift
