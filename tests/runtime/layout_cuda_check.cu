// Checks every layout of operands of CUDA loops on a GPU against a reference in double on the host:
//   nvcc -std=c++20 -arch=native -lineinfo -Iruntime tests/runtime/layout_cuda_check.cu
//     runtime/fusewise/core/reduction.cpp runtime/fusewise/cuda/*.cu -o check
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cuda_mix.h"

namespace {

Status swiglu(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise<Swiglu, Floats>(loop, params, launch);
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

// Transposed operands, of sizes that are whole tiles, partial tiles and partial vectors.
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

// Interleaved pairs. Two threads share vectors if a row has an even number of whole vectors.
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

// A read that is a repeated vector at the typical shapes gives the same bits as a row scalar and as a whole
// tensor.
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

// The number of kernels that a loop launches; its memory is not touched. Sizes, and the strides of two reads
// and a write in elements, stand outermost first.
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

// A loop that spans more than 32 bits is cut into few loops, whatever its longest dimension is.
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

}  // namespace

// Runs the groups that are named; all of them if none is.
int main(int count, char** arguments) {
  const bool passed = run_groups(count, arguments,
                                 {{"layouts", check_layouts},
                                  {"transposed", check_transposed},
                                  {"pairs", check_pairs},
                                  {"repeated", check_repeated},
                                  {"cuts", check_cuts},
                                  {"large", check_large}});
  return passed ? 0 : 1;
}
