// Generated from specs/activations/bias_act.yaml by `fusewise generate`. Do not edit.
// The formulas stand in bias_act.math.h.
#include <fusewise/cuda/reduction.cuh>

#include "bias_act.math.h"

namespace fusewise::ops::bias_act {

Status act_3_forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise<Act3Forward, Floats>(loop, params, launch);
}

Status act_3_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<Act3Backward, Floats>(loop, params, launch);
}

Status act_3_double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction_strided<Act3DoubleBackward, Floats>(loop, params, launch);
}

Status act_1_forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise<Act1Forward, Floats>(loop, params, launch);
}

Status act_1_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<Act1Backward, Floats>(loop, params, launch);
}

Status act_1_double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction_strided<Act1DoubleBackward, Floats>(loop, params, launch);
}

Status act_2_forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise<Act2Forward, Floats>(loop, params, launch);
}

Status act_2_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<Act2Backward, Floats>(loop, params, launch);
}

Status act_2_double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction_strided<Act2DoubleBackward, Floats>(loop, params, launch);
}

Status act_4_forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise<Act4Forward, Floats>(loop, params, launch);
}

Status act_4_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<Act4Backward, Floats>(loop, params, launch);
}

Status act_4_double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction_strided<Act4DoubleBackward, Floats>(loop, params, launch);
}

Status act_5_forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise<Act5Forward, Floats>(loop, params, launch);
}

Status act_5_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<Act5Backward, Floats>(loop, params, launch);
}

Status act_5_double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction_strided<Act5DoubleBackward, Floats>(loop, params, launch);
}

Status act_6_forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise<Act6Forward, Floats>(loop, params, launch);
}

Status act_6_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<Act6Backward, Floats>(loop, params, launch);
}

Status act_6_double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction_strided<Act6DoubleBackward, Floats>(loop, params, launch);
}

Status act_7_forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise<Act7Forward, Floats>(loop, params, launch);
}

Status act_7_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<Act7Backward, Floats>(loop, params, launch);
}

Status act_7_double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction_strided<Act7DoubleBackward, Floats>(loop, params, launch);
}

Status act_8_forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise<Act8Forward, Floats>(loop, params, launch);
}

Status act_8_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<Act8Backward, Floats>(loop, params, launch);
}

Status act_8_double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction_strided<Act8DoubleBackward, Floats>(loop, params, launch);
}

Status act_9_forward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_pointwise<Act9Forward, Floats>(loop, params, launch);
}

Status act_9_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<Act9Backward, Floats>(loop, params, launch);
}

Status act_9_double_backward_cuda(
    const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction_strided<Act9DoubleBackward, Floats>(loop, params, launch);
}

}  // namespace fusewise::ops::bias_act
