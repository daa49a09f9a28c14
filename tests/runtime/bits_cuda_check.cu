// Checks on a GPU that CUDA loops give the same bits in every kernel, and those of the host:
//   nvcc -std=c++20 -arch=native -lineinfo -Iruntime tests/runtime/bits_cuda_check.cu
//     runtime/fusewise/core/reduction.cpp runtime/fusewise/cuda/*.cu -o check
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "cuda_tensor.h"

namespace {

Status swiglu_backward(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<SwigluBackward, Floats>(loop, params, launch);
}

template <bool kIsTypical>
Status hoisted(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<Hoisted<kIsTypical>, Floats>(loop, params, launch);
}

Status rounding(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<Round, FloatsAndFloat8>(loop, params, launch);
}

// The kernels of one element at a time: a list without 16-byte vectors still computes in float.
Status swiglu_backward_single(const Loop& loop, const Number* params, const Launch& launch) {
  using Runner = cuda::Pointwise<SwigluBackward, true>;
  if (cuda::is_low_precision(loop)) {
    return Runner::run<cuda::Strided<rt::LowPrecision, 8>>(loop, params, launch);
  }
  return Runner::run<cuda::Strided<float, 4>>(loop, params, launch);
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

// Hoisting from row scalars, from tensors of their copies and from one of each gives the same bits, in dense
// writes and in sums.
void check_hoisted(Kernel kernel, const Sizes& shape, const Sizes& numbers, Dtype dtype, Dtype type,
                   int64_t spread, const std::string& label) {
  const Dtype compute = dtype == Dtype::kDouble ? Dtype::kDouble : Dtype::kFloat;
  const Sizes row{shape.back()};
  Tensor x(dtype, shape, 0, spread), number(type, numbers), copies(type, shape);
  Tensor one(dtype, shape), all(dtype, shape), both(dtype, shape);
  Tensor one_sum(dtype, row), all_sum(dtype, row), both_sum(dtype, row);
  fill_randomly(x, 1);
  fill_randomly(number, 2);
  for_each_index(shape, [&](const Sizes& index) {
    copies.set(copies.place(index), number.get(number.place(index)));
  });
  copies.upload();
  for (Tensor* write : {&one, &one_sum}) {
    run(kernel, make_loop(shape, {&x, &number, &number}, {write}, compute));
  }
  for (Tensor* write : {&all, &all_sum}) {
    run(kernel, make_loop(shape, {&x, &copies, &copies}, {write}, compute));
  }
  for (Tensor* write : {&both, &both_sum}) {
    run(kernel, make_loop(shape, {&x, &number, &copies}, {write}, compute));
  }
  for (Tensor* tensor : {&one, &all, &both, &one_sum, &all_sum, &both_sum}) tensor->download();
  const std::string name = label + " " + name_of(shape) + " " + name_of(dtype) + " from " +
                           name_of(type) + " " + name_of(numbers) + " spread " +
                           std::to_string(spread);
  report(name, one.bytes() == all.bytes() && both.bytes() == all.bytes());
  report(name + ", summed",
         one_sum.bytes() == all_sum.bytes() && both_sum.bytes() == all_sum.bytes());
}

// With typical shapes and without.
void check_hoisted(const Sizes& shape, const Sizes& numbers, Dtype dtype, Dtype type,
                   int64_t spread) {
  check_hoisted(hoisted<true>, shape, numbers, dtype, type, spread, "hoisted");
  check_hoisted(hoisted<false>, shape, numbers, dtype, type, spread, "perhaps hoisted");
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

// Rounding to the dtype of a tensor or of a number, with vectorized and with strided operands.
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

// Conversions on the device have the bits of those on the host, which are tested against PyTorch.
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

__global__ void make_policies(uint64_t* usual, uint64_t* keeping) {
#if __CUDA_ARCH__ >= 900
  asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(*usual));
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(*keeping));
#else
  *usual = cuda::kEvictNormal;
  *keeping = cuda::kEvictLast;
#endif
}

// The constants of the host are the policies that a device makes.
void check_policies() {
  uint64_t made[2];
  uint64_t* on_device = nullptr;
  require(cudaMalloc(&on_device, sizeof(made)));
  uint64_t* keeping = on_device + 1;
  void* arguments[] = {&on_device, &keeping};
  require(cuda::start(cuda::address_of(&make_policies), dim3(1), 1, arguments, 0, Launch{}).message);
  require(cudaMemcpy(made, on_device, sizeof(made), cudaMemcpyDeviceToHost));
  require(cudaFree(on_device));
  report("specialized policy", made[0] == cuda::kEvictNormal);
  report("keeping policy", made[1] == cuda::kEvictLast);
}

}  // namespace

// Runs the groups that are named; all of them if none is.
int main(int count, char** arguments) {
  const bool passed = run_groups(count, arguments,
                                 {{"bits", check_bits},
                                  {"hoisted", check_hoisted},
                                  {"rounding", check_rounding},
                                  {"conversions", check_conversions},
                                  {"policies", check_policies}});
  return passed ? 0 : 1;
}
