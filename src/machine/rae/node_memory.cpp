// node_memory: fetches lines from core and memory, and returns them.
#include "machine/rae/node_memory.hpp"

#include <algorithm>

#include "machine/cache/copy_line.hpp"

namespace tess::machine {

using entry_step = main_entry::step;

node_memory::node_memory(kernel& k, machine_description const& description, region const& own, l2_private& cores,
                         memory_port& memory)
    : kernel_(k),
      clock_(description.tile_clock_ps),
      description_(*description.rae),
      own_(own),
      cores_(cores),
      memory_(memory),
      kept_({.way_bytes = description_.cache_bytes, .ways = 1, .line_bytes = description.l2.line_bytes}) {}

std::byte* node_memory::reach(main_entry& entry) {
  if (entry.is == entry_step::waits) {
    seek(entry);
    return nullptr;
  }
  return entry.is == entry_step::reads || take(entry) ? entry.line.data() : nullptr;
}

void node_memory::seek(main_entry& entry) {
  if (cores_.wait_for(entry.address, entry)) {
    entry.is = entry_step::waits;
  } else if (cores_.probe(entry.address).line_state != l2_private::invalid) {
    entry.is = entry_step::takes;
    kernel_.after(clock_.cycles(description_.probe_cycles), entry);
  } else {
    entry.is = entry_step::reads;
    ++accesses_.reads;
    memory_.read(offset_of(entry.address), entry.line, entry);
  }
}

bool node_memory::take(main_entry& entry) {
  auto const found = cores_.probe(entry.address);
  // Meanwhile the line may have left, or be in flight to memory.
  if (found.line_state == l2_private::invalid) {
    seek(entry);
    return false;
  }
  if (cores_.wait_for(entry.address, entry)) {
    entry.is = entry_step::waits;
    return false;
  }
  copy_line(entry.line.data(), found.data.data(), entry.line.size());
  entry.owned = entry.writes;
  if (entry.writes) {
    ++accesses_.invalidations;
    cores_.drop_line(entry.address);
  } else {
    entry.closed = true;  // a request that joined would modify a copy
  }
  return true;
}

void node_memory::give_back(main_entry& entry) {
  if (!entry.owned) return;
  if (description_.policy == rae_policy::retain && entry.claims.empty()) {
    retain(entry);
  } else if (entry.dirty) {
    write_memory(entry.address, entry.line);
  }
}

void node_memory::retain(main_entry& entry) {
  line_index const into = kept_.first_of(entry.address);
  if (kept_.state(into) == dirty) write_memory(kept_.address_of(into), kept_.data(into));
  kept_.assign(into, entry.address);
  kept_.state(into) = entry.dirty ? dirty : clean;
  kept_.metadata(into) = entry.ends;
  copy_line(kept_.data(into).data(), entry.line.data(), entry.line.size());
}

void node_memory::write_memory(std::uint64_t line, std::span<std::byte const> bytes) {
  ++accesses_.writes;
  memory_.write(offset_of(line), bytes, nothing_);
}

std::byte* node_memory::kept(std::uint64_t address, bool for_store, picoseconds until) noexcept {
  line_index const here = kept_.find(address);
  if (here == no_line) return nullptr;
  if (for_store) kept_.state(here) = dirty;
  kept_.metadata(here) = std::max(kept_.metadata(here), until);
  return kept_.at(here, address);
}

bool node_memory::claim(std::uint64_t line, bool takes, event& then) {
  line_index const here = kept_.find(line);
  if (here == no_line) return false;
  if (kept_.state(here) == dirty) write_memory(line, kept_.data(here));
  kept_.state(here) = takes ? std::uint8_t{cache_array::invalid} : std::uint8_t{clean};
  picoseconds const answered = kept_.metadata(here);
  if (!takes || answered <= kernel_.now()) return false;
  kernel_.at(answered, then);
  return true;
}

void node_memory::forget(std::uint64_t address, std::uint64_t bytes) {
  for (line_index line = 0; line < kept_.lines(); ++line) {
    if (kept_.state(line) != cache_array::invalid && kept_.address_of(line) - address < bytes)
      kept_.state(line) = cache_array::invalid;
  }
}

}  // namespace tess::machine
