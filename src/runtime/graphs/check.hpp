// check: what arrived as a graph is looked at block by block before anybody follows a pointer of it.
//
//   Checked are types, bounds, array sizes, and that every pointer leads to the start of a block whose type the pointer
//   may lead to. Pointers are made to mean the receiver's addresses in the same pass, and transients are cleared.
//
// Errors  tess::error with what is wrong and at which byte. The memory stays the caller's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tess/detail/object_type.hpp"

namespace tess::detail {

/// The image lies at [region::blocks_begin(), end) of `chunk_start`; its pointers are relative to `pointers_from`.
void check_image(std::byte* chunk_start, std::uint64_t end, std::uint32_t blocks, std::uint64_t pointers_from,
                 type_record const& root_type);

}  // namespace tess::detail
