// Checks the functions of CUDA kernels on a GPU against those of double: all numbers of 16 bits, and all
// floats:
//   nvcc -std=c++20 -arch=native -Iruntime tests/runtime/function_cuda_check.cu -o check
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <fusewise/math/low_precision.h>
#include <fusewise/math/functions.cuh>

#include "cuda_check.h"

namespace {

using namespace fusewise;

#define FUNCTION(name, formula, reference)                          \
  struct name {                                                     \
    static constexpr const char* kName = #name;                     \
    static RT_FN rt::LowPrecision apply(rt::LowPrecision x) { return formula; } \
    static double exact(double x) { return reference; }             \
  };

FUNCTION(Exp, rt::exp(x), std::exp(x))
FUNCTION(Exp2, rt::exp2(x), std::exp2(x))
FUNCTION(Expm1, rt::expm1(x), std::expm1(x))
FUNCTION(ExpRemainder, rt::exp_remainder(x),
         std::fabs(x) < 1e-3 ? x * x * (0.5 + x / 6 + x * x / 24) : std::expm1(x) - x)
FUNCTION(Log, rt::log(x), std::log(x))
FUNCTION(Log2, rt::log2(x), std::log2(x))
FUNCTION(Log10, rt::log10(x), std::log10(x))
FUNCTION(Log1p, rt::log1p(x), std::log1p(x))
FUNCTION(Log1pUnit, rt::log1p_unit(rt::minimum(rt::abs(x), rt::LowPrecision(1))),
         x != x ? x : std::log1p(std::fmin(std::fabs(x), 1.0)))
FUNCTION(Sin, rt::sin(x), std::sin(x))
FUNCTION(Cos, rt::cos(x), std::cos(x))
FUNCTION(SinDoubled, rt::sin_doubled(x), std::sin(2 * x))
FUNCTION(SinSquared, rt::sin_squared(x), std::sin(x) * std::sin(x))
FUNCTION(Sqrt, rt::sqrt(x), std::sqrt(x))
FUNCTION(Rsqrt, rt::rsqrt(x), 1 / std::sqrt(x))
FUNCTION(Tanh, rt::tanh(x), std::tanh(x))
FUNCTION(TanhNearZero, rt::tanh_near_zero(rt::minimum(rt::abs(x), rt::LowPrecision(0.6f))),
         x != x ? x : std::tanh(std::fmin(std::fabs(x), 0.6)))
FUNCTION(Erf, rt::erf(x), std::erf(x))
FUNCTION(Erfc, rt::erfc(x), std::erfc(x))
FUNCTION(NormalCdf, rt::normal_cdf(x), 0.5 * std::erfc(-std::sqrt(0.5) * x))
FUNCTION(Reciprocal, rt::LowPrecision(1) / x, 1 / x)
FUNCTION(Third, x / rt::LowPrecision(3), x / 3)
FUNCTION(SharedBy, rt::div_shared(rt::LowPrecision(3), x), 3 / x)
FUNCTION(Shared, rt::div_shared(x, rt::LowPrecision(-3)), x / -3)
FUNCTION(Sigmoid, rt::div_moderate(rt::LowPrecision(1), rt::LowPrecision(1) + rt::exp(-rt::abs(x))),
         1 / (1 + std::exp(-std::fabs(x))))

template <class Function, class S>
__global__ void every_value(uint16_t* results) {
  const uint32_t bits = blockIdx.x * blockDim.x + threadIdx.x;
  S argument;
  argument.bits = static_cast<uint16_t>(bits);
  const rt::LowPrecision result = Function::apply(rt::LowPrecision(static_cast<float>(argument)));
  results[bits] = S(static_cast<float>(result)).bits;
}

// Numbers of 16 bits in order, so that neighbours differ by one.
int order_of(uint16_t bits) { return bits & 0x8000 ? -(bits & 0x7fff) : bits; }

// Of every argument the stored result is the correctly rounded one or a neighbour of it.
template <class Function, class S>
void check_function(const char* dtype) {
  constexpr int kCount = 1 << 16;
  uint16_t* device;
  require(cudaMalloc(&device, kCount * sizeof(uint16_t)));
  every_value<Function, S><<<kCount / 256, 256>>>(device);
  std::vector<uint16_t> results(kCount);
  require(cudaMemcpy(results.data(), device, kCount * sizeof(uint16_t), cudaMemcpyDeviceToHost));
  require(cudaFree(device));
  int wrong = 0;
  int worst = 0;
  float where = 0;
  for (int i = 0; i < kCount; ++i) {
    S argument;
    argument.bits = static_cast<uint16_t>(i);
    const double x = static_cast<double>(static_cast<float>(argument));
    const double exact = Function::exact(x);
    // through float: its half-way cases are too rare to be told from ours
    const S expected(static_cast<float>(exact));
    S found;
    found.bits = results[static_cast<size_t>(i)];
    const float value = static_cast<float>(found);
    if (exact != exact || value != value) {
      wrong += (exact != exact) != (value != value);
      continue;
    }
    const int off = std::abs(order_of(found.bits) - order_of(expected.bits));
    if (off > worst) where = static_cast<float>(x);
    worst = std::max(worst, off);
    wrong += off > 1;
  }
  if (wrong > 0) std::printf("%s: %d wrong, by %d at %g\n", Function::kName, wrong, worst, where);
  report(std::string(Function::kName) + " of " + dtype, wrong == 0);
}

template <class... Functions>
void check_each() {
  (check_function<Functions, half>("float16"), ...);
  (check_function<Functions, bfloat16>("bfloat16"), ...);
}

void check_functions() {
  check_each<Exp, Exp2, Expm1, ExpRemainder, Log, Log2, Log10, Log1p, Log1pUnit, Sin, Cos,
             SinDoubled, SinSquared, Sqrt, Rsqrt, Tanh, TanhNearZero, Erf, Erfc, NormalCdf, Reciprocal,
             Third, SharedBy, Shared, Sigmoid>();
}

// Forms of float: of magnitudes from `low` to `high`, their bound in ulp.
#define FLOAT_FUNCTION(name, low, high, bound, formula, reference)   \
  struct name {                                                      \
    static constexpr const char* kName = #name;                      \
    static constexpr float kLow = low, kHigh = high, kBound = bound; \
    static __device__ float apply(float x) { return formula; }       \
    static __device__ double exact(double x) { return reference; }   \
  };

FLOAT_FUNCTION(FloatExpm1, 0, INFINITY, 2, rt::expm1(x), expm1(x))
FLOAT_FUNCTION(FloatExpRemainder, 0, 3e38f, 3, rt::exp_remainder(x),
               fabs(x) < 1e-3 ? x * x * (0.5 + x / 6 + x * x / 24) : expm1(x) - x)
FLOAT_FUNCTION(FloatExpNegative, 0, 87.33654f, 3, rt::exp_negative(-fabsf(x)), exp(-fabs(x)))
// Results below 2^-126 are flushed to zero; the bound is that number.
FLOAT_FUNCTION(FloatExpFlushed, 87.33654f, INFINITY, 0x1p23f, rt::exp_negative(-fabsf(x)), exp(-fabs(x)))
FLOAT_FUNCTION(FloatLog1pUnit, 0, 1, 2, x < 0 ? 0 : rt::log1p_unit(x), x < 0 ? 0 : log1p(x))
FLOAT_FUNCTION(FloatTanh, 0, INFINITY, 2, rt::tanh(x), tanh(x))
FLOAT_FUNCTION(FloatTanhNearZero, 0, 0.6f, 2, rt::tanh_near_zero(x), tanh(x))
FLOAT_FUNCTION(FloatNormalCdf, 0, INFINITY, 6, rt::normal_cdf(x), 0.5 * erfc(-sqrt(0.5) * x))
FLOAT_FUNCTION(FloatSin, 0, INFINITY, 2, rt::sin(x), sin(x))
FLOAT_FUNCTION(FloatCos, 0, INFINITY, 2, rt::cos(x), cos(x))
FLOAT_FUNCTION(FloatSinDoubled, 0, INFINITY, 4, rt::sin_doubled(x), sin(2 * x))
FLOAT_FUNCTION(FloatSinSquared, 0, INFINITY, 4, rt::sin_squared(x), sin(x) * sin(x))
FLOAT_FUNCTION(FloatInverse, 0x1p-100f, 0x1p100f, 1, rt::div_moderate(1.0f, x), 1 / x)
FLOAT_FUNCTION(FloatQuotient, 0x1p-100f, 0x1p100f, 1, rt::div_moderate(1.2345679f, x),
               1.2345679f / x)
FLOAT_FUNCTION(FloatSharedBy, 0, INFINITY, 2, rt::div_shared(1.2345679f, x), 1.2345679f / x)
FLOAT_FUNCTION(FloatShared, 0x1p-100f, INFINITY, 1, rt::div_shared(x, 1.2345679f), x / 1.2345679f)
// What is left over of a tiny dividend is lost.
FLOAT_FUNCTION(FloatSharedOfTiny, 0, 0x1p-100f, 2, rt::div_shared(x, 1.2345679f), x / 1.2345679f)
FLOAT_FUNCTION(FloatSharedByHuge, 0, INFINITY, 2, rt::div_shared(x, 0x1.9p127f), x / 0x1.9p127)
FLOAT_FUNCTION(FloatSharedByTiny, 0, INFINITY, 2, rt::div_shared(x, 0x1.9p-140f), x / 0x1.9p-140)

// The largest error in 1024ths of an ulp, and below it the bits of the argument.
template <class Function>
__global__ void every_float(unsigned long long* worst) {
  const uint32_t bits = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = bits_to_float(bits);
  if (fabsf(x) < Function::kLow || fabsf(x) > Function::kHigh) return;
  const double exact = Function::exact(static_cast<double>(x));
  const double found = static_cast<double>(Function::apply(x));
  unsigned long long error = 0xffffffff;
  if (exact != exact || found != found) {
    if (exact != exact && found != found) return;
  } else if (exact != 0 || signbit(exact) == signbit(found)) {
    constexpr double kEnd = 0x1p128;  // what infinity stands for
    const double right = fmin(fmax(exact, -kEnd), kEnd);
    const int exponent = max(ilogb(fmin(fmax(fabs(right), 0x1p-126), 0x1p127)), -126);
    const double off = fabs(fmin(fmax(found, -kEnd), kEnd) - right) * exp2(23.0 - exponent);
    error = static_cast<unsigned long long>(fmin(off * 1024, 4e9));
  }
  const unsigned long long both = error << 32 | bits;
  if (both > *static_cast<volatile unsigned long long*>(worst)) atomicMax(worst, both);
}

template <class Function>
void check_float_function() {
  unsigned long long* device;
  require(cudaMalloc(&device, sizeof(*device)));
  require(cudaMemset(device, 0, sizeof(*device)));
  every_float<Function><<<1 << 24, 256>>>(device);
  unsigned long long worst;
  require(cudaMemcpy(&worst, device, sizeof(worst), cudaMemcpyDeviceToHost));
  require(cudaFree(device));
  const double error = static_cast<double>(worst >> 32) / 1024;
  std::printf("%s: %.2f ulp at %.9g\n", Function::kName, error,
              static_cast<double>(bits_to_float(static_cast<uint32_t>(worst))));
  report(Function::kName, error <= static_cast<double>(Function::kBound));
}

void check_float_functions() {
  check_float_function<FloatExpm1>();
  check_float_function<FloatExpRemainder>();
  check_float_function<FloatExpNegative>();
  check_float_function<FloatExpFlushed>();
  check_float_function<FloatLog1pUnit>();
  check_float_function<FloatNormalCdf>();
  check_float_function<FloatSin>();
  check_float_function<FloatCos>();
  check_float_function<FloatSinDoubled>();
  check_float_function<FloatSinSquared>();
  check_float_function<FloatTanh>();
  check_float_function<FloatTanhNearZero>();
  check_float_function<FloatInverse>();
  check_float_function<FloatQuotient>();
  check_float_function<FloatSharedBy>();
  check_float_function<FloatShared>();
  check_float_function<FloatSharedOfTiny>();
  check_float_function<FloatSharedByHuge>();
  check_float_function<FloatSharedByTiny>();
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<Group> groups{{"functions", check_functions}, {"floats", check_float_functions}};
  return run_groups(count, arguments, groups) ? 0 : 1;
}
