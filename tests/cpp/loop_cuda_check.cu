// Checks the CUDA loops on a GPU against a reference in double on the host, and times them against
// a copy:
//   nvcc -std=c++20 -arch=native -lineinfo -Iruntime/include tests/cpp/loop_cuda_check.cu
//     runtime/src/reduction.cpp runtime/src/finish.cu runtime/src/launch.cu -o check
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <fusewise/elementwise.cuh>
#include <fusewise/reduce.cuh>

#include "cuda_check.h"
#include "loop_ops.h"  // its templates use what stands above

namespace {

using namespace fusewise;

using Sizes = std::vector<int64_t>;  // outermost first, as people write shapes

// A tensor on both sides. Guard bytes around the elements must stay as they are.
class Tensor {
 public:
  // `turned` is the dimension that is dense in place of the last.
  Tensor(Dtype dtype, Sizes shape, int64_t offset = 0, int64_t spread = 1, int turned = -1)
      : dtype_(dtype), shape_(std::move(shape)), offset_(offset) {
    strides_.resize(shape_.size());
    int64_t step = spread;
    const auto add = [&](size_t d) {
      strides_[d] = step;
      step *= std::max<int64_t>(1, shape_[d]);
    };
    if (turned >= 0) add(static_cast<size_t>(turned));
    for (size_t d = shape_.size(); d-- > 0;) {
      if (static_cast<int>(d) != turned) add(d);
    }
    bytes_ = static_cast<size_t>((step + offset + 16) * size_of(dtype));
    host_.assign(bytes_, 0x55);
    require(cudaMalloc(&device_, bytes_));
    upload();
  }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  ~Tensor() { cudaFree(device_); }

  void upload() { require(cudaMemcpy(device_, host_.data(), bytes_, cudaMemcpyHostToDevice)); }
  void download() { require(cudaMemcpy(host_.data(), device_, bytes_, cudaMemcpyDeviceToHost)); }

  int64_t numel() const {
    int64_t count = 1;
    for (const int64_t size : shape_) count *= size;
    return count;
  }

  // The place of an element of a larger shape, to which this one is broadcast.
  size_t place(const Sizes& index) const {
    int64_t place = offset_;
    const size_t extra = index.size() - shape_.size();
    for (size_t d = 0; d < shape_.size(); ++d) {
      if (shape_[d] != 1) place += index[extra + d] * strides_[d];
    }
    return static_cast<size_t>(place);
  }

  double get(size_t place) const {
    return load_as<double>(host_.data() + place * static_cast<size_t>(size_of(dtype_)), dtype_);
  }
  void set(size_t place, double value) {
    store_as<double>(host_.data() + place * static_cast<size_t>(size_of(dtype_)), dtype_, value);
  }

  Operand operand(const Sizes& shape) const {
    Operand operand{};
    operand.data = static_cast<char*>(device_) + offset_ * size_of(dtype_);
    operand.dtype = dtype_;
    for (size_t d = 0; d < shape_.size(); ++d) {
      const size_t mine = shape_.size() - 1 - d;
      const bool broadcast = shape_[mine] == 1 && shape[shape.size() - 1 - d] != 1;
      operand.strides[d] = broadcast ? 0 : strides_[mine] * size_of(dtype_);
    }
    return operand;
  }

  const std::vector<char>& bytes() const { return host_; }
  Dtype dtype() const { return dtype_; }

 private:
  Dtype dtype_;
  Sizes shape_;
  Sizes strides_;
  int64_t offset_;
  size_t bytes_;
  std::vector<char> host_;
  void* device_;
};

Loop make_loop(const Sizes& shape, const std::vector<const Tensor*>& reads,
               const std::vector<const Tensor*>& writes, Dtype compute) {
  Loop loop{};
  loop.num_dims = static_cast<int>(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) loop.sizes[d] = shape[shape.size() - 1 - d];
  loop.num_reads = static_cast<int>(reads.size());
  loop.num_writes = static_cast<int>(writes.size());
  loop.compute = compute;
  int k = 0;
  for (const auto* list : {&reads, &writes}) {
    for (const Tensor* tensor : *list) {
      if (tensor != nullptr) loop.operands[k] = tensor->operand(shape);
      ++k;
    }
  }
  coalesce(loop);
  return loop;
}

void run(Kernel kernel, const Loop& loop) {
  Launch launch{};
  const size_t bytes = workspace_bytes(loop, true);
  if (bytes > 0) {
    require(cudaMalloc(&launch.workspace, bytes));
    require(cudaMemset(launch.workspace, 0x7f, bytes));
  }
  require(kernel(loop, nullptr, launch));
  require(cudaDeviceSynchronize());
  require(cudaFree(launch.workspace));
}

const char* mix(const Loop& loop, const double* params, const Launch& launch) {
  return run_cuda_reducing<Mix, Numbers>(loop, params, launch);
}

const char* sum(const Loop& loop, const double* params, const Launch& launch) {
  return run_cuda_reducing<Sum, Floats>(loop, params, launch);
}

template <bool kIsNumber>
const char* scale(const Loop& loop, const double* params, const Launch& launch) {
  return run_cuda_reducing<Scale<kIsNumber>, Floats>(loop, params, launch);
}

const char* joint(const Loop& loop, const double* params, const Launch& launch) {
  return run_cuda_reducing<Joint, Floats>(loop, params, launch);
}

const char* swiglu(const Loop& loop, const double* params, const Launch& launch) {
  return run_cuda<Swiglu, Floats>(loop, params, launch);
}

const char* swiglu_backward(const Loop& loop, const double* params, const Launch& launch) {
  return run_cuda_reducing<SwigluBackward, Floats>(loop, params, launch);
}

const char* prepared(const Loop& loop, const double* params, const Launch& launch) {
  return run_cuda_reducing<Prepared, Floats>(loop, params, launch);
}

const char* rounding(const Loop& loop, const double* params, const Launch& launch) {
  return run_cuda_reducing<Round, FloatsAndFloat8>(loop, params, launch);
}

template <Dtype kByte>
const char* mixed(const Loop& loop, const double* params, const Launch& launch) {
  return run_cuda<Mixed<kByte>, FloatsAndFloat8>(loop, params, launch);
}

const char* mixed_backward(const Loop& loop, const double* params, const Launch& launch) {
  return run_cuda_reducing<MixedBackward, Floats>(loop, params, launch);
}

// The kernels of one element at a time: a list without 16-byte vectors still computes in float.
const char* swiglu_backward_single(const Loop& loop, const double* params, const Launch& launch) {
  using Runner = cuda::Elementwise<SwigluBackward, true>;
  if (cuda::is_coarse(loop)) {
    return Runner::run<cuda::Gathered<rt::Coarse, 8>>(loop, params, launch);
  }
  return Runner::run<cuda::Gathered<float, 4>>(loop, params, launch);
}

template <class Visit>
void for_each_index(const Sizes& shape, const Visit& visit) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  Sizes index(shape.size());
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (size_t d = shape.size(); d-- > 0;) {
      index[d] = rest % shape[d];
      rest /= shape[d];
    }
    visit(index);
  }
}

// Small integers: exact in float, so the result must be the exact one, rounded once.
void check_mix(const std::string& name, const Sizes& shape, const std::vector<Sizes>& read_shapes,
               const std::vector<Sizes>& write_shapes, const std::vector<Dtype>& dtypes,
               Dtype compute, int64_t offset = 0, int64_t spread = 1, unsigned absent = 0,
               const std::vector<int>& turned = {-1, -1, -1, -1, -1}) {
  std::vector<Tensor*> reads;
  std::vector<Tensor*> writes;
  for (size_t k = 0; k < 3; ++k) {
    Tensor* const tensor = new Tensor(dtypes[k], read_shapes[k], offset, spread, turned[k]);
    int64_t seed = static_cast<int64_t>(k) * 5;
    for_each_index(read_shapes[k], [&](const Sizes& index) {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      tensor->set(tensor->place(index), static_cast<double>((seed >> 16) % 4));
    });
    tensor->upload();
    reads.push_back(tensor);
  }
  std::vector<std::vector<char>> expected;
  for (size_t w = 0; w < 2; ++w) {
    writes.push_back(new Tensor(dtypes[3 + w], write_shapes[w], offset, spread, turned[3 + w]));
    Tensor result(dtypes[3 + w], write_shapes[w], offset, spread, turned[3 + w]);
    if ((absent >> w & 1) == 0) {
      std::vector<double> totals(result.bytes().size(), 0.0);
      for_each_index(shape, [&](const Sizes& index) {
        const double a = reads[0]->get(reads[0]->place(index));
        const double b = reads[1]->get(reads[1]->place(index));
        const double c = reads[2]->get(reads[2]->place(index));
        totals[result.place(index)] += w == 0 ? a * b : a + c;
      });
      for_each_index(write_shapes[w], [&](const Sizes& index) {
        result.set(result.place(index), totals[result.place(index)]);
      });
    }
    expected.push_back(result.bytes());
  }
  Loop loop =
      make_loop(shape, {reads.begin(), reads.end()}, {writes.begin(), writes.end()}, compute);
  for (size_t w = 0; w < 2; ++w) {
    if (absent >> w & 1) loop.operands[3 + w].data = nullptr;
  }
  run(mix, loop);
  bool passed = true;
  for (size_t w = 0; w < 2; ++w) {
    writes[w]->download();
    passed &= writes[w]->bytes() == expected[w];
  }
  report(name, passed);
  for (Tensor* tensor : reads) delete tensor;
  for (Tensor* tensor : writes) delete tensor;
}

const char* name_of(Dtype dtype) {
  static const char* const names[] = {"bool",  "uint8",  "int8",          "int16",
                                      "int32", "int64",  "half",          "bfloat16",
                                      "float", "double", "float8_e4m3fn", "float8_e5m2"};
  return names[static_cast<int>(dtype)];
}

std::string name_of(const Sizes& shape) {
  std::string text = "[";
  for (size_t d = 0; d < shape.size(); ++d) text += (d == 0 ? "" : ",") + std::to_string(shape[d]);
  return text + "]";
}

void check_layouts() {
  for (const Dtype dtype : {Dtype::kHalf, Dtype::kBFloat16, Dtype::kFloat, Dtype::kDouble}) {
    const Dtype compute = dtype == Dtype::kDouble ? Dtype::kDouble : Dtype::kFloat;
    const std::vector<Dtype> same(5, dtype);
    const std::string name = name_of(dtype);
    for (const int64_t n : {0, 1, 3, 4, 5, 7, 8, 9, 255, 2048, 2049, 100003}) {
      const Sizes shape{n};
      check_mix("length " + std::to_string(n) + " " + name, shape, {shape, shape, shape},
                {shape, shape}, same, compute);
    }
    for (int64_t offset = 1; offset < 8; ++offset) {
      const Sizes shape{37, 72};
      check_mix("offset " + std::to_string(offset) + " " + name, shape, {shape, {72}, {37, 1}},
                {shape, {72}}, same, compute, offset);
    }
    const Sizes shape{37, 5, 77};
    check_mix("broadcast " + name, shape, {shape, {77}, {37, 1, 1}}, {shape, shape}, same, compute);
    check_mix("strided " + name, shape, {shape, {77}, {37, 1, 1}}, {shape, {5, 1}}, same, compute,
              3, 3);
    check_mix("absent writes " + name, shape, {shape, {77}, {1}}, {{77}, shape}, same, compute, 0,
              1, 1);
    check_mix("mixed dtypes " + name, shape, {shape, {77}, {37, 1, 1}}, {shape, {1}},
              {dtype, Dtype::kInt32, Dtype::kBool, Dtype::kInt64, Dtype::kDouble}, compute);
  }
  const Sizes shape{37, 5, 77};
  check_mix("int64", shape, {shape, {77}, {1}}, {shape, {5, 1}},
            std::vector<Dtype>(5, Dtype::kInt64), Dtype::kInt64);
  // Enough rows for a thread to take several, also such as do not come out even.
  for (const Sizes& rows : std::vector<Sizes>{{64, 128, 256}, {65, 129, 264}, {2097160}}) {
    const Sizes row{rows.back()};
    const Sizes number{1};
    const Sizes column = rows.size() == 1 ? number : Sizes{rows[1], 1};
    const Sizes matrix = rows.size() == 1 ? number : Sizes{rows[0], 1, 1};
    for (const std::vector<Sizes>& reads :
         std::vector<std::vector<Sizes>>{{rows, row, matrix}, {rows, column, number}}) {
      check_mix("rows " + name_of(rows), rows, reads, {rows, rows},
                std::vector<Dtype>(5, Dtype::kHalf), Dtype::kFloat);
    }
  }
  // In place, where threads take several: the vector that is not whole is taken once.
  const Sizes odd{8388613};
  Tensor x(Dtype::kHalf, odd), y(Dtype::kHalf, odd), other(Dtype::kHalf, odd);
  for (int64_t i = 0; i < odd[0]; ++i) {
    x.set(static_cast<size_t>(i), 0.5);
    y.set(static_cast<size_t>(i), 0.25);
  }
  x.upload();
  y.upload();
  run(mix, make_loop(odd, {&x, &y, &y}, {&x, &other}, Dtype::kFloat));
  x.download();
  bool passed = true;
  for (int64_t i = 0; i < odd[0]; ++i) passed &= x.get(static_cast<size_t>(i)) == x.get(0);
  report("in place", passed && x.get(0) != 0.5);
  const Sizes tall{70000, 1, 33};
  check_mix("70000 rows", tall, {tall, {33}, {70000, 1, 1}}, {tall, tall},
            std::vector<Dtype>(5, Dtype::kHalf), Dtype::kFloat);
}

// Operands that run in different directions, with sizes of whole squares, of parts, and of no
// vectors.
void check_turned() {
  for (const Dtype dtype : {Dtype::kHalf, Dtype::kBFloat16, Dtype::kFloat, Dtype::kDouble}) {
    const Dtype compute = dtype == Dtype::kDouble ? Dtype::kDouble : Dtype::kFloat;
    const std::vector<Dtype> same(5, dtype);
    for (const Sizes& shape :
         std::vector<Sizes>{{128, 192}, {72, 200}, {3, 72, 40}, {5, 7, 77}, {2, 64, 3, 8}}) {
      for (const std::vector<int>& turned : {std::vector<int>{-1, 0, -1, -1, -1},
                                             {0, -1, -1, 0, -1},
                                             {0, 0, 0, -1, 0},
                                             {-1, 1, -1, 1, 1}}) {
        const Sizes row{shape.back()};
        std::string name = "turned " + name_of(shape) + " " + name_of(dtype);
        for (const int dim : turned) name += " " + std::to_string(dim);
        std::vector<int> fitting = turned;
        for (int& dim : fitting) {
          if (dim == static_cast<int>(shape.size()) - 1) dim = -1;
        }
        check_mix(name, shape, {shape, shape, shape}, {shape, shape}, same, compute, 0, 1, 0,
                  fitting);
        if (turned[2] < 0) {
          check_mix(name + " row", shape, {shape, shape, row}, {shape, shape}, same, compute, 0, 1,
                    0, fitting);
        }
      }
    }
  }
}

// The shape with a single place in the dimensions of which `dims` has the bits.
Sizes with_ones(const Sizes& shape, unsigned dims) {
  Sizes found = shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (dims >> d & 1) found[d] = 1;
  }
  return found;
}

void check_reductions() {
  const std::vector<Sizes> shapes{{300, 264},   {264},   {5000, 3},    {5000, 17},
                                  {3, 20001},   {70000}, {9, 10, 264}, {4, 5, 6, 7, 8},
                                  {6, 4, 3136}, {0, 5},  {5, 0}};
  for (const Sizes& shape : shapes) {
    const unsigned patterns = 1u << shape.size();
    for (unsigned first = 0; first < patterns; ++first) {
      const Sizes one = with_ones(shape, first);
      for (const unsigned second : {0u, patterns - 1, first ^ (patterns - 1), first >> 1}) {
        const Sizes other = with_ones(shape, second);
        for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat, Dtype::kDouble}) {
          const Dtype compute = dtype == Dtype::kDouble ? Dtype::kDouble : Dtype::kFloat;
          check_mix("reduce " + name_of(shape) + " to " + name_of(one) + " and " + name_of(other) +
                        " " + name_of(dtype),
                    shape, {shape, shape, shape}, {one, other}, std::vector<Dtype>(5, dtype),
                    compute);
        }
      }
    }
  }
}

// Reads that are numbers or vectors for a part of the rows, also off the words of memory.
void check_broadcast_reductions() {
  for (const Sizes& shape : std::vector<Sizes>{{300, 264}, {9, 10, 264}, {4, 5, 6, 16}}) {
    const unsigned patterns = 1u << shape.size();
    for (unsigned read = 1; read < patterns; ++read) {
      const Sizes few = with_ones(shape, read);
      for (unsigned summed = 1; summed < patterns; ++summed) {
        const Sizes one = with_ones(shape, summed);
        for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kHalf, Dtype::kFloat}) {
          check_mix("reduce " + name_of(shape) + " with " + name_of(few) + " to " + name_of(one) +
                        " " + name_of(dtype),
                    shape, {shape, few, few}, {one, shape}, std::vector<Dtype>(5, dtype),
                    Dtype::kFloat);
        }
      }
    }
  }
}

// One read, dense or a number or a vector for a part of the rows.
void check_sums() {
  const std::vector<Sizes> shapes{{300, 264}, {9, 10, 264}, {5000, 136}, {4300, 520}};
  for (const Sizes& shape : shapes) {
    const unsigned patterns = 1u << shape.size();
    for (unsigned read = 0; read < patterns; ++read) {
      for (unsigned summed = 1; summed < patterns; ++summed) {
        const Sizes few = with_ones(shape, read), one = with_ones(shape, summed);
        for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat}) {
          Tensor in(dtype, few), out(dtype, one), expected(dtype, one);
          for (int64_t i = 0; i < in.numel(); ++i) {
            in.set(static_cast<size_t>(i), static_cast<double>(i * 7 % 5));
          }
          in.upload();
          std::vector<double> totals(static_cast<size_t>(out.numel()), 0.0);
          for_each_index(shape, [&](const Sizes& index) {
            totals[out.place(index)] += in.get(in.place(index));
          });
          for (size_t i = 0; i < totals.size(); ++i) expected.set(i, totals[i]);
          run(sum, make_loop(shape, {&in}, {&out}, Dtype::kFloat));
          out.download();
          report("sum " + name_of(shape) + " of " + name_of(few) + " to " + name_of(one) + " " +
                     name_of(dtype),
                 out.bytes() == expected.bytes());
        }
      }
    }
  }
}

// Sums as Scale is timed with, and those for which there is another kernel: with the last read as large as
// the loop or without the last sum.
void check_usual() {
  for (const Sizes& shape : std::vector<Sizes>{
           {264}, {300, 264}, {9, 10, 264}, {4, 5, 6, 16}, {5000, 136}, {4300, 520}, {6, 7, 2056}}) {
    const unsigned patterns = 1u << shape.size();
    for (unsigned read = 0; read < patterns; ++read) {
      for (unsigned summed = 1; summed < patterns; ++summed) {
        const Sizes few = with_ones(shape, read), one = with_ones(shape, summed);
        for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat}) {
          Tensor a(dtype, shape), b(dtype, shape), c(dtype, few);
          Tensor expected(dtype, shape), expected_first(dtype, one), expected_second(dtype, one);
          int64_t seed = 5;
          for (Tensor* const tensor : {&a, &b, &c}) {
            for (int64_t i = 0; i < tensor->numel(); ++i) {
              seed = (seed * 1103515245 + 12345) & 0x7fffffff;
              tensor->set(static_cast<size_t>(i), static_cast<double>((seed >> 16) % 5 - 1));
            }
            tensor->upload();
          }
          std::vector<double> totals(static_cast<size_t>(expected_first.numel()), 0.0);
          std::vector<double> plain = totals;
          for_each_index(shape, [&](const Sizes& index) {
            const double x = a.get(a.place(index));
            expected.set(expected.place(index), -x * c.get(c.place(index)));
            totals[expected_first.place(index)] += x * b.get(b.place(index));
            plain[expected_second.place(index)] += x;
          });
          for (size_t i = 0; i < totals.size(); ++i) {
            expected_first.set(i, totals[i]);
            expected_second.set(i, plain[i]);
          }
          for (const bool has_second : {true, false}) {
            for (const Kernel kernel : {scale<false>, scale<true>}) {
              Tensor product(dtype, shape), first(dtype, one), second(dtype, one);
              run(kernel, make_loop(shape, {&a, &b, &c},
                                    {&product, &first, has_second ? &second : nullptr},
                                    Dtype::kFloat));
              for (Tensor* const tensor : {&product, &first, &second}) tensor->download();
              report("scale " + name_of(shape) + " by " + name_of(few) + " to " + name_of(one) + " " +
                         name_of(dtype),
                     product.bytes() == expected.bytes() &&
                         first.bytes() == expected_first.bytes() &&
                         (!has_second || second.bytes() == expected_second.bytes()));
            }
          }
        }
      }
    }
  }
}

// Two sums of Joint of which each keeps what the other adds up, and its product, if that is wanted.
void check_joint(const Sizes& shape, const std::vector<Sizes>& sums, bool is_dense, Dtype dtype) {
  Tensor a(dtype, shape), b(dtype, shape), product(dtype, shape), expected_product(dtype, shape);
  Tensor first(dtype, sums[0]), second(dtype, sums[1]);
  Tensor expected_first(dtype, sums[0]), expected_second(dtype, sums[1]);
  std::vector<double> first_totals(static_cast<size_t>(first.numel()));
  std::vector<double> second_totals(static_cast<size_t>(second.numel()));
  int64_t seed = 3;
  for_each_index(shape, [&](const Sizes& index) {
    const size_t place = a.place(index);
    for (Tensor* const tensor : {&a, &b}) {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      tensor->set(place, static_cast<double>((seed >> 16) % 3));
    }
    first_totals[first.place(index)] += a.get(place);
    second_totals[second.place(index)] += b.get(place);
    if (is_dense) expected_product.set(place, a.get(place) * b.get(place));
  });
  for (size_t i = 0; i < first_totals.size(); ++i) expected_first.set(i, first_totals[i]);
  for (size_t i = 0; i < second_totals.size(); ++i) expected_second.set(i, second_totals[i]);
  a.upload();
  b.upload();
  run(joint, make_loop(shape, {&a, &b}, {&first, is_dense ? &product : nullptr, &second},
                       Dtype::kFloat));
  for (Tensor* const tensor : {&first, &second, &product}) tensor->download();
  report("crossing beside " + std::string(is_dense ? "a dense write " : "an absent one ") +
             name_of(shape) + " to " + name_of(sums[0]) + " and " + name_of(sums[1]) + " " +
             name_of(dtype),
         first.bytes() == expected_first.bytes() && second.bytes() == expected_second.bytes() &&
             product.bytes() == expected_product.bytes());
}

// Sums of which each keeps what the other adds up: in one pass where threads have enough to do.
void check_crossing() {
  for (const Sizes& sizes : std::vector<Sizes>{{2, 40, 50, 136}, {300, 70, 16}}) {
    Sizes one = sizes, other = sizes;
    one[sizes.size() - 2] = other[sizes.size() - 3] = 1;
    for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat}) {
      for (const bool is_dense : {false, true}) {
        check_joint(sizes, {one, other}, is_dense, dtype);
        check_joint(sizes, {other, one}, is_dense, dtype);
      }
    }
  }
  for (const Sizes& shape : std::vector<Sizes>{
           {3, 20, 31, 264}, {45, 64, 40}, {5, 3, 16, 24}, {2, 130, 9, 16}, {90, 150, 8}}) {
    const size_t last = shape.size() - 1;
    for (size_t i = 0; i < last * last; ++i) {
      const size_t d = i / last, e = i % last;
      if (d == e) continue;
      Sizes one = shape, other = shape, numbers = shape;
      one[d] = other[e] = numbers[last] = 1;
      for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat, Dtype::kDouble}) {
        const Dtype compute = dtype == Dtype::kDouble ? Dtype::kDouble : Dtype::kFloat;
        const std::string name = "crossing " + name_of(shape) + " to " + name_of(one) + " and " +
                                 name_of(other) + " " + name_of(dtype);
        const std::vector<Dtype> same(5, dtype);
        check_mix(name, shape, {shape, shape, one}, {one, other}, same, compute);
        check_mix(name + " of numbers", shape, {shape, numbers, {shape[last]}}, {other, one}, same,
                  compute);
        check_mix(name + " spread", shape, {shape, shape, other}, {one, other}, same, compute, 1, 3);
      }
    }
  }
}

void fill_randomly(Tensor& tensor, uint32_t seed) {
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    seed = seed * 1664525u + 1013904223u;
    tensor.set(static_cast<size_t>(i), (static_cast<double>(seed >> 8) / (1 << 24) - 0.5) * 8);
  }
  tensor.upload();
}

void check_bits() {
  const Sizes shape{1000, 1032};
  for (const Dtype dtype : {Dtype::kHalf, Dtype::kBFloat16, Dtype::kFloat}) {
    Tensor grad(dtype, shape), x(dtype, shape), y(dtype, shape);
    Tensor packed_x(dtype, shape), packed_y(dtype, shape);
    Tensor single_x(dtype, shape), single_y(dtype, shape);
    fill_randomly(grad, 1);
    fill_randomly(x, 2);
    fill_randomly(y, 3);
    run(swiglu_backward, make_loop(shape, {&grad, &x, &y}, {&packed_x, &packed_y}, Dtype::kFloat));
    run(swiglu_backward_single,
        make_loop(shape, {&grad, &x, &y}, {&single_x, &single_y}, Dtype::kFloat));
    for (Tensor* tensor : {&packed_x, &packed_y, &single_x, &single_y}) tensor->download();
    report(std::string("packed and single kernels give the same bits ") + name_of(dtype),
           packed_x.bytes() == single_x.bytes() && packed_y.bytes() == single_y.bytes());
    double error = 0;
    const double unit = dtype == Dtype::kFloat ? 1e-6 : dtype == Dtype::kHalf ? 1e-3 : 8e-3;
    for (size_t i = 0; i < static_cast<size_t>(x.numel()); ++i) {
      const double sigmoid = 1 / (1 + std::exp(-x.get(i)));
      const double expected = grad.get(i) * x.get(i) * sigmoid;
      error = std::max(error, std::fabs(packed_y.get(i) - expected) / (std::fabs(expected) + 0.01));
    }
    report(std::string("swiglu backward against double ") + name_of(dtype), error < unit);
    Tensor sum(dtype, {1032}), dense(dtype, shape);
    const Loop loop = make_loop(shape, {&grad, &x, &y}, {&sum, &dense}, Dtype::kFloat);
    std::vector<char> first;
    bool same = true;
    for (int i = 0; i < 20; ++i) {
      run(swiglu_backward, loop);
      sum.download();
      if (i == 0) first = sum.bytes();
      same &= first == sum.bytes();
    }
    report(std::string("a reduction gives the same bits 20 times ") + name_of(dtype), same);
    dense.download();
    report(std::string("a reducing pass stores the same dense bits ") + name_of(dtype),
           dense.bytes() == packed_y.bytes());
  }
}

// How the operands of Mixed lie: all packed, or something off its place.
struct MixedLayout {
  const char* name;
  bool chunked;  // the parts of x, and of the first results, lie one after the other, not in turns
  int64_t pair_offset;
  int64_t byte_offset;
  int64_t spread;
  bool turned;  // the scale runs down the columns
};

// The results of Mixed or of MixedBackward as they are stored, in order. `dtypes` are those of the first
// two writes, of the third and of the fourth.
std::vector<std::vector<char>> run_mixed(const std::string& name, Kernel kernel, const Sizes& shape,
                                         const MixedLayout& layout, const Sizes& mask_shape,
                                         const Sizes& scale_shape,
                                         const std::vector<Sizes>& write_shapes,
                                         const std::vector<Dtype>& dtypes) {
  const auto doubled = [](Sizes sizes) {
    sizes.back() *= 2;
    return sizes;
  };
  const auto part_place = [&](const Tensor& tensor, const Sizes& sizes, Sizes index, int part) {
    for (size_t d = 0; d < sizes.size(); ++d) index[d] = sizes[d] == 1 ? 0 : index[d];
    index.back() = layout.chunked ? part * sizes.back() + index.back() : 2 * index.back() + part;
    return tensor.place(index);
  };
  const auto part_of = [&](const Tensor& tensor, const Sizes& sizes, int part) {
    Operand operand = tensor.operand(doubled(sizes));
    const int64_t steps = layout.chunked ? part * sizes.back() : part;
    operand.data = static_cast<char*>(operand.data) + steps * operand.strides[0];
    if (!layout.chunked) operand.strides[0] *= 2;
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[sizes.size() - 1 - d] == 1) operand.strides[d] = 0;
    }
    return operand;
  };
  const Dtype dtype = dtypes[0];
  Tensor x(dtype, doubled(shape), layout.pair_offset, layout.spread);
  Tensor mask(Dtype::kBool, mask_shape, layout.byte_offset, layout.spread);
  Tensor scale(dtype, scale_shape, 0, layout.spread, layout.turned ? 0 : -1);
  int64_t seed = 7;
  const auto fill = [&](Tensor& tensor, const Sizes& sizes, int low, int high) {
    for_each_index(sizes, [&](const Sizes& index) {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      tensor.set(tensor.place(index), static_cast<double>(low + (seed >> 16) % (high - low + 1)));
    });
    tensor.upload();
  };
  // The values of x, whose parts may lie in either way, are the same in both.
  for_each_index(shape, [&](const Sizes& index) {
    for (int part = 0; part < 2; ++part) {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      x.set(part_place(x, shape, index, part), static_cast<double>((seed >> 16) % 7 - 3));
    }
  });
  x.upload();
  fill(mask, mask_shape, 0, 1);
  fill(scale, scale_shape, 1, 3);
  Tensor pair(dtype, doubled(write_shapes[0]), layout.pair_offset, layout.spread);
  Tensor third(dtypes[1], write_shapes[2], size_of(dtypes[1]) == 1 ? layout.byte_offset : 0, layout.spread);
  Tensor fourth(dtypes[2], write_shapes[3], size_of(dtypes[2]) == 1 ? layout.byte_offset : 0, layout.spread);

  Loop loop{};
  loop.num_dims = static_cast<int>(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) loop.sizes[d] = shape[shape.size() - 1 - d];
  loop.num_reads = 4;
  loop.num_writes = 4;
  loop.compute = dtype == Dtype::kDouble ? Dtype::kDouble : Dtype::kFloat;
  const Operand operands[] = {part_of(x, shape, 0),
                              part_of(x, shape, 1),
                              mask.operand(shape),
                              scale.operand(shape),
                              part_of(pair, write_shapes[0], 0),
                              part_of(pair, write_shapes[0], 1),
                              third.operand(shape),
                              fourth.operand(shape)};
  std::copy(std::begin(operands), std::end(operands), loop.operands);
  coalesce(loop);
  run(kernel, loop);

  const auto is_first = [&](const Sizes& index, const Sizes& sizes) {
    const size_t extra = index.size() - sizes.size();
    bool first = true;
    for (size_t d = 0; d < index.size(); ++d) {
      first &= (d >= extra && sizes[d - extra] != 1) || index[d] == 0;
    }
    return first;
  };
  std::vector<std::vector<char>> found(4);
  bool exact = true;
  bool kept = true;
  for (Tensor* tensor : {&pair, &third, &fourth}) {
    const std::vector<char> before = tensor->bytes();
    tensor->download();
    const std::vector<char> after = tensor->bytes();
    const size_t size = static_cast<size_t>(size_of(tensor->dtype()));
    std::vector<char> rest = after;
    for (int w = 0; w < 4; ++w) {
      if (tensor != (w < 2 ? &pair : w == 2 ? &third : &fourth)) continue;
      const Sizes& sizes = write_shapes[static_cast<size_t>(w)];
      const auto place = [&](const Sizes& index) {
        return w < 2 ? part_place(*tensor, sizes, index, w) : tensor->place(index);
      };
      std::vector<double> totals(after.size(), 0.0);
      for_each_index(shape, [&](const Sizes& index) {
        const double a = x.get(part_place(x, shape, index, 0));
        const double b = x.get(part_place(x, shape, index, 1));
        const double s = scale.get(scale.place(index));
        const bool m = mask.get(mask.place(index)) != 0;
        const double first = m ? a * s : b;
        const double backward[] = {first, a + b, m ? a : 0, s * b};
        const double forward[] = {first, b * std::exp(-std::fabs(a)), a + b, a < b ? 1.0 : 0.0};
        totals[place(index)] += (kernel == &mixed_backward ? backward : forward)[w];
      });
      for_each_index(shape, [&](const Sizes& index) {
        if (!is_first(index, sizes)) return;
        const size_t at = place(index);
        const char* const result = after.data() + at * size;
        found[static_cast<size_t>(w)].insert(found[static_cast<size_t>(w)].end(), result, result + size);
        std::copy_n(before.data() + at * size, size, rest.data() + at * size);
        char expected[8];
        store_as<double, true>(expected, tensor->dtype(), totals[at]);
        if (kernel != &mixed_backward && w == 1) {
          exact &= std::fabs(tensor->get(at) - totals[at]) <= 0.01 * std::fabs(totals[at]);
        } else {
          exact &= std::memcmp(result, expected, size) == 0;
        }
      });
    }
    kept &= rest == before;
  }
  report(name + ": values", exact);
  report(name + ": nothing beside them", kept);
  return found;
}

// Interleaved parts, of which two threads share vectors where a row has an even number of whole ones.
void check_pairs() {
  for (const Dtype dtype : {Dtype::kHalf, Dtype::kBFloat16, Dtype::kFloat, Dtype::kDouble}) {
    const int64_t sixteen_bytes = 16 / size_of(dtype);
    for (const Sizes& shape : std::vector<Sizes>{
             {4}, {8}, {16}, {1003}, {2048}, {32776}, {7, 8}, {16, 264}, {3, 24, 40}, {5, 3, 77},
             {300, 16}, {5, 129, 272}}) {
      Sizes doubled = shape;
      doubled.back() *= 2;
      const auto part = [&](const Tensor& tensor, int64_t i) {
        Operand operand = tensor.operand(doubled);
        operand.data = static_cast<char*>(operand.data) + i * operand.strides[0];
        operand.strides[0] *= 2;
        return operand;
      };
      for (const auto& [pair_offset, offset] : std::vector<std::pair<int64_t, int64_t>>{
               {0, 0}, {sixteen_bytes, 0}, {2, 0}, {0, sixteen_bytes}, {0, 1}}) {
        for (const Sizes& other : {shape, Sizes{shape.back()}, Sizes{1}}) {
          Tensor x(dtype, doubled, pair_offset), c(dtype, other, offset);
          Tensor out(dtype, doubled, pair_offset), expected(dtype, doubled, pair_offset);
          for (int64_t i = 0; i < x.numel(); ++i) {
            x.set(static_cast<size_t>(pair_offset + i), static_cast<double>(i * 7 % 11 - 5));
          }
          for (int64_t i = 0; i < c.numel(); ++i) {
            c.set(static_cast<size_t>(offset + i), static_cast<double>(i * 5 % 7 - 3));
          }
          x.upload();
          c.upload();
          for_each_index(shape, [&](const Sizes& index) {
            Sizes first = index;
            first.back() *= 2;
            const size_t at = x.place(first);
            expected.set(at, x.get(at) * x.get(at + 1));
            expected.set(at + 1, x.get(at) + c.get(c.place(index)));
          });
          Loop loop{};
          loop.compute = dtype == Dtype::kDouble ? Dtype::kDouble : Dtype::kFloat;
          loop.num_dims = static_cast<int>(shape.size());
          loop.num_reads = 3;
          loop.num_writes = 2;
          for (size_t d = 0; d < shape.size(); ++d) loop.sizes[d] = shape[shape.size() - 1 - d];
          const Operand operands[] = {part(x, 0), part(x, 1), c.operand(shape), part(out, 0),
                                      part(out, 1)};
          std::copy(std::begin(operands), std::end(operands), loop.operands);
          coalesce(loop);
          run(mix, loop);
          out.download();
          report("pairs " + name_of(shape) + " with " + name_of(other) + " at " +
                     std::to_string(pair_offset) + " and " + std::to_string(offset) + " " +
                     name_of(dtype),
                 out.bytes() == expected.bytes());
        }
      }
    }
  }
}

// Operands of one byte beside others, and parts that lie in turns: the same values and the same bits
// however they lie.
void check_mixed() {
  const std::vector<MixedLayout> layouts{{"packed", false, 0, 0, 1, false},
                                         {"bytes off their place", false, 0, 1, 1, false},
                                         {"pairs off their place", false, 2, 0, 1, false},
                                         {"chunked", true, 0, 0, 1, false},
                                         {"chunked off its place", true, 1, 3, 1, false},
                                         {"turned", true, 0, 0, 1, true},
                                         {"strided", false, 0, 0, 3, false}};
  const std::vector<std::pair<Dtype, Kernel>> bytes{
      {Dtype::kInt8, mixed<Dtype::kInt8>},
      {Dtype::kFloat8E4M3FN, mixed<Dtype::kFloat8E4M3FN>},
      {Dtype::kFloat8E5M2, mixed<Dtype::kFloat8E5M2>}};
  for (const Dtype dtype : {Dtype::kHalf, Dtype::kBFloat16, Dtype::kFloat, Dtype::kDouble}) {
    for (const Sizes& shape : std::vector<Sizes>{{1003}, {16, 264}, {3, 24, 40}, {5, 3, 77}}) {
      const Sizes row{shape.back()};
      Sizes column = shape;
      column.back() = 1;
      for (const auto& [mask, scale] : std::vector<std::pair<Sizes, Sizes>>{
               {shape, shape}, {shape, row}, {column, {1}}, {row, column}}) {
        const auto describe = [&](const MixedLayout& layout) {
          return std::string(layout.name) + " " + name_of(shape) + " " + name_of(mask) + " " +
                 name_of(scale) + " " + name_of(dtype);
        };
        for (const auto& [byte, kernel] : bytes) {
          std::vector<std::vector<char>> first;
          for (const MixedLayout& layout : layouts) {
            if (layout.turned && scale.size() < 2) continue;
            const std::string name = "mixed " + describe(layout) + " to " + name_of(byte);
            const auto found =
                run_mixed(name, kernel, shape, layout, mask, scale, {shape, shape, shape, shape},
                          {dtype, byte, Dtype::kBool});
            if (first.empty()) first = found;
            report(name + ": bits", found == first);
          }
        }
        Sizes rest = shape;
        rest[0] = 1;
        for (const std::vector<Sizes>& writes :
             std::vector<std::vector<Sizes>>{{shape, shape, row, shape},
                                             {rest, rest, shape, {1}},
                                             {shape, shape, column, column}}) {
          for (const MixedLayout& layout : layouts) {
            if (layout.turned && scale.size() < 2) continue;
            run_mixed("mixed sums " + describe(layout), mixed_backward, shape, layout, mask, scale,
                      writes, {dtype, dtype, dtype});
          }
        }
      }
    }
  }
}

// The same bits from numbers by vectors of any kind and from all of their copies, over rows and along them.
void check_prepared(const Sizes& shape, const Sizes& numbers, Dtype dtype, Dtype type,
                    int64_t spread) {
  const Dtype compute = dtype == Dtype::kDouble ? Dtype::kDouble : Dtype::kFloat;
  const Sizes row{shape.back()};
  Tensor x(dtype, shape, 0, spread), number(type, numbers), copies(type, shape);
  Tensor one(dtype, shape), all(dtype, shape);
  Tensor one_sum(dtype, row), all_sum(dtype, row);
  fill_randomly(x, 1);
  fill_randomly(number, 2);
  for_each_index(shape, [&](const Sizes& index) {
    copies.set(copies.place(index), number.get(number.place(index)));
  });
  copies.upload();
  run(prepared, make_loop(shape, {&x, &number}, {&one}, compute));
  run(prepared, make_loop(shape, {&x, &copies}, {&all}, compute));
  run(prepared, make_loop(shape, {&x, &number}, {&one_sum}, compute));
  run(prepared, make_loop(shape, {&x, &copies}, {&all_sum}, compute));
  for (Tensor* tensor : {&one, &all, &one_sum, &all_sum}) tensor->download();
  const std::string name = "prepared " + name_of(shape) + " " + name_of(dtype) + " from " +
                           name_of(type) + " " + name_of(numbers) + " spread " +
                           std::to_string(spread);
  report(name, one.bytes() == all.bytes());
  report(name + ", summed", one_sum.bytes() == all_sum.bytes());
}

void check_prepared() {
  for (const Dtype dtype : {Dtype::kHalf, Dtype::kBFloat16, Dtype::kFloat, Dtype::kDouble}) {
    for (const Dtype type : {dtype, Dtype::kInt32}) {
      for (const int64_t spread : {1, 3}) check_prepared({37, 267}, {37, 1}, dtype, type, spread);
    }
  }
  // Enough for a thread to take several vectors, also such as do not come out even.
  for (const Dtype dtype : {Dtype::kBFloat16, Dtype::kFloat}) {
    check_prepared({65, 129, 256}, {129, 1}, dtype, dtype, 1);
    check_prepared({2048, 1056}, {2048, 1}, dtype, dtype, 1);
    check_prepared({2048, 1032}, {2048, 1}, dtype, dtype, 1);
    check_prepared({2097160}, {1}, dtype, dtype, 1);
    check_prepared({2097163}, {1}, dtype, dtype, 1);
  }
}

// Rounding, by vectors where all types are one, to the type of a tensor or of a number.
void check_rounding() {
  const Sizes shape{37, 264};
  const std::vector<Dtype> floats{Dtype::kHalf, Dtype::kBFloat16, Dtype::kFloat, Dtype::kDouble};
  for (const Dtype dtype : floats) {
    for (const Dtype like : floats) {
      Tensor a(dtype, shape), b(like, shape), c(dtype, shape), sum(dtype, shape);
      fill_randomly(a, 1);
      fill_randomly(b, 2);
      fill_randomly(c, 3);
      for (const bool number : {false, true}) {
        Loop loop = make_loop(shape, {&a, &b, &c}, {&sum, nullptr}, Dtype::kFloat);
        if (number) {
          loop.operands[1].data = nullptr;
          loop.operands[1].fill = 0.75;
        }
        run(rounding, loop);
        sum.download();
        Tensor expected(dtype, {1});
        bool passed = true;
        for (size_t i = 0; i < static_cast<size_t>(a.numel()); ++i) {
          const float factor = number ? 0.75f : static_cast<float>(b.get(i));
          const float product = static_cast<float>(a.get(i)) * factor;
          expected.set(0, rt::round_to(product, like) + static_cast<float>(c.get(i)));
          passed &= sum.get(i) == expected.get(0);
        }
        report(std::string("rounding ") + name_of(dtype) + " to " + name_of(like) +
                   (number ? " of a number" : ""),
               passed);
      }
    }
  }
}

// The device's conversions have the bits of the host's, which are tested against PyTorch's.
void check_conversions() {
  const int64_t n = 3 << 16;
  Tensor values(Dtype::kFloat, {n}), one(Dtype::kFloat, {1});
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t low[] = {0, 0x7fff, 0x8001};
    const uint32_t bits = static_cast<uint32_t>(i / 3) << 16 | low[i % 3];
    values.set(static_cast<size_t>(i), bits_to_float(bits));
  }
  values.upload();
  for (const Dtype dtype :
       {Dtype::kUInt8, Dtype::kInt8, Dtype::kInt16, Dtype::kInt32, Dtype::kInt64, Dtype::kHalf,
        Dtype::kBFloat16, Dtype::kFloat8E4M3FN, Dtype::kFloat8E5M2}) {
    const bool whole = dtype <= Dtype::kInt64;
    const size_t size = static_cast<size_t>(size_of(dtype));
    Tensor stored(dtype, {n});
    run(rounding, make_loop({n}, {&values, &one, &one}, {nullptr, &stored}, Dtype::kFloat));
    stored.download();
    bool passed = true;
    for (int64_t i = 0; i < n; ++i) {
      const float value = static_cast<float>(values.get(static_cast<size_t>(i)));
      const bool narrow = dtype == Dtype::kHalf || dtype == Dtype::kBFloat16;
      if ((whole || narrow) && value != value) continue;
      char expected[8];
      store_as<float, true>(expected, dtype, value);
      const char* const ours = stored.bytes().data() + static_cast<size_t>(i) * size;
      passed &= std::memcmp(ours, expected, size) == 0;
    }
    report(std::string("conversion to ") + name_of(dtype), passed);
  }
}

// Broadcast strides make extents beyond 2^31 without the memory.
void check_large() {
  const Sizes shape{3, (int64_t{1} << 30) + 513};
  Tensor one(Dtype::kFloat, {1});
  Tensor total(Dtype::kFloat, {3, 1});
  one.set(0, 0.5);
  one.upload();
  run(mix, make_loop(shape, {&one, &one, &one}, {nullptr, &total}, Dtype::kFloat));
  total.download();
  bool passed = true;
  for (size_t i = 0; i < 3; ++i) {
    passed &= std::fabs(total.get(i) / static_cast<double>(shape[1]) - 1) < 1e-5;
  }
  report("3 * (2^30 + 513) elements", passed);
  const int64_t n = (int64_t{1} << 31) + 513;
  char* memory;
  if (cudaMalloc(&memory, static_cast<size_t>(n) * 2) != cudaSuccess) {
    cudaGetLastError();
    return;
  }
  Loop loop{};
  loop.num_dims = 1;
  loop.sizes[0] = n;
  loop.num_reads = 2;
  loop.num_writes = 1;
  loop.compute = Dtype::kFloat;
  for (int k = 0; k < 2; ++k) loop.operands[k].fill = 2 + k;
  loop.operands[2].data = memory;
  loop.operands[2].dtype = Dtype::kBFloat16;
  loop.operands[2].strides[0] = 2;
  require(cudaMemset(memory, 0, static_cast<size_t>(n) * 2));
  run(swiglu, loop);
  uint16_t ends[2];
  require(cudaMemcpy(&ends[0], memory, 2, cudaMemcpyDeviceToHost));
  require(cudaMemcpy(&ends[1], memory + (n - 1) * 2, 2, cudaMemcpyDeviceToHost));
  report("2^31 + 513 elements", ends[0] == ends[1] && ends[0] != 0);
  require(cudaFree(memory));
}

double microseconds(void* flush, size_t flush_bytes, const std::function<void()>& work) {
  cudaEvent_t begin, end;
  require(cudaEventCreate(&begin));
  require(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < 25; ++i) {
    require(cudaMemsetAsync(flush, 0, flush_bytes));
    require(cudaEventRecord(begin));
    work();
    require(cudaEventRecord(end));
    require(cudaDeviceSynchronize());
    float milliseconds = 0;
    require(cudaEventElapsedTime(&milliseconds, begin, end));
    if (i >= 5) times.push_back(milliseconds * 1e3f);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

struct Timing {
  const char* name;
  Kernel kernel;
  Dtype dtype;
  Sizes shape;
  std::vector<Sizes> reads;
  std::vector<Sizes> writes;
  int turned = -1;  // an operand whose first dimension is dense
};

void benchmark() {
  const Sizes wide{8192, 14336};
  const Sizes bias{16384, 8192};
  const Sizes image{64, 256, 3136};
  const std::vector<Timing> timings{
      {"swiglu forward", swiglu, Dtype::kBFloat16, wide, {wide, wide}, {wide}},
      {"swiglu forward", swiglu, Dtype::kFloat, wide, {wide, wide}, {wide}},
      {"swiglu backward",
       swiglu_backward,
       Dtype::kBFloat16,
       wide,
       {wide, wide, wide},
       {wide, wide}},
      {"bias forward", swiglu, Dtype::kBFloat16, bias, {bias, {8192}}, {bias}},
      {"row weight forward", swiglu, Dtype::kBFloat16, bias, {bias, {16384, 1}}, {bias}},
      {"bias gradient",
       swiglu_backward,
       Dtype::kBFloat16,
       bias,
       {bias, bias, {8192}},
       {bias, {8192}}},
      {"bias gradient", swiglu_backward, Dtype::kFloat, bias, {bias, bias, {8192}}, {bias, {8192}}},
      {"row gradient",
       swiglu_backward,
       Dtype::kBFloat16,
       bias,
       {bias, bias, {16384, 1}},
       {bias, {16384, 1}}},
      {"scalar gradient", swiglu_backward, Dtype::kBFloat16, bias, {bias, bias, {1}}, {bias, {1}}},
      {"turned forward", swiglu, Dtype::kBFloat16, bias, {bias, bias}, {bias}, 1},
      {"turned forward", swiglu, Dtype::kFloat, bias, {bias, bias}, {bias}, 1},
      {"turned backward",
       swiglu_backward,
       Dtype::kBFloat16,
       bias,
       {bias, bias, bias},
       {bias, bias},
       3},
      {"channel forward", swiglu, Dtype::kBFloat16, image, {image, {256, 1}}, {image}},
      {"odd rows forward",
       swiglu,
       Dtype::kBFloat16,
       {16384, 8191},
       {{16384, 8191}, {8191}},
       {{16384, 8191}}},
      {"odd bias gradient",
       swiglu_backward,
       Dtype::kBFloat16,
       {16384, 8191},
       {{16384, 8191}, {16384, 8191}, {8191}},
       {{16384, 8191}, {8191}}},
      {"channel gradient",
       swiglu_backward,
       Dtype::kBFloat16,
       image,
       {image, image, {256, 1}},
       {image, {256, 1}}},
      {"channel gradient",
       swiglu_backward,
       Dtype::kFloat,
       image,
       {image, image, {256, 1}},
       {image, {256, 1}}},
      {"batched bias gradient",
       mix,
       Dtype::kBFloat16,
       {32, 1024, 1152},
       {{32, 1024, 1152}, {32, 1024, 1152}, {32, 1, 1152}},
       {{32, 1024, 1152}, {32, 1, 1152}}},
      {"cheap bias gradient", mix, Dtype::kBFloat16, bias, {bias, bias, {8192}}, {bias, {8192}}},
      {"narrow bias gradient",
       swiglu_backward,
       Dtype::kFloat,
       {1 << 22, 24},
       {{1 << 22, 24}, {1 << 22, 24}, {24}},
       {{1 << 22, 24}, {24}}},
  };
  const size_t flush_bytes = size_t{256} << 20;
  void* flush;
  require(cudaMalloc(&flush, flush_bytes));
  for (const Timing& timing : timings) {
    std::vector<void*> memory;
    double bytes = 0;
    Loop loop{};
    loop.num_dims = static_cast<int>(timing.shape.size());
    for (int d = 0; d < loop.num_dims; ++d) {
      loop.sizes[d] = timing.shape[timing.shape.size() - 1 - static_cast<size_t>(d)];
    }
    loop.compute = Dtype::kFloat;
    loop.num_reads = static_cast<int>(timing.reads.size());
    loop.num_writes = static_cast<int>(timing.writes.size());
    int k = 0;
    for (const auto* list : {&timing.reads, &timing.writes}) {
      for (const Sizes& shape : *list) {
        Operand& operand = loop.operands[k++];
        operand.dtype = timing.dtype;
        int64_t step = size_of(timing.dtype);
        for (size_t i = 0; i < shape.size(); ++i) {
          const size_t d = k - 1 == timing.turned ? shape.size() - 1 - i : i;
          const int64_t size = shape[shape.size() - 1 - d];
          operand.strides[d] = size == 1 ? 0 : step;
          step *= size;
        }
        require(cudaMalloc(&operand.data, static_cast<size_t>(step)));
        require(cudaMemset(operand.data, 0x3c, static_cast<size_t>(step)));
        memory.push_back(operand.data);
        bytes += static_cast<double>(step);
      }
    }
    coalesce(loop);
    Launch launch{};
    if (const size_t size = workspace_bytes(loop, true); size > 0) {
      require(cudaMalloc(&launch.workspace, size));
    }
    const size_t copied = static_cast<size_t>(numel(loop) * size_of(timing.dtype));
    const double copy = microseconds(flush, flush_bytes, [&] {
      const void* const from = loop.operands[0].data;
      void* const to = loop.operands[timing.reads.size()].data;
      require(cudaMemcpyAsync(to, from, copied, cudaMemcpyDeviceToDevice));
    });
    const double ours =
        microseconds(flush, flush_bytes, [&] { require(timing.kernel(loop, nullptr, launch)); });
    const double copy_rate = 2.0 * static_cast<double>(copied) / copy;
    std::printf("TIME %-22s %-9s %-18s %8.1f us %6.0f GB/s %5.1f %% of copy\n", timing.name,
                name_of(timing.dtype), name_of(timing.shape).c_str(), ours, bytes / ours / 1e3,
                100 * bytes / ours / copy_rate);
    for (void* const pointer : memory) require(cudaFree(pointer));
    require(cudaFree(launch.workspace));
  }
  require(cudaFree(flush));
}

}  // namespace

// Runs the groups that are named; all of them and the timings if none is.
int main(int count, char** arguments) {
  const bool passed = run_groups(count, arguments,
                                 {{"layouts", check_layouts},
                                  {"turned", check_turned},
                                  {"reductions", check_reductions},
                                  {"broadcast_reductions", check_broadcast_reductions},
                                  {"crossing", check_crossing},
                                  {"sums", check_sums},
                                  {"usual", check_usual},
                                  {"bits", check_bits},
                                  {"pairs", check_pairs},
                                  {"mixed", check_mixed},
                                  {"prepared", check_prepared},
                                  {"rounding", check_rounding},
                                  {"conversions", check_conversions},
                                  {"large", check_large}});
  if (count == 1) benchmark();
  return passed ? 0 : 1;
}
