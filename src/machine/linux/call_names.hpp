// call_names: the names of Linux's system calls, for messages.
#pragma once

#include <cstdint>
#include <string_view>

namespace tess::machine {

// By its asm-generic number; empty: unknown.
[[nodiscard]] std::string_view system_call_name(std::uint64_t number) noexcept;

}  // namespace tess::machine
