#include <fusewise/cpu/executor.h>

namespace fusewise {

template <class T>
void run_rows(const Loop& loop, const Number* params, const Launch& launch, RowLoop row_loop,
              int instructions, uint32_t pairs) {
  if (std::is_same_v<T, float> && run_short_row(loop, params, row_loop)) return;
  Executor<T>(loop, params, launch, row_loop, instructions, pairs).run();
}

template void run_rows<float>(const Loop&, const Number*, const Launch&, RowLoop, int, uint32_t);
template void run_rows<double>(const Loop&, const Number*, const Launch&, RowLoop, int, uint32_t);
template void run_rows<int64_t>(const Loop&, const Number*, const Launch&, RowLoop, int, uint32_t);

}  // namespace fusewise
