// Runs a pass on the GPU. Free of torch.
//
// One kernel template serves every layout. Threads take the vectors of all rows in order, so that
// neighbours read neighbours whatever the length of a row, and each has all its loads under way
// before the first result is computed. Finding a place costs more than many a formula, so that a thread
// takes two vectors that are a stride apart.
#pragma once

#include <fusewise/turned.cuh>
#include <fusewise/vector.cuh>

namespace fusewise::cuda {

// What a block takes: small ones follow each other closer than large ones.
inline constexpr int kBlockVectors = 256;
// Where blocks are fewer than the processors of a large GPU, they get so many threads: more of them
// share the work.
inline constexpr int kManyBlocks = 128;
inline constexpr int kFewThreads = 64;
// So many make it worth while to look for rows that have much in common.
inline constexpr int64_t kWalkBlocks = 1024;
inline constexpr int64_t kLeastPiece = 32;  // vectors, where a row is cut for it

// What a thread takes: the same vector of so many rows that follow each other in an outer dimension, in
// which an index then stands for all of them; of a loop of one dimension, vectors as far apart as a
// block is long.
template <int kOperands>
struct Walk {
  uint32_t threads;
  uint32_t items;  // of a thread
  uint32_t last;   // one past the last item of all threads
  uint32_t whole;  // and past the last whole vector of a loop of one dimension
  uint8_t dim;
  bool keeps_prepared;          // what the first item prepares serves all
  uint32_t strides[kOperands];  // bytes from an item to the next
};

// Blocks that a multiprocessor should hold at once, where the compiler would spill to hold more.
template <class Op, class Vector>
inline constexpr int kElementwiseBlocks =
    !Vector::kIsPacked && Op::kReads + Op::kWrites > 8 ? 2 : 0;

template <class Op, class Vector, int kItems>
__global__ void __launch_bounds__(kBlockVectors / kItems, (kElementwiseBlocks<Op, Vector>))
    elementwise_kernel(const __grid_constant__ Walk<Op::kReads + Op::kWrites> walk,
                       const __grid_constant__ Arguments<Op, typename Vector::Value> arguments) {
  using T = typename Vector::Value;
  constexpr int kOperands = Op::kReads + Op::kWrites;
  constexpr int kSize = Vector::kSize;
  const bool is_flat = arguments.num_outer == 0;
  const uint32_t step = is_flat ? blockDim.x : 1;  // from an item to the next
  // Where the first item of the thread lies. Returns one past the last that is a whole vector.
  const auto locate = [&](uint32_t& item, uint32_t(&offsets)[kOperands]) -> uint32_t {
    const uint32_t block = blockIdx.x * blockDim.x;
    item = (is_flat ? block * walk.items : block) + threadIdx.x;
    uint32_t vector = item;
    uint32_t row = 0;
    uint32_t whole = walk.whole;
    if (!is_flat) {
      if (item >= walk.threads) {
        item = walk.last;
        return 0;
      }
      const uint32_t row_vectors = static_cast<uint32_t>(arguments.row_vectors.value);
      row = arguments.row_vectors.divide(vector);
      vector -= row * row_vectors;
      if (vector + 1 == row_vectors && arguments.last_size < kSize) whole = 0;
    }
#pragma unroll
    for (int k = 0; k < kOperands; ++k) {
      offsets[k] = vector * static_cast<uint32_t>(arguments.slots[k].step);
    }
    if (!is_flat) {
      // A dimension or two are what there is most often.
      item = add_dim(arguments, row, 0, arguments.num_outer, offsets);
      if (arguments.num_outer > 1) {
        const uint32_t index = add_dim(arguments, row, 1, arguments.num_outer, offsets);
        if (walk.dim == 1) item = index;
      }
      add_row(arguments, row, 2, arguments.num_outer, offsets);
      item *= walk.items;
    }
    return whole;
  };
  uint32_t item;
  uint32_t offsets[kOperands];
  const uint32_t whole = locate(item, offsets);
  const auto is_there = [&](uint32_t u) {
    return (u == 0 || u < walk.items) && item + u * step < whole;
  };
  const auto place = [&](int k, uint32_t u) {
    return arguments.slots[k].data + (offsets[k] + u * walk.strides[k]);
  };

  PreparedOf<Op, Vector> prepared;
  bool is_prepared = false;
  Vector reads[kItems][Op::kReads];
#pragma unroll
  for (int u = 0; u < kItems; ++u) {
    if (!is_there(u)) continue;
    if constexpr (Vector::kIsPacked) {
      if (__builtin_expect(arguments.is_plain, 1)) {
#pragma unroll
        for (int k = 0; k < Op::kReads; ++k) {
          reads[u][k].load_plain(type_of<Vector>(arguments, k), place(k, u));
        }
        continue;
      }
    }
#pragma unroll
    for (int k = 0; k < Op::kReads; ++k) {
      reads[u][k].load(type_of<Vector>(arguments, k), arguments.slots[k], place(k, u));
    }
  }
#pragma unroll
  for (int u = 0; u < kItems; ++u) {
    if (!is_there(u)) continue;
    if (!Vector::kIsPacked || !arguments.is_plain) {
#pragma unroll
      for (int k = 0; k < Op::kReads; ++k) {
        reads[u][k].spread(type_of<Vector>(arguments, k), arguments.slots[k]);
      }
    }
    take_apart(arguments, reads[u]);
    T results[Op::kWrites][kSize];
    apply_vector<Op>(arguments, reads[u], prepared, is_prepared, results);
    is_prepared = walk.keeps_prepared;
    Vector writes[Op::kWrites];
#pragma unroll
    for (int w = 0; w < Op::kWrites; ++w) {
      writes[w].set(type_of<Vector>(arguments, Op::kReads + w), results[w]);
    }
    put_together(arguments, writes);
#pragma unroll
    for (int w = 0; w < Op::kWrites; ++w) {
      const int k = Op::kReads + w;
      const Dtype type = type_of<Vector>(arguments, k);
      if constexpr (Vector::kIsPacked) {
        if (__builtin_expect(arguments.writes_plain, 1)) {
          writes[w].store_plain(type, place(k, u));
          continue;
        }
      }
      const Slot<T>& slot = arguments.slots[k];
      if (slot.data != nullptr) writes[w].store(type, slot, place(k, u));
    }
  }

  if constexpr (kSize > 1) {
    if (arguments.last_size == kSize) return;
    const uint32_t first_rest = locate(item, offsets);
#pragma unroll 1
    for (uint32_t u = 0; u < walk.items && item + u * step < walk.last; ++u) {
      if (item + u * step < first_rest) continue;
      char* parts[kOperands];
#pragma unroll
      for (int k = 0; k < kOperands; ++k) parts[k] = place(k, u);
      apply_elements<Op, Vector>(
          arguments, parts, arguments.last_size, [&](int w, int i, T result) {
            const Slot<T>& slot = arguments.slots[Op::kReads + w];
            if (slot.data == nullptr) return;
            const Dtype type = type_of<Vector>(arguments, Op::kReads + w);
            Vector::store_element(type, slot, parts[Op::kReads + w], i, result);
          });
    }
  }
}

// Enough bytes in flight also for passes that read little, or much of it again and again.
template <class Op, class Vector>
inline constexpr int kItemsPerThread = Vector::kIsPacked && Op::kReads <= 3 ? 2 : 1;

// So that the number of a vector and an offset in bytes fit 32 bits.
inline constexpr int64_t kMaxVectors = int64_t{1} << 30;
inline constexpr int64_t kMaxBytes = int64_t{1} << 32;

inline bool is_large(const Loop& loop, int size) {
  const int64_t columns = inner_size(loop);
  if (numel(loop) / columns * ceil_div(columns, size) > kMaxVectors) return true;
  for (int k = 0; k < num_operands(loop); ++k) {
    int64_t last = 0;
    for (int d = 0; d < loop.num_dims; ++d) {
      last += (loop.sizes[d] - 1) * loop.operands[k].strides[d];
    }
    if (loop.operands[k].data != nullptr && last >= kMaxBytes) return true;
  }
  return false;
}

// Of how many vectors the pieces are into which the inner dimension is cut, `items` and more; 0 if it
// cannot be.
inline int64_t piece_of(const Loop& loop, int size, int items) {
  const int64_t group = int64_t{size} * items;
  if (loop.sizes[0] % group != 0 || loop.num_dims == kMaxDims) return 0;
  int64_t piece = kBlockVectors;
  while (loop.sizes[0] / group % piece != 0) --piece;
  return piece < kLeastPiece ? 0 : piece;
}

// Makes two dimensions of the inner one: the columns of a piece, and the pieces.
inline void cut_inner(Loop& loop, int64_t columns) {
  const auto insert = [&](int64_t(&values)[kMaxDims], int64_t value) {
    for (int dim = loop.num_dims; dim > 1; --dim) values[dim] = values[dim - 1];
    values[1] = value;
  };
  insert(loop.sizes, loop.sizes[0] / columns);
  loop.sizes[0] = columns;
  for (int k = 0; k < num_operands(loop); ++k) {
    insert(loop.operands[k].strides, loop.operands[k].strides[0] * columns);
  }
  ++loop.num_dims;
}

// The outer dimension along which most reads stay where they are, for a thread to take `items` of it; 0
// if there is none. The inner one is cut in two if it serves best.
inline int choose_walk(Loop& loop, int size, int items) {
  const auto still_reads = [&](int dim) {
    int count = 0;
    for (int k = 0; k < loop.num_reads; ++k) count += loop.operands[k].strides[dim] == 0;
    return count;
  };
  int best = 0;
  for (int dim = 1; dim < loop.num_dims && dim <= 2; ++dim) {
    if (loop.sizes[dim] < items) continue;
    if (best == 0 || still_reads(dim) > still_reads(best)) best = dim;
  }
  const int still = still_reads(0);
  if (still == 0 || (best > 0 && still_reads(best) > still)) return best;
  const int64_t piece = piece_of(loop, size, items);
  if (piece == 0) return best;
  cut_inner(loop, piece * size);
  return 1;
}

// `dim` as choose_walk has it. Brings the arguments into line.
template <class Op, class T>
Walk<Op::kReads + Op::kWrites> make_walk(Arguments<Op, T>& arguments, int size, int dim, int items,
                                         int block_threads) {
  Walk<Op::kReads + Op::kWrites> walk{};
  const bool is_flat = arguments.num_outer == 0;
  walk.dim = static_cast<uint8_t>(dim > 0 ? dim - 1 : 0);
  walk.items = static_cast<uint32_t>(dim > 0 || is_flat ? items : 1);
  walk.keeps_prepared = arguments.prepares_rows;
  const int64_t last = is_flat ? arguments.vectors : arguments.sizes[walk.dim].value;
  const int64_t groups = ceil_div(last, int64_t{walk.items});
  walk.threads = static_cast<uint32_t>(arguments.vectors / last * groups);
  walk.last = static_cast<uint32_t>(last);
  walk.whole = static_cast<uint32_t>(is_flat && arguments.last_size < size ? last - 1 : last);
  if (dim > 0) arguments.sizes[walk.dim] = Divisor(groups);
  for (int k = 0; k < Op::kReads + Op::kWrites; ++k) {
    int64_t stride = is_flat ? arguments.slots[k].step * block_threads : 0;
    if (dim > 0) {
      stride = arguments.strides[walk.dim][k];
      arguments.strides[walk.dim][k] *= items;
    }
    walk.strides[k] = static_cast<uint32_t>(stride);
    if ((kPreparedFrom<Op> >> k & 1) != 0) walk.keeps_prepared &= stride == 0;
  }
  return walk;
}

// How a loop without reduced writes is launched.
template <class Op, bool kWithVectors>
struct Elementwise {
  static constexpr bool kPacks = kWithVectors;
  static constexpr bool kTakesParts = true;  // of vectors
  using Pass = Op;

  // Returns whether vectors serve the loop. An incomplete one goes element by element, so that
  // there must be few of them.
  template <class S>
  static bool try_packed(const Loop& loop, const double* params, const Launch& launch,
                         const char*& message) {
    constexpr int64_t kSize = Packed<S>::kSize;
    const int64_t columns = inner_size(loop);
    if (!has_packed_rows(loop, kPairs<Op>)) {
      return run_turned(turned_kernel<Op, S>, dtype_of<S>(), loop, params, launch, message);
    }
    if (loop.num_dims > 1 && columns % kSize != 0 && columns < 8 * kSize) return false;
    message = run<Packed<S>>(loop, params, launch);
    return true;
  }

  template <class Vector>
  static const char* run(const Loop& loop, const double* params, const Launch& launch) {
    constexpr int kItems = kItemsPerThread<Op, Vector>;
    const Form<typename Vector::Value> form{elementwise_kernel<Op, Vector, kItems>, Vector::kSize,
                                            Vector::kIsPacked, kItems};
    return run(form, loop, params, launch);
  }

 private:
  // A kernel, and what its vectors are. The rest is compiled once for all that hold values of one type.
  template <class T>
  struct Form {
    void (*kernel)(Walk<Op::kReads + Op::kWrites>, Arguments<Op, T>);
    int size;
    bool is_packed;
    int items;
  };

  template <class T>
  static const char* run(const Form<T>& form, const Loop& loop, const double* params,
                         const Launch& launch) {
    if (is_large(loop, form.size)) return run_halves(form, loop, params, launch);
    if (form.items > 1 && numel(loop) >= kWalkBlocks * kBlockVectors * form.size) {
      Loop walked = loop;
      const int dim = choose_walk(walked, form.size, form.items);
      return run_walk(form, walked, dim, params, launch);
    }
    return run_walk(form, loop, 0, params, launch);
  }

  // A thread takes several rows along an outer dimension, if that is not 0.
  template <class T>
  static const char* run_walk(const Form<T>& form, const Loop& loop, int walk_dim,
                              const double* params, const Launch& launch) {
    int order[kMaxDims] = {};
    const int num_outer = loop.num_dims > 1 ? loop.num_dims - 1 : 0;
    for (int i = 0; i < num_outer; ++i) order[i] = i + 1;
    auto arguments =
        make_arguments<Op, T>(loop, params, form.size, form.is_packed, order, num_outer);
    const bool has_many = ceil_div(arguments.vectors, kBlockVectors) >= kManyBlocks;
    const int threads = has_many ? kBlockVectors / form.items : kFewThreads;
    const auto walk =
        make_walk(arguments, form.size, walk_dim, has_many ? form.items : 1, threads);
    const int64_t blocks = ceil_div(int64_t{walk.threads}, threads);
    const cudaStream_t stream = static_cast<cudaStream_t>(launch.stream);
    form.kernel<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(walk, arguments);
    return launch_error();
  }

  // Cuts the longest dimension in two, at a multiple of any vector where that is the inner one.
  template <class T>
  static const char* run_halves(const Form<T>& form, const Loop& loop, const double* params,
                                const Launch& launch) {
    // A short inner dimension stays whole: that of a pair would move off its place.
    const int first = loop.sizes[0] <= 32 && loop.num_dims > 1 ? 1 : 0;
    int dim = first;
    for (int d = first; d < loop.num_dims; ++d) {
      if (loop.sizes[d] > loop.sizes[dim]) dim = d;
    }
    const int64_t half = loop.sizes[dim] > 32 ? loop.sizes[dim] / 32 * 16 : loop.sizes[dim] / 2;
    Loop part = loop;
    part.sizes[dim] = half;
    if (const char* message = run(form, part, params, launch)) return message;
    part.sizes[dim] = loop.sizes[dim] - half;
    for (int k = 0; k < num_operands(loop); ++k) {
      Operand& operand = part.operands[k];
      if (operand.data != nullptr) {
        operand.data = static_cast<char*>(operand.data) + half * operand.strides[dim];
      }
    }
    return run(form, part, params, launch);
  }
};

// Numbers of 16 bits, and of one byte where they are read as truth or written.
inline bool is_coarse(const Loop& loop) {
  for (int k = 0; k < num_operands(loop); ++k) {
    const Operand& operand = loop.operands[k];
    const bool is_narrow =
        k < loop.num_reads ? operand.dtype == Dtype::kBool : size_of(operand.dtype) == 1;
    const bool fits =
        operand.dtype == Dtype::kHalf || operand.dtype == Dtype::kBFloat16 || is_narrow;
    if (operand.data != nullptr && !fits) return false;
  }
  return true;
}

template <class Runner, class Storage>
struct Dispatch;

// Calls Runner::run<Vector> with the widest vector that serves the loop.
template <class Runner, class... S>
struct Dispatch<Runner, Dtypes<S...>> {
  static constexpr bool kWithFloat8 = (kIsFloat8<S> || ...);

  template <class T>
  static constexpr bool kComputes = (std::is_same_v<Compute<S>, T> || ...);

  // Elements that are gathered at once: up to 16 bytes, but sums of eight find no registers.
  template <class T>
  static constexpr int kCount = !Runner::kPacks || sizeof(T) == 8   ? 1
                                : !std::is_same_v<T, rt::Coarse> ? 4
                                : Runner::kTakesParts            ? 8
                                                                 : 1;

  template <class T>
  static const char* run_gathered(const Loop& loop, const double* params, const Launch& launch) {
    if constexpr (Runner::kTakesParts) {
      return Runner::template run<Gathered<T, kCount<T>, kWithFloat8>>(loop, params, launch);
    } else {
      if (loop.num_dims <= 1 || inner_size(loop) % kCount<T> == 0) {
        return Runner::template run<Gathered<T, kCount<T>, kWithFloat8>>(loop, params, launch);
      }
      return Runner::template run<Gathered<T, 1, kWithFloat8>>(loop, params, launch);
    }
  }

  template <class Candidate>
  static bool try_packed(const Loop& loop, const double* params, const Launch& launch,
                         const char*& message) {
    constexpr bool kComputesInFloat = std::is_same_v<Compute<Candidate>, float>;
    if constexpr (Runner::kPacks && kComputesInFloat && !kIsFloat8<Candidate>) {
      if (!is_uniform<typename Runner::Pass, Candidate>(loop)) return false;
      return Runner::template try_packed<Candidate>(loop, params, launch, message);
    } else {
      return false;
    }
  }

  static const char* run(const Loop& loop, const double* params, const Launch& launch) {
    constexpr const char* kNone = "no kernel was compiled for this dtype";
    if (!kWithFloat8 && writes_float8(loop)) return kNone;
    if constexpr (kComputes<float>) {
      if (loop.compute == Dtype::kFloat) {
        const char* message = nullptr;
        if ((try_packed<S>(loop, params, launch, message) || ...)) return message;
        if constexpr (Runner::kPacks && (kIsSixteenBit<S> || ...)) {
          if (is_coarse(loop)) {
            return run_gathered<rt::Coarse>(loop, params, launch);
          }
        }
        return run_gathered<float>(loop, params, launch);
      }
    }
    if constexpr (kComputes<double>) {
      if (loop.compute == Dtype::kDouble) {
        return run_gathered<double>(loop, params, launch);
      }
    }
    if constexpr (kComputes<int64_t>) {
      if (loop.compute == Dtype::kInt64) {
        return run_gathered<int64_t>(loop, params, launch);
      }
    }
    return kNone;
  }
};

}  // namespace fusewise::cuda

namespace fusewise {

// Without the vector kernels, which take long to compile, for passes that seldom run.
template <class Op, class Storage, bool kWithVectors = true>
const char* run_cuda(const Loop& loop, const double* params, const Launch& launch) {
  if (numel(loop) == 0) return nullptr;
  return cuda::Dispatch<cuda::Elementwise<Op, kWithVectors>, Storage>::run(loop, params, launch);
}

}  // namespace fusewise
