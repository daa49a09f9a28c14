// The reads that a thread of a row holds, and how many threads a block has, as registers and shared memory allow. Free
// of torch.
#pragma once

#include <algorithm>
#include <bit>

#include <fusewise/cuda/arguments.cuh>
#include <fusewise/cuda/kernels/row_tiling.cuh>
#include <fusewise/cuda/row_passes.cuh>
#include <fusewise/cuda/totals_plan.h>

namespace fusewise::cuda {

template <class Passes, class Vector>
struct RowResources {
  static constexpr int kReads = Passes::kReads;
  static constexpr int kSize = Vector::kSize;
  static constexpr int kTileVectors = kTileElements / kSize;
  static constexpr int kVectors = kTileVectors / 32;  // of the thread, in a tile
  static constexpr uint32_t kScalars = Passes::template known_scalars<Vector>();
  // The reads with elements that a row does not share with other rows, a bit each.
  static constexpr uint32_t kOfRow = ((1u << kReads) - 1) & ~kScalars & ~Passes::kColumns;
  // Those that all rows share, where columns are summed.
  static constexpr uint32_t kOfAllRows = Passes::kColumns & ~kScalars;
  // The reads that are loaded when the elements are computed: they would take registers before.
  static constexpr uint32_t kLate = Passes::kLate & ~kScalars;
  // Those that are loaded first, and that a ring buffer has.
  static constexpr uint32_t kEarly = kOfRow & ~kLate;

  // Where columns are summed: the registers of a thread without the reads that all rows share, and with them. If the
  // latter are too many, these reads lie in shared memory too.
  static constexpr int kSums = Passes::sum_number(Passes::kWrites);
  static constexpr int kLeastRegisters = kVectors * kSize * kSums + 8 * std::popcount(kOfRow) + 64;
  static constexpr int kMostRegisters = kLeastRegisters + 4 * kVectors * std::popcount(kOfAllRows);
  static constexpr bool kHoldsColumns = kMostRegisters <= 128;
  static constexpr uint32_t kInRing = kEarly | (kHoldsColumns ? 0 : kOfAllRows);  // in shared memory
  // The vectors of a warp in shared memory: of two rows that are plain, of one that is not, which is written there too.
  static constexpr int kWritten = Passes::kWrites - std::popcount(Passes::kRowWrites) - kSums;
  static constexpr int kPlainVectors =
      kTileVectors * (kRingStages * std::popcount(kOfRow) + std::popcount(kOfAllRows));
  static constexpr int kOtherVectors =
      (kTileVectors + 4) * (std::popcount(kOfRow) + std::popcount(kOfAllRows) + kWritten);
  static constexpr int kWarpsInMemory = kSumsBytes / kVectorBytes / std::max(kPlainVectors, kOtherVectors);
  // The most warps of a block, and of a multiprocessor.
  static constexpr int kWarpsInRegisters = kLeastRegisters <= 144 ? 16 : kLeastRegisters <= 168 ? 12 : 8;
  static constexpr int kSumsWarps = std::max(4, std::min(kWarpsInRegisters, kWarpsInMemory / 4 * 4));

  // Where no columns are summed.
  static constexpr int kHeldTerms = Passes::kHoldsTerm ? kVectors * kSize : 0;
  static constexpr int kRegisters =
      4 * (kVectors * std::popcount(kEarly) + std::popcount(kLate)) + kHeldTerms + 32;
  static constexpr bool kHasManyWarps = Passes::Elements::kWrites > 0 && kRegisters <= 64;
  // True if registers even suffice for two blocks of 24 warps. Where little is computed, fewer are needed than are
  // counted.
  static constexpr bool kIsLight = kRegisters <= (Passes::kMostInstructions < 8 ? 52 : 48);
  // The vectors of which late reads are loaded together, so that a thread waits for memory less often.
  static constexpr int kLateVectors = kRegisters + 4 * std::popcount(kLate) <= 64 ? 2 : 1;
  // True if registers suffice for two blocks of kMaxWarps. The compiler would take more than such threads need.
  static constexpr bool kHasTwoBlocks = kHasManyWarps && kRegisters <= 56 && Passes::kMostInstructions < 32;
  // True if registers suffice for the params. The compiler then computes once what passes have in common.
  static constexpr bool kHoldsParams = Passes::kSummed == 0 && kHasTwoBlocks;

  // The most warps of a block. A row of which nothing is written is read again in less time than so many warps wait for
  // each other. Without phases a row is read once by any number of blocks, and two blocks of 8 warps overlap better
  // than one. If its phases read it once, its tiles need not be held at one time, and the loads and computations of
  // small blocks overlap best. Threads that hold many reads get the registers of 8 warps.
  static constexpr int kMaxWarps = Passes::kSummed != 0   ? kSumsWarps
                                   : Passes::kPhases == 0 ? 8
                                   : Passes::kIsReadOnce  ? kReadOnceWarps
                                   : kHasTwoBlocks        ? (kIsLight ? 24 : 20)
                                   : kHasManyWarps        ? kMaxRowWarps
                                   : kRegisters <= 128    ? 16
                                                          : 8;
};

}  // namespace fusewise::cuda
