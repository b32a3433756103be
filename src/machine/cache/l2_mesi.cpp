// l2_mesi: what the controller of an L2 answers to the directory that keeps its lines coherent (MESI).
//
//   States    `shared` S, `clean` E, `dirty` M. Clean lines leave silently, so the directory may ask for a line that
//             has gone; a line on its way to memory still counts as here, with its bytes.
//   Source    D. Sorin, M. Hill, D. Wood, "A Primer on Memory Consistency and Cache Coherence" (2011), chapter 8.
#include "machine/cache/l2_private.hpp"
#include "machine/copy_line.hpp"

namespace tess::machine {

l2_private::surrendered l2_private::surrender(std::uint64_t address, line_right keep, std::span<std::byte> into) {
  std::uint64_t const line = line_address(address);
  line_index const here = lines_.find(line);
  departure const* const leaving = departure_of(line);
  if (here == no_line) {
    // What leaves arrives when the line is another's, and is then ignored there.
    if (leaving == nullptr) return {};
    copy_line(into.data(), leaving->data.data(), leaving->data.size());
    return {.dirty = true};
  }
  surrendered given{.kept = keep};
  // A line that was written back and kept may not have reached memory.
  if (lines_.state(here) == dirty || (lines_.state(here) == clean && leaving != nullptr)) {
    copy_line(into.data(), lines_.data(here).data(), into.size());
    given.dirty = true;
  }
  if (keep == line_right::none) {
    lines_.state(here) = invalid;
    back_invalidate(here);
  } else {
    lines_.state(here) = shared;
  }
  return given;
}

void l2_private::change_on_way(overwrite const& written) noexcept {
  // Those that are spare hold nothing.
  for (departure& leaving : all_departures_) written.apply(leaving.address, leaving.data);
  for (miss& coming : all_misses_) written.apply(coming.address, coming.data);
}

}  // namespace tess::machine
