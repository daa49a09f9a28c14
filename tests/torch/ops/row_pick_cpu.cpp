#include <algorithm>
#include <limits>
#include <numeric>

#include "plain_rows.h"

// picked = sum(x if index == target else 0), peak = amax(x) with keepdim, where target is an int row tensor.
namespace fusewise::row_pick {

double maximum(const Values& x) {
  return std::accumulate(x.begin(), x.end(), -std::numeric_limits<double>::infinity(),
                         [](double a, double b) { return std::max(a, b); });
}

Status forward_cpu(const Loop& loop, const Number*, const Launch&) {
  return run_plain_rows(loop, 0b1110, [](const auto& in, int64_t length, auto& out) {
    const double target = in[1][0];
    out[0][0] = target >= 0 && target < length ? in[0][static_cast<int64_t>(target)] : 0;
    out[1][0] = maximum(in[0]);
  });
}

Status backward_cpu(const Loop& loop, const Number*, const Launch&) {
  return run_plain_rows(loop, 0b01011, [](const auto& in, int64_t length, auto& out) {
    const auto& [grad_picked, grad_peak, x, target] = std::tie(in[0], in[1], in[2], in[3]);
    const double peak = maximum(x);
    const double ties = std::count(x.begin(), x.end(), peak);
    for (int64_t i = 0; i < length; ++i) {
      out[0][i] = (i == target[0] ? grad_picked[0] : 0) + (x[i] == peak ? grad_peak[0] / ties : 0);
    }
  });
}

}  // namespace fusewise::row_pick
