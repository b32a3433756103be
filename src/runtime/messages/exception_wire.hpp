// exception_wire: an exception as bytes, for replies and finish reports (docs/internals/contract.md, 6).
#pragma once

#include <cstddef>
#include <exception>
#include <span>
#include <string>
#include <typeinfo>
#include <vector>

#include "tess/error.hpp"

namespace tess::detail {

/// At most about 2 KiB with its way through tasks (exception_trace.hpp); longer texts are cut.
[[nodiscard]] std::vector<std::byte> encode_exception(std::exception_ptr exception, place_id thrown_at);
/// A type's name as a program writes it.
[[nodiscard]] std::string type_name_of(std::type_info const& type);
/// In a catch clause: the type of the exception.
[[nodiscard]] std::string type_name_of_current();

/// tess::error, out_of_memory and place_failed keep their types; all others become remote_error.
[[nodiscard]] std::exception_ptr decode_exception(std::span<std::byte const> bytes) noexcept;

}  // namespace tess::detail
