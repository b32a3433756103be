// directory: probes, and the bytes that their answers carry.
#include "machine/memory/directory.hpp"

#include <algorithm>
#include <span>

namespace tess::machine {

directory::probe& directory::probe_of(std::uint32_t tile, std::uint64_t line, line_right keep, event& by) {
  probe& made = probes_.take(*this);
  made.by = &by;
  made.sent.what = remote_operation::probe;
  made.sent.status = remote_outcome::pending;
  made.sent.target = tile;
  made.sent.address = line;
  made.sent.bytes = 0;
  made.sent.part = line_access{.right = keep};
  made.sent.done = &made;
  return made;
}

std::byte* directory::in_answer(std::uint64_t address) noexcept {
  std::uint64_t const line = line_of(address);
  auto const brings = [line](probe const& one) { return one.sent.address == line && one.sent.bytes != 0; };
  auto const found = std::ranges::find_if(probes_.all(), brings);
  return found == probes_.all().end() ? nullptr : &found->sent.data[address - line];
}

void directory::change_on_way(overwrite const& written) noexcept {
  for (probe& one : probes_.all()) written.apply(one.sent.address, std::span(one.sent.data).first(line_bytes_));
}

}  // namespace tess::machine
