// words: sizes and rights as text, on the command line and in tables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tess/rmem.hpp"

namespace tess::cli {

/// "8G", "512M", "4096": a positive number of bytes. Throws usage_error.
[[nodiscard]] std::uint64_t bytes_of(std::string_view text);
/// "8.0 GiB".
[[nodiscard]] std::string size_text(std::uint64_t bytes);

/// "read,write". Throws usage_error.
[[nodiscard]] rmem::rights rights_of(std::string_view text);
/// "rw-g": read, write, allocate, grant.
[[nodiscard]] std::string rights_text(rmem::rights r);

}  // namespace tess::cli
