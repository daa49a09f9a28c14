#include <fusewise/cpu/index.h>

#include <numeric>

namespace fusewise {
namespace {

template <class T>
void fill(const Loop& loop) {
  T* const index = static_cast<T*>(loop.operands[0].data);
  std::iota(index, index + loop.sizes[0], T{0});
}

}  // namespace

Status fill_index_cpu(const Loop& loop, const Number*, const Launch&) {
  if (loop.compute == Dtype::kDouble) fill<double>(loop);
  else if (loop.compute == Dtype::kInt64) fill<int64_t>(loop);
  else fill<float>(loop);
  return {};
}

}  // namespace fusewise
