// Plans the second step of reductions, which adds partial sums, and compiles its kernels. Free of torch.
#include <fusewise/cuda/finalize.cuh>

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
                                 ? reinterpret_cast<const void*>(&finalize_kernel<T, 1>)
                                 : reinterpret_cast<const void*>(&finalize_kernel<T, kNeighbours>);
  void* of_kernel[] = {const_cast<FinalizeArguments<T>*>(&arguments)};
  return start(kernel, grid, threads, of_kernel, 0, launch);
}

// True if it is worth while that a thread adds neighbouring outputs, and their terms are neighbours too.
bool has_neighbours(const Finish& finish) {
  if (finish.outputs * finish.terms < kManyPartials) return false;
  if (finish.num_kept == 0 || finish.kept_steps[0] != 1) return false;
  bool fits = finish.kept_sizes[0] % kNeighbours == 0 && finish.offset % kNeighbours == 0;
  for (int d = 1; d < finish.num_kept; ++d) fits &= finish.kept_steps[d] % kNeighbours == 0;
  for (int d = 0; d < finish.num_summed; ++d) fits &= finish.summed_steps[d] % kNeighbours == 0;
  return fits;
}

// Outputs of a block of `threads`. An output has as many threads as can load its terms at once, but a block has
// at least the 8 neighbours that memory delivers together.
int outputs_of_block(const Finish& finish, int count, int threads) {
  const int least = 8 / count;
  int most = threads;
  while (most > least && finish.terms * most > int64_t{kTermsAtOnce} * threads) most /= 2;
  int across = 1;
  while (across < most && across < finish.outputs) across *= 2;
  return across;
}

// Sets the arguments of write `w` of a launch, a thread of which adds `count` outputs. Returns its blocks.
template <class T>
int64_t set_write(Finish finish, const T* partials, int count, int threads, int w,
                  FinalizeArguments<T>& arguments) {
  FinalizedWrite<T>& write = arguments.writes[w];
  write.stride = finish.kept_strides[0];
  finish.outputs /= count;
  finish.kept_sizes[0] /= count;
  finish.kept_steps[0] *= count;
  finish.kept_strides[0] *= count;
  const int across = outputs_of_block(finish, count, threads);
  write.partials = partials + finish.offset;
  write.data = finish.data;
  write.outputs = finish.outputs;
  write.terms = finish.terms;
  write.term_step = finish.summed_steps[0];
  write.dtype = finish.dtype;
  write.num_kept = static_cast<int8_t>(finish.num_kept);
  write.num_summed = static_cast<int8_t>(finish.num_summed);
  write.across_bits = static_cast<int8_t>(bits_of(across));
  for (int d = 0; d < finish.num_kept; ++d) {
    arguments.kept[w][d] = {Divisor(finish.kept_sizes[d]), finish.kept_steps[d],
                            finish.kept_strides[d]};
  }
  for (int d = 0; d < finish.num_summed; ++d) {
    arguments.summed[w][d] = {Divisor(finish.summed_sizes[d]), finish.summed_steps[d]};
  }
  return ceil_div(finish.outputs, across);
}

}  // namespace

template <class T>
Status finish_writes(const Loop& loop, const Plan& plan, const T* partials, uint32_t results,
                     const Launch& launch) {
  const auto has_partials = [&](int w) {
    return needs_finish(plan.modes[w]) && (results >> w & 1) == 0;
  };
  int threads = kFinalizeThreads;
  int count = kNeighbours;
  for (int w = 0; w < loop.num_writes; ++w) {
    if (!has_partials(w)) continue;
    const Finish finish = plan_finish(loop, plan, w);
    if (finish.terms > kFinalizeThreads) threads = kMaxFinalizeThreads;
    if (!has_neighbours(finish)) count = 1;
  }
  FinalizeArguments<T> arguments{};
  int batch = 0;
  int64_t blocks = 0;
  for (int w = 0; w < loop.num_writes; ++w) {
    if (!has_partials(w)) continue;
    const Finish finish = plan_finish(loop, plan, w);
    blocks = std::max(blocks, set_write(finish, partials, count, threads, batch, arguments));
    if (++batch < kFinalizeWrites) continue;
    const Status status = launch_finalize(arguments, batch, count, blocks, threads, launch);
    if (status.failed()) return status;
    batch = 0;
    blocks = 0;
  }
  return launch_finalize(arguments, batch, count, blocks, threads, launch);
}

template Status finish_writes(const Loop&, const Plan&, const float*, uint32_t, const Launch&);
template Status finish_writes(const Loop&, const Plan&, const double*, uint32_t, const Launch&);
template Status finish_writes(const Loop&, const Plan&, const int64_t*, uint32_t, const Launch&);

}  // namespace fusewise::cuda
