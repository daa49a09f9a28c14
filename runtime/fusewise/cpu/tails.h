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

// Runs rows of any length. The elements of a row beyond its whole vectors form one more vector. Each read has
// a buffer; the buffers of other operands must be free, except those of converted ones. Changes the streams.
void run_whole_rows(const RowPlan& plan, const RowFunction& run, Stream* streams, Buffer* buffers,
                    int64_t count, int64_t rows);

// Runs a loop that is one short row of dense floats. It makes no plan, since that would take longer than the
// row does. Returns false for any other loop.
bool run_short_row(const Loop& loop, const Number* params, RowLoop row_loop);

}  // namespace fusewise
