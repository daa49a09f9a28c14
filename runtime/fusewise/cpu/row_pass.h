// A pass with reductions on the CPU; core/rows.h describes the passes that it runs as. A thread takes a few rows and
// runs all phases and the elements of these while they are in the cache. Free of torch.
#pragma once

#include <cstdint>

#include <fusewise/cpu/row_loop.h>
#include <fusewise/cpu/term_loop.h>

namespace fusewise {

// The terms of a phase for one compute type. There is no loop if they have no kernel for the type.
struct CpuTerms {
  TermLoop float_loop;  // in float
  RowLoop row_loop;     // in other types
  int instructions;
  uint32_t maxima;  // the totals that are maxima: a bit each; others are sums

  bool has_loop() const { return float_loop != nullptr || row_loop != nullptr; }
};

using CpuPassOf = CpuPass (*)(Dtype compute);

struct CpuPhase {
  CpuTerms (*terms)(Dtype compute);
  int num_totals;
};

struct CpuRowPass {
  const CpuPhase* phases;
  int num_phases;
  int num_totals;       // of all phases
  int num_params;       // of the whole pass
  uint32_t row_reads;   // the reads that row writes may depend on: a bit each
  uint32_t row_writes;  // the writes that are a number for each row: a bit each
  bool has_index;       // true if a pass reads the index
  CpuPassOf rows;       // computes the row writes, in a loop without dimension 0; null if there are none
  CpuPassOf elements;   // computes the other writes; null if there are none
  // The same from the term that the last phase holds, which is one more read; null if it holds none.
  CpuPassOf held_elements = nullptr;
};

// Runs a row pass. The loop has dimension 0 whatever its size; see LoopBuilder. The bits of a row depend on its
// values, its length and the types alone.
Status run_cpu_row_pass(const CpuRowPass& pass, const Loop& loop, const Number* params,
                        const Launch& launch);

inline namespace FUSEWISE_CAPABILITY {

template <class Op, class Storage>
CpuPass cpu_pass(Dtype compute) {
  CpuPass pass = detail::cpu_pass_of<Op>(nullptr);
  detail::with_row_loop<Op, Storage>(compute, [&]<class T>(RowLoop row_loop) { pass.row_loop = row_loop; });
  return pass;
}

// kHeld: the write whose terms the loop in float can hold.
template <class Op, class Storage, uint32_t kMaxima, int kHeld = kHoldsNone>
CpuTerms cpu_terms(Dtype compute) {
  static_assert(kMaxima >> Op::kWrites == 0);
  CpuTerms terms{nullptr, nullptr, Op::kInstructions, kMaxima};
  if constexpr (detail::kComputes<float, Storage>) {
    if (compute == Dtype::kFloat) terms.float_loop = detail::best_float_terms<Op, kMaxima, kHeld>();
  }
#if defined(FUSEWISE_PORTABLE)  // the same code on every processor
  if constexpr (detail::kComputes<double, Storage>) {
    if (compute == Dtype::kDouble) terms.row_loop = detail::scalar_rows<Op, double>;
  }
  if constexpr (detail::kComputes<int64_t, Storage>) {
    if (compute == Dtype::kInt64) terms.row_loop = detail::scalar_rows<Op, int64_t>;
  }
#endif
  return terms;
}

}  // inline namespace FUSEWISE_CAPABILITY

}  // namespace fusewise
