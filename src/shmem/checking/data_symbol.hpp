// data_symbol: the name of the program's variable that contains an address.
//
// Cost      reads the program's file.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace tess::shmem::checking {

/// The name and the distance from its begin; no name: the program has no symbols (strip).
[[nodiscard]] std::pair<std::string, std::uint64_t> data_symbol_at(void const* address);

}  // namespace tess::shmem::checking
