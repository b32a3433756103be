// check: verifies an image that arrived, block by block, before any of its pointers is followed.
//
//   It checks types, bounds, array sizes, and that every pointer leads to the start of a block of a type that the
//   pointer accepts. The same pass relocates pointers to the receiver's addresses and clears transients.
//
// Errors  tess::error with what is wrong and at which byte. The memory stays the caller's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tess/detail/objects/object_type.hpp"

namespace tess::detail {

/// The image lies at [region::blocks_begin(), end) of `chunk_start`; its pointers are relative to `pointers_from`.
void check_image(std::byte* chunk_start, std::uint64_t end, std::uint32_t blocks, std::uint64_t pointers_from,
                 type_record const& root_type);

}  // namespace tess::detail
