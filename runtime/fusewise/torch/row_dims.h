#pragma once
// Ops whose rows are other dimensions than the last one.

#include <initializer_list>

#include <fusewise/torch/op.h>

namespace fusewise {

inline constexpr int64_t kAllDims = 0;

// Defines an op whose rows are the dimensions `dims`, which are negative and ascend, or `kAllDims` alone. If there are
// none, the last param of the schema names one dimension. `rows` is the forward pass of the same op with rows in the
// last dimension; it is an op of its own, which the defined op calls with views.
struct RowDimsRegistration {
  RowDimsRegistration(const char* library, const char* schema, const Pass& rows,
                      std::initializer_list<int64_t> dims);
};

}  // namespace fusewise
