// Generated from specs/basics/addone.yaml by `fusewise generate`. Do not edit.
//
// out = x + 1
//
// grad_x = grad_out
//
// backward keeps nothing: 0 B of float32 an element, arithmetic 0
// double_backward keeps grad_out: 4 B of float32 an element, arithmetic 0
// forward: 1 read and 1 written for each element
// backward: 0 read and 0 written for each element; grad_x equals grad_out
// double_backward: 0 read and 0 written for each element; grad_grad_out equals grad_grad_x
#pragma once

#include <fusewise/math/math.h>

namespace fusewise::ops::addone {

struct Forward {
  static constexpr int kReads = 1;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 1;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T x = reads[0];
    writes[0] = x + T(1);
  }
};

struct Backward {
  static constexpr int kReads = 1;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 0;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_out = reads[0];
    writes[0] = grad_out;
  }
};

struct DoubleBackward {
  static constexpr int kReads = 2;
  static constexpr int kWrites = 1;
  static constexpr int kParams = 0;
  static constexpr int kInstructions = 0;

  template <class T>
  RT_FN static void apply(const T* reads, const T*, T* writes) {
    const T grad_grad_x = reads[0];
    writes[0] = grad_grad_x;
  }
};

}  // namespace fusewise::ops::addone
