// What the checks of CUDA loops have in common: tensors on both sides, loops over them, and a pass whose
// results are exact.
#pragma once

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include <fusewise/cuda/pointwise.cuh>
#include <fusewise/cuda/reduction.cuh>

#include "cuda_check.h"
#include "loop_ops.h"  // its templates use what stands above

namespace {

using namespace fusewise;

using Sizes = std::vector<int64_t>;  // outermost first, as people write shapes

// A tensor on both sides. Guard bytes around the elements must stay as they are.
class Tensor {
 public:
  // `transposed` is the dimension that is dense in place of the last.
  Tensor(Dtype dtype, Sizes shape, int64_t offset = 0, int64_t spread = 1, int transposed = -1)
      : dtype_(dtype), shape_(std::move(shape)), offset_(offset) {
    strides_.resize(shape_.size());
    int64_t step = spread;
    const auto add = [&](size_t d) {
      strides_[d] = step;
      step *= std::max<int64_t>(1, shape_[d]);
    };
    if (transposed >= 0) add(static_cast<size_t>(transposed));
    for (size_t d = shape_.size(); d-- > 0;) {
      if (static_cast<int>(d) != transposed) add(d);
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
  std::vector<void*> workspaces;
  Launch launch{};
  launch.context = &workspaces;
  launch.allocate = [](void* context, size_t bytes) {
    void* workspace = nullptr;
    require(cudaMalloc(&workspace, bytes));
    require(cudaMemset(workspace, 0x7f, bytes));
    static_cast<std::vector<void*>*>(context)->push_back(workspace);
    return workspace;
  };
  require(kernel(loop, nullptr, launch).message);
  require(cudaDeviceSynchronize());
  for (void* const workspace : workspaces) require(cudaFree(workspace));
}

Status mix(const Loop& loop, const Number* params, const Launch& launch) {
  return run_cuda_reduction<Mix, Numbers>(loop, params, launch);
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

// A whole number from `low` to `high`, the same ones in every run.
double next_integer(int64_t& seed, int low, int high) {
  seed = (seed * 1103515245 + 12345) & 0x7fffffff;
  return static_cast<double>(low + (seed >> 16) % (high - low + 1));
}

// Small integers: exact in float, so the result must be the exact one, rounded once.
void check_mix(const std::string& name, const Sizes& shape, const std::vector<Sizes>& read_shapes,
               const std::vector<Sizes>& write_shapes, const std::vector<Dtype>& dtypes,
               Dtype compute, int64_t offset = 0, int64_t spread = 1, unsigned absent = 0,
               const std::vector<int>& transposed = {-1, -1, -1, -1, -1}) {
  std::deque<Tensor> reads;
  std::deque<Tensor> writes;
  for (size_t k = 0; k < 3; ++k) {
    Tensor& tensor = reads.emplace_back(dtypes[k], read_shapes[k], offset, spread, transposed[k]);
    int64_t seed = static_cast<int64_t>(k) * 5;
    for_each_index(read_shapes[k], [&](const Sizes& index) {
      tensor.set(tensor.place(index), next_integer(seed, 0, 3));
    });
    tensor.upload();
  }
  std::vector<std::vector<char>> expected;
  for (size_t w = 0; w < 2; ++w) {
    writes.emplace_back(dtypes[3 + w], write_shapes[w], offset, spread, transposed[3 + w]);
    Tensor result(dtypes[3 + w], write_shapes[w], offset, spread, transposed[3 + w]);
    if ((absent >> w & 1) == 0) {
      std::vector<double> totals(result.bytes().size(), 0.0);
      for_each_index(shape, [&](const Sizes& index) {
        const double a = reads[0].get(reads[0].place(index));
        const double b = reads[1].get(reads[1].place(index));
        const double c = reads[2].get(reads[2].place(index));
        totals[result.place(index)] += w == 0 ? a * b : a + c;
      });
      for_each_index(write_shapes[w], [&](const Sizes& index) {
        result.set(result.place(index), totals[result.place(index)]);
      });
    }
    expected.push_back(result.bytes());
  }
  Loop loop = make_loop(shape, {&reads[0], &reads[1], &reads[2]}, {&writes[0], &writes[1]}, compute);
  for (size_t w = 0; w < 2; ++w) {
    if (absent >> w & 1) loop.operands[3 + w].data = nullptr;
  }
  run(mix, loop);
  bool passed = true;
  for (size_t w = 0; w < 2; ++w) {
    writes[w].download();
    passed &= writes[w].bytes() == expected[w];
  }
  report(name, passed);
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

}  // namespace
