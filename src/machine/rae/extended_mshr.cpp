// extended_mshr: allocation and release of entries.
#include "machine/rae/extended_mshr.hpp"

#include <algorithm>

#include "machine/kernel/assert.hpp"

namespace tess::machine {

extended_mshr::extended_mshr(std::uint32_t main_entries, std::uint32_t sub_entries, event::handler happens,
                             l2_interface* owner)
    : sub_entries_(sub_entries) {
  for (std::uint32_t i = 0; i < main_entries; ++i) {
    main_entry& made = entries_.emplace_back(happens, owner);
    made.requests.reserve(sub_entries);
    spare_.push_back(&made);
  }
  used_.reserve(main_entries);
}

main_entry* extended_mshr::find(std::uint64_t line) noexcept {
  auto const found = std::ranges::find(used_, line, &main_entry::address);
  return found == used_.end() ? nullptr : *found;
}

main_entry* extended_mshr::take(std::uint64_t line) {
  if (spare_.empty()) return nullptr;
  main_entry& taken = *spare_.back();
  spare_.pop_back();
  used_.push_back(&taken);
  taken.address = line;
  taken.is = main_entry::step::waits;
  taken.writes = false;
  taken.joined = 0;
  taken.ends = 0;
  return &taken;
}

void extended_mshr::free(main_entry& done) noexcept {
  MACHINE_DEBUG_ASSERT(done.requests.empty());
  done.is = main_entry::step::free;
  std::erase(used_, &done);
  spare_.push_back(&done);
}

}  // namespace tess::machine
