// A pass whose results are exact, on a GPU: for checks of layouts and of sums.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "cuda_tensor.h"

namespace {

inline Status mix(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<Mix, Numbers>(loop, params, launch);
}

// Checks Mix on small integers. Their sums are exact in float, so the result must be the exact one, rounded
// once.
inline void check_mix(const std::string& name, const Sizes& shape, const std::vector<Sizes>& read_shapes,
               const std::vector<Sizes>& write_shapes, const std::vector<Dtype>& dtypes,
               Dtype compute, int64_t offset = 0, int64_t spread = 1, unsigned absent = 0,
               const std::vector<int>& transposed = {-1, -1, -1, -1, -1}) {
  std::deque<Tensor> reads;
  std::deque<Tensor> writes;
  for (size_t k = 0; k < 3; ++k) {
    Tensor& tensor = reads.emplace_back(dtypes[k], read_shapes[k], offset, spread, transposed[k]);
    int64_t seed = static_cast<int64_t>(k) * 5;
    for_each_index(read_shapes[k], [&](const Sizes& index) {
      tensor.set(tensor.place(index), next_integer(seed, 0, 3));
    });
    tensor.upload();
  }
  std::vector<std::vector<char>> expected;
  for (size_t w = 0; w < 2; ++w) {
    writes.emplace_back(dtypes[3 + w], write_shapes[w], offset, spread, transposed[3 + w]);
    Tensor result(dtypes[3 + w], write_shapes[w], offset, spread, transposed[3 + w]);
    if ((absent >> w & 1) == 0) {
      std::vector<double> totals(result.bytes().size(), 0.0);
      for_each_index(shape, [&](const Sizes& index) {
        const double a = reads[0].get(reads[0].place(index));
        const double b = reads[1].get(reads[1].place(index));
        const double c = reads[2].get(reads[2].place(index));
        totals[result.place(index)] += w == 0 ? a * b : a + c;
      });
      for_each_index(write_shapes[w], [&](const Sizes& index) {
        result.set(result.place(index), totals[result.place(index)]);
      });
    }
    expected.push_back(result.bytes());
  }
  Loop loop = make_loop(shape, {&reads[0], &reads[1], &reads[2]}, {&writes[0], &writes[1]}, compute);
  for (size_t w = 0; w < 2; ++w) {
    if (absent >> w & 1) loop.operands[3 + w].data = nullptr;
  }
  run(mix, loop);
  bool passed = true;
  for (size_t w = 0; w < 2; ++w) {
    writes[w].download();
    passed &= writes[w].bytes() == expected[w];
  }
  report(name, passed);
}

}  // namespace
