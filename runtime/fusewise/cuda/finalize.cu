// Plans the second step of reductions, which adds partial sums, and compiles its kernels. Free of torch.
#include <fusewise/cuda/kernels/finalize.cuh>

#include <algorithm>

namespace fusewise::cuda {

namespace {

constexpr int kFinalizeThreads = 256;  // of a block, unless an output has more terms
constexpr int kNeighbours = 4;         // outputs that one thread adds, where it may add several
// With so many partial sums the loads take most of the time, and fewer but wider loads are faster.
constexpr int64_t kManyPartials = 3 << 18;

template <class T>
Status launch_finalize(const FinalizeArguments<T>& arguments, int num_writes, int count, int64_t blocks,
                       int threads, const Launch& launch) {
  if (blocks == 0) return {};
  if (blocks > kMaxBlocks) return {kTooMany};
  const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(num_writes));
  const auto* const kernel = count == 1
                                 ? address_of(&finalize_kernel<T, 1>)
                                 : address_of(&finalize_kernel<T, kNeighbours>);
  void* of_kernel[] = {const_cast<FinalizeArguments<T>*>(&arguments)};
  return start(kernel, grid, threads, of_kernel, 0, launch);
}

// True if it is worth while that a thread adds neighbouring outputs, and their terms are neighbours too.
bool has_neighbours(const Finalize& finalize) {
  if (finalize.outputs * finalize.terms < kManyPartials) return false;
  if (finalize.num_kept == 0 || finalize.kept_steps[0] != 1) return false;
  bool fits = finalize.kept_sizes[0] % kNeighbours == 0 && finalize.offset % kNeighbours == 0;
  for (int d = 1; d < finalize.num_kept; ++d) fits &= finalize.kept_steps[d] % kNeighbours == 0;
  for (int d = 0; d < finalize.num_summed; ++d) fits &= finalize.summed_steps[d] % kNeighbours == 0;
  return fits;
}

// The number of outputs of a block of `threads`. An output gets enough threads to load all its terms at once.
// But a block has at least 8 elements of the result, since memory delivers as many neighbours together.
int outputs_of_block(const Finalize& finalize, int count, int threads) {
  const int least = 8 / count;
  int most = threads;
  while (most > least && finalize.terms * most > int64_t{kTermsAtOnce} * threads) most /= 2;
  int across = 1;
  while (across < most && across < finalize.outputs) across *= 2;
  return across;
}

// Sets the arguments of write `w` of a launch, a thread of which adds `count` outputs. Returns its blocks.
template <class T>
int64_t set_write(Finalize finalize, const T* partials, int count, int threads, int w,
                  FinalizeArguments<T>& arguments) {
  FinalizedWrite<T>& write = arguments.writes[w];
  write.stride = finalize.kept_strides[0];
  finalize.outputs /= count;
  finalize.kept_sizes[0] /= count;
  finalize.kept_steps[0] *= count;
  finalize.kept_strides[0] *= count;
  const int across = outputs_of_block(finalize, count, threads);
  write.partials = partials + finalize.offset;
  write.data = finalize.data;
  write.outputs = finalize.outputs;
  write.terms = finalize.terms;
  write.term_step = finalize.summed_steps[0];
  write.dtype = finalize.dtype;
  write.num_kept = static_cast<int8_t>(finalize.num_kept);
  write.num_summed = static_cast<int8_t>(finalize.num_summed);
  write.across_bits = static_cast<int8_t>(bits_of(across));
  for (int d = 0; d < finalize.num_kept; ++d) {
    arguments.kept[w][d] = {FastDivisor(finalize.kept_sizes[d]), finalize.kept_steps[d],
                            finalize.kept_strides[d]};
  }
  for (int d = 0; d < finalize.num_summed; ++d) {
    arguments.summed[w][d] = {FastDivisor(finalize.summed_sizes[d]), finalize.summed_steps[d]};
  }
  return ceil_div(finalize.outputs, across);
}

}  // namespace

template <class T>
Status finalize(const Finalize* sums, int num_sums, const T* partials, const Launch& launch) {
  int threads = kFinalizeThreads;
  int count = kNeighbours;
  for (int i = 0; i < num_sums; ++i) {
    if (sums[i].terms > kFinalizeThreads) threads = kMaxFinalizeThreads;
    if (!has_neighbours(sums[i])) count = 1;
  }
  for (int first = 0; first < num_sums; first += kFinalizeWrites) {
    FinalizeArguments<T> arguments{};
    const int batch = std::min(kFinalizeWrites, num_sums - first);
    int64_t blocks = 0;
    for (int i = 0; i < batch; ++i) {
      blocks = std::max(blocks, set_write(sums[first + i], partials, count, threads, i, arguments));
    }
    const Status status = launch_finalize(arguments, batch, count, blocks, threads, launch);
    if (status.failed()) return status;
  }
  return {};
}

template <class T>
Status finalize_writes(const Loop& loop, const Plan& plan, const T* partials, uint32_t results,
                       const Launch& launch) {
  Finalize sums[kMaxOperands];
  int num_sums = 0;
  for (int w = 0; w < loop.num_writes; ++w) {
    if (needs_finalize(plan.modes[w]) && (results >> w & 1) == 0) sums[num_sums++] = plan_finalize(loop, plan, w);
  }
  return finalize(sums, num_sums, partials, launch);
}

template Status finalize(const Finalize*, int, const float*, const Launch&);
template Status finalize_writes(const Loop&, const Plan&, const float*, uint32_t, const Launch&);
template Status finalize_writes(const Loop&, const Plan&, const double*, uint32_t, const Launch&);
template Status finalize_writes(const Loop&, const Plan&, const int64_t*, uint32_t, const Launch&);

}  // namespace fusewise::cuda
