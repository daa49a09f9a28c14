// Checks the CUDA loops on a GPU against a reference in double on the host:
//   nvcc -std=c++20 -arch=native -lineinfo -Iruntime tests/runtime/loop_cuda_check.cu
//     runtime/fusewise/core/reduction.cpp runtime/fusewise/cuda/{finalize,launch}.cu -o check
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "cuda_tensor.h"

namespace {

Status swiglu(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise<Swiglu, Floats>(loop, params, launch);
}

Status swiglu_backward(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<SwigluBackward, Floats>(loop, params, launch);
}

Status hoisted(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<Hoisted, Floats>(loop, params, launch);
}

Status rounding(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<Round, FloatsAndFloat8>(loop, params, launch);
}

template <Dtype kByte>
Status mixed(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise<Mixed<kByte>, FloatsAndFloat8>(loop, params, launch);
}

Status mixed_backward(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<MixedBackward, Floats>(loop, params, launch);
}

// The kernels of one element at a time: a list without 16-byte vectors still computes in float.
Status swiglu_backward_single(const Loop& loop, const Number* params, const Launch& launch) {
  using Runner = cuda::Pointwise<SwigluBackward, true>;
  if (cuda::is_low_precision(loop)) {
    return Runner::run<cuda::Strided<rt::LowPrecision, 8>>(loop, params, launch);
  }
  return Runner::run<cuda::Strided<float, 4>>(loop, params, launch);
}

void check_layouts() {
  for (const Dtype dtype : {Dtype::kHalf, Dtype::kBFloat16, Dtype::kFloat, Dtype::kDouble}) {
    const Dtype compute = dtype == Dtype::kDouble ? Dtype::kDouble : Dtype::kFloat;
    const std::vector<Dtype> same(5, dtype);
    const std::string name = name_of(dtype);
    for (const int64_t n : {0, 1, 3, 4, 5, 7, 8, 9, 255, 2048, 2049, 100003}) {
      const Sizes shape{n};
      check_mix("length " + std::to_string(n) + " " + name, shape, {shape, shape, shape},
                {shape, shape}, same, compute);
    }
    for (int64_t offset = 1; offset < 8; ++offset) {
      const Sizes shape{37, 72};
      check_mix("offset " + std::to_string(offset) + " " + name, shape, {shape, {72}, {37, 1}},
                {shape, {72}}, same, compute, offset);
    }
    const Sizes shape{37, 5, 77};
    check_mix("broadcast " + name, shape, {shape, {77}, {37, 1, 1}}, {shape, shape}, same, compute);
    check_mix("strided " + name, shape, {shape, {77}, {37, 1, 1}}, {shape, {5, 1}}, same, compute,
              3, 3);
    check_mix("absent writes " + name, shape, {shape, {77}, {1}}, {{77}, shape}, same, compute, 0,
              1, 1);
    check_mix("mixed dtypes " + name, shape, {shape, {77}, {37, 1, 1}}, {shape, {1}},
              {dtype, Dtype::kInt32, Dtype::kBool, Dtype::kInt64, Dtype::kDouble}, compute);
    for (const Dtype other : {Dtype::kBool, Dtype::kInt8, Dtype::kInt16, Dtype::kInt32, Dtype::kInt64,
                              Dtype::kHalf, Dtype::kBFloat16, Dtype::kFloat, Dtype::kDouble}) {
      for (const Sizes& number : std::vector<Sizes>{{1}, {37, 1, 1}, {5, 1}}) {
        const std::string what = std::string(name_of(other)) + " " + name_of(number) + " beside " + name;
        check_mix(what, shape, {shape, number, number}, {shape, shape}, {dtype, other, other, dtype, dtype},
                  compute);
        check_mix(what + ", summed", shape, {shape, number, number}, {shape, {5, 1}},
                  {dtype, other, other, dtype, Dtype::kFloat}, compute);
      }
    }
  }
  const Sizes shape{37, 5, 77};
  check_mix("int64", shape, {shape, {77}, {1}}, {shape, {5, 1}},
            std::vector<Dtype>(5, Dtype::kInt64), Dtype::kInt64);
  // Enough rows for a thread to take several, also such as do not come out even; and few.
  for (const Sizes& rows :
       std::vector<Sizes>{{64, 128, 256}, {65, 129, 264}, {2097160}, {3, 5, 264}, {7, 2056}, {131080}}) {
    const Sizes row{rows.back()};
    const Sizes number{1};
    const Sizes column = rows.size() == 1 ? number : Sizes{rows[rows.size() - 2], 1};
    const Sizes matrix = rows.size() < 3 ? number : Sizes{rows[0], 1, 1};
    for (const std::vector<Sizes>& reads :
         std::vector<std::vector<Sizes>>{{rows, row, matrix}, {rows, column, number}, {rows, row, rows}}) {
      check_mix("rows " + name_of(rows), rows, reads, {rows, rows},
                std::vector<Dtype>(5, Dtype::kHalf), Dtype::kFloat);
    }
  }
  // In place, where threads take several: the vector that is not whole is taken once.
  const Sizes odd{8388613};
  Tensor x(Dtype::kHalf, odd), y(Dtype::kHalf, odd), other(Dtype::kHalf, odd);
  for (int64_t i = 0; i < odd[0]; ++i) {
    x.set(static_cast<size_t>(i), 0.5);
    y.set(static_cast<size_t>(i), 0.25);
  }
  x.upload();
  y.upload();
  run(mix, make_loop(odd, {&x, &y, &y}, {&x, &other}, Dtype::kFloat));
  x.download();
  bool passed = true;
  for (int64_t i = 0; i < odd[0]; ++i) passed &= x.get(static_cast<size_t>(i)) == x.get(0);
  report("in place", passed && x.get(0) != 0.5);
  const Sizes tall{70000, 1, 33};
  check_mix("70000 rows", tall, {tall, {33}, {70000, 1, 1}}, {tall, tall},
            std::vector<Dtype>(5, Dtype::kHalf), Dtype::kFloat);
}

// Operands that run in different directions, with sizes of whole squares, of parts, and of no
// vectors.
void check_transposed() {
  for (const Dtype dtype : {Dtype::kHalf, Dtype::kBFloat16, Dtype::kFloat, Dtype::kDouble}) {
    const Dtype compute = dtype == Dtype::kDouble ? Dtype::kDouble : Dtype::kFloat;
    const std::vector<Dtype> same(5, dtype);
    for (const Sizes& shape :
         std::vector<Sizes>{{128, 192}, {72, 200}, {3, 72, 40}, {5, 7, 77}, {2, 64, 3, 8}}) {
      for (const std::vector<int>& transposed : {std::vector<int>{-1, 0, -1, -1, -1},
                                             {0, -1, -1, 0, -1},
                                             {0, 0, 0, -1, 0},
                                             {-1, 1, -1, 1, 1}}) {
        const Sizes row{shape.back()};
        std::string name = "transposed " + name_of(shape) + " " + name_of(dtype);
        for (const int dim : transposed) name += " " + std::to_string(dim);
        std::vector<int> fitting = transposed;
        for (int& dim : fitting) {
          if (dim == static_cast<int>(shape.size()) - 1) dim = -1;
        }
        check_mix(name, shape, {shape, shape, shape}, {shape, shape}, same, compute, 0, 1, 0,
                  fitting);
        if (transposed[2] < 0) {
          check_mix(name + " row", shape, {shape, shape, row}, {shape, shape}, same, compute, 0, 1,
                    0, fitting);
        }
      }
    }
  }
}

void fill_randomly(Tensor& tensor, uint32_t seed) {
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    seed = seed * 1664525u + 1013904223u;
    tensor.set(static_cast<size_t>(i), (static_cast<double>(seed >> 8) / (1 << 24) - 0.5) * 8);
  }
  tensor.upload();
}

void check_vectorized(Dtype dtype, const Sizes& shape) {
  Tensor grad(dtype, shape), x(dtype, shape), y(dtype, shape);
  Tensor vectorized_x(dtype, shape), vectorized_y(dtype, shape);
  Tensor single_x(dtype, shape), single_y(dtype, shape);
  fill_randomly(grad, 1);
  fill_randomly(x, 2);
  fill_randomly(y, 3);
  run(swiglu_backward, make_loop(shape, {&grad, &x, &y}, {&vectorized_x, &vectorized_y}, Dtype::kFloat));
  run(swiglu_backward_single,
      make_loop(shape, {&grad, &x, &y}, {&single_x, &single_y}, Dtype::kFloat));
  for (Tensor* tensor : {&vectorized_x, &vectorized_y, &single_x, &single_y}) tensor->download();
  report("vectorized and single kernels give the same bits " + name_of(shape) + " " + name_of(dtype),
         vectorized_x.bytes() == single_x.bytes() && vectorized_y.bytes() == single_y.bytes());
}

void check_bits() {
  const Sizes shape{1000, 1032};
  for (const Dtype dtype : {Dtype::kHalf, Dtype::kBFloat16, Dtype::kFloat}) {
    // The small ones in small vectors, the last two with what is left over of a vector.
    for (const Sizes& size : {shape, Sizes{100, 1032}, Sizes{8203}, Sizes{1}}) {
      check_vectorized(dtype, size);
    }
    Tensor grad(dtype, shape), x(dtype, shape), y(dtype, shape);
    Tensor vectorized_x(dtype, shape), vectorized_y(dtype, shape);
    fill_randomly(grad, 1);
    fill_randomly(x, 2);
    fill_randomly(y, 3);
    run(swiglu_backward, make_loop(shape, {&grad, &x, &y}, {&vectorized_x, &vectorized_y}, Dtype::kFloat));
    vectorized_y.download();
    double error = 0;
    const double unit = dtype == Dtype::kFloat ? 1e-6 : dtype == Dtype::kHalf ? 1e-3 : 8e-3;
    for (size_t i = 0; i < static_cast<size_t>(x.numel()); ++i) {
      const double sigmoid = 1 / (1 + std::exp(-x.get(i)));
      const double expected = grad.get(i) * x.get(i) * sigmoid;
      error = std::max(error, std::fabs(vectorized_y.get(i) - expected) / (std::fabs(expected) + 0.01));
    }
    report(std::string("swiglu backward against double ") + name_of(dtype), error < unit);
    Tensor sum(dtype, {1032}), dense(dtype, shape);
    const Loop loop = make_loop(shape, {&grad, &x, &y}, {&sum, &dense}, Dtype::kFloat);
    std::vector<char> first;
    bool same = true;
    for (int i = 0; i < 20; ++i) {
      run(swiglu_backward, loop);
      sum.download();
      if (i == 0) first = sum.bytes();
      same &= first == sum.bytes();
    }
    report(std::string("a reduction gives the same bits 20 times ") + name_of(dtype), same);
    dense.download();
    report(std::string("a reducing pass stores the same dense bits ") + name_of(dtype),
           dense.bytes() == vectorized_y.bytes());
  }
}

// How the operands of Mixed lie: all vectorized, or something off its place.
struct MixedLayout {
  const char* name;
  bool chunked;  // the parts of x, and of the first results, lie one after the other, not in turns
  int64_t pair_offset;
  int64_t byte_offset;
  int64_t spread;
  bool transposed;  // the scale runs down the columns
};

// The results of Mixed or of MixedBackward as they are stored, in order. `dtypes` are those of the first
// two writes, of the third and of the fourth.
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

// Interleaved parts, of which two threads share vectors where a row has an even number of whole ones.
void check_pairs() {
  for (const Dtype dtype : {Dtype::kHalf, Dtype::kBFloat16, Dtype::kFloat, Dtype::kDouble}) {
    const int64_t sixteen_bytes = 16 / size_of(dtype);
    for (const Sizes& shape : std::vector<Sizes>{
             {4}, {8}, {16}, {1003}, {2048}, {32776}, {7, 8}, {16, 264}, {3, 24, 40}, {5, 3, 77},
             {300, 16}, {5, 129, 272}}) {
      Sizes doubled = shape;
      doubled.back() *= 2;
      const auto part = [&](const Tensor& tensor, int64_t i) {
        Operand operand = tensor.operand(doubled);
        operand.data = static_cast<char*>(operand.data) + i * operand.strides[0];
        operand.strides[0] *= 2;
        return operand;
      };
      for (const auto& [pair_offset, offset] : std::vector<std::pair<int64_t, int64_t>>{
               {0, 0}, {sixteen_bytes, 0}, {2, 0}, {0, sixteen_bytes}, {0, 1}}) {
        for (const Sizes& other : {shape, Sizes{shape.back()}, Sizes{1}}) {
          Tensor x(dtype, doubled, pair_offset), c(dtype, other, offset);
          Tensor out(dtype, doubled, pair_offset), expected(dtype, doubled, pair_offset);
          for (int64_t i = 0; i < x.numel(); ++i) {
            x.set(static_cast<size_t>(pair_offset + i), static_cast<double>(i * 7 % 11 - 5));
          }
          for (int64_t i = 0; i < c.numel(); ++i) {
            c.set(static_cast<size_t>(offset + i), static_cast<double>(i * 5 % 7 - 3));
          }
          x.upload();
          c.upload();
          for_each_index(shape, [&](const Sizes& index) {
            Sizes first = index;
            first.back() *= 2;
            const size_t at = x.place(first);
            expected.set(at, x.get(at) * x.get(at + 1));
            expected.set(at + 1, x.get(at) + c.get(c.place(index)));
          });
          Loop loop{};
          loop.compute = dtype == Dtype::kDouble ? Dtype::kDouble : Dtype::kFloat;
          loop.num_dims = static_cast<int>(shape.size());
          loop.num_reads = 3;
          loop.num_writes = 2;
          for (size_t d = 0; d < shape.size(); ++d) loop.sizes[d] = shape[shape.size() - 1 - d];
          const Operand operands[] = {part(x, 0), part(x, 1), c.operand(shape), part(out, 0),
                                      part(out, 1)};
          std::copy(std::begin(operands), std::end(operands), loop.operands);
          coalesce(loop);
          run(mix, loop);
          out.download();
          report("pairs " + name_of(shape) + " with " + name_of(other) + " at " +
                     std::to_string(pair_offset) + " and " + std::to_string(offset) + " " +
                     name_of(dtype),
                 out.bytes() == expected.bytes());
        }
      }
    }
  }
}

// Operands of one byte beside others, and parts that lie in turns: the same values and the same bits
// however they lie.
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

// The same bits from numbers by vectors of any kind and from all of their copies, over rows and along them.
void check_hoisted(const Sizes& shape, const Sizes& numbers, Dtype dtype, Dtype type,
                    int64_t spread) {
  const Dtype compute = dtype == Dtype::kDouble ? Dtype::kDouble : Dtype::kFloat;
  const Sizes row{shape.back()};
  Tensor x(dtype, shape, 0, spread), number(type, numbers), copies(type, shape);
  Tensor one(dtype, shape), all(dtype, shape);
  Tensor one_sum(dtype, row), all_sum(dtype, row);
  fill_randomly(x, 1);
  fill_randomly(number, 2);
  for_each_index(shape, [&](const Sizes& index) {
    copies.set(copies.place(index), number.get(number.place(index)));
  });
  copies.upload();
  run(hoisted, make_loop(shape, {&x, &number}, {&one}, compute));
  run(hoisted, make_loop(shape, {&x, &copies}, {&all}, compute));
  run(hoisted, make_loop(shape, {&x, &number}, {&one_sum}, compute));
  run(hoisted, make_loop(shape, {&x, &copies}, {&all_sum}, compute));
  for (Tensor* tensor : {&one, &all, &one_sum, &all_sum}) tensor->download();
  const std::string name = "hoisted " + name_of(shape) + " " + name_of(dtype) + " from " +
                           name_of(type) + " " + name_of(numbers) + " spread " +
                           std::to_string(spread);
  report(name, one.bytes() == all.bytes());
  report(name + ", summed", one_sum.bytes() == all_sum.bytes());
}

void check_hoisted() {
  for (const Dtype dtype : {Dtype::kHalf, Dtype::kBFloat16, Dtype::kFloat, Dtype::kDouble}) {
    for (const Dtype type : {dtype, Dtype::kInt32}) {
      for (const int64_t spread : {1, 3}) check_hoisted({37, 267}, {37, 1}, dtype, type, spread);
    }
  }
  // Enough for a thread to take several vectors, also such as do not come out even.
  for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat}) {
    check_hoisted({65, 129, 256}, {129, 1}, dtype, dtype, 1);
    check_hoisted({2048, 1056}, {2048, 1}, dtype, dtype, 1);
    check_hoisted({2048, 1032}, {2048, 1}, dtype, dtype, 1);
    check_hoisted({2097160}, {1}, dtype, dtype, 1);
    check_hoisted({2097163}, {1}, dtype, dtype, 1);
  }
}

// The same bits from a read that is timed as a vector of a row, whether it is that, a number of each row or as large
// as the loop.
void check_repeated() {
  for (const Dtype dtype : {Dtype::kHalf, Dtype::kBFloat16, Dtype::kFloat}) {
    for (const auto& [shape, small] : std::vector<std::pair<Sizes, Sizes>>{
             {{37, 264}, {37, 1}}, {{65, 129, 256}, {129, 1}}, {{65, 129, 264}, {65, 1, 1}},
             {{2048, 1056}, {2048, 1}}, {{2048, 1056}, {1056}}, {{2048, 1052}, {2048, 1}}}) {
      Tensor x(dtype, shape), repeated(dtype, small), copies(dtype, shape);
      Tensor one(dtype, shape), all(dtype, shape);
      fill_randomly(x, 1);
      fill_randomly(repeated, 2);
      for_each_index(shape, [&](const Sizes& index) {
        copies.set(copies.place(index), repeated.get(repeated.place(index)));
      });
      copies.upload();
      run(swiglu, make_loop(shape, {&x, &repeated}, {&one}, Dtype::kFloat));
      run(swiglu, make_loop(shape, {&x, &copies}, {&all}, Dtype::kFloat));
      one.download();
      all.download();
      report("repeated " + name_of(small) + " in " + name_of(shape) + " " + name_of(dtype),
             one.bytes() == all.bytes());
    }
  }
}

// Rounding, by vectors where all types are one, to the type of a tensor or of a number.
void check_rounding() {
  const Sizes shape{37, 264};
  const std::vector<Dtype> floats{Dtype::kHalf, Dtype::kBFloat16, Dtype::kFloat, Dtype::kDouble};
  for (const Dtype dtype : floats) {
    for (const Dtype like : floats) {
      Tensor a(dtype, shape), b(like, shape), c(dtype, shape), sum(dtype, shape);
      fill_randomly(a, 1);
      fill_randomly(b, 2);
      fill_randomly(c, 3);
      for (const bool number : {false, true}) {
        Loop loop = make_loop(shape, {&a, &b, &c}, {&sum, nullptr}, Dtype::kFloat);
        if (number) {
          loop.operands[1].data = nullptr;
          loop.operands[1].fill = 0.75;
        }
        run(rounding, loop);
        sum.download();
        Tensor expected(dtype, {1});
        bool passed = true;
        for (size_t i = 0; i < static_cast<size_t>(a.numel()); ++i) {
          const float factor = number ? 0.75f : static_cast<float>(b.get(i));
          const float product = static_cast<float>(a.get(i)) * factor;
          expected.set(0, rt::round_to(product, like) + static_cast<float>(c.get(i)));
          passed &= sum.get(i) == expected.get(0);
        }
        report(std::string("rounding ") + name_of(dtype) + " to " + name_of(like) +
                   (number ? " of a number" : ""),
               passed);
      }
    }
  }
}

// The device's conversions have the bits of the host's, which are tested against PyTorch's.
void check_conversions() {
  const int64_t n = 3 << 16;
  Tensor values(Dtype::kFloat, {n}), one(Dtype::kFloat, {1});
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t low[] = {0, 0x7fff, 0x8001};
    const uint32_t bits = static_cast<uint32_t>(i / 3) << 16 | low[i % 3];
    values.set(static_cast<size_t>(i), bits_to_float(bits));
  }
  values.upload();
  for (const Dtype dtype :
       {Dtype::kUInt8, Dtype::kInt8, Dtype::kInt16, Dtype::kInt32, Dtype::kInt64, Dtype::kHalf,
        Dtype::kBFloat16, Dtype::kFloat8E4M3FN, Dtype::kFloat8E5M2}) {
    const bool whole = dtype <= Dtype::kInt64;
    const size_t size = static_cast<size_t>(size_of(dtype));
    Tensor stored(dtype, {n});
    run(rounding, make_loop({n}, {&values, &one, &one}, {nullptr, &stored}, Dtype::kFloat));
    stored.download();
    bool passed = true;
    for (int64_t i = 0; i < n; ++i) {
      const float value = static_cast<float>(values.get(static_cast<size_t>(i)));
      const bool narrow = dtype == Dtype::kHalf || dtype == Dtype::kBFloat16;
      if ((whole || narrow) && value != value) continue;
      char expected[8];
      store_as<float, true>(expected, dtype, value);
      const char* const ours = stored.bytes().data() + static_cast<size_t>(i) * size;
      passed &= std::memcmp(ours, expected, size) == 0;
    }
    report(std::string("conversion to ") + name_of(dtype), passed);
  }
}

// How many kernels a loop is run by; its memory is not touched. Sizes, and the strides
// of two reads and a write in elements, are given outermost first.
size_t count_launches(const Sizes& shape, Dtype dtype, const std::vector<Sizes>& strides) {
  Loop loop{};
  loop.num_dims = static_cast<int>(shape.size());
  loop.num_reads = 2;
  loop.num_writes = 1;
  loop.compute = Dtype::kFloat;
  for (size_t d = 0; d < shape.size(); ++d) {
    loop.sizes[d] = shape[shape.size() - 1 - d];
    for (size_t k = 0; k < 3; ++k) {
      loop.operands[k].strides[d] = strides[k][shape.size() - 1 - d] * size_of(dtype);
    }
  }
  for (size_t k = 0; k < 3; ++k) {
    loop.operands[k].data = reinterpret_cast<void*>((k + 1) << 40);
    loop.operands[k].dtype = dtype;
  }
  coalesce(loop);
  cudaStream_t stream;
  cudaGraph_t graph;
  size_t launches = 0;
  require(cudaStreamCreate(&stream));
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  Launch launch{};
  launch.stream = stream;
  require(swiglu(loop, nullptr, launch).message);
  require(cudaStreamEndCapture(stream, &graph));
  require(cudaGraphGetNodes(graph, nullptr, &launches));
  require(cudaGraphDestroy(graph));
  require(cudaStreamDestroy(stream));
  return launches;
}

// A loop that spans more than 32 bits is cut into few, whichever dimension it spans them along.
void check_cuts() {
  const auto check = [](const char* name, size_t most, const Sizes& shape, Dtype dtype,
                        const std::vector<Sizes>& strides) {
    const size_t launches = count_launches(shape, dtype, strides);
    report(std::string(name) + ": " + std::to_string(launches) + " launches", launches <= most);
  };
  const Sizes dense{32768 * 5120, 5120, 1};
  check("gate of each matrix", 2, {16, 32768, 5120}, Dtype::kBFloat16, {dense, {5120, 0, 1}, dense});
  const Sizes tall{int64_t{131072} * 8192, 8192, 1};
  check("gate of four matrices", 4, {4, 131072, 8192}, Dtype::kBFloat16, {tall, {8192, 0, 1}, tall});
  const Sizes row{1000000, 1};
  check("rows far apart", 8, {64, 1000000}, Dtype::kFloat, {{64000000, 1}, row, row});
  const Sizes column{20, 1};
  check("columns far apart", 16, {1000, 20}, Dtype::kFloat, {column, {1, 1 << 29}, column});
  check("a long row", 2, {(int64_t{1} << 31) + 513}, Dtype::kBFloat16, {{1}, {1}, {1}});
}

// Broadcast strides make extents beyond 2^31 without the memory.
void check_large() {
  const Sizes shape{3, (int64_t{1} << 30) + 513};
  Tensor one(Dtype::kFloat, {1});
  Tensor total(Dtype::kFloat, {3, 1});
  one.set(0, 0.5);
  one.upload();
  run(mix, make_loop(shape, {&one, &one, &one}, {nullptr, &total}, Dtype::kFloat));
  total.download();
  bool passed = true;
  for (size_t i = 0; i < 3; ++i) {
    passed &= std::fabs(total.get(i) / static_cast<double>(shape[1]) - 1) < 1e-5;
  }
  report("3 * (2^30 + 513) elements", passed);
  const int64_t n = (int64_t{1} << 31) + 513;
  char* memory;
  require(cudaMalloc(&memory, static_cast<size_t>(n) * 2));
  Loop loop{};
  loop.num_dims = 1;
  loop.sizes[0] = n;
  loop.num_reads = 2;
  loop.num_writes = 1;
  loop.compute = Dtype::kFloat;
  for (int k = 0; k < 2; ++k) loop.operands[k].fill = 2 + k;
  loop.operands[2].data = memory;
  loop.operands[2].dtype = Dtype::kBFloat16;
  loop.operands[2].strides[0] = 2;
  require(cudaMemset(memory, 0, static_cast<size_t>(n) * 2));
  run(swiglu, loop);
  uint16_t ends[2];
  require(cudaMemcpy(&ends[0], memory, 2, cudaMemcpyDeviceToHost));
  require(cudaMemcpy(&ends[1], memory + (n - 1) * 2, 2, cudaMemcpyDeviceToHost));
  report("2^31 + 513 elements", ends[0] == ends[1] && ends[0] != 0);
  require(cudaFree(memory));
}

__global__ void make_policies(uint64_t* usual, uint64_t* keeping) {
#if __CUDA_ARCH__ >= 900
  asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(*usual));
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(*keeping));
#else
  *usual = cuda::kEvictNormal;
  *keeping = cuda::kEvictLast;
#endif
}

// The host knows the policies that a device makes.
void check_policies() {
  uint64_t made[2];
  uint64_t* on_device = nullptr;
  require(cudaMalloc(&on_device, sizeof(made)));
  make_policies<<<1, 1>>>(on_device, on_device + 1);
  require(cudaMemcpy(made, on_device, sizeof(made), cudaMemcpyDeviceToHost));
  require(cudaFree(on_device));
  report("specialized policy", made[0] == cuda::kEvictNormal);
  report("keeping policy", made[1] == cuda::kEvictLast);
}

}  // namespace

// Runs the groups that are named; all of them if none is.
int main(int count, char** arguments) {
  const bool passed = run_groups(count, arguments,
                                 {{"layouts", check_layouts},
                                  {"transposed", check_transposed},
                                  {"bits", check_bits},
                                  {"pairs", check_pairs},
                                  {"mixed", check_mixed},
                                  {"hoisted", check_hoisted},
                                  {"repeated", check_repeated},
                                  {"rounding", check_rounding},
                                  {"conversions", check_conversions},
                                  {"policies", check_policies},
                                  {"cuts", check_cuts},
                                  {"large", check_large}});
  return passed ? 0 : 1;
}
