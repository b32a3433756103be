// l1_cache: fill and invalidation.
#include "machine/cache/l1_cache.hpp"

#include "machine/cache/copy_line.hpp"

namespace tess::machine {

std::byte* l1_cache::fill(std::uint64_t address, std::byte const* line) {
  line_index into = lines_.find(address);
  if (into == no_line) {
    into = lines_.victim(address, [](line_index) { return true; });
    if (lines_.state(into) != cache_array::invalid) dropped(lines_.address_of(into));
    lines_.assign(into, address);
    lines_.state(into) = valid;
  }
  if (line != nullptr) copy_line(lines_.data(into).data(), line, shape().line_bytes);
  lines_.use(into);
  return lines_.at(into, address);
}

void l1_cache::drop(line_index line) {
  lines_.state(line) = cache_array::invalid;
  ++counted_.invalidations;
  dropped(lines_.address_of(line));
}

void l1_cache::invalidate(std::uint64_t address, std::size_t bytes) {
  if (bytes >= shape().size_bytes()) {
    // Scanning all lines is cheaper than searching for every address.
    for (line_index line = 0; line < lines_.lines(); ++line) {
      std::uint64_t const at = lines_.address_of(line);
      if (lines_.state(line) == cache_array::invalid || at + shape().line_bytes <= address || at >= address + bytes)
        continue;
      drop(line);
    }
    return;
  }
  for (std::uint64_t at = line_address(address); at < address + bytes; at += shape().line_bytes) {
    line_index const line = lines_.find(at);
    if (line == no_line) continue;
    drop(line);
  }
}

void l1_cache::invalidate_all() {
  for (line_index line = 0; line < lines_.lines(); ++line) {
    if (lines_.state(line) == cache_array::invalid) continue;
    drop(line);
  }
}

}  // namespace tess::machine
