// The second step of reductions, which is the same for all ops. Free of torch.
#include <fusewise/reduce.cuh>

namespace fusewise::cuda {

template const char* finish_writes<float>(const Loop&, const Plan&, const Launch&);
template const char* finish_writes<double>(const Loop&, const Plan&, const Launch&);
template const char* finish_writes<int64_t>(const Loop&, const Plan&, const Launch&);

}  // namespace fusewise::cuda
