// The passes of a row pass (core/rows.h), as one type for the row kernels. Free of torch.
#pragma once

#include <algorithm>
#include <tuple>

#include <fusewise/cuda/float_vectorized.cuh>

namespace fusewise::cuda {

// Takes the place of the pass that a row pass lacks.
struct NoPass {
  static constexpr int kReads = 0;
  static constexpr int kWrites = 0;
  static constexpr int kParams = 0;
};

// The elements while a row is held: a pass whose last read is a term of the last phase, that of its total number kTerm.
template <class Op_, int kTerm_>
struct HeldElements {
  using Op = Op_;
  static constexpr int kTerm = kTerm_;
};

// A phase: the pass that computes the terms, and which of its totals are maxima, a bit each, the others being sums. All
// terms of the sums in kPicked, a bit each, are zero but that of the element whose index the row scalar kPlace is. If
// Rescale is a pass, the phase is computed in one read with the one before; see kernels/relative.cuh.
template <class Op_, uint32_t kMaxima_, uint32_t kPicked_ = 0, int kPlace_ = 0, class Rescale_ = NoPass>
struct Phase {
  using Op = Op_;
  using Rescale = Rescale_;
  static constexpr uint32_t kMaxima = kMaxima_;
  static constexpr uint32_t kPicked = kPicked_;
  static constexpr uint32_t kReduced = ((1u << Op::kWrites) - 1) & ~kPicked;
  static constexpr int kPlace = kPlace_;
  static constexpr bool kIsRelative = Rescale::kWrites > 0;  // to the maxima of the phase before
};

// The passes of a row pass, whose operands are those of its loop: the reads of the other passes but for totals and
// index, then all writes. The writes in kRowWrites, a bit each, are those of Rows, the others those of Elements. Those
// in kFloatRows are rows of floats, as kept totals are. At the typical shapes the reads in kColumns are the same in all
// rows, those in kLate are the same in some rows and no phase reads them, and the writes in kSummed are sums over all
// rows. Held is HeldElements, or NoPass if these are Elements.
template <uint32_t kRowWrites_, uint32_t kFloatRows_, uint32_t kColumns_, uint32_t kLate_, uint32_t kSummed_,
          bool kUsesIndex_, class Elements_, class Rows_, class Held_, class... Phases>
struct RowPasses {
  using Elements = Elements_;
  using Rows = Rows_;
  using Held = Held_;
  template <int p>
  using PhaseAt = std::tuple_element_t<p, std::tuple<Phases...>>;
  // All passes have the same reads and params.
  using Any = std::conditional_t<(Elements::kWrites > 0), Elements, Rows>;

  static constexpr int kPhases = sizeof...(Phases);
  // True if the phases are maxima and sums relative to them. A kernel reads a row once then, as no elements are
  // written.
  static constexpr bool kIsReadOnce = (false || ... || Phases::kIsRelative);
  static_assert(!kIsReadOnce || (kPhases == 2 && Elements::kWrites == 0));
  // Each thread reads the element that is picked, so no thread may have stored elements, which may take its place.
  static_assert(Elements::kWrites == 0 || ((Phases::kPicked == 0) && ...));
  static constexpr int kTotals = (0 + ... + Phases::Op::kWrites);
  static constexpr bool kUsesIndex = kUsesIndex_;
  static constexpr bool kHoldsTerm = !std::is_same_v<Held, NoPass>;
  static constexpr int kAllReads = Any::kReads;  // of each pass
  static constexpr int kReads = kAllReads - kTotals - kUsesIndex;
  static constexpr int kWrites = Elements::kWrites + Rows::kWrites;
  static constexpr int kParams = Any::kParams;
  static constexpr int kMostInstructions = std::max({Any::kInstructions, Phases::Op::kInstructions...});
  static constexpr uint32_t kRowWrites = kRowWrites_;
  static constexpr uint32_t kFloatRows = kFloatRows_;
  static constexpr uint32_t kSummed = kSummed_;
  static constexpr uint32_t kColumns = kSummed != 0 ? kColumns_ : 0;  // that a team reads once
  static constexpr uint32_t kLate = kSummed != 0 ? 0 : kLate_;

  static RT_FN constexpr bool is_row_write(int w) { return (kRowWrites >> w & 1) != 0; }
  static RT_FN constexpr bool is_summed(int w) { return (kSummed >> w & 1) != 0; }
  // The number of a write among those of Elements, or of Rows.
  static RT_FN constexpr int number_of(int w) {
    int found = 0;
    for (int other = 0; other < w; ++other) found += is_row_write(other) == is_row_write(w);
    return found;
  }
  // The number of a summed write among those.
  static RT_FN constexpr int sum_number(int w) {
    int found = 0;
    for (int other = 0; other < w; ++other) found += is_summed(other);
    return found;
  }
  // True if phase number `p` is relative to the one before.
  static RT_FN constexpr bool is_relative(int p) {
    const bool all[] = {Phases::kIsRelative..., false};
    return all[p];
  }
  // The totals of the phases before number `p`.
  static RT_FN constexpr int totals_before(int p) {
    const int counts[] = {Phases::Op::kWrites..., 0};
    int found = 0;
    for (int i = 0; i < p; ++i) found += counts[i];
    return found;
  }
  // The reads that are row scalars whenever the row kernel runs.
  template <class Vector>
  static RT_FN constexpr uint32_t known_scalars() {
    uint32_t found = (0u | ... | kKnownScalars<typename Phases::Op, Vector>);
    if constexpr (Elements::kReads > 0) found |= kKnownScalars<Elements, Vector>;
    return found & ((1u << kReads) - 1);
  }
  template <class S>
  static RT_FN constexpr Dtype read_type(int k) {
    return stored_dtype<Any>(k, dtype_of<S>());
  }
  template <class S>
  static RT_FN constexpr Dtype write_type(int w) {
    return stored_dtype<Elements>(kAllReads + number_of(w), dtype_of<S>());
  }
};

// Whether the blocks of a cluster may share a row that a block cannot hold. A row of which nothing is written is read
// again in less time.
template <class Passes>
inline constexpr bool kHasClusters = Passes::kPhases > 0 && Passes::Elements::kWrites > 0;

}  // namespace fusewise::cuda
