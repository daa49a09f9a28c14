// Hand-written passes for the tests of kernels, in the form of generated passes; core/pass.h explains their
// members.
#pragma once

#include <cstdint>

#include <fusewise/core/loop.h>

// Its first read may have integers.
struct Multiply {
  static constexpr int kReads = 2, kWrites = 1, kParams = 1, kInstructions = 8;
  static constexpr unsigned kIntegers = 1;
  template <class T>
  RT_FN static void apply(const T* in, const T* params, T* out) {
    out[0] = in[0] * in[1] + params[0];
  }
};

// A pass with kRepeated: at the typical shapes the second read is smaller than the loop.
struct Swiglu {
  static constexpr int kReads = 2, kWrites = 1, kParams = 0, kInstructions = 8;
  static constexpr unsigned kRepeated = 2;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    out[0] = in[0] / (T(1) + fusewise::rt::exp(-in[0])) * in[1];
  }
};

// A pass with many instructions, so that short loops take smaller vectors.
struct SwigluBackward {
  static constexpr int kReads = 3, kWrites = 2, kParams = 0, kInstructions = 64;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    const T sigmoid = T(1) / (T(1) + fusewise::rt::exp(-in[1]));
    const T silu = in[1] * sigmoid;
    out[0] = in[0] * in[2] * (sigmoid + silu * (T(1) - sigmoid));
    out[1] = in[0] * silu;
  }
};

struct SwigluDoubleBackward {
  static constexpr int kReads = 5, kWrites = 3, kParams = 0, kInstructions = 8;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    const T sigmoid = T(1) / (T(1) + fusewise::rt::exp(-in[3]));
    const T other = T(1) - sigmoid;
    const T silu = in[3] * sigmoid;
    const T slope = sigmoid + silu * other;
    const T curve = sigmoid * other * (T(2) + in[3] * (other - sigmoid));
    out[0] = in[1] * slope * in[4] + in[2] * silu;
    out[1] = in[0] * (in[1] * curve * in[4] + in[2] * slope);
    out[2] = in[0] * in[1] * slope;
  }
};

// A forwarded gradient of a broadcast input: the kernel only sums it.
struct Sum {
  static constexpr int kReads = 1, kWrites = 1, kParams = 0, kInstructions = 0;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    out[0] = in[0];
  }
};

// A cheap gradient with exact results, for the tests of memory layouts and reductions. Its count of
// instructions is that of passes in which a thread processes its vectors in a loop.
struct Mix {
  static constexpr int kReads = 3, kWrites = 2, kParams = 0, kInstructions = 20, kHoisted = 1;
  static constexpr unsigned kTwoAxis = 1, kInterleaved = 1 | 8, kHoistedFrom = 4;
  template <class T>
  RT_FN static void hoist(const T* in, const T*, T* hoisted) {
    hoisted[0] = -in[2];
  }
  template <class T>
  RT_FN static void apply(const T* in, const T*, const T* hoisted, T* out) {
    out[0] = in[0] * in[1];
    out[1] = in[0] - hoisted[0];
  }
};

// A pass that is specialized for loops with sums of the last two writes. If kIsNumber, its last read is a row
// scalar in these loops; otherwise it may have any layout.
template <bool kIsNumber>
struct Scale {
  static constexpr int kReads = 3, kWrites = 3, kParams = 0, kInstructions = 8;
  static constexpr int kHoisted = kIsNumber;
  static constexpr unsigned kHoistedFrom = kIsNumber ? 4 : 0, kRowScalars = kHoistedFrom;
  static constexpr unsigned kFull = 1 | 2 | 8, kSummed = 16 | 32;
  template <class T>
  RT_FN static void hoist(const T* in, const T*, T* hoisted) {
    hoisted[0] = -in[2];
  }
  template <class T>
  RT_FN static void apply(const T* in, const T*, const T* hoisted, T* out) {
    out[0] = in[0] * (kIsNumber ? hoisted[0] : -in[2]);
    out[1] = in[0] * in[1];
    out[2] = in[0];
  }
  template <class T>
  RT_FN static void apply(const T* in, const T* params, T* out) {
    apply(in, params, in, out);
  }
};

// A two-axis reduction in a pass that also has a dense write.
struct Joint {
  static constexpr int kReads = 2, kWrites = 3, kParams = 0, kInstructions = 8;
  static constexpr unsigned kTwoAxis = 1;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    out[0] = in[0];
    out[1] = in[0] * in[1];
    out[2] = in[1];
  }
};

// A pass with a hoisted value of each of two reads: a product that must not be contracted to an fma with a sum,
// and a condition. With kIsTypical these reads are row scalars at the typical shapes; otherwise the pass has none.
template <bool kIsTypical>
struct Hoisted {
  static constexpr int kReads = 3, kWrites = 1, kParams = 0, kInstructions = 8, kHoisted = 2;
  static constexpr unsigned kRowScalars = kIsTypical ? 6 : 0, kHoistedFrom = 6, kRepeated = 6;
  template <class T>
  RT_FN static void hoist(const T* in, const T*, T* hoisted) {
    namespace rt = fusewise::rt;
    hoisted[0] = rt::log1p(rt::exp(in[1])) * in[1];
    hoisted[1] = rt::where(rt::tanh(in[2]) > T(0), T(1), T(0));
  }
  template <class T>
  RT_FN static void apply(const T* in, const T*, const T* hoisted, T* out) {
    out[0] = fusewise::rt::where(hoisted[1] != T(0), in[0] + hoisted[0], in[0] / hoisted[0]);
  }
};

// A pass with parts of an interleaved tensor and with operands that have their own type.
template <fusewise::Dtype kByte>
struct Mixed {
  static constexpr int kReads = 4, kWrites = 4, kParams = 0, kInstructions = 8;
  static constexpr unsigned kInterleaved = 1 | 16;
  RT_FN static constexpr fusewise::Dtype stored_dtype(int operand, fusewise::Dtype others) {
    if (operand == 2 || operand == 7) return fusewise::Dtype::kBool;
    return operand == 6 ? kByte : others;
  }
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    namespace rt = fusewise::rt;
    const rt::Mask<T> mask = in[2] != T(0);
    out[0] = rt::where(mask, in[0] * in[3], in[1]);
    out[1] = in[1] * rt::exp(-rt::abs(in[0]));
    out[2] = in[0] + in[1];
    out[3] = rt::where(in[0] < in[1], T(1), T(0));
  }
};

struct MixedBackward {
  static constexpr int kReads = 4, kWrites = 4, kParams = 0, kInstructions = 8;
  static constexpr unsigned kInterleaved = 1 | 16, kFull = 1 | 2 | 16 | 32, kSummed = 64 | 128;
  RT_FN static constexpr fusewise::Dtype stored_dtype(int operand, fusewise::Dtype others) {
    return operand == 2 ? fusewise::Dtype::kBool : others;
  }
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    namespace rt = fusewise::rt;
    const rt::Mask<T> mask = in[2] != T(0);
    out[0] = rt::where(mask, in[0] * in[3], in[1]);
    out[1] = in[0] + in[1];
    out[2] = rt::where(mask, in[0], T(0));
    out[3] = in[3] * in[1];
  }
};

// A pass for the rounding of round_to and of stores.
struct Round {
  static constexpr int kReads = 3, kWrites = 2, kParams = 0, kInstructions = 8;
  template <class T>
  RT_FN static void apply(const T* in, const T*, const fusewise::Dtype* types, T* out) {
    out[0] = fusewise::rt::round_to(in[0] * in[1], types[1]) + in[2];
    out[1] = in[0];
  }
};

// The terms of totals: two sums and a maximum. One of the terms takes a hoisted value of a row scalar.
struct Terms {
  static constexpr int kReads = 3, kWrites = 3, kParams = 1, kInstructions = 8, kHoisted = 1;
  static constexpr unsigned kHoistedFrom = 4, kMaxima = 4;
  template <class T>
  RT_FN static void hoist(const T* in, const T* params, T* hoisted) {
    hoisted[0] = in[2] * params[0];
  }
  template <class T>
  RT_FN static void apply(const T* in, const T*, const T* hoisted, T* out) {
    out[0] = in[0];
    out[1] = (in[0] - hoisted[0]) * in[1];
    out[2] = in[0] - hoisted[0];
  }
};

// A row pass that writes the totals of Terms: its reads are those of Terms, then the totals.
struct TermsOfRow : Terms {
  static constexpr int kReads = 6;
};

struct TotalsOfTerms {
  static constexpr int kReads = 6, kWrites = 3, kParams = 2, kInstructions = 0;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    for (int w = 0; w < kWrites; ++w) out[w] = in[3 + w];
  }
};

// A row pass of two phases with exact results: the reads x and y, the totals `top` and `sum`, the index. The
// writes are an element, one that may be summed over rows, and a number for each row.
struct TopOfRow {
  static constexpr int kReads = 5, kWrites = 1, kParams = 1, kInstructions = 2;
  static constexpr unsigned kMaxima = 1;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    out[0] = in[0] * in[1];
  }
};

struct SumOfRow {
  static constexpr int kReads = 5, kWrites = 1, kParams = 1, kInstructions = 2;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    out[0] = in[0] - in[2];
  }
};

struct ElementsOfRow {
  static constexpr int kReads = 5, kWrites = 2, kParams = 1, kInstructions = 4;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    out[0] = in[0] * in[2] + in[4];
    out[1] = in[0] - in[2];
  }
};

// The same from the term of the second phase.
struct HeldElementsOfRow {
  static constexpr int kReads = 6, kWrites = 2, kParams = 1, kInstructions = 4;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    out[0] = in[0] * in[2] + in[4];
    out[1] = in[5];
  }
};

struct ResultOfRow {
  static constexpr int kReads = 5, kWrites = 1, kParams = 1, kInstructions = 0;
  template <class T>
  RT_FN static void apply(const T* in, const T* params, T* out) {
    out[0] = in[3] + params[0];
  }
};

// The functions of which vectors have their own form.
struct Functions {
  static constexpr int kReads = 2, kWrites = 13, kParams = 0, kInstructions = 8;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    namespace rt = fusewise::rt;
    const T x = in[0], y = in[1];
    out[0] = rt::floor(x);
    out[1] = rt::ceil(x);
    out[2] = rt::trunc(x);
    out[3] = rt::round(x);
    out[4] = rt::copysign(x, y);
    out[5] = rt::sqrt(rt::abs(x));
    out[6] = rt::fma(x, y, -x);
    out[7] = rt::where((!(x < y)) & (x == x), -x, y / x);
    out[8] = rt::where((x <= y) | (y != y), x - y, x + y);
    out[9] = rt::where((x >= T(0)) != (y > T(0)), rt::sign(x), rt::rsqrt(x));
    out[10] = rt::minimum(x, y);
    out[11] = rt::maximum(x, y);
    out[12] = rt::mod(x, y);
  }
};

struct Elementary {
  static constexpr int kReads = 2, kWrites = 28, kParams = 0, kInstructions = 8;
  template <class T>
  RT_FN static void apply(const T* in, const T*, T* out) {
    namespace rt = fusewise::rt;
    const T x = in[0], y = in[1];
    out[0] = rt::exp(x);
    out[1] = rt::exp2(x);
    out[2] = rt::expm1(x);
    out[3] = rt::log(x);
    out[4] = rt::log2(x);
    out[5] = rt::log10(x);
    out[6] = rt::log1p(x);
    out[7] = rt::sin(x);
    out[8] = rt::cos(x);
    out[9] = rt::tan(x);
    out[10] = rt::asin(x);
    out[11] = rt::acos(x);
    out[12] = rt::atan(x);
    out[13] = rt::sinh(x);
    out[14] = rt::cosh(x);
    out[15] = rt::tanh(x);
    out[16] = rt::asinh(x);
    out[17] = rt::acosh(x);
    out[18] = rt::atanh(x);
    out[19] = rt::erf(x);
    out[20] = rt::erfc(x);
    out[21] = rt::normal_cdf(x);
    out[22] = rt::exp_remainder(x);
    out[23] = rt::exp_mul(x, y);
    out[24] = rt::pow(x, y);
    out[25] = rt::floordiv(x, y);
    out[26] = rt::cbrt(x);
    out[27] = rt::hypot(x, y);
  }
};
