// The address under which `start` launches a kernel. Free of torch.
#pragma once

namespace fusewise::cuda {

template <class... Parameters>
const void* address_of(void (*kernel)(Parameters...)) {
  return reinterpret_cast<const void*>(kernel);
}

}  // namespace fusewise::cuda
