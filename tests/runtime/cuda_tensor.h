// Shared code of the checks of CUDA loops: tensors on host and device, and loops over them.
#pragma once

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include <fusewise/cuda/pointwise.cuh>
#include <fusewise/cuda/reduction.cuh>

#include "cuda_check.h"
#include "loop_ops.h"  // its templates use the headers above

namespace {

using namespace fusewise;

using Sizes = std::vector<int64_t>;  // outermost first, like a shape

// A tensor with memory on host and device. Guard bytes around the elements must stay unchanged.
class Tensor {
 public:
  // `transposed` is the dimension that is dense in place of the last one.
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

  size_t first() const { return static_cast<size_t>(offset_); }  // the place of the first element

  // The offset, in elements, of the element that is broadcast to `index` of a larger shape.
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

inline Loop make_loop(const Sizes& shape, const std::vector<const Tensor*>& reads,
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

inline void run(Kernel kernel, const Loop& loop) {
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

inline void fill_randomly(Tensor& tensor, uint32_t seed) {
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    seed = seed * 1664525u + 1013904223u;
    tensor.set(tensor.first() + static_cast<size_t>(i), (static_cast<double>(seed >> 8) / (1 << 24) - 0.5) * 8);
  }
  tensor.upload();
}

// A pseudorandom integer from `low` to `high`; every run has the same sequence.
inline double next_integer(int64_t& seed, int low, int high) {
  seed = (seed * 1103515245 + 12345) & 0x7fffffff;
  return static_cast<double>(low + (seed >> 16) % (high - low + 1));
}

inline const char* name_of(Dtype dtype) {
  static const char* const names[] = {"bool",  "uint8",  "int8",          "int16",
                                      "int32", "int64",  "half",          "bfloat16",
                                      "float", "double", "float8_e4m3fn", "float8_e5m2"};
  return names[static_cast<int>(dtype)];
}

inline std::string name_of(const Sizes& shape) {
  std::string text = "[";
  for (size_t d = 0; d < shape.size(); ++d) text += (d == 0 ? "" : ",") + std::to_string(shape[d]);
  return text + "]";
}

}  // namespace
