// The totals of a pass on the CPU: one number for each row and write. Free of torch.
#pragma once

#include <cstdint>

#include <fusewise/cpu/row_loop.h>

namespace fusewise {

// Reduces the terms that a row loop writes. The bits of a total depend on the terms of its row, their number and
// the compute type alone. `maxima` has a bit for each write that is a maximum; other writes are sums.
template <class T>
void run_totals(const Loop& loop, const Number* params, const Launch& launch, RowLoop row_loop,
                int instructions, uint32_t maxima);

// Runs a pass whose writes are the terms of totals. The writes of the loop are the totals: they have the compute
// type and the stride 0 in dimension 0, which is the row. NaN is the maximum of a row that has one. A sum of
// no terms is 0, and a maximum of no terms is the lowest number.
template <class Op, class Storage, uint32_t kMaxima>
RT_FN Status run_cpu_totals(const Loop& loop, const Number* params, const Launch& launch) {
  static_assert(kMaxima >> Op::kWrites == 0);
  return detail::with_row_loop<Op, Storage>(loop.compute, [&]<class T>(RowLoop row_loop) {
    run_totals<T>(loop, params, launch, row_loop, Op::kInstructions, kMaxima);
  });
}

}  // namespace fusewise
