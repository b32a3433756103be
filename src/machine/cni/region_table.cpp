// region_table: valid entries, and searches.
#include "machine/cni/region_table.hpp"

#include <algorithm>

namespace tess::machine {
namespace {

constexpr std::uint64_t in_line = registers::cni::line_bytes - 1;

/// Is `holds` true for every line of the range? The range must not wrap.
template <class Holds>
bool every_line(std::uint64_t address, std::uint64_t bytes, Holds&& holds) {
  if (bytes == 0 || address + bytes - 1 < address) return false;
  std::uint64_t const last = (address + bytes - 1) & ~in_line;
  for (std::uint64_t line = address & ~in_line;; line += registers::cni::line_bytes) {
    if (!holds(line)) return false;
    if (line == last) return true;
  }
}

}  // namespace

bool region_table::enable(entry& one, std::uint64_t ways) noexcept {
  bool const known = one.code >= registers::cni::own_scratchpad && one.code <= registers::cni::memory;
  bool const whole = (one.mask & in_line) == 0 && (one.match & ~one.mask) == 0;
  one.enabled = known && whole && (one.code != registers::cni::own_scratchpad || one.way < ways);
  return one.enabled;
}

region_table::entry const* region_table::find(std::uint64_t address) const noexcept {
  auto const found = std::ranges::find_if(
      entries_, [&](entry const& one) { return one.enabled && (address & one.mask) == one.match; });
  return found == entries_.end() ? nullptr : &*found;
}

bool region_table::may_read(std::uint64_t address, std::uint64_t bytes) const noexcept {
  return every_line(address, bytes, [&](std::uint64_t line) {
    entry const* const in = find(line);
    return in != nullptr && in->code != registers::cni::remote_events;
  });
}

bool region_table::may_write(std::uint64_t address, std::uint64_t bytes) const noexcept {
  return every_line(address, bytes, [&](std::uint64_t line) { return find(line) != nullptr; });
}

}  // namespace tess::machine
