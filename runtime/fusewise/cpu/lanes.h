// Sums and maxima of rows of numbers in kMostLanes lanes. Free of torch.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <fusewise/cpu/rows.h>
#include <fusewise/math/dtype.h>

namespace fusewise {

// A reduction of numbers of type T, or of vectors of them: `combine` takes values of type Number.

template <class T>
struct Sum {
  using Number = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,  // wraps
                                             std::type_identity<T>>::type;
  static constexpr T kNeutral = 0;

  template <class X>
  RT_FN static X combine(const X& a, const X& b) {
    return a + b;
  }
};

template <class T>
struct Maximum {
  using Number = T;
  using Limits = std::numeric_limits<T>;
  static constexpr T kNeutral = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();

  template <class X>
  RT_FN static X combine(const X& a, const X& b) {
    return (a > b) | (a != a) ? a : b;  // NaN if one of them is NaN
  }
};

// The smallest multiple of kMostLanes that is not less than `count`.
constexpr int64_t whole_lanes(int64_t count) {
  return (count + kMostLanes - 1) / kMostLanes * kMostLanes;
}

inline constexpr int64_t kBlockTerms = 1024;  // elements of a row that are reduced in lanes
inline constexpr int64_t kSegmentBlocks = 32;  // of a segment of a row, a power of two

// Reduces `rows` rows of `count` terms to one total a row. Row r begins at terms + r * whole_lanes(count); the
// memory between two rows is overwritten. Lane i takes the terms i, i + kMostLanes and so on; then the upper half
// of the lanes is combined with the lower half until one lane is left, on every processor in this order.
template <class T>
using ReduceLanes = void (*)(T* terms, int64_t count, int64_t rows, T* totals);

// The functions for the capability of the processor. T is float, double or int64_t.
template <class T>
struct LaneReductions {
  ReduceLanes<T> sum;
  ReduceLanes<T> maximum;
};
template <class T>
LaneReductions<T> lane_reductions();

// Reductions of the terms of several rows at once.
struct BatchReduction {
  // Combines `count` numbers with others, one by one; a multiple of kMostLanes.
  void (*merge)(float* numbers, const float* others, int64_t count);
  // Reduces rows of `length` terms, which begin `width` terms apart, a power of two from `length` to kMostLanes. The
  // totals take the place of the first terms. The memory must be accessible up to the next multiple of kMostLanes
  // terms. The order is that of ReduceLanes.
  void (*packed)(float* terms, int64_t length, int64_t width, int64_t rows);
};
struct BatchReductions {
  BatchReduction sum;
  BatchReduction maximum;
};
BatchReductions batch_reductions();

}  // namespace fusewise
