// A thread's share of a row that is held in registers: the totals and the elements of a row pass. Free of torch.
#pragma once

#include <fusewise/cuda/kernels/row_resources.cuh>
#include <fusewise/cuda/kernels/row_ring.cuh>
#include <fusewise/cuda/kernels/row_words.cuh>
#include <fusewise/cuda/kernels/shifted_store.cuh>
#include <fusewise/cuda/kernels/staged_tile.cuh>
#include <fusewise/cuda/kernels/tile_totals.cuh>
#include <fusewise/cuda/row_passes.cuh>

namespace fusewise::cuda {

// A thread's share of a row: the vectors of a tile that are its own. If kIsInRing, they lie in a ring buffer in shared
// memory (RowRing); each phase loads them again, which takes fewer registers.
template <class Passes, class Vector, bool kIsInRing_ = false, RowLengths kLengths = RowLengths::kAll>
struct HeldRow : RowResources<Passes, Vector> {
  using T = float;
  using S = typename Vector::Stored;
  using VectorType = Vector;
  using RowPass = Passes;
  static constexpr bool kIsInRing = kIsInRing_;
  static constexpr bool kMayBeShort = kLengths != RowLengths::kLong;
  using Resources = RowResources<Passes, Vector>;
  // Constants of its own, since GCC does not find those of a base class in a lambda.
  static constexpr int kReads = Resources::kReads;
  static constexpr int kSize = Resources::kSize;
  static constexpr int kVectors = Resources::kVectors;
  static constexpr int kTileVectors = Resources::kTileVectors;
  static constexpr uint32_t kScalars = Resources::kScalars;
  static constexpr uint32_t kLate = Resources::kLate;
  static constexpr bool kHoldsColumns = Resources::kHoldsColumns;

  // What is read of a row.
  struct Reads {
    Vector vectors[kVectors][kReads];
    T scalars[kReads];
  };

  const Arguments<Passes, T>& arguments;
  const RowTiling& tiling;
  int lane;
  int lanes;
  int first;  // the number of the thread's first vector
  int mine;   // vectors of the thread
  StagedTile<HeldRow> staged;
  // Unused unless kHoldsParams.
  T params[Passes::kParams + 1];
  T totals[Passes::kTotals + 1];
  Reads reads;
  T terms[kVectors][kSize];  // that Held reads; unused without
  // Where the row lies in shared memory, and the reads that all rows share; unused if they do not lie there.
  uint32_t in_ring;
  uint32_t columns_in_ring;
  uint32_t before[kReads];  // the bytes before each read in its first word, of a staged tile

  // `memory` is the shared memory of the block.
  __device__ __forceinline__ HeldRow(const Arguments<Passes, T>& arguments, const RowTiling& tiling, const char* memory)
      : arguments(arguments), tiling(tiling), lanes(kMayBeShort ? 1 << tiling.lane_bits : 32),
        staged(*this, memory) {
    lane = static_cast<int>(threadIdx.x) & (lanes - 1);
    const int warp = static_cast<int>(threadIdx.x) / 32;
    // Each block along y has some of the columns.
    move_to(is_short() ? 0 : static_cast<int>(blockIdx.y * (blockDim.x / 32)) + warp);
#pragma unroll
    for (int i = 0; i < Passes::kParams; ++i) params[i] = arguments.params[i];
#pragma unroll
    for (int t = 0; t < Passes::kTotals; ++t) totals[t] = 0;
  }

  __device__ __forceinline__ const T* parameters() const {
    return Resources::kHoldsParams ? params : arguments.params;
  }
  __device__ __forceinline__ bool is_short() const {
    return kLengths == RowLengths::kAll ? tiling.is_short : kMayBeShort;
  }
  __device__ __forceinline__ bool is_split() const { return kMayBeShort && tiling.step < 32; }

  // Finds the thread's vectors of a tile.
  __device__ __forceinline__ void move_to(int tile) {
    first = lane + tile * kTileVectors;
    mine = min(kVectors, max(0, tiling.vectors - first + lanes - 1) >> (kMayBeShort ? tiling.lane_bits : 5));
  }

  static RT_FN constexpr Dtype read_type(int k) { return Passes::template read_type<S>(k); }
  static __device__ __forceinline__ constexpr bool is_scalar(int k) { return (kScalars >> k & 1) != 0; }
  // Calls `body` for the reads in kWhich, a bit each, that are no row scalars, with their dtypes.
  template <uint32_t kWhich, class Body>
  static __device__ __forceinline__ void each_read(const Body& body) {
#pragma unroll
    for (int k = 0; k < kReads; ++k) {
      if ((kWhich >> k & 1) != 0 && !is_scalar(k)) body(k, read_type(k));
    }
  }

  // From one vector of the thread to the next.
  __device__ __forceinline__ int step() const { return kMayBeShort ? tiling.step : 32; }
  // The number of a vector in the row.
  template <RowShape kShape>
  __device__ __forceinline__ int number(int v) const {
    return first + v * (has_warp(kShape) ? 32 : step());
  }
  template <RowShape kShape>
  __device__ __forceinline__ bool is_there(int v) const {
    if constexpr (has_all(kShape)) return true;
    else if constexpr (kShape == RowShape::kEven) return 32 * v < tiling.vectors;
    else if constexpr (kShape == RowShape::kAny) return number<kShape>(v) < tiling.vectors;  // a register less
    else return v < mine;
  }

  // Where operands lie in a row, from number kFirst on.
  template <int kFirst, int kCount>
  __device__ __forceinline__ void find(int row, char* (&places)[kCount]) const {
#pragma unroll
    for (int k = 0; k < kCount; ++k) places[k] = arguments.data[kFirst + k];
    if (kLengths != RowLengths::kShort && arguments.num_outer > 1) {
      add_row<kFirst>(arguments, int64_t{row}, 0, arguments.num_outer, places);
      return;
    }
    const uint64_t index = static_cast<uint32_t>(row);
#pragma unroll
    for (int k = 0; k < kCount; ++k) {
      places[k] += static_cast<int64_t>(index * static_cast<uint64_t>(arguments.strides[0][kFirst + k]));
    }
  }
  __device__ __forceinline__ void find_reads(int row, char* (&from)[kReads]) const { find<0>(row, from); }
  __device__ __forceinline__ void find_writes(int row, char* (&to)[Passes::kWrites]) const { find<kReads>(row, to); }
  template <RowShape kShape>
  __device__ __forceinline__ int64_t offset(int v, Dtype type) const {
    return int64_t{number<kShape>(v)} * (kSize * size_of(type));
  }

  template <RowShape kShape>
  __device__ __forceinline__ bool is_partial(int v) const {
    if (ends_partial(kShape) && v + 1 < kVectors) return false;
    return !is_plain(kShape) && tiling.partial != 0 && number<kShape>(v) == tiling.vectors - 1;
  }

  // Loads the reads in kWhich, a bit each, of a row.
  template <uint32_t kWhich, RowShape kShape>
  __device__ __forceinline__ void load(int row) {
    char* from[kReads];
    find_reads(row, from);
    load_from<kWhich, kShape>(from);
  }
  template <uint32_t kWhich, RowShape kShape>
  __device__ __forceinline__ void load_from(char* const (&from)[kReads], int begin = 0, int end = kVectors) {
    if constexpr (!is_plain(kShape)) {
      load_words<kWhich, kShape>(*this, from, begin, end);
    } else {
      each_read<kWhich>([&](int k, Dtype type) {
#pragma unroll
        for (int v = 0; v < kVectors; ++v) {
          if (v < begin || v >= end || !is_there<kShape>(v)) continue;
          reads.vectors[v][k].load_contiguous(type, from[k] + offset<kShape>(v, type));
        }
      });
    }
  }
  // Tells where the row lies in shared memory, when it has arrived.
  __device__ __forceinline__ void find_in_ring(uint32_t place) {
    in_ring = place;
    forget();
  }
  __device__ __forceinline__ void load_scalars(int row, T (&to)[kReads]) const {
    char* from[kReads];
    find_reads(row, from);
#pragma unroll
    for (int k = 0; k < kReads; ++k) to[k] = is_scalar(k) ? load_row_scalar(arguments.operands[k], from[k]) : T(0);
  }
  // Loads one element of a read that is no row scalar, from its row.
  __device__ __forceinline__ T load_element(int k, const char* from, int place) const {
    const auto& operand = arguments.operands[k];
    if (operand.is_absent()) return operand.fill;
    return Vector::load_element(read_type(k), operand, from, operand.is_broadcast ? 0 : place);
  }

  // The totals of a row that are known.
  __device__ __forceinline__ void load_totals(int row, T (&to)[Passes::kTotals + 1]) const {
#pragma unroll
    for (int t = 0; t < Passes::kTotals; ++t) {
      to[t] = tiling.totals == nullptr ? T(0) : tiling.totals[t * tiling.total_stride + row];
    }
  }

  // Keeps the compiler from keeping the elements of a vector, next to its words, for a later phase, or the words, if
  // they lie in the ring buffer.
  __device__ __forceinline__ void forget() {
#if defined(__CUDA_ARCH__)
    if constexpr (kIsInRing) {
      asm volatile("" : "+r"(in_ring));
      if constexpr (!kHoldsColumns) asm volatile("" : "+r"(columns_in_ring));
    } else {
#pragma unroll
      for (int v = 0; v < kVectors; ++v) {
#pragma unroll
        for (int k = 0; k < kReads; ++k) {
          if (is_scalar(k) || (kLate >> k & 1) != 0) continue;
#pragma unroll
          for (int w = 0; w < Vector::kWords; ++w) asm volatile("" : "+r"(reads.vectors[v][k].words[w]));
        }
      }
    }
#endif
  }

  // The reads of a pass, without elements.
  __device__ __forceinline__ void read_row(T* in) const {
#pragma unroll
    for (int k = 0; k < kReads; ++k) in[k] = reads.scalars[k];
#pragma unroll
    for (int t = 0; t < Passes::kTotals; ++t) in[kReads + t] = totals[t];
    if constexpr (Passes::kUsesIndex) in[Passes::kAllReads - 1] = 0;
  }

  // Computes each element of a vector. Op has all reads, or those and a term.
  template <class Op, RowShape kShape>
  __device__ __forceinline__ void compute(int v, const T* hoisted, T (&results)[Op::kWrites][kSize]) const {
    Dtype types[Op::kReads];
#pragma unroll
    for (int k = 0; k < Op::kReads; ++k) types[k] = stored_dtype<Op>(k, dtype_of<S>());
    // Exact, since a row has fewer than 2^24 elements. A conversion for each element would take as long as an
    // exponential.
    const T index = static_cast<T>(number<kShape>(v) * kSize);
#pragma unroll
    for (int i = 0; i < kSize; ++i) {
      T in[Op::kReads];
      T out[Op::kWrites];
      read_row(in);
      if constexpr (Op::kReads > Passes::kAllReads) in[Passes::kAllReads] = terms[v][i];
#pragma unroll
      for (int k = 0; k < kReads; ++k) {
        if (!is_scalar(k)) in[k] = reads.vectors[v][k].get(types[k], i);
      }
      if constexpr (Passes::kUsesIndex) in[Passes::kAllReads - 1] = index + static_cast<T>(i);
      apply<Op>(in, parameters(), hoisted, types, out);
#pragma unroll
      for (int w = 0; w < Op::kWrites; ++w) results[w][i] = out[w];
    }
  }

  template <class Op>
  __device__ __forceinline__ void hoist_row(T (&hoisted)[kHoisted<Op> + 1]) const {
    T in[Op::kReads];
    read_row(in);
    hoist<Op>(in, parameters(), hoisted);
  }

  // True if the reduced totals of a phase are the maxima of reads, which have the dtype of the row.
  template <class Phase>
  static RT_FN constexpr bool reduces_copies() {
    constexpr uint32_t kFrom = kCopied<typename Phase::Op>;
    constexpr uint32_t kAll = (1u << kBitCount<kFrom>) - 1;
    bool found = kFrom != 0 && Phase::kReduced == kAll && Phase::kMaxima == kAll;
    for (int k = 0; k < kReads; ++k) {
      if ((kFrom >> k & 1) != 0) found &= !is_scalar(k) && read_type(k) == dtype_of<S>();
    }
    return found;
  }

  // Reduces the tile by the maxima of reads, before these are unpacked.
  template <class Op, RowShape kShape>
  __device__ __forceinline__ void reduce_copies(T (&found)[Op::kWrites]) {
    each_bit<kCopied<Op>>([&](auto k) {
      Vector least;
      least.set_scalar(dtype_of<S>(), -INFINITY);
      least.splat(dtype_of<S>());
      Vector most = least;
#pragma unroll
      for (int v = 0; v < kVectors; ++v) {
        if (!is_there<kShape>(v)) continue;
        if constexpr (kIsInRing) load_from_ring<kShape>(*this, v);
        Vector own = reads.vectors[v][k.value];
        if (is_partial<kShape>(v)) own.replace_from(tiling.partial, least);
        most.maximise(own);
      }
      constexpr int kTotal = kBitCount<kCopied<Op> & ((1u << k.value) - 1)>;
      found[kTotal] = Combination<true>::of_lanes(most.largest(), has_warp(kShape) ? 32 : lanes);
    });
  }

  // Reduces the tile, and holds the terms of total number `kTerm`, if that is not negative. All threads that share the
  // row, or all of the warp, have the totals.
  template <class Phase, RowShape kShape, int kTerm>
  __device__ __forceinline__ void reduce_tile(T (&found)[Phase::Op::kWrites]) {
    using Op = typename Phase::Op;
    using Totals = TileTotals<T, Op::kWrites, kSize, Phase::kMaxima, Phase::kReduced>;
    if constexpr (kTerm < 0 && reduces_copies<Phase>()) return reduce_copies<Op, kShape>(found);
    T hoisted[kHoisted<Op> + 1];
    hoist_row<Op>(hoisted);
    Totals sums;
    T of_vectors[kVectors][Op::kWrites];
    const bool is_split = !has_warp(kShape) && this->is_split();
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      if (is_split) sums.clear();
      if (is_there<kShape>(v)) {
        T found_terms[Op::kWrites][kSize];
        if constexpr (kIsInRing) load_from_ring<kShape>(*this, v);
        compute<Op, kShape>(v, hoisted, found_terms);
        if constexpr (kTerm >= 0) {
#pragma unroll
          for (int i = 0; i < kSize; ++i) terms[v][i] = found_terms[kTerm][i];
        }
        if constexpr (ends_partial(kShape)) {
          // Beyond a branch the compiler would compute again what phases share.
          if (v + 1 == kVectors) Totals::clear_from(is_partial<kShape>(v) ? tiling.partial : kSize, found_terms);
        } else if (is_partial<kShape>(v)) {
          Totals::clear_from(tiling.partial, found_terms);
        }
        sums.add(found_terms, v);
      }
      if (is_split) sums.take(of_vectors[v]);
    }
    if (is_split) {
      Totals::combine_shares(lanes, of_vectors);
      Totals::combine_parts(of_vectors, found);
    } else if (has_warp(kShape) || lanes == 32) {
      sums.combine(32, found);  // without a branch for each step
    } else {
      sums.combine(lanes, found);
    }
  }

  // Stores the elements of vector number `v` that a write has, or keeps them in shared memory.
  template <int w, RowShape kShape>
  __device__ __forceinline__ void store(char* to, int v, const T (&values)[kSize], ShiftedStore<S>& shifted) const {
    constexpr Dtype kType = Passes::template write_type<S>(w);
    if (arguments.operands[kReads + w].is_absent()) return;
    Vector vector;
    vector.set(kType, values);
    char* const at = to + offset<kShape>(v, kType);
    if constexpr (ends_partial(kShape) && kType == dtype_of<S>()) {
      const int left = (tiling.columns - number<kShape>(v) * kSize) * size_of(kType);
      shifted.store(vector, to + offset<kShape>(0, kType), v, kVectors - 1, lane, left);
    } else if constexpr (is_staged(kShape)) staged.template keep<w>(*this, v, vector);
    else if (is_partial<kShape>(v)) vector.store_elements(kType, at, 0, tiling.partial);
    else if (is_plain(kShape) || tiling.is_aligned) vector.store_contiguous(kType, at);
    else vector.store_unaligned(kType, at);
  }

  // Computes the elements of the writes of a row by Op, stores them, and passes those of summed writes to `add_to`.
  // Calls `fetch` after all divisions by numbers of the row: such a division may call a function, before which a thread
  // waits for all that it loads. Threads without a row store nothing.
  template <class Op, RowShape kShape, class Fetch, class AddTo>
  __device__ __forceinline__ void run_elements(int row, bool has_row, char* const (&to)[Passes::kWrites],
                                               const Fetch& fetch, const AddTo& add_to) {
    if (!is_staged(kShape) && !has_row) return;  // staged tiles are stored together
    if constexpr (Op::kWrites > 0) {
      T hoisted[kHoisted<Op> + 1];
      hoist_row<Op>(hoisted);
      fetch();
      char* from[kReads];
      if constexpr (kLate != 0) find_reads(row, from);
      constexpr bool kIsKnown = is_plain(kShape) && kShape != RowShape::kPartial;
      constexpr int kLoaded = kIsKnown ? Resources::kLateVectors : 1;
      ShiftedStore<S> shifted[Passes::kWrites];
#pragma unroll
      for (int v = 0; v < kVectors; ++v) {
        if (!is_there<kShape>(v) || !has_row) continue;
        if constexpr (kIsInRing) load_from_ring<kShape>(*this, v);
        if (kLate != 0 && v % kLoaded == 0) load_from<kLate, kShape>(from, v, v + kLoaded);
        T results[Op::kWrites][kSize];
        compute<Op, kShape>(v, hoisted, results);
        each<Passes::kWrites>([&](auto w) {
          if constexpr (!Passes::is_row_write(w.value)) {
            const T (&values)[kSize] = results[Passes::number_of(w.value)];
            if constexpr (Passes::is_summed(w.value)) add_to(w, v, values);
            else store<w.value, kShape>(to[w.value], v, values, shifted[w.value]);
          }
        });
      }
      if constexpr (is_staged(kShape)) staged.template store<kShape>(*this, to, has_row);
    }
  }

  // Stores the numbers of the row. One thread of the row calls it.
  __device__ __forceinline__ void store_row(char* const (&to)[Passes::kWrites]) const {
    using Op = typename Passes::Rows;
    T in[Passes::kAllReads];
    T hoisted[kHoisted<Op> + 1];
    T out[Op::kWrites];
    Dtype types[Passes::kAllReads];
    read_row(in);
    hoist<Op>(in, parameters(), hoisted);
#pragma unroll
    for (int k = 0; k < Passes::kAllReads; ++k) types[k] = k < kReads ? arguments.operands[k].dtype : Dtype::kFloat;
    apply<Op>(in, parameters(), hoisted, types, out);
    each<Passes::kWrites>([&](auto w) {
      if constexpr (Passes::is_row_write(w.value)) {
        constexpr bool kIsFloat = (Passes::kFloatRows >> w.value & 1) != 0;
        store_row_scalar<kIsFloat>(arguments.operands[kReads + w.value], to[w.value], out[Passes::number_of(w.value)]);
      }
    });
  }
};

}  // namespace fusewise::cuda
