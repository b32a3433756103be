// addresses: addresses of objects as numbers, which packets and device registers carry.
#pragma once

#include <cstdint>

namespace tess::detail {

[[nodiscard]] inline std::uint64_t address_of(void const volatile* object) noexcept {
  return reinterpret_cast<std::uint64_t>(object);
}
template <class T>
[[nodiscard]] T* object_at(std::uint64_t address) noexcept {
  return reinterpret_cast<T*>(address);  // NOLINT: an address that address_of() returned
}

}  // namespace tess::detail
