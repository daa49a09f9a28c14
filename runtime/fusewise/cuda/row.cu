// Plans the row kernel. Free of torch.
#include <algorithm>
#include <bit>

#include <fusewise/cuda/planning.cuh>
#include <fusewise/cuda/reduction.cuh>
#include <fusewise/cuda/row.cuh>

namespace fusewise::cuda {

namespace {

constexpr int kShortThreads = 128;  // of a block that has several short rows
constexpr int64_t kMaxRows = int64_t{1} << 30;  // which a kernel numbers by ints
constexpr int kFewTiles = 4;        // of a row whose columns are summed by kFewWarps of a multiprocessor at most
constexpr int kFewWarps = 12;
constexpr int kPartWarps = 8;       // of a block that sums some of the columns and knows the totals
constexpr int kSharedTiles = 16;    // the least of each of few rows whose columns are summed by clusters
constexpr int kSharedWarps = 4;     // the least of their blocks
// Multiprocessors of a large GPU on which clusters of 4 or 8, or of 16 run at once.
constexpr int kClusterPlaces = 120;
constexpr int kLargeClusterPlaces = 112;
constexpr int kTurnAlignment = 128;  // of the totals of a row, which a ring buffer follows; less takes longer
constexpr int kTwoBlocksWarps = 23;  // the most of a block if two share a multiprocessor
constexpr int64_t kReadAgainBytes = 128 << 10;  // of a row; less is read from the L2 cache in as little time

// True if an operand has one value for all rows, or a sum over them.
bool is_over_rows(const Loop& loop, const Operand& operand) {
  bool found = true;
  for (int d = 1; d < loop.num_dims; ++d) found &= loop.sizes[d] == 1 || operand.strides[d] == 0;
  return found;
}

bool is_over_some_rows(const Loop& loop, const Operand& operand) {
  bool found = false;
  for (int d = 1; d < loop.num_dims; ++d) found |= loop.sizes[d] > 1 && operand.strides[d] == 0;
  return found;
}

// True if all vectors of the operands that are dense along a row are aligned.
bool has_aligned_vectors(const RowInfo& info, const Loop& loop) {
  bool found = true;
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    const bool is_summed = k >= loop.num_reads && (info.summed >> (k - loop.num_reads) & 1) != 0;
    if (operand.data == nullptr || is_summed || inner_stride(loop, operand) == 0) continue;
    found &= has_aligned_rows(loop, operand, int64_t{info.kernel.size} * size_of(operand.dtype));
  }
  return found;
}

// True if all reads but for the known row scalars are dense.
bool has_dense_reads(const RowInfo& info, const Loop& loop) {
  bool found = true;
  for (int k = 0; k < loop.num_reads; ++k) {
    const Operand& read = loop.operands[k];
    if ((info.scalars >> k & 1) == 0) found &= read.data != nullptr && inner_stride(loop, read) != 0;
  }
  return found;
}

// Whether all rows are plain, as RowShape says.
bool has_plain_rows(const RowInfo& info, const Loop& loop) {
  return loop.sizes[0] % info.kernel.size == 0 && has_dense_reads(info, loop) && has_aligned_vectors(info, loop);
}

// The number of blocks of a kernel that sums columns, and so the bits of sums over rows, depend on the shape and the
// dtype alone, on GPUs that run it: the bytes of shared memory are those of a large one (capability 9.0, CUDA C++
// Programming Guide).
constexpr int64_t kMultiprocessorBytes = 228 << 10;
constexpr int64_t kReservedBytes = 1 << 10;  // of each block, by CUDA

// The rows of a block that shared memory holds beside other bytes: two, so that one is copied while the other is
// computed, or one.
int num_stages(int64_t other_bytes, int64_t stage_bytes, int64_t limit) {
  return other_bytes + kRingStages * stage_bytes <= limit ? kRingStages : 1;
}

// True if rows keep a GPU busy only if several blocks share one, as in clusters and the kernels of phases.
bool has_few_rows(const Loop& loop) { return numel(loop) / loop.sizes[0] < kMultiprocessors / 2; }

// True if the kernels of the phases, in which several blocks share a row, take less time than one that reads it in one
// block. If that reads it once, rows of up to 16 tiles are too short for them.
bool are_phases_faster(const RowInfo& info, const Loop& loop) {
  return has_few_rows(loop) && (!info.is_read_once || loop.sizes[0] > 16 * kTileElements);
}

bool is_long(const RowInfo& info, int64_t columns) { return columns > int64_t{info.max_warps} * kTileElements; }

// The blocks of a cluster that shares a row, 0 if a block holds it or none can. Few rows whose columns are summed have
// as many blocks as keep a GPU busy. If a block cannot hold a row, it is the number by which most tiles are held by a
// multiprocessor at once, and the least of such numbers.
int64_t blocks_of_row(const RowInfo& info, const Loop& loop) {
  if (info.cluster_bytes == 0) return 0;
  const int64_t columns = loop.sizes[0];
  const int64_t tiles = ceil_div(columns, int64_t{kTileElements});
  const int64_t max_warps = std::min(info.max_warps, kClusterWarps);
  if (info.summed != 0 && tiles >= kSharedTiles && has_few_rows(loop)) {
    const int64_t places = kMultiprocessors / (numel(loop) / columns);
    const auto most = static_cast<uint64_t>(std::min({int64_t{kPortableBlocks}, places, tiles / kSharedWarps}));
    const auto blocks = static_cast<int64_t>(std::bit_floor(most));
    if (ceil_div(tiles, blocks) <= max_warps) return blocks;
  }
  if (!is_long(info, columns)) return 0;
  const int64_t places = info.summed != 0 ? info.max_warps : 2 * kClusterWarps;  // for warps of a multiprocessor
  int64_t found = 0;
  int64_t most = 0;
  for (int64_t blocks = 2; blocks <= (most > 0 ? kPortableBlocks : kMaxClusterBlocks); blocks *= 2) {
    const int64_t warps = ceil_div(tiles, blocks);
    const int64_t held = places / warps * tiles / blocks;
    if (warps > kClusterWarps || held <= most) continue;
    found = blocks;
    most = held;
  }
  // Blocks that sum columns stay. If they leave places empty, known totals take less time.
  const bool leaves_places = info.summed != 0 && 3 * most <= 2 * places;
  return leaves_places ? 0 : found;
}

// The blocks of a cluster with a ring buffer: large ones, since a cluster waits for all its blocks in each phase.
int64_t blocks_of_ring(int64_t columns) {
  const auto least = static_cast<uint64_t>(ceil_div(columns, int64_t{kClusterWarps} * kTileElements));
  return std::max<int64_t>(2, static_cast<int64_t>(std::bit_ceil(least)));
}

// True if clusters go through the rows: if no block holds one, or only one at a time on a multiprocessor.
bool has_ring(const RowInfo& info, const Loop& loop) {
  const int64_t columns = loop.sizes[0];
  const bool is_alone = columns > int64_t{kTwoBlocksWarps} * kTileElements && !has_few_rows(loop);
  return info.ring_kernel != nullptr && (is_long(info, columns) || is_alone) &&
         blocks_of_ring(columns) <= kMaxClusterBlocks && has_plain_rows(info, loop) &&
         has_clusters(blocks_of_ring(columns));
}

// Where rows are while a pass reads them.
enum class Place {
  kBlock,    // a block holds a row
  kCluster,  // a cluster does
  kRing,     // a cluster does, and copies the next one to a ring buffer meanwhile
  kParts,    // a block holds some columns, and knows the totals
  kMemory    // none holds a row, so that it is read again
};

struct RowPlace {
  Place place;
  int64_t parts;  // of the columns, each of them for other blocks
};

RowPlace place_of(const RowInfo& info, const Loop& loop) {
  if (has_ring(info, loop)) return {Place::kRing, blocks_of_ring(loop.sizes[0])};
  const int64_t columns = loop.sizes[0];
  const int64_t tiles = ceil_div(columns, int64_t{kTileElements});
  const bool is_short = info.summed == 0 && tiles * 32 * info.row_vectors * kVectorBytes < kReadAgainBytes;
  const bool is_read_again = is_short && tiles > 2 * kClusterWarps && !has_few_rows(loop);
  const int64_t blocks = blocks_of_row(info, loop);
  if (!is_read_again && blocks > 0 && has_clusters(blocks)) return {Place::kCluster, blocks};
  if (!is_long(info, columns)) return {Place::kBlock, 1};
  if (info.summed == 0) return {Place::kMemory, 1};
  return {Place::kParts, blocks > 0 ? blocks : ceil_div(tiles, int64_t{kPartWarps})};
}

// Adds the sums of blocks.
Status add_blocks(const RowInfo& info, const Loop& loop, int64_t blocks, const RowTiling& tiling,
                  const Launch& launch) {
  const int64_t columns = int64_t{tiling.vectors} * info.kernel.size;
  Finalize sums[kMaxOperands];
  int count = 0;
  int64_t offset = 0;
  for (int w = 0; w < loop.num_writes; ++w) {
    if ((info.summed >> w & 1) == 0) continue;
    const Operand& write = loop.operands[loop.num_reads + w];
    Finalize sum{};
    sum.data = static_cast<char*>(write.data);
    sum.dtype = write.dtype;
    sum.offset = offset;
    sum.outputs = loop.sizes[0];
    sum.terms = blocks;
    sum.num_kept = sum.num_summed = 1;
    sum.kept_sizes[0] = loop.sizes[0];
    sum.kept_steps[0] = 1;
    sum.kept_strides[0] = write.strides[0];
    sum.summed_sizes[0] = blocks;
    sum.summed_steps[0] = columns;
    offset += blocks * columns;
    if (write.data != nullptr) sums[count++] = sum;
  }
  return finalize(sums, count, static_cast<const float*>(tiling.partials), launch);
}

// True if a kernel takes rows of this length, with the totals or without, and the operands that all rows share.
bool can_run(const RowInfo& info, const Loop& loop, Place place, const RowTotals* totals) {
  const int64_t columns = loop.sizes[0];
  if (columns == 0 || columns > int64_t{kMaxRowTiles} * kTileElements) return false;
  if (numel(loop) / columns > kMaxRows) return false;
  if ((place == Place::kParts) != (totals != nullptr)) return false;
  if (place == Place::kMemory && are_phases_faster(info, loop)) return false;
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    if (operand.data == nullptr) continue;
    const int write = k - loop.num_reads;
    if (write < 0 && (info.columns >> k & 1) != 0 && !is_over_rows(loop, operand)) return false;
    if (write >= 0 && (info.summed >> write & 1) != 0) {
      if (!is_over_rows(loop, operand) || inner_stride(loop, operand) == 0) return false;
      continue;
    }
    if (write >= 0 && is_over_some_rows(loop, operand)) return false;
  }
  return true;
}

// How a loop runs.
struct RowPlan {
  RowTiling tiling;
  bool is_plain;   // whether all rows are
  const void* kernel;
  int threads;
  int block_teams;
  int64_t tiles;   // of a row
  int64_t parts;   // of the columns
  int64_t blocks;
  // Bytes of shared memory: of a stage of a ring buffer, of all that is beside the stages, and the least that a block
  // needs.
  int64_t stage;
  int64_t others;
  int64_t least;

  int64_t rows() const { return tiling.rows; }
  int64_t shared() const { return std::max(others + tiling.stages * stage, least); }
};

// The shape of all rows, of which a thread has `most` vectors of a tile at most.
RowShape shape_of(const Loop& loop, const RowPlan& plan, int most) {
  const RowTiling& tiling = plan.tiling;
  const bool is_split = tiling.step < 32;
  const bool has_whole_tiles = !is_split && tiling.vectors % (32 * most) == 0;
  const bool is_whole = has_whole_tiles && (tiling.is_short || plan.tiles % (plan.threads / 32 * plan.parts) == 0);
  if (!plan.is_plain) return is_whole && tiling.is_unaligned ? RowShape::kUnaligned : RowShape::kAny;
  if (!tiling.is_short) return is_whole ? RowShape::kWhole : RowShape::kPartial;
  return loop.num_dims <= 2 && !is_split && tiling.vectors % 32 == 0 ? RowShape::kEven : RowShape::kPartial;
}

// Plans all but the shared memory and the blocks.
RowPlan plan_rows(const RowInfo& info, const Loop& loop, const RowPlace& where, const RowTotals* totals) {
  const Place place = where.place;
  const int size = info.kernel.size;
  const int64_t rows = numel(loop) / loop.sizes[0];
  const int most = kTileElements / size / 32;  // vectors of a thread
  const TotalsPlan of_totals = plan_totals(rows, loop.sizes[0], size, most, 1);
  RowPlan plan{};
  plan.tiles = of_totals.tiles;
  RowTiling& tiling = plan.tiling;
  tiling.rows = static_cast<int>(rows);
  tiling.vectors = static_cast<int>(ceil_div(loop.sizes[0], int64_t{size}));
  tiling.columns = static_cast<int>(loop.sizes[0]);
  tiling.partial = static_cast<int>(loop.sizes[0] % size);
  tiling.is_aligned = has_aligned_vectors(info, loop);
  tiling.is_unaligned = has_dense_reads(info, loop) && !tiling.is_aligned;
  plan.is_plain = has_plain_rows(info, loop);
  tiling.is_short = plan.tiles == 1;
  tiling.step = of_totals.is_split ? of_totals.lanes : 32;
  tiling.lane_bits = std::bit_width(static_cast<unsigned>(of_totals.lanes)) - 1;
  tiling.is_clustered = place == Place::kCluster || place == Place::kRing;
  const bool is_reread = place == Place::kMemory;
  plan.kernel = plan.is_plain ? info.kernel.kernel : info.other_kernel;
  if (is_reread) plan.kernel = plan.is_plain ? info.long_kernel : info.other_long_kernel;
  if (place == Place::kRing) plan.kernel = info.ring_kernel;
  else if (tiling.is_clustered && info.summed == 0) plan.kernel = info.cluster_kernel;
  int long_threads = plan.is_plain ? info.long_threads : info.other_long_threads;
  // With fewer rows, more warps keep the GPU busy.
  if (info.is_read_once && rows >= 4 * kMultiprocessors) long_threads = 32 * kReadOnceWarps;
  plan.parts = where.parts;
  const auto part_threads = static_cast<int>(ceil_div(plan.tiles, plan.parts)) * 32;
  plan.threads = is_reread ? long_threads : tiling.is_short ? kShortThreads : part_threads;
  if (totals != nullptr) {
    tiling.totals = static_cast<const float*>(totals->data);
    tiling.total_stride = totals->stride;
  }
  const int warps = plan.threads / 32;
  tiling.warps_mask = static_cast<int>(std::bit_ceil(static_cast<unsigned>(warps))) - 1;
  tiling.shape = shape_of(loop, plan, most);
  plan.block_teams = tiling.is_short ? kShortThreads >> tiling.lane_bits : 1;
  tiling.turn_bytes = info.num_totals * kMaxRowWarps * static_cast<int>(sizeof(float));
  if (plan.parts > 1) tiling.turn_bytes = std::max(tiling.turn_bytes, info.cluster_bytes);
  tiling.turn_bytes = static_cast<int>(ceil_div(tiling.turn_bytes, kTurnAlignment)) * kTurnAlignment;
  plan.others = tiling.is_short ? 0 : tiling.turn_bytes;
  if (is_reread) plan.others = info.num_totals * (plan.tiles + 1) * int64_t{sizeof(float)};
  return plan;
}

// Plans a ring buffer, with as many stages as leave room for `sharing` blocks on a multiprocessor.
void plan_stages(int64_t stage, int64_t others, int sharing, RowPlan& plan) {
  plan.stage = stage;
  plan.others = plan.tiling.ring + others;
  plan.tiling.stages = num_stages(plan.others, stage, kMultiprocessorBytes / sharing - kReservedBytes);
}

// Plans the ring buffer of rows that are not plain.
void plan_staged(const RowInfo& info, int sharing, RowPlan& plan) {
  RowTiling& tiling = plan.tiling;
  tiling.slots = static_cast<int>(ceil_div(kTileElements / info.kernel.size + (32 >> tiling.lane_bits), 4)) * 4;
  const int64_t slots = int64_t{plan.threads / 32} * tiling.slots;
  plan_stages(slots * info.stage_bytes, slots * (info.write_bytes + info.column_bytes), sharing, plan);
}

// The blocks along x, each with all parts of a row along y, that a large GPU runs at once, if `resident` of all blocks
// share a multiprocessor.
int64_t blocks_at_once(const RowPlan& plan, int64_t resident) {
  const int places = plan.parts > kPortableBlocks ? kLargeClusterPlaces
                     : plan.parts > 2             ? kClusterPlaces
                                                  : kMultiprocessors;
  return places * resident / plan.parts;
}

// Plans the shared memory and the blocks of a pass that sums columns. The blocks are those of plain rows, since they
// fix the order of additions.
void plan_sums(const RowInfo& info, const Loop& loop, RowPlan& plan) {
  RowTiling& tiling = plan.tiling;
  tiling.ring = 2 * tiling.turn_bytes;
  if (tiling.is_short) plan.least = int64_t{plan.threads} * kTileElements / 32 * int64_t{sizeof(float)};
  // More warps take longer where each computes whole tiles of short rows.
  const bool has_few_warps = loop.sizes[0] % kTileElements == 0 && plan.tiles <= kFewTiles;
  const int max_threads = 32 * (has_few_warps ? std::min(info.max_warps, kFewWarps) : info.max_warps);
  // Two blocks share a multiprocessor if their threads fit.
  const int sharing = std::clamp(max_threads / plan.threads, 1, 2);
  const int64_t vector_bytes = int64_t{plan.threads} * kVectorBytes;
  plan_stages(vector_bytes * info.row_vectors, vector_bytes * info.column_vectors, sharing, plan);
  const int64_t resident =
      std::min(int64_t{max_threads / plan.threads}, kMultiprocessorBytes / (plan.shared() + kReservedBytes));
  const int64_t wanted = std::max<int64_t>(1, blocks_at_once(plan, std::max<int64_t>(1, resident)));
  const int64_t all = ceil_div(plan.rows(), int64_t{plan.block_teams});
  plan.blocks = std::min(all, std::max(wanted, ceil_div(all, kMaxTerms)));
  if (plan.is_plain) return;
  const auto together = static_cast<int>(std::max<int64_t>(1, plan.blocks * plan.parts / kMultiprocessors));
  plan_staged(info, together, plan);
}

// Plans the shared memory and the blocks of clusters that go through many rows.
void plan_cluster_ring(const RowInfo& info, RowPlan& plan) {
  RowTiling& tiling = plan.tiling;
  tiling.ring = 2 * tiling.turn_bytes;
  plan.others = tiling.ring + kRingStages * int64_t{plan.threads} * info.row_vectors * kVectorBytes;
  const int64_t resident = std::min(int64_t{info.ring_warps * 32 / plan.threads},
                                    kMultiprocessorBytes / (plan.shared() + kReservedBytes));
  plan.blocks = std::min(plan.rows(), blocks_at_once(plan, resident));
}

}  // namespace

bool run_rows(const RowInfo& info, const ArgumentsRef<float>& arguments, const Loop& loop, const Number* params,
              const RowTotals* totals, const Launch& launch, Status& status) {
  const RowPlace where = place_of(info, loop);
  if (!can_run(info, loop, where.place, totals)) return false;
  RowPlan plan = plan_rows(info, loop, where, totals);
  plan.blocks = ceil_div(plan.rows(), int64_t{plan.block_teams});
  if (info.summed != 0) plan_sums(info, loop, plan);
  else if (where.place == Place::kRing) plan_cluster_ring(info, plan);
  const auto has_memory = [&] { return has_shared_bytes(static_cast<size_t>(plan.shared())); };
  if (plan.tiling.stages > 1 && !has_memory()) plan.tiling.stages = 1;  // an old or small GPU
  if (!has_memory()) return false;
  if (plan.blocks > kMaxBlocks) {
    status = {kTooMany};
    return true;
  }
  int order[kMaxDims] = {};
  for (int d = 1; d < loop.num_dims; ++d) order[d - 1] = d;
  set_arguments(info.kernel, loop, params, order, loop.num_dims - 1, arguments);
  if (info.summed != 0) {
    const auto sums = static_cast<size_t>(std::popcount(info.summed) * plan.blocks * plan.tiling.vectors);
    const size_t bytes = sums * static_cast<size_t>(info.kernel.size) * sizeof(float);
    plan.tiling.partials = static_cast<float*>(launch.allocate(launch.context, bytes));
  }
  void* of_kernel[] = {arguments.all, &plan.tiling};
  const dim3 grid(static_cast<unsigned>(plan.blocks), static_cast<unsigned>(plan.parts));
  status = start(plan.kernel, grid, plan.threads, of_kernel, static_cast<size_t>(plan.shared()), launch,
                 plan.tiling.is_clustered);
  if (!status.failed() && info.summed != 0) status = add_blocks(info, loop, plan.blocks, plan.tiling, launch);
  return true;
}

}  // namespace fusewise::cuda
