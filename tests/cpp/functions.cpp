// The functions of functions.h over arrays: of floats, and of vectors of floats; those of the C library
// for double, as what they are compared with.
#include <fusewise/math.h>

namespace fusewise::rt {

// Four floats on the compiler's vector extensions, with what a value type needs.

inline constexpr int kLanes = 4;

struct Floats {
  using Register [[gnu::vector_size(4 * kLanes)]] = float;
  Register lanes;
  Floats() = default;
  explicit Floats(float value) : lanes(value - Register{}) {}
  explicit Floats(Register value) : lanes(value) {}
};

struct Ints {
  using Register [[gnu::vector_size(4 * kLanes)]] = int32_t;
  Register lanes;
  explicit Ints(int32_t value) : lanes(value - Register{}) {}
  explicit Ints(Register value) : lanes(value) {}
};

struct Truths {
  Ints::Register lanes;
};

Floats operator+(Floats a, Floats b) { return Floats(a.lanes + b.lanes); }
Floats operator-(Floats a, Floats b) { return Floats(a.lanes - b.lanes); }
Floats operator*(Floats a, Floats b) { return Floats(a.lanes * b.lanes); }
Floats operator/(Floats a, Floats b) { return Floats(a.lanes / b.lanes); }
Floats operator-(Floats a) { return Floats(-a.lanes); }
Truths operator<(Floats a, Floats b) { return {a.lanes < b.lanes}; }
Truths operator>(Floats a, Floats b) { return {a.lanes > b.lanes}; }
Truths operator==(Floats a, Floats b) { return {a.lanes == b.lanes}; }
Truths operator==(Truths a, Truths b) { return {a.lanes == b.lanes}; }
Ints operator+(Ints a, Ints b) { return Ints(a.lanes + b.lanes); }
Ints operator-(Ints a, Ints b) { return Ints(a.lanes - b.lanes); }
Ints operator&(Ints a, Ints b) { return Ints(a.lanes & b.lanes); }
Ints operator^(Ints a, Ints b) { return Ints(a.lanes ^ b.lanes); }
Ints operator<<(Ints a, int count) { return Ints(a.lanes << count); }
Ints operator>>(Ints a, int count) { return Ints(a.lanes >> count); }
Truths operator!=(Ints a, Ints b) { return {a.lanes != b.lanes}; }

Floats where(Truths condition, Floats a, Floats b) {
  return Floats(condition.lanes ? a.lanes : b.lanes);
}

bool any(Truths condition) {
  bool result = false;
  for (int i = 0; i < kLanes; ++i) result |= condition.lanes[i] != 0;
  return result;
}

Ints to_bits(Floats x) { return Ints(reinterpret_cast<Ints::Register>(x.lanes)); }
Floats from_bits(Ints x) { return Floats(reinterpret_cast<Floats::Register>(x.lanes)); }
Floats to_float(Ints x) { return Floats(__builtin_convertvector(x.lanes, Floats::Register)); }

template <class Function>
Floats each(Floats x, const Function& function) {
  for (int i = 0; i < kLanes; ++i) x.lanes[i] = function(x.lanes[i]);
  return x;
}

Floats sqrt(Floats x) { return each(x, ::sqrtf); }
Floats abs(Floats x) { return each(x, ::fabsf); }

Floats copysign(Floats x, Floats y) {
  for (int i = 0; i < kLanes; ++i) x.lanes[i] = ::copysignf(x.lanes[i], y.lanes[i]);
  return x;
}

Floats fma(Floats x, Floats y, Floats z) {
  for (int i = 0; i < kLanes; ++i) {
    x.lanes[i] = ::fmaf(x.lanes[i], y.lanes[i], z.lanes[i]);
  }
  return x;
}

}  // namespace fusewise::rt

namespace rt = fusewise::rt;

// The vectors' count is a multiple of a vector's.
#define FUNCTION(name)                                                                        \
  extern "C" void name##_float(const float* in, float* out, int64_t count) {                  \
    for (int64_t i = 0; i < count; ++i) out[i] = rt::name(in[i]);                             \
  }                                                                                           \
  extern "C" void name##_double(const double* in, double* out, int64_t count) {               \
    for (int64_t i = 0; i < count; ++i) out[i] = rt::name(in[i]);                             \
  }                                                                                           \
  extern "C" void name##_vector(const float* in, float* out, int64_t count) {                 \
    for (int64_t i = 0; i < count; i += rt::kLanes) {                                 \
      rt::Floats x;                                                                           \
      memcpy(&x, in + i, sizeof(x));                                                          \
      x = rt::name(x);                                                                        \
      memcpy(out + i, &x, sizeof(x));                                                         \
    }                                                                                         \
  }

FUNCTION(exp)
FUNCTION(exp2)
FUNCTION(expm1)
FUNCTION(log)
FUNCTION(log2)
FUNCTION(log10)
FUNCTION(log1p)
FUNCTION(sinh)
FUNCTION(cosh)
FUNCTION(tanh)
FUNCTION(asinh)
FUNCTION(acosh)
FUNCTION(atanh)
FUNCTION(sin)
FUNCTION(cos)
FUNCTION(tan)
FUNCTION(asin)
FUNCTION(acos)
FUNCTION(atan)
FUNCTION(erf)
FUNCTION(erfc)
