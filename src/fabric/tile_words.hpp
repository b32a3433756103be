// tile_words: words of other tiles, one by one: compare-and-swap, and short blocks.
//
// Threads  any hart.
// Cost     each word is a round trip, for which the hart waits.
#pragma once

#include <cstddef>

namespace tess::detail {

/// To and from views of other tiles' memory: whole words where the far address is aligned, smaller ones at its edges.
void store_words(std::byte* far_target, std::byte const* source, std::size_t bytes) noexcept;
void load_words(std::byte* target, std::byte const* far_source, std::size_t bytes) noexcept;

}  // namespace tess::detail
