// The ring buffer of a team that has many rows: shared memory for the row that is computed, and for the next ones,
// which are copied meanwhile. Free of torch.
#pragma once

#include <bit>

#include <fusewise/cuda/arguments.cuh>
#include <fusewise/cuda/async.cuh>
#include <fusewise/cuda/kernels/row_tiling.cuh>

namespace fusewise::cuda {

// Of plain rows, a thread copies the vectors that it reads itself, so that it waits for no other thread.
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
  __device__ __forceinline__ void fetch(const Row& held, int64_t row, bool has_row, int stage) const {
    if (has_row) {
      char* from[Row::kReads];
      held.find_reads(row, from);
      if constexpr (kShape == RowShape::kStaged) {
        held.staged.template copy<Row::kEarly>(held, from, stage);
      } else {
        each_vector([&](int k, int v, int number, Dtype type) {
          if (!held.template is_there<kShape>(v)) return;
          copy_async<typename Row::VectorType>(type, false, place(stage, number),
                                               from[k] + held.template offset<kShape>(v, type));
        });
      }
    }
    commit_group();
  }

  // Loads a row whose copies have arrived. It tests each vector whatever the shape, so that not all loads stand before
  // the first use: the backward pass of rms_norm is slower then.
  template <RowShape kShape>
  __device__ __forceinline__ void load(Row& held, int64_t row, int stage) const {
    if constexpr (kShape == RowShape::kStaged) {
      char* from[Row::kReads];
      held.find_reads(row, from);
      __syncwarp();
      held.staged.template load<Row::kEarly>(held, from, stage);
    } else {
      each_vector([&](int k, int v, int number, Dtype) {
        if (v < held.mine) load_shared(place(stage, number), held.reads.vectors[v][k].words);
      });
    }
  }

 private:
  template <class Body>
  static __device__ __forceinline__ void each_vector(const Body& body) {
    int number = 0;
    Row::template each_read<Row::kEarly>([&](int k, Dtype type) {
#pragma unroll
      for (int v = 0; v < Row::kVectors; ++v) body(k, v, number++, type);
    });
  }
};

// Loads vector number `v` of a row that lies in the ring buffer.
template <class Row>
__device__ __forceinline__ void load_from_ring(Row& row, int v) {
  int number = v;
  Row::template each_read<Row::kEarly>([&](int k, Dtype) {
    load_shared_again(row.in_ring + number * blockDim.x * kVectorBytes, row.reads.vectors[v][k].words);
    number += Row::kVectors;
  });
}

}  // namespace fusewise::cuda
