// The CPU kernels of the passes, compiled for each capability like a generated file.
#include <fusewise/cpu/row_loop.h>
#include <fusewise/cpu/totals.h>

#include "loop_ops.h"

namespace fusewise::ops::loops {

// Types that do not satisfy PassInterface: one writes nothing, one lacks `hoist`, and one has a write in a
// mask of reads.
struct WritesNothing : Multiply {
  static constexpr int kWrites = 0;
};
struct HoistsNothing : Multiply {
  static constexpr int kHoisted = 1;
};
struct NamesWrite : Multiply {
  static constexpr unsigned kRowScalars = 4;
};
static_assert(PassInterface<Multiply, double>);
static_assert(!PassInterface<WritesNothing, double>);
static_assert(!PassInterface<HoistsNothing, double>);
static_assert(!PassInterface<NamesWrite, double>);

RT_KERNEL Status multiply_cpu(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Multiply, Numbers>(loop, params, launch);
}

RT_KERNEL Status mix_cpu(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Mix, Numbers>(loop, params, launch);
}

RT_KERNEL Status swiglu_backward_cpu(const Loop& loop, const Number* params,
                                     const Launch& launch) {
  return run_cpu<SwigluBackward, Floats>(loop, params, launch);
}

RT_KERNEL Status round_cpu(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Round, FloatsAndFloat8>(loop, params, launch);
}

RT_KERNEL Status hoisted_cpu(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Hoisted<false>, Floats>(loop, params, launch);
}

RT_KERNEL Status functions_cpu(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu<Functions, Floats>(loop, params, launch);
}

RT_KERNEL Status totals_cpu(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cpu_totals<Terms, Numbers, Terms::kMaxima>(loop, params, launch);
}

}  // namespace fusewise::ops::loops
