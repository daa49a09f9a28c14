// Loops over threads on the CPU. Free of torch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <fusewise/core/loop.h>

namespace fusewise {

// The number of elements that is worth a thread. T is the compute type of a pass, and `instructions` the rough
// cost of an element.
template <class T>
int64_t thread_elements(int instructions) {
  // Measured, in instructions: the work that is worth a thread (some microseconds), and the work of moving an
  // element. Single elements take longer than vectors of floats.
  constexpr int64_t kWork = std::is_same_v<T, float> ? 1 << 19 : 1 << 17;
  constexpr int64_t kMoves = 16;  // gives a thread 32768 elements without arithmetic
  return kWork / (kMoves + instructions);
}

// Calls body(begin, end) for the parts of [0, count). A thread gets `grain` of them at least.
template <class Body>
void parallel_for(const Launch& launch, int64_t count, int64_t grain, const Body& body) {
  if (count == 0) return;
  grain = std::max<int64_t>(1, grain);
  if (launch.parallel_for == nullptr || count <= grain) return body(int64_t{0}, count);
  launch.parallel_for(
      count, grain,
      [](void* context, int64_t begin, int64_t end) {
        (*static_cast<const Body*>(context))(begin, end);
      },
      const_cast<Body*>(&body));
}

}  // namespace fusewise
