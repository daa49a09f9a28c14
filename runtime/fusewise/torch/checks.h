#pragma once
// Checks of the tensors of a call.

#include <fusewise/torch/operator.h>
#include <fusewise/torch/sizes.h>

namespace fusewise {

// Checks layout, dtype and device of the inputs; returns the device of the call.
at::Device check_inputs(const Operator& op, const Arguments& arguments);

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

// Checks that the rows of a loop have elements if the pass needs any.
template <class Int>
void check_rows(const Operator& op, c10::ArrayRef<Int> sizes) {
  if (!op.pass->needs_elements || sizes.empty()) return;
  TORCH_CHECK_INDEX(!equal(sizes.back(), Int(0)), op.name,
                    ": a row has no elements, but a maximum needs one");
}

// Refuses an output that, judged by strides, may share memory with an input or another output. An input may be
// the output itself, because every element is read before it is written. A packed input may not, because its
// parts are read at other places, and a row output may not be an input, because elements are written after it.
void check_overlap(const Operator& op, const Arguments& arguments, const Outputs& outputs);

}  // namespace fusewise
