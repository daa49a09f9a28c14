#include <fusewise/elementwise.cuh>
#include "lltm_cell/lltm_cell.math.h"
using namespace fusewise;
template const char* cuda::Elementwise<ops::lltm_cell::PASS, true>::run<cuda::Packed<bfloat16>>(const Loop&, const double*, const Launch&);
template const char* cuda::Elementwise<ops::lltm_cell::PASS, true>::run<cuda::Packed<float>>(const Loop&, const double*, const Launch&);
