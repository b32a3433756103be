// nearest: the name that was probably meant, for messages about unknown names.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tess::cli {

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
std::size_t edit_distance(std::string_view source, std::string_view target);

// The candidate with the least edit distance, or "" if more than a third of the letters would have to change.
std::string nearest(std::string_view given, std::span<std::string const> candidates);

}  // namespace tess::cli
