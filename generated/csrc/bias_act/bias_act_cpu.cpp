// Generated from specs/activations/bias_act.yaml by `fusewise generate`. Do not edit.
// The formulas stand in bias_act.math.h.
#include <fusewise/cpu/row_loop.h>

#include "bias_act.math.h"

namespace fusewise::ops::bias_act {

RT_KERNEL Status act_3_forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act3Forward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_3_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act3Backward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_3_double_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act3DoubleBackward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_1_forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act1Forward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_1_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act1Backward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_1_double_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act1DoubleBackward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_2_forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act2Forward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_2_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act2Backward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_2_double_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act2DoubleBackward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_4_forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act4Forward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_4_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act4Backward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_4_double_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act4DoubleBackward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_5_forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act5Forward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_5_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act5Backward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_5_double_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act5DoubleBackward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_6_forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act6Forward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_6_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act6Backward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_6_double_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act6DoubleBackward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_7_forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act7Forward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_7_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act7Backward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_7_double_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act7DoubleBackward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_8_forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act8Forward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_8_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act8Backward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_8_double_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act8DoubleBackward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_9_forward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act9Forward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_9_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act9Backward, Floats>(loop, params, launch);
}

RT_KERNEL Status act_9_double_backward_cpu(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Act9DoubleBackward, Floats>(loop, params, launch);
}

}  // namespace fusewise::ops::bias_act
