// Takes the place of the runtime's own header: the address of a kernel under which the emulation launches it.
#pragma once

#include <tuple>
#include <utility>

namespace emulation {

// Lets `start` launch the kernel at the address.
void add_kernel(const void* address, void (*run)(const void* address, void** arguments));

}  // namespace emulation

namespace fusewise::cuda {

template <class... Parameters>
const void* address_of(void (*kernel)(Parameters...)) {
  const auto* const address = reinterpret_cast<const void*>(kernel);
  emulation::add_kernel(address, [](const void* at, void** arguments) {
    [&]<size_t... i>(std::index_sequence<i...>) {
      const auto function = reinterpret_cast<void (*)(Parameters...)>(const_cast<void*>(at));
      function(*static_cast<std::remove_cvref_t<Parameters>*>(arguments[i])...);
    }(std::index_sequence_for<Parameters...>{});
  });
  return address;
}

}  // namespace fusewise::cuda
