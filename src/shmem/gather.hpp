// gather: at the end PE 0 gets what each PE has to say, through the heaps, which the program does not use any more.
//
// Threads   one of each PE; all PEs call it.
// Errors    fail: no memory for it.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace tess::shmem {

inline constexpr std::size_t gathered_max = std::size_t{40} << 20U;  ///< bytes of a PE; the rest is cut off

/// At PE 0 `take` gets the bytes of each PE, one after the other.
void gather(std::string_view mine, std::function<void(std::size_t pe, std::string_view bytes)> const& take);

}  // namespace tess::shmem
