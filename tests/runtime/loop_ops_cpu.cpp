// The CPU kernels of the passes, compiled for each capability like a generated file.
#include <fusewise/cpu/row_pass.h>

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
  static constexpr CpuPhase kPhases[] = {{cpu_terms<TermsOfRow, Numbers, Terms::kMaxima>, 3}};
  static constexpr CpuRowPass kPass = {.phases = kPhases,
                                       .num_phases = 1,
                                       .num_totals = 3,
                                       .num_params = 1,
                                       .row_reads = 0,
                                       .row_writes = 7,
                                       .has_index = false,
                                       .rows = cpu_pass<TotalsOfTerms, Numbers>,
                                       .elements = nullptr};
  return run_cpu_row_pass(kPass, loop, params, launch);
}

namespace {

// A maximum, then a sum, of which term kHeld is held for the elements.
template <int kHeld, CpuPassOf kHeldElements>
Status run_row_pass(const Loop& loop, const Number* params, const Launch& launch) {
  static constexpr CpuPhase kPhases[] = {{cpu_terms<TopOfRow, Numbers, TopOfRow::kMaxima>, 1},
                                         {cpu_terms<SumOfRow, Numbers, 0, kHeld>, 1}};
  static constexpr CpuRowPass kPass = {.phases = kPhases,
                                       .num_phases = 2,
                                       .num_totals = 2,
                                       .num_params = 0,
                                       .row_reads = 0,
                                       .row_writes = 4,
                                       .has_index = true,
                                       .rows = cpu_pass<ResultOfRow, Numbers>,
                                       .elements = cpu_pass<ElementsOfRow, Numbers>,
                                       .held_elements = kHeldElements};
  return run_cpu_row_pass(kPass, loop, params, launch);
}

}  // namespace

RT_KERNEL Status row_pass_cpu(const Loop& loop, const Number* params, const Launch& launch) {
  return run_row_pass<kHoldsNone, nullptr>(loop, params, launch);
}

RT_KERNEL Status held_row_pass_cpu(const Loop& loop, const Number* params, const Launch& launch) {
  return run_row_pass<0, cpu_pass<HeldElementsOfRow, Numbers>>(loop, params, launch);
}

}  // namespace fusewise::ops::loops
