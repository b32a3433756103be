// names: addresses of objects as numbers, which packets carry and registers take.
#pragma once

#include <cstdint>

namespace tess::detail {

[[nodiscard]] inline std::uint64_t name_of(void const volatile* object) noexcept {
  return reinterpret_cast<std::uint64_t>(object);
}
template <class T>
[[nodiscard]] T* named(std::uint64_t name) noexcept {
  return reinterpret_cast<T*>(name);  // NOLINT: given back as it went
}

}  // namespace tess::detail
