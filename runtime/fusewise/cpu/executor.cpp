#include <fusewise/cpu/executor.h>

namespace fusewise {

template <class T>
void run_rows(const Loop& loop, const Number* params, const Launch& launch, const CpuPass& pass) {
  if (std::is_same_v<T, float> && run_short_row(loop, params, pass.row_loop)) return;
  Executor<T>(loop, params, launch, pass).run();
}

template void run_rows<float>(const Loop&, const Number*, const Launch&, const CpuPass&);
template void run_rows<double>(const Loop&, const Number*, const Launch&, const CpuPass&);
template void run_rows<int64_t>(const Loop&, const Number*, const Launch&, const CpuPass&);

}  // namespace fusewise
