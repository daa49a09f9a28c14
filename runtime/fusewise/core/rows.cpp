#include <fusewise/core/rows.h>

#include <algorithm>

#include <fusewise/core/row_loops.h>

namespace fusewise {
namespace {

Status fill_index(const RowPass& pass, const Loop& loop, const Operand& index, const Launch& launch) {
  Loop row{};
  row.num_dims = 1;
  row.sizes[0] = loop.sizes[0];
  row.num_writes = 1;
  row.operands[0] = index;
  row.compute = loop.compute;
  return pass.fill_index(row, nullptr, launch);
}

Status run_phases(const RowPass& pass, const RowLoops& loops, const Number* params, const Launch& launch) {
  int computed = 0;
  for (int k = 0; k < pass.num_phases; ++k) {
    const RowPhase& phase = pass.phases[k];
    const Loop terms = loops.phase(computed, phase.num_totals);
    if (const Status status = phase.run(terms, params, launch); status.failed()) return status;
    computed += phase.num_totals;
  }
  return {};
}

}  // namespace

Status run_row_pass(const RowPass& pass, const Loop& loop, const Number* given, const Launch& launch) {
  Number params[kMaxRowParams];
  std::copy_n(given, pass.num_params, params);
  params[pass.num_params] = loop.sizes[0];
  if (pass.at_once != nullptr && numel(loop) != 0) {
    Status whole;
    if (pass.at_once(loop, params, nullptr, launch, whole)) return whole;
  }
  const bool has_index = pass.fill_index != nullptr;
  const RowLoops loops({pass.num_totals, has_index, pass.row_reads, pass.row_writes}, loop, launch);
  if (num_rows(loop) != 0) {
    Status status;
    if (has_index && loop.sizes[0] != 0) status = fill_index(pass, loop, loops.index(), launch);
    if (!status.failed()) status = run_phases(pass, loops, params, launch);
    if (status.failed()) return status;
    const RowTotals totals = loops.totals();
    if (pass.at_once != nullptr && numel(loop) != 0 && pass.at_once(loop, params, &totals, launch, status)) {
      return status;
    }
  }
  if (const Loop rows = loops.rows(); has_write(rows)) {
    if (const Status status = pass.rows(rows, params, launch); status.failed()) return status;
  }
  const Loop elements = loops.elements();
  return has_write(elements) ? pass.elements(elements, params, launch) : Status{};
}

}  // namespace fusewise
