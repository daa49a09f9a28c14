// The parts of the CPU's loops that are the same for all ops. Free of torch.
#include <fusewise/elementwise.h>

namespace fusewise::detail {

template void widen_row(float*, const char*, Dtype, int64_t, int64_t);
template void narrow_row(char*, const float*, Dtype, int64_t, int64_t);
template float sum_row(const float*, int64_t);
template void widen_row(double*, const char*, Dtype, int64_t, int64_t);
template void narrow_row(char*, const double*, Dtype, int64_t, int64_t);
template double sum_row(const double*, int64_t);
template void widen_row(int64_t*, const char*, Dtype, int64_t, int64_t);
template void narrow_row(char*, const int64_t*, Dtype, int64_t, int64_t);
template int64_t sum_row(const int64_t*, int64_t);

}  // namespace fusewise::detail
