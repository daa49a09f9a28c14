// Tiles of rows that are not made of whole, aligned vectors, on their way through shared memory: a warp copies the
// words that contain its tile, adjacent threads adjacent words, and its threads read their own vectors from there.
// Results go the other way, but not where each thread has all vectors of a tile: there shifted_store.cuh stores them.
// Free of torch.
#pragma once

#include <fusewise/cuda/async.cuh>
#include <fusewise/cuda/kernels/tile_totals.cuh>

namespace fusewise::cuda {

// The bytes that a slot for a vector of each operand takes: each stage holds the reads of a row; the writes of a row
// and the reads that all rows share follow the stages.
template <class Row>
struct StagedBytes {
  using Passes = typename Row::RowPass;

  // A type that differs from that of the row has one byte.
  static RT_FN constexpr int of(Dtype type) {
    return type == dtype_of<typename Row::S>() ? kVectorBytes : Row::kSize;
  }
  static RT_FN constexpr int of_read(int k) { return of(Row::read_type(k)); }
  static RT_FN constexpr int of_write(int w) { return of(Passes::template write_type<typename Row::S>(w)); }

  // Of the reads in `which` before number `k`.
  static RT_FN constexpr int before_read(uint32_t which, int k) {
    int found = 0;
    for (int i = 0; i < k; ++i) found += (which >> i & 1) != 0 ? of_read(i) : 0;
    return found;
  }
  static RT_FN constexpr bool is_written(int w) { return !Passes::is_row_write(w) && !Passes::is_summed(w); }
  static RT_FN constexpr int before_write(int w) {
    int found = 0;
    for (int i = 0; i < w; ++i) found += is_written(i) ? of_write(i) : 0;
    return found;
  }

  static RT_FN constexpr int of_stage() { return before_read(Row::kOfRow, Row::kReads); }
  static RT_FN constexpr int of_columns() { return before_read(Row::kOfAllRows, Row::kReads); }
  static RT_FN constexpr int of_writes() { return before_write(Passes::kWrites); }
};

template <class Row>
struct StagedTile {
  uint32_t warp;  // the address of the tiles of the warp

  __device__ __forceinline__ StagedTile(const Row& row, const char* memory) {
    using Bytes = StagedBytes<Row>;
    const int bytes =
        row.tiling.slots * (row.tiling.stages * Bytes::of_stage() + Bytes::of_writes() + Bytes::of_columns());
    warp = shared_address(memory) + row.tiling.ring + static_cast<int>(threadIdx.x) / 32 * bytes;
  }

  // The vectors of a team in a tile.
  static __device__ __forceinline__ int capacity(const Row& row) {
    return row.is_split() || row.lanes == 32 ? Row::kVectors * row.lanes : row.lanes;
  }
  // The slot of the first vector of the team.
  static __device__ __forceinline__ int slot(const Row& row) {
    return (static_cast<int>(threadIdx.x) % 32 >> row.tiling.lane_bits) * (capacity(row) + 1);
  }
  // The number of the first vector of the tile in the row.
  static __device__ __forceinline__ int first(const Row& row) { return row.first - row.lane; }

  // The number of a vector in the tile of the team.
  static __device__ __forceinline__ int number(const Row& row, int v) { return row.lane + v * row.step(); }
  // The elements of the team in the tile.
  static __device__ __forceinline__ int count(const Row& row) {
    return min(row.tiling.columns - first(row) * Row::kSize, capacity(row) * Row::kSize);
  }

  // The addresses of a stage, and of the reads that all rows share.
  __device__ __forceinline__ uint32_t stage(const Row& row, int number) const {
    return warp + row.tiling.slots * number * StagedBytes<Row>::of_stage();
  }
  __device__ __forceinline__ uint32_t columns(const Row& row) const {
    return stage(row, row.tiling.stages) + row.tiling.slots * StagedBytes<Row>::of_writes();
  }

  // The address of a read, among those that begin at `first`.
  template <int k>
  static __device__ __forceinline__ uint32_t of_read(const Row& row, uint32_t first) {
    using Bytes = StagedBytes<Row>;
    constexpr uint32_t kAmong = (Row::kOfAllRows >> k & 1) != 0 ? Row::kOfAllRows : Row::kOfRow;
    return first + row.tiling.slots * Bytes::before_read(kAmong, k) + slot(row) * Bytes::of_read(k);
  }
  template <int w>
  __device__ __forceinline__ uint32_t of_write(const Row& row) const {
    using Bytes = StagedBytes<Row>;
    return stage(row, row.tiling.stages) + row.tiling.slots * Bytes::before_write(w) + slot(row) * Bytes::of_write(w);
  }

  // Calls `body` for each word of the thread before `end` bytes. Two numbers give its offset, the first one known to
  // the compiler: addresses are sums with constants.
  template <class Body>
  static __device__ __forceinline__ void each_word(const Row& row, int end, const Body& body) {
    constexpr int kStep = 4 * 32;
    int at = 4 * row.lane;
    if (row.lanes == 32) {
#pragma unroll 1
      for (; at < end; at += 4 * kStep) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          if (at + i * kStep < end) body(i * kStep, at);
        }
      }
    } else {
#pragma unroll 1
      for (; at < end; at += 4 * row.lanes) body(0, at);
    }
  }

  // The same for a tile of which each thread has all vectors of kBytes, the last one perhaps in part: at most some of
  // the last 32 words are not there.
  template <int kBytes, class Body>
  static __device__ __forceinline__ void each_word_of_whole(const Row& row, int end, const Body& body) {
    constexpr int kStep = 4 * 32;
    constexpr int kWhole = Row::kTileVectors * kBytes;
    const int at = 4 * row.lane;
#pragma unroll
    for (int known = 0; known <= kWhole; known += kStep) {
      if (known < kWhole - kStep || at + known < end) body(known, at);
    }
  }

  // Starts the copies of the reads in kWhich, a bit each, of a row that lies at `from`. They begin at `first_read`.
  template <uint32_t kWhich, RowShape kShape>
  __device__ __forceinline__ void copy(const Row& row, char* const (&from)[Row::kReads], uint32_t first_read) const {
    __syncwarp();  // the warp has read what lies there
    each<Row::kReads>([&](auto k) {
      if constexpr ((kWhich >> k.value & 1) != 0 && !Row::is_scalar(k.value)) {
        constexpr Dtype kType = Row::read_type(k.value);
        constexpr int kBytes = StagedBytes<Row>::of_read(k.value);
        const auto& operand = row.arguments.operands[k.value];
        const uint32_t to = of_read<k.value>(row, first_read);
        if (operand.is_broadcast) return repeat<kBytes>(row, kType, operand, from[k.value], to);
        const char* tile = from[k.value] + int64_t{first(row)} * kBytes;
        const int before = static_cast<int>(reinterpret_cast<uintptr_t>(tile) % 4);
        tile -= before;
        const int end = before + count(row) * (kBytes / Row::kSize);
        const auto copy_word = [&](int known, int at) { copy_word_async(to + at + known, tile + at + known); };
        if constexpr (ends_partial(kShape)) each_word_of_whole<kBytes>(row, end, copy_word);
        else each_word(row, end, copy_word);
      }
    });
  }

  // Stores the vectors of a possible row scalar.
  template <int kBytes, class Operand>
  static __device__ __forceinline__ void repeat(const Row& row, Dtype type, const Operand& operand, const char* from,
                                                uint32_t to) {
    typename Row::VectorType same;
    same.load_repeated(type, operand, from);
    same.splat(type);
#pragma unroll
    for (int v = 0; v < Row::kVectors; ++v) {
      if (v < row.mine) put<kBytes>(to + number(row, v) * kBytes, same);
    }
  }

  template <int kBytes>
  static __device__ __forceinline__ void put(uint32_t to, const typename Row::VectorType& vector) {
    if constexpr (kBytes == kVectorBytes) {
      store_shared(to, vector.words);
    } else {
#pragma unroll
      for (int w = 0; w < kBytes / 4; ++w) store_shared(to + 4 * w, vector.words[w]);
    }
  }

  // Loads a vector that begins `before` bytes behind an address.
  template <int kBytes, RowShape kShape>
  static __device__ __forceinline__ void get(uint32_t from, uint32_t before, typename Row::VectorType& vector) {
    constexpr int kWords = kBytes / 4;
    uint32_t (&words)[4] = vector.words;
    if constexpr (kBytes == kVectorBytes) {
      load_shared(from, words);
    } else {
#pragma unroll
      for (int w = 0; w < kWords; ++w) words[w] = load_shared(from + 4 * w);
    }
    if constexpr (kBytes == 4 * Row::kSize) return;  // elements of four bytes begin with a word
    // Without a test, the loads of several vectors are in flight at once, which takes more registers.
    if (!ends_partial(kShape) && before == 0) return;
    const uint32_t last = load_shared(from + kBytes);
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      words[w] = __funnelshift_r(words[w], w + 1 < kWords ? words[w + 1] : last, 8 * before);
    }
  }

  // Tells where in their words the reads begin, of a row that lies at `from`.
  static __device__ __forceinline__ void find_words(Row& row, char* const (&from)[Row::kReads]) {
    Row::template each_read<Row::kOfRow | Row::kOfAllRows>([&](int k, Dtype) {
      const bool is_repeated = row.arguments.operands[k].is_broadcast;
      row.before[k] = is_repeated ? 0 : static_cast<uint32_t>(reinterpret_cast<uintptr_t>(from[k]) % 4);
    });
  }

  // Loads vector number `v` of the reads in kWhich, a bit each, whose copies have arrived.
  template <uint32_t kWhich, RowShape kShape>
  static __device__ __forceinline__ void load(Row& row, int v) {
    each<Row::kReads>([&](auto k) {
      if constexpr ((kWhich >> k.value & 1) != 0) {
        constexpr int kBytes = StagedBytes<Row>::of_read(k.value);
        const bool is_of_all = (Row::kOfAllRows >> k.value & 1) != 0;
        const uint32_t at = of_read<k.value>(row, is_of_all ? row.columns_in_ring : row.in_ring);
        get<kBytes, kShape>(at + number(row, v) * kBytes, row.before[k.value], row.reads.vectors[v][k.value]);
      }
    });
  }

  // Keeps a vector of a write until all of the tile are there.
  template <int w>
  __device__ __forceinline__ void keep(const Row& row, int v, const typename Row::VectorType& vector) const {
    constexpr int kBytes = StagedBytes<Row>::of_write(w);
    put<kBytes>(of_write<w>(row) + number(row, v) * kBytes, vector);
  }

  // Stores the tile of each write that was kept, at `to`, if the team has a row.
  template <RowShape kShape>
  __device__ __forceinline__ void store(const Row& row, char* const (&to)[Row::RowPass::kWrites], bool has_row) const {
    __syncwarp();
    each<Row::RowPass::kWrites>([&](auto w) {
      constexpr bool kIsKept = !ends_partial(kShape) || StagedBytes<Row>::of_write(w.value) != kVectorBytes;
      if constexpr (StagedBytes<Row>::is_written(w.value) && kIsKept) {
        if (!has_row || row.arguments.operands[Row::kReads + w.value].is_absent()) return;
        store_tile<w.value>(row, to[w.value]);
      }
    });
  }

 private:
  template <int w>
  __device__ __forceinline__ void store_tile(const Row& row, char* tile) const {
    constexpr int kBytes = StagedBytes<Row>::of_write(w);
    tile += int64_t{first(row)} * kBytes;
    const int before = static_cast<int>(reinterpret_cast<uintptr_t>(tile) % 4);
    const uint32_t from = of_write<w>(row);
    const int end = before + count(row) * (kBytes / Row::kSize);
    tile -= before;
    each_word(row, end, [&](int known, int at) {
      if (at + known < before || at + known + 4 > end) return;
      uint32_t word = load_shared(from + at + known);
      if (before != 0) word = __funnelshift_l(load_shared(from + at + known - 4), word, 8 * before);
      *reinterpret_cast<uint32_t*>(tile + at + known) = word;
    });
    // The elements of the words at the ends that have other elements too.
    const int head = before == 0 ? 0 : min(end, 4) - before;
    const int tail = before == 0 || end > 4 ? end % 4 : 0;
#pragma unroll 1
    for (int i = row.lane; i < head + tail; i += row.lanes) {
      const int byte = i < head ? before + i : end - head - tail + i;
      const uint32_t at = from + byte - before;
      tile[byte] = static_cast<char>(load_shared(at - at % 4) >> at % 4 * 8);
    }
  }
};

}  // namespace fusewise::cuda
