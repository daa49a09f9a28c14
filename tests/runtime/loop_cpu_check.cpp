// Runs the CPU kernels over all memory layouts under sanitizers: `make sanitize`. Each operand has its own
// allocation on the heap, which ends with the last element. tests/runtime/test_*.py test the results.
#include "loop_ops.h"

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <vector>

#include <fusewise/cpu/capability.h>
#include <fusewise/core/reduction.h>

namespace fusewise::ops::loops {
std::remove_pointer_t<Kernel> multiply_cpu, mix_cpu, swiglu_backward_cpu, round_cpu, functions_cpu,
    totals_cpu, row_pass_cpu, held_row_pass_cpu;
}

namespace {

using namespace fusewise;

// The memory layout of an operand with two dimensions, innermost first.
struct Layout {
  int64_t spread;  // stride of the innermost dimension, in elements
  int64_t offset;  // elements before the first one
  bool broadcast[2];
};

struct Case {
  Kernel kernel;
  int reads;
  int writes;
  Dtype compute;
  uint32_t row_writes = 0;  // the writes that have the compute type and one number a row: a bit each
};

class Memory {
 public:
  Memory(Dtype dtype, const Layout& layout, const int64_t (&sizes)[2]) {
    const int64_t item = size_of(dtype);
    int64_t last = layout.offset;
    int64_t step = layout.spread;
    bool empty = false;
    operand_.dtype = dtype;
    for (int d = 0; d < 2; ++d) {
      if (layout.broadcast[d]) continue;
      empty |= sizes[d] == 0;
      operand_.strides[d] = step * item;
      last += (sizes[d] - 1) * step;
      step *= sizes[d];
    }
    const size_t count = empty ? 0 : static_cast<size_t>((last + 1) * item);
    bytes_ = std::make_unique<char[]>(count);
    operand_.data = bytes_.get() + (empty ? 0 : layout.offset * item);
    for (int64_t i = 0; !empty && i <= last; ++i) {
      if (dtype == Dtype::kFloat8E4M3FN || dtype == Dtype::kFloat8E5M2) break;
      store_as<double>(bytes_.get() + i * item, dtype, static_cast<double>(i % 7) - 3);
    }
  }

  const Operand& operand() const { return operand_; }

 private:
  std::unique_ptr<char[]> bytes_;
  Operand operand_{};
};

void run(const Case& one, Dtype dtype, Dtype other, const Layout& read, const Layout& write,
         const int64_t (&sizes)[2], bool absent) {
  Loop loop{};
  loop.num_dims = 2;
  loop.sizes[0] = sizes[0];
  loop.sizes[1] = sizes[1];
  loop.num_reads = one.reads;
  loop.num_writes = one.writes;
  loop.compute = one.compute;
  std::vector<Memory> memory;
  for (int k = 0; k < num_operands(loop); ++k) {
    const bool is_write = k >= one.reads;
    // The last read and the first write may have another layout or type.
    const bool changed = k == one.reads - 1 || k == one.reads;
    const bool is_total = is_write && (one.row_writes >> (k - one.reads) & 1) != 0;
    const Layout plain{1, 0, {false, false}};
    const Layout row{1, 0, {true, false}};
    const Layout& layout = is_total ? row : !changed ? plain : is_write ? write : read;
    memory.emplace_back(is_total ? one.compute : changed ? other : dtype, layout, sizes);
    loop.operands[k] = memory.back().operand();
    if (absent && (k == 0 || k == num_operands(loop) - 1)) loop.operands[k].data = nullptr;
  }
  if (one.row_writes == 0) coalesce(loop);
  using Workspace = std::vector<std::unique_ptr<char[]>>;
  Workspace workspace;
  const auto allocate = [](void* context, size_t bytes) -> void* {
    return static_cast<Workspace*>(context)->emplace_back(new char[bytes]).get();
  };
  const Launch launch{allocate, &workspace, nullptr, nullptr};
  const Number params[] = {0.5};
  const Status status = one.kernel(loop, params, launch);
  if (status.failed()) {
    std::printf("FAIL %s\n", status.message);
    std::exit(1);
  }
}

}  // namespace

int main() {
  using enum Dtype;
  namespace loops = fusewise::ops::loops;
  const Case cases[] = {{loops::multiply_cpu, 2, 1, kFloat},       {loops::mix_cpu, 3, 2, kFloat},
                        {loops::swiglu_backward_cpu, 3, 2, kFloat}, {loops::round_cpu, 3, 2, kFloat},
                        {loops::functions_cpu, 2, 13, kFloat},      {loops::mix_cpu, 3, 2, kDouble},
                        {loops::mix_cpu, 3, 2, kInt64}};
  const Case totals[] = {{loops::totals_cpu, 3, 3, kFloat, 7},
                         {loops::totals_cpu, 3, 3, kDouble, 7},
                         {loops::totals_cpu, 3, 3, kInt64, 7}};
  const Case row_passes[] = {{loops::row_pass_cpu, 2, 3, kFloat, 4},
                             {loops::row_pass_cpu, 2, 3, kDouble, 4},
                             {loops::held_row_pass_cpu, 2, 3, kFloat, 4}};
  const Layout reads[] = {{1, 0, {false, false}}, {1, 1, {false, false}}, {3, 2, {false, false}},
                          {1, 0, {true, false}},  {1, 5, {false, true}},  {1, 0, {true, true}}};
  const Layout writes[] = {{1, 0, {false, false}}, {1, 3, {false, false}}, {2, 1, {false, false}},
                           {1, 0, {true, false}},  {1, 0, {false, true}},  {1, 0, {true, true}}};
  const std::vector<int64_t> widths = {0, 1, 3, 16, 63, 64, 65, 200, 513, 1030};
  const std::vector<int64_t> lengths = {0, 1, 64, 65, 513, 1030, 33000};  // of rows with totals
  int count = 0;
  const auto run_reads = [&](const Case& one, const Layout& write, const std::vector<int64_t>& sizes) {
    for (const Dtype dtype : {kFloat, kHalf, kBFloat16, kDouble, kInt8, kBool}) {
      for (const Dtype other : {kFloat, kHalf, kBFloat16, kInt64}) {
        for (const Layout& read : reads) {
          for (const int64_t size : sizes) {
            run(one, dtype, other, read, write, {size, 3}, count++ % 3 == 0);
          }
        }
      }
    }
  };
  for (const Case& one : cases) {
    for (const Layout& write : writes) run_reads(one, write, widths);
  }
  for (const Case& one : totals) run_reads(one, {1, 0, {true, false}}, lengths);
  for (const Case& one : row_passes) {
    for (const Layout& write : writes) run_reads(one, write, {0, 1, 65, 1030, 33000});
  }
  for (const Dtype dtype : {kFloat, kHalf, kBFloat16}) {  // large enough for non-temporal stores
    const Layout dense{1, 0, {false, false}};
    run(cases[0], dtype, dtype, dense, dense, {cpu_cache_bytes() / size_of(dtype) / 2, 1}, false);
    ++count;
  }
  const char* const names[] = {"default", "avx2", "avx512"};
  std::printf("%d loops ran, on %s\n", count, names[static_cast<int>(cpu_capability())]);
}
