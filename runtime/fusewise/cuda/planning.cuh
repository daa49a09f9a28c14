// What the planners of all kernels share: properties of a loop nest, and the arguments that every kernel takes.
// Free of torch.
#pragma once

#include <fusewise/cuda/arguments.cuh>

namespace fusewise::cuda {

// kManyBlocks is about the number of multiprocessors of a GPU. A loop that fits the caches is faster with large
// blocks if there are at least kManyBlocks of them, since fewer blocks start sooner; otherwise with blocks of
// kFewThreads, since small blocks follow each other faster.
inline constexpr int kManyBlocks = 128;
inline constexpr int kFewThreads = 128;

// True if operands `k` and `k + 1` are an interleaved pair whose vectors are all aligned.
bool is_aligned_pair(const Loop& loop, uint32_t interleaved, int k);

// True if the operand is dense in the inner dimension and all its vectors of `size` elements are aligned.
bool is_contiguous(const Loop& loop, const Operand& operand, int size);

// True if operand `k` has the layout that the specialized kernel requires.
bool operand_matches_specialization(const KernelInfo& info, const Loop& loop, int k,
                                    bool is_contiguous);

// The most vectors of a loop. The number of a vector plus the distance to a thread's next item fits 32 bits.
inline constexpr int64_t kMaxVectors = int64_t{1} << 30;

// True if a loop has more than kMaxVectors vectors of `size` elements, or if an operand spans more bytes than
// 32 bits can count.
bool is_large(const Loop& loop, int size);

// Cuts a large loop in two, at a multiple of every vector size where both halves stay non-empty.
void halve(const Loop& loop, Loop& first, Loop& second);

struct TwoAxisArguments;

// The arguments of the two-axis reduction kernel, which stores the writes in `results`, a bit each, as results
// of the op.
TwoAxisArguments make_two_axis_arguments(const Loop& loop, const Plan& plan, uint32_t results,
                                         float* partials);

// Fills the arguments for the outer dimensions in `order`, fastest first. Returns the vectors of all rows.
template <class T>
int64_t set_arguments(const KernelInfo& info, const Loop& loop, const Number* params, const int* order,
                      int num_outer, const ArgumentsRef<T>& arguments);

}  // namespace fusewise::cuda
