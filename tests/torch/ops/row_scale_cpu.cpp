#include "plain_rows.h"

// out = x * s / total, total = sum(x), where s is a row tensor.
namespace fusewise::row_scale {

Status forward_cpu(const Loop& loop, const Number*, const Launch&) {
  return run_plain_rows(loop, 0b1010, [](const auto& in, int64_t length, auto& out) {
    const auto& [x, s] = std::tie(in[0], in[1]);
    const double total = sum(x);
    for (int64_t i = 0; i < length; ++i) out[0][i] = x[i] * s[0] / total;
    out[1][0] = total;
  });
}

Status backward_cpu(const Loop& loop, const Number*, const Launch&) {
  return run_plain_rows(loop, 0b101010, [](const auto& in, int64_t length, auto& out) {
    const auto& [grad_out, grad_total, x, s] = std::tie(in[0], in[1], in[2], in[3]);
    const double total = sum(x);
    const double moment = dot(grad_out, x);
    for (int64_t i = 0; i < length; ++i) {
      out[0][i] = grad_out[i] * s[0] / total - s[0] * moment / (total * total) + grad_total[0];
      out[1][0] += grad_out[i] * x[i] / total;
    }
  });
}

Status double_backward_cpu(const Loop& loop, const Number*, const Launch&) {
  return run_plain_rows(loop, 0b1010101010, [](const auto& in, int64_t length, auto& out) {
    const auto& [grad_grad_x, grad_grad_s, grad_out, x, s] = std::tie(in[0], in[1], in[2], in[4], in[5]);
    const double t = sum(x);
    const double moment = dot(grad_out, x);
    const double p = sum(grad_grad_x);
    const double q = dot(grad_grad_x, grad_out);
    for (int64_t i = 0; i < length; ++i) {
      out[0][i] = s[0] * grad_grad_x[i] / t + x[i] * (grad_grad_s[0] / t - s[0] * p / (t * t));
      out[2][i] = -s[0] * (q + grad_out[i] * p) / (t * t) + 2 * s[0] * moment * p / (t * t * t) +
                  grad_grad_s[0] * (grad_out[i] / t - moment / (t * t));
      out[3][0] += grad_grad_x[i] * (grad_out[i] / t - moment / (t * t));
    }
    out[1][0] = p;
  });
}

}  // namespace fusewise::row_scale
