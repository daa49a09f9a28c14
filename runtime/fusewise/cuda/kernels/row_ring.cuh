// The ring buffer of a team that has many rows: shared memory for the row that is computed, and for the next ones,
// which are copied meanwhile. Free of torch.
#pragma once

#include <bit>

#include <fusewise/cuda/arguments.cuh>
#include <fusewise/cuda/async.cuh>
#include <fusewise/cuda/kernels/row_tiling.cuh>

namespace fusewise::cuda {

// Of plain rows, a thread copies the vectors that it reads itself, so that it waits for no other thread. The reads that
// all rows share follow the rows, unless threads hold them.
template <class Row>
struct RowRing {
  static constexpr int kCopied = std::popcount(Row::kEarly);

  uint32_t first;  // the address of the thread's first vector

  __device__ __forceinline__ explicit RowRing(const char* memory)
      : first(shared_address(memory) + threadIdx.x * kVectorBytes) {}

  __device__ __forceinline__ uint32_t place(int stage, int number) const {
    const auto vector = static_cast<uint32_t>(stage * kCopied * Row::kVectors + number);
    return first + vector * blockDim.x * kVectorBytes;
  }

  // Starts the copies of a row, if there is one.
  template <RowShape kShape>
  __device__ __forceinline__ void fetch(const Row& held, int row, bool has_row, int stage) const {
    if (has_row) {
      char* from[Row::kReads];
      held.find_reads(row, from);
      if constexpr (is_staged(kShape)) {
        held.staged.template copy<Row::kEarly, kShape>(held, from, held.staged.stage(held, stage));
      } else {
        copy<Row::kEarly, kShape>(held, from, stage);
      }
    }
    commit_group();
  }

  // Starts the copies of the reads that all rows share, or loads them if threads hold them. `row` is any of the rows.
  template <RowShape kShape>
  __device__ __forceinline__ void fetch_columns(Row& held, int row) const {
    char* from[Row::kReads];
    held.find_reads(row, from);
    if constexpr (is_staged(kShape)) {
      held.columns_in_ring = held.staged.columns(held);
      held.staged.template copy<Row::kOfAllRows, kShape>(held, from, held.columns_in_ring);
    } else if constexpr (Row::kHoldsColumns) {
      held.template load_from<Row::kOfAllRows, kShape>(from);
    } else {
      held.columns_in_ring = place(held.tiling.stages, 0);
      copy<Row::kOfAllRows, kShape>(held, from, held.tiling.stages);
    }
  }

  // Tells where a row lies, when it has arrived.
  template <RowShape kShape>
  __device__ __forceinline__ void find(Row& held, int row, int stage) const {
    if constexpr (is_staged(kShape)) {
      char* from[Row::kReads];
      held.find_reads(row, from);
      held.staged.find_words(held, from);
      __syncwarp();
      held.find_in_ring(held.staged.stage(held, stage));
    } else {
      held.find_in_ring(place(stage, 0));
    }
  }

 private:
  template <uint32_t kWhich, RowShape kShape>
  __device__ __forceinline__ void copy(const Row& held, char* const (&from)[Row::kReads], int stage) const {
    int number = 0;
    Row::template each_read<kWhich>([&](int k, Dtype type) {
#pragma unroll
      for (int v = 0; v < Row::kVectors; ++v, ++number) {
        if (!held.template is_there<kShape>(v)) continue;
        copy_async<typename Row::VectorType>(type, false, place(stage, number),
                                             from[k] + held.template offset<kShape>(v, type));
      }
    });
  }
};

// Loads vector number `v` of a row that lies in shared memory.
template <RowShape kShape, class Row>
__device__ __forceinline__ void load_from_ring(Row& row, int v) {
  if constexpr (is_staged(kShape)) {
    row.staged.template load<Row::kEarly | Row::kOfAllRows, kShape>(row, v);
  } else {
    const auto load = [&](uint32_t first, int number, int k) {
      load_shared_again(first + number * blockDim.x * kVectorBytes, row.reads.vectors[v][k].words);
    };
    int number = v;
    Row::template each_read<Row::kEarly>([&](int k, Dtype) {
      load(row.in_ring, number, k);
      number += Row::kVectors;
    });
    number = v;
    Row::template each_read<Row::kInRing & ~Row::kEarly>([&](int k, Dtype) {
      load(row.columns_in_ring, number, k);
      number += Row::kVectors;
    });
  }
}

}  // namespace fusewise::cuda
