// Runs a pass without reduced writes where operands run in different directions, as in x + y.t().
// Free of torch.
//
// A block takes a square of the inner dimension and of the one in which the *turned* operands are
// dense. Those go through shared memory, so that all of memory is read and written along its own
// direction.
#pragma once

#include <fusewise/cuda/vector.cuh>

namespace fusewise::cuda {

inline constexpr int kSquareVectors = 8;  // along each side
// Words of a row of a square in shared memory: one more than it holds, against bank conflicts.
inline constexpr int kSquarePitch = kSquareVectors * kVectorBytes / 4 + 1;

// How the squares of a loop follow each other: along the inner dimension, the turned one, the
// others.
struct Squares {
  Divisor across;
  Divisor down;
  uint32_t turned;  // a bit an operand
};

// A square of shared memory.
template <class S>
struct Square {
  static constexpr int kSide = kSquareVectors * Packed<S>::kSize;
  static constexpr int kWords = kSide * kSquarePitch;

  using Bits = typename Packed<S>::Bits;

  uint32_t* data;

  __device__ __forceinline__ Bits& at(int row, int column) const {
    return reinterpret_cast<Bits*>(data + row * kSquarePitch)[column];
  }
  __device__ __forceinline__ uint32_t* words(int row, int vector) const {
    return data + row * kSquarePitch + vector * Packed<S>::kWords;
  }
};

template <class Op, class S>
__global__ void __launch_bounds__(kBlockThreads)
    turned_kernel(const __grid_constant__ Arguments<Op, typename Packed<S>::Value> arguments,
                  const __grid_constant__ Squares squares) {
  using Vector = Packed<S>;
  using T = typename Vector::Value;
  constexpr int kReads = Op::kReads;
  constexpr int kOperands = kReads + Op::kWrites;
  constexpr int kSize = Vector::kSize;
  constexpr int kItems = Square<S>::kSide * kSquareVectors / kBlockThreads;
  extern __shared__ uint32_t memory[];
  const uint32_t square = squares.across.divide(blockIdx.x);
  const uint32_t other = squares.down.divide(square);
  const int64_t first_column =
      int64_t{blockIdx.x - square * static_cast<uint32_t>(squares.across.value)} * Square<S>::kSide;
  const int64_t first_row =
      int64_t{square - other * static_cast<uint32_t>(squares.down.value)} * Square<S>::kSide;
  char* starts[kOperands];
#pragma unroll
  for (int k = 0; k < kOperands; ++k) starts[k] = arguments.data[k];
  add_row(arguments, int64_t{other}, 1, arguments.num_outer, starts);

  const auto is_turned = [&](int k) { return (squares.turned >> k & 1) != 0; };
  const auto square_of = [&](int k) {
    const int before = __popc(squares.turned & ((1u << k) - 1));
    return Square<S>{memory + before * Square<S>::kWords};
  };
  // Of the vectors that a thread takes, the line and the place in it: lines are rows where operands
  // are straight, and columns where they are turned.
  const auto line_of = [](int u) {
    return (u * kBlockThreads + static_cast<int>(threadIdx.x)) / kSquareVectors;
  };
  const int place = static_cast<int>(threadIdx.x) % kSquareVectors;
  const auto straight = [&](int k, int u) {
    const int64_t row = first_row + line_of(u);
    return starts[k] + row * arguments.strides[0][k] +
           (first_column / kSize + place) * arguments.slots[k].step;
  };
  const auto turned = [&](int k, int u) {
    const int64_t column = first_column + line_of(u);
    return starts[k] + column * (arguments.slots[k].step / kSize) +
           (first_row + place * kSize) * static_cast<int64_t>(sizeof(S));
  };
  const auto is_inside = [&](int u) {
    return first_row + line_of(u) < arguments.sizes[0].value &&
           first_column + place * kSize < arguments.columns;
  };
  const auto is_inside_turned = [&](int u) {
    return first_column + line_of(u) < arguments.columns &&
           first_row + place * kSize < arguments.sizes[0].value;
  };

  Vector reads[kItems][kReads];
#pragma unroll
  for (int u = 0; u < kItems; ++u) {
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      Vector& vector = reads[u][k];
      if (is_turned(k)) {
        if (is_inside_turned(u)) vector.load_plain(Vector::kType, turned(k, u));
      } else if (is_inside(u)) {
        vector.load(type_of<Vector>(arguments, k), arguments.slots[k], straight(k, u));
      }
    }
  }
#pragma unroll
  for (int u = 0; u < kItems; ++u) {
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      if (!is_turned(k)) continue;
#pragma unroll
      for (int i = 0; i < kSize; ++i) {
        square_of(k).at(place * kSize + i, line_of(u)) = reads[u][k].bits(i);
      }
    }
  }
  __syncthreads();
  // The same code for every vector, the next of which takes the place of the first.
#pragma unroll 1
  for (int u = 0; u < kItems; ++u) {
    Vector(&read)[kReads] = reads[0];
    if (is_inside(u)) {
#pragma unroll
      for (int k = 0; k < kReads; ++k) {
        if (is_turned(k)) {
          const uint32_t* const words = square_of(k).words(line_of(u), place);
#pragma unroll
          for (int w = 0; w < Vector::kWords; ++w) read[k].words[w] = words[w];
        } else {
          read[k].spread(type_of<Vector>(arguments, k), arguments.slots[k]);
        }
      }
      T results[Op::kWrites][kSize];
      apply_vector<Op>(arguments, read, results);
#pragma unroll
      for (int w = 0; w < Op::kWrites; ++w) {
        const int k = kReads + w;
        if (arguments.slots[k].is_absent()) continue;
        const Dtype type = type_of<Vector>(arguments, k);
        Vector write;
        write.set(type, results[w]);
        if (is_turned(k)) {
          uint32_t* const words = square_of(k).words(line_of(u), place);
#pragma unroll
          for (int i = 0; i < Vector::kWords; ++i) words[i] = write.words[i];
        } else {
          write.store(type, arguments.slots[k], straight(k, u));
        }
      }
    }
#pragma unroll
    for (int i = 1; i < kItems; ++i) {
#pragma unroll
      for (int k = 0; k < kReads; ++k) reads[i - 1][k] = reads[i][k];
    }
  }
  if ((squares.turned >> kReads) == 0) return;
  __syncthreads();
#pragma unroll 1
  for (int u = 0; u < kItems; ++u) {
    if (!is_inside_turned(u)) continue;
#pragma unroll
    for (int w = 0; w < Op::kWrites; ++w) {
      const int k = kReads + w;
      if (!is_turned(k)) continue;
      Vector write;
      typename Vector::Bits elements[kSize];
#pragma unroll
      for (int i = 0; i < kSize; ++i) elements[i] = square_of(k).at(place * kSize + i, line_of(u));
      write.set_bits(elements);
      write.store_plain(Vector::kType, turned(k, u));
    }
  }
}

// Returns whether the pass is one for squares, of values of type T that are stored as the dtype.
template <class T>
bool run_turned(const Form& form, Dtype dtype, const ArgumentsRef<T>& arguments, const Loop& loop,
                const Number* params, const Launch& launch, Status& status);

}  // namespace fusewise::cuda
