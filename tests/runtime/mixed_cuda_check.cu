// Checks CUDA loops whose operands have several dtypes on a GPU, against a reference in double on the host:
//   nvcc -std=c++20 -arch=native -lineinfo -Iruntime tests/runtime/mixed_cuda_check.cu
//     runtime/fusewise/core/reduction.cpp runtime/fusewise/cuda/*.cu -o check
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "cuda_tensor.h"

namespace {

template <Dtype kByte>
Status mixed(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise<Mixed<kByte>, FloatsAndFloat8>(loop, params, launch);
}

Status mixed_backward(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<MixedBackward, Floats>(loop, params, launch);
}

// The layout of the operands of Mixed: all vectorized, or some unaligned.
struct MixedLayout {
  const char* name;
  bool chunked;  // the parts of x, and of the first results, lie one after the other, not in turns
  int64_t pair_offset;
  int64_t byte_offset;
  int64_t spread;
  bool transposed;  // the scale runs down the columns
};

// The stored results of Mixed or of MixedBackward, in order. `dtypes` are those of the first two writes, of the
// third and of the fourth.
std::vector<std::vector<char>> run_mixed(const std::string& name, Kernel kernel, const Sizes& shape,
                                         const MixedLayout& layout, const Sizes& mask_shape,
                                         const Sizes& scale_shape,
                                         const std::vector<Sizes>& write_shapes,
                                         const std::vector<Dtype>& dtypes) {
  const auto doubled = [](Sizes sizes) {
    sizes.back() *= 2;
    return sizes;
  };
  const auto part_place = [&](const Tensor& tensor, const Sizes& sizes, Sizes index, int part) {
    for (size_t d = 0; d < sizes.size(); ++d) index[d] = sizes[d] == 1 ? 0 : index[d];
    index.back() = layout.chunked ? part * sizes.back() + index.back() : 2 * index.back() + part;
    return tensor.place(index);
  };
  const auto part_of = [&](const Tensor& tensor, const Sizes& sizes, int part) {
    Operand operand = tensor.operand(doubled(sizes));
    const int64_t steps = layout.chunked ? part * sizes.back() : part;
    operand.data = static_cast<char*>(operand.data) + steps * operand.strides[0];
    if (!layout.chunked) operand.strides[0] *= 2;
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[sizes.size() - 1 - d] == 1) operand.strides[d] = 0;
    }
    return operand;
  };
  const Dtype dtype = dtypes[0];
  Tensor x(dtype, doubled(shape), layout.pair_offset, layout.spread);
  Tensor mask(Dtype::kBool, mask_shape, layout.byte_offset, layout.spread);
  Tensor scale(dtype, scale_shape, 0, layout.spread, layout.transposed ? 0 : -1);
  int64_t seed = 7;
  const auto fill = [&](Tensor& tensor, const Sizes& sizes, int low, int high) {
    for_each_index(sizes, [&](const Sizes& index) {
      tensor.set(tensor.place(index), next_integer(seed, low, high));
    });
    tensor.upload();
  };
  // The values of x, whose parts may lie in either way, are the same in both.
  for_each_index(shape, [&](const Sizes& index) {
    for (int part = 0; part < 2; ++part) {
      x.set(part_place(x, shape, index, part), next_integer(seed, -3, 3));
    }
  });
  x.upload();
  fill(mask, mask_shape, 0, 1);
  fill(scale, scale_shape, 1, 3);
  Tensor pair(dtype, doubled(write_shapes[0]), layout.pair_offset, layout.spread);
  Tensor third(dtypes[1], write_shapes[2], size_of(dtypes[1]) == 1 ? layout.byte_offset : 0, layout.spread);
  Tensor fourth(dtypes[2], write_shapes[3], size_of(dtypes[2]) == 1 ? layout.byte_offset : 0, layout.spread);

  Loop loop{};
  loop.num_dims = static_cast<int>(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) loop.sizes[d] = shape[shape.size() - 1 - d];
  loop.num_reads = 4;
  loop.num_writes = 4;
  loop.compute = dtype == Dtype::kDouble ? Dtype::kDouble : Dtype::kFloat;
  const Operand operands[] = {part_of(x, shape, 0),
                              part_of(x, shape, 1),
                              mask.operand(shape),
                              scale.operand(shape),
                              part_of(pair, write_shapes[0], 0),
                              part_of(pair, write_shapes[0], 1),
                              third.operand(shape),
                              fourth.operand(shape)};
  std::copy(std::begin(operands), std::end(operands), loop.operands);
  coalesce(loop);
  run(kernel, loop);

  const auto is_first = [&](const Sizes& index, const Sizes& sizes) {
    const size_t extra = index.size() - sizes.size();
    bool first = true;
    for (size_t d = 0; d < index.size(); ++d) {
      first &= (d >= extra && sizes[d - extra] != 1) || index[d] == 0;
    }
    return first;
  };
  std::vector<std::vector<char>> found(4);
  bool exact = true;
  bool kept = true;
  for (Tensor* tensor : {&pair, &third, &fourth}) {
    const std::vector<char> before = tensor->bytes();
    tensor->download();
    const std::vector<char> after = tensor->bytes();
    const size_t size = static_cast<size_t>(size_of(tensor->dtype()));
    std::vector<char> rest = after;
    for (int w = 0; w < 4; ++w) {
      if (tensor != (w < 2 ? &pair : w == 2 ? &third : &fourth)) continue;
      const Sizes& sizes = write_shapes[static_cast<size_t>(w)];
      const auto place = [&](const Sizes& index) {
        return w < 2 ? part_place(*tensor, sizes, index, w) : tensor->place(index);
      };
      std::vector<double> totals(after.size(), 0.0);
      for_each_index(shape, [&](const Sizes& index) {
        const double a = x.get(part_place(x, shape, index, 0));
        const double b = x.get(part_place(x, shape, index, 1));
        const double s = scale.get(scale.place(index));
        const bool m = mask.get(mask.place(index)) != 0;
        const double first = m ? a * s : b;
        const double backward[] = {first, a + b, m ? a : 0, s * b};
        const double forward[] = {first, b * std::exp(-std::fabs(a)), a + b, a < b ? 1.0 : 0.0};
        totals[place(index)] += (kernel == &mixed_backward ? backward : forward)[w];
      });
      for_each_index(shape, [&](const Sizes& index) {
        if (!is_first(index, sizes)) return;
        const size_t at = place(index);
        const char* const result = after.data() + at * size;
        found[static_cast<size_t>(w)].insert(found[static_cast<size_t>(w)].end(), result, result + size);
        std::copy_n(before.data() + at * size, size, rest.data() + at * size);
        char expected[8];
        store_as<double, true>(expected, tensor->dtype(), totals[at]);
        if (kernel != &mixed_backward && w == 1) {
          exact &= std::fabs(tensor->get(at) - totals[at]) <= 0.01 * std::fabs(totals[at]);
        } else {
          exact &= std::memcmp(result, expected, size) == 0;
        }
      });
    }
    kept &= rest == before;
  }
  report(name + ": values", exact);
  report(name + ": nothing beside them", kept);
  return found;
}

// Operands of one byte beside others, and interleaved pairs: the same bits in every layout.
void check_mixed() {
  const std::vector<MixedLayout> layouts{{"vectorized", false, 0, 0, 1, false},
                                         {"bytes off their place", false, 0, 1, 1, false},
                                         {"pairs off their place", false, 2, 0, 1, false},
                                         {"chunked", true, 0, 0, 1, false},
                                         {"chunked off its place", true, 1, 3, 1, false},
                                         {"transposed", true, 0, 0, 1, true},
                                         {"strided", false, 0, 0, 3, false}};
  const std::vector<std::pair<Dtype, Kernel>> bytes{
      {Dtype::kInt8, mixed<Dtype::kInt8>},
      {Dtype::kFloat8E4M3FN, mixed<Dtype::kFloat8E4M3FN>},
      {Dtype::kFloat8E5M2, mixed<Dtype::kFloat8E5M2>}};
  for (const Dtype dtype : {Dtype::kHalf, Dtype::kBFloat16, Dtype::kFloat, Dtype::kDouble}) {
    for (const Sizes& shape : std::vector<Sizes>{{1003}, {16, 264}, {3, 24, 40}, {5, 3, 77}}) {
      const Sizes row{shape.back()};
      Sizes column = shape;
      column.back() = 1;
      for (const auto& [mask, scale] : std::vector<std::pair<Sizes, Sizes>>{
               {shape, shape}, {shape, row}, {column, {1}}, {row, column}}) {
        const auto describe = [&](const MixedLayout& layout) {
          return std::string(layout.name) + " " + name_of(shape) + " " + name_of(mask) + " " +
                 name_of(scale) + " " + name_of(dtype);
        };
        for (const auto& [byte, kernel] : bytes) {
          std::vector<std::vector<char>> first;
          for (const MixedLayout& layout : layouts) {
            if (layout.transposed && scale.size() < 2) continue;
            const std::string name = "mixed " + describe(layout) + " to " + name_of(byte);
            const auto found =
                run_mixed(name, kernel, shape, layout, mask, scale, {shape, shape, shape, shape},
                          {dtype, byte, Dtype::kBool});
            if (first.empty()) first = found;
            report(name + ": bits", found == first);
          }
        }
        Sizes rest = shape;
        rest[0] = 1;
        for (const std::vector<Sizes>& writes :
             std::vector<std::vector<Sizes>>{{shape, shape, row, shape},
                                             {rest, rest, shape, {1}},
                                             {shape, shape, column, column}}) {
          for (const MixedLayout& layout : layouts) {
            if (layout.transposed && scale.size() < 2) continue;
            run_mixed("mixed sums " + describe(layout), mixed_backward, shape, layout, mask, scale,
                      writes, {dtype, dtype, dtype});
          }
        }
      }
    }
  }
}

}  // namespace

// Runs the groups that are named; all of them if none is.
int main(int count, char** arguments) {
  const bool passed = run_groups(count, arguments,
                                 {{"mixed", check_mixed}});
  return passed ? 0 : 1;
}
