// Row passes for the checks of their kernels on a GPU.
#pragma once

#include <vector>

#include <fusewise/cuda/row.cuh>
#include <fusewise/cuda/totals.cuh>

#include "cuda_tensor.h"

// True if the row kernel takes the loop.
inline bool is_taken = false;

// True if the blocks of a cluster can share a row of so many columns on this GPU.
inline bool can_share(int64_t columns) {
  constexpr int64_t kPortableColumns = int64_t{cuda::kPortableBlocks} * cuda::kClusterWarps * cuda::kTileElements;
  return cuda::has_clusters(columns <= kPortableColumns ? cuda::kPortableBlocks : cuda::kMaxClusterBlocks);
}

// A row kernel that tells whether it took the loop.
template <class Passes>
bool run_and_tell(const Loop& loop, const Number* params, const RowTotals* totals, const Launch& launch,
                  Status& status) {
  return is_taken = run_cuda_rows<Passes, Floats>(loop, params, totals, launch, status);
}

// A row pass at once, whose only param is the length of a row.
template <class Passes>
Status run_at_once(const Loop& loop, const Number*, const Launch& launch) {
  const Number params[] = {Number(static_cast<double>(loop.sizes[0]))};
  Status status;
  run_and_tell<Passes>(loop, params, nullptr, launch, status);
  return status;
}

// The loop of a pass whose operands are broadcast to `shape`. An absent one is 1.
inline Loop row_loop(const Sizes& shape, const std::vector<const Tensor*>& reads,
                     const std::vector<const Tensor*>& writes) {
  Loop loop{};
  loop.num_dims = static_cast<int>(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) loop.sizes[d] = shape[shape.size() - 1 - d];
  loop.num_reads = static_cast<int>(reads.size());
  loop.num_writes = static_cast<int>(writes.size());
  loop.compute = Dtype::kFloat;
  int k = 0;
  for (const auto* list : {&reads, &writes}) {
    for (const Tensor* tensor : *list) {
      if (tensor != nullptr) loop.operands[k] = tensor->operand(shape);
      else loop.operands[k].dtype = Dtype::kFloat;
      loop.operands[k++].fill = Number(1);
    }
  }
  return loop;
}

inline Sizes without_columns(Sizes shape) {
  shape.back() = 1;
  return shape;
}

// The value of a tensor that has one for each row, or that at an index.
inline double value_of(const Tensor& tensor, const Sizes& index) { return tensor.get(tensor.place(index)); }
