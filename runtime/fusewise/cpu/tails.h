// Row loops of floats over rows whose length is not a multiple of the vector size. Free of torch.
#pragma once

#include <fusewise/core/reduction.h>
#include <fusewise/cpu/row_plan.h>
#include <fusewise/cpu/rows.h>

namespace fusewise {

// A row loop with the arguments that are the same for all rows.
struct RowFunction {
  RowLoop loop;
  const Number* params;
  const Dtype* types;

  void operator()(const Stream* operands, int64_t count, int64_t rows) const {
    loop(operands, params, types, count, rows);
  }
};

using Buffer = float[kCpuBuffer];

// Runs rows of any length. The rest of each row beyond whole vectors is one vector more. Reads have a buffer
// each; the buffers of other operands must be free, except those of converted ones. Changes the streams.
void run_whole_rows(const RowPlan& plan, const RowFunction& run, Stream* streams, Buffer* buffers,
                    int64_t count, int64_t rows);

// Runs a loop that is one short row of dense floats, without a plan, which would take longer to make than the
// row takes. Returns false if the loop is none.
bool run_short_row(const Loop& loop, const Number* params, RowLoop row_loop);

}  // namespace fusewise
