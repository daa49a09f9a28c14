// Conversions of rows, compiled for each capability: plain loops that the compiler vectorises.
#include <fusewise/cpu/capability.h>
#include <fusewise/cpu/conversions.h>
#include <fusewise/cpu/rows.h>

#include <algorithm>
#include <limits>
#include <type_traits>

namespace fusewise {

namespace {

// A bool is read as a byte; any byte but 0 is true.
template <class S>
using Stored = std::conditional_t<std::is_same_v<S, bool>, uint8_t, S>;

template <class T, class S>
RT_FN T widened(const char* from) {
  const Stored<S> stored = *reinterpret_cast<const Stored<S>*>(from);
  if constexpr (std::is_same_v<S, bool>) return stored != 0 ? T(1) : T(0);
  else return widen<T>(stored);
}

template <class S, class T>
void widen_elements(T* to, const char* from, int64_t stride, int64_t count) {
  constexpr int64_t kDense = sizeof(S);
  if (stride == 0) {
    const T value = widened<T, S>(from);
    for (int64_t i = 0; i < count; ++i) to[i] = value;
  } else if (stride == kDense) {
    for (int64_t i = 0; i < count; ++i) to[i] = widened<T, S>(from + i * kDense);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = widened<T, S>(from + i * stride);
  }
}

// The same as `narrow`, without the branches that would keep loops to short integers from being vectorized.
template <class S, class T>
RT_FN S narrowed(T value) {
  if constexpr (std::is_same_v<T, float> && std::is_integral_v<S> && !std::is_same_v<S, bool> && sizeof(S) <= 4) {
    constexpr float kEnd = 2147483648.0f;
    const float from_lowest = value > -kEnd ? value : -kEnd;  // also of NaN
    const auto whole = static_cast<int32_t>(from_lowest < kEnd ? from_lowest : 0.0f);
    return static_cast<S>(from_lowest < kEnd ? whole : std::numeric_limits<int32_t>::max());
  } else {
    return narrow<S>(value);
  }
}

template <class S, class T>
void narrow_elements(char* to, const T* from, int64_t stride, int64_t count) {
  if (stride == sizeof(S)) {
    S* const dense = reinterpret_cast<S*>(to);
    for (int64_t i = 0; i < count; ++i) dense[i] = narrowed<S>(from[i]);
  } else {
    for (int64_t i = 0; i < count; ++i) *reinterpret_cast<S*>(to + i * stride) = narrowed<S>(from[i]);
  }
}

template <class T>
void widen_row(T* to, const char* from, Dtype dtype, int64_t stride, int64_t count) {
  // The next call probably reads what follows. It would otherwise wait, since the loops between them read no memory.
  const int64_t bytes = count * stride;
  if (stride == size_of(dtype)) prefetch_lines(from + bytes, bytes);
  visit(dtype, [&]<class S>(S*) {
    if constexpr (!kIsFloat8<S>) widen_elements<S>(to, from, stride, count);
  });
}

template <class T>
void narrow_row(char* to, const T* from, Dtype dtype, int64_t stride, int64_t count) {
  visit(dtype, [&]<class S>(S*) { narrow_elements<S>(to, from, stride, count); });
}

// Writes a number `count` times, in whole chunks: up to kChunk - 1 elements behind it are overwritten.
constexpr int64_t kChunk = 8;
template <class T>
RT_FN void fill_chunks(T* to, T value, int64_t count) {
  for (int64_t i = 0; i < count; i += kChunk) {
    for (int64_t j = 0; j < kChunk; ++j) to[i + j] = value;
  }
}

// Rows of equal elements. Each overwrites the beginning of the next one, which comes later.
template <class S, class T>
void fill_rows(T* to, int64_t to_step, const char* from, int64_t count, int64_t row_step, int64_t rows) {
  const int64_t last = std::max<int64_t>(0, rows - kChunk);
  for (int64_t row = 0; row < last; ++row) {
    fill_chunks(to + row * to_step, widened<T, S>(from + row * row_step), count);
  }
  for (int64_t row = last; row < rows; ++row) {
    widen_elements<S>(to + row * to_step, from + row * row_step, 0, count);
  }
}

// Reads in the order of memory.
template <class T>
void widen_rows(T* to, int64_t to_step, const char* from, Dtype dtype, int64_t stride, int64_t count,
                int64_t row_step, int64_t rows) {
  visit(dtype, [&]<class S>(S*) {
    if constexpr (kIsFloat8<S>) return;
    else if (row_step != 0 && stride == 0) fill_rows<S>(to, to_step, from, count, row_step, rows);
    else if (row_step == 0 || stride <= row_step) {
      for (int64_t row = 0; row < rows; ++row) {
        widen_elements<S>(to + row * to_step, from + row * row_step, stride, count);
      }
    } else {
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t row = 0; row < rows; ++row) {
          to[row * to_step + i] = widened<T, S>(from + row * row_step + i * stride);
        }
      }
    }
  });
}

}  // namespace

inline namespace FUSEWISE_CAPABILITY {

template <class T>
Conversions<T> own_conversions() {
  return {widen_row<T>, narrow_row<T>, widen_rows<T>};
}

template Conversions<float> own_conversions();
template Conversions<double> own_conversions();
template Conversions<int64_t> own_conversions();

}  // inline namespace FUSEWISE_CAPABILITY

#if defined(FUSEWISE_PORTABLE)
// The other builds of this file define these, if there are such.
namespace avx2 {
template <class T>
Conversions<T> own_conversions();
}
namespace avx512 {
template <class T>
Conversions<T> own_conversions();
}

template <class T>
Conversions<T> conversions() {
  switch (cpu_capability()) {
#if defined(FUSEWISE_WITH_AVX512)
    case Capability::kAvx512: return avx512::own_conversions<T>();
#endif
#if defined(FUSEWISE_WITH_AVX2)
    case Capability::kAvx2: return avx2::own_conversions<T>();
#endif
    default: break;
  }
  return own_conversions<T>();
}

template Conversions<float> conversions();
template Conversions<double> conversions();
template Conversions<int64_t> conversions();
#endif

}  // namespace fusewise
