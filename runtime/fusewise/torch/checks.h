#pragma once
// Checks of the tensors of a call.

#include <fusewise/torch/dtypes.h>
#include <fusewise/torch/sizes.h>

namespace fusewise {

// Checks layout, dtype and device of the inputs; returns the device of the call.
at::Device check_inputs(const Operator& op, const Arguments& arguments);

// Checks that a tensor is strided, or a jagged nested tensor.
void check_layout(const Operator& op, const Input& input, const Tensor& tensor);

// Checks that the last dimension of a packed tensor divides into its parts.
template <class Int>
void check_packing(const Operator& op, const Input& input, c10::ArrayRef<Int> sizes) {
  if (input.parts == 1) return;
  TORCH_CHECK(!sizes.empty(), op.name, ": ", input.name, " packs ", input.parts,
              " parts along its last dimension, but has none");
  TORCH_CHECK(must_equal(Int(sizes.back() % input.parts), Int(0)), op.name, ": ", input.name,
              ": last dimension is ", sizes.back(), ", expected a multiple of ", input.parts);
}

// Checks that the last dimension of an input that keeps it with size 1 has that size.
template <class Int>
void check_kept(const Operator& op, const Input& input, c10::ArrayRef<Int> sizes) {
  if (last_dim(input) != LastDim::kKept || sizes.empty()) return;
  TORCH_CHECK(must_equal(sizes.back(), Int(1)), op.name, ": ", input.name, ": last dimension is ", sizes.back(),
              ", expected 1");
}

// Checks that the rows of a loop have elements if the pass needs any, and that float32 has different values for all
// indices of a row if the pass reads them.
template <class Int>
void check_rows(const Operator& op, at::ScalarType common, c10::ArrayRef<Int> sizes) {
  if (sizes.empty()) return;
  const Int& length = sizes.back();
  if (op.pass->needs_elements) {
    TORCH_CHECK_INDEX(!equal(length, Int(0)), op.name, ": a row has no elements, but a maximum needs one");
  }
  if (op.pass->reads_index && compute_dtype(op, common) == at::kFloat) {
    constexpr int64_t kIndices = int64_t{1} << 24;
    TORCH_CHECK_VALUE(!less(Int(kIndices), length), op.name, ": a row has ", length, " elements, but float32 has ",
                      kIndices, " indices; use float64");
  }
}

// Refuses an output that, judged by strides, may share memory with an input or another output. An input may be
// the output itself, because every element is read before it is written. A packed input may not, because its
// parts are read at other places, and a row output may not be an input, because elements are written after it.
void check_overlap(const Operator& op, const Arguments& arguments, const Outputs& outputs);

}  // namespace fusewise
