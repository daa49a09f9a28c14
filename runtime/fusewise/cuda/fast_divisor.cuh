// Division of indices on a GPU. Free of torch.
#pragma once

#include <bit>
#include <cstdint>

namespace fusewise::cuda {

// Division by a loop-invariant divisor: multiply-high and shift (Granlund and Montgomery).
struct FastDivisor {
  int64_t value;
  uint64_t magic;        // for dividends below 2^63
  uint32_t small_magic;  // for dividends below 2^31
  int shift;

  FastDivisor() = default;
  explicit FastDivisor(int64_t divisor) : value(divisor), magic(0), small_magic(0), shift(0) {
    if (divisor <= 1) return;
    const uint64_t by = static_cast<uint64_t>(divisor);
    shift = std::bit_width(by - 1);
    const unsigned __int128 excess = (static_cast<unsigned __int128>(1) << shift) - by;
    magic = static_cast<uint64_t>((excess << 64) / by + 1);
    small_magic = static_cast<uint32_t>((excess << 32) / by + 1);
  }

  __device__ uint32_t divide(uint32_t n) const { return (__umulhi(n, small_magic) + n) >> shift; }
  __device__ int64_t divide(int64_t n) const {
    const uint64_t all = static_cast<uint64_t>(n);
    return static_cast<int64_t>((__umul64hi(all, magic) + all) >> shift);
  }
};

}  // namespace fusewise::cuda
