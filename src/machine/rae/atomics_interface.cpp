// atomics_interface: requests, main entries, operations on lines, answers.
#include "machine/rae/atomics_interface.hpp"

#include <algorithm>
#include <utility>

namespace tess::machine {

atomics_interface::atomics_interface(kernel& k, machine_description const& description, region const& own,
                                     memory_side& below, std::function<void(std::uint64_t, std::size_t)> on_write)
    : kernel_(k),
      clock_(description.tile_clock_ps),
      description_(*description.rae),
      own_(own),
      line_bytes_(description.l2.line_bytes),
      below_(below),
      on_write_(std::move(on_write)),
      entries_(
          description_.main_entries, description_.sub_entries, line_bytes_,
          [](event& self) {
            auto& entry = static_cast<main_entry&>(self);
            entry.owner->go_on(entry);
          },
          this) {}

void atomics_interface::serve(transaction& access, event& finished) {
  auto const operation = map_operation(access);
  bool const in_one_line = line_of(access.address) == line_of(access.address + access.bytes - 1);
  if (!operation || !in_one_line || !own_.holds(access.address)) {
    access.status = remote_outcome::wrong;
    return kernel_.after(0, finished);
  }
  // The own tile's units and tickets limit its requests, and nothing would send those again.
  if (queue_.size() >= description_.queue_entries && access.source != own_.tile) {
    ++counted_.refused;
    access.status = remote_outcome::refused;
    return kernel_.after(0, finished);
  }
  ++counted_.requests;
  picoseconds const ready = clock_.edge(kernel_.now()) + clock_.cycles(description_.packet_cycles);
  queue_.push_back({.what = {&access, &finished, *operation}, .ready = ready});
  schedule();
}

void atomics_interface::schedule() {
  if (stepping_ || stalled_ || queue_.empty()) return;
  stepping_ = true;
  picoseconds const begins = std::max({queue_.front().ready, look_up_free_, clock_.edge(kernel_.now())});
  look_up_free_ = begins + clock_.cycles(description_.look_up_cycles);
  kernel_.at(look_up_free_, step_);
}

void atomics_interface::step() {
  stepping_ = false;
  request& first = queue_.front();
  if (admit(first.what)) {
    queue_.pop_front();
  } else {
    if (!std::exchange(first.waited, true)) ++counted_.full_stalls;
    stalled_ = true;
  }
  schedule();
}

bool atomics_interface::admit(sub_entry const& asks) {
  std::uint64_t const address = asks.access->address;
  if (main_entry* const entry = entries_.find(line_of(address))) return join(*entry, asks);
  if (std::byte* const here = below_.kept(address, writes(asks.operation), next_answer())) {
    ++counted_.hits;
    answer(asks, here - address % line_bytes_);
    return true;
  }
  main_entry* const begun = entries_.take(line_of(address));
  if (begun == nullptr) return false;
  ++counted_.entries;
  begun->joined = 1;
  begun->writes = writes(asks.operation);
  begun->requests.push_back(asks);
  go_on(*begun);
  return true;
}

bool atomics_interface::join(main_entry& entry, sub_entry const& asks) {
  bool const stores = writes(asks.operation);
  if (!description_.merge || entry.closed || !entries_.has_room(entry)) return false;
  if (entry.is == main_entry::step::answers) {
    std::byte* const line = below_.join(entry, stores);
    if (line == nullptr) return false;
    answer(asks, line);
    entry.dirty = entry.dirty || stores;
    entry.ends = core_free_;
  } else {
    entry.requests.push_back(asks);
  }
  ++counted_.merged;
  ++entry.joined;
  entry.writes = entry.writes || stores;
  return true;
}

void atomics_interface::go_on(main_entry& entry) {
  if (entry.is == main_entry::step::answers) {
    // Requests may have joined while others were answered.
    return entry.ends > kernel_.now() ? kernel_.at(entry.ends, entry) : end(entry);
  }
  std::byte* const line = below_.reach(entry);
  if (line == nullptr) return;
  entry.is = main_entry::step::answers;
  core_free_ = std::max(core_free_, entry.ends);
  for (sub_entry const& one : entry.requests) answer(one, line);
  entry.dirty = entry.dirty || entry.writes;
  entry.requests.clear();
  entry.ends = core_free_;
  kernel_.at(entry.ends, entry);
}

void atomics_interface::answer(sub_entry const& what, std::byte* line) {
  transaction& access = *what.access;
  carry_out(what.operation, access, line + access.address % line_bytes_);
  access.status = remote_outcome::done;
  core_free_ = next_answer();
  kernel_.at(core_free_, *what.finished);
  if (writes(what.operation)) on_write_(access.address, access.bytes);
}

void atomics_interface::end(main_entry& entry) {
  below_.give_back(entry);
  std::vector<event*> const claims = std::exchange(entry.claims, {});
  entries_.free(entry);
  // Claims of the line come before waiting requests.
  for (event* const one : claims) one->happens(*one);
  stalled_ = false;
  schedule();
}

bool atomics_interface::claim(std::uint64_t address, bool takes, event& then) {
  std::uint64_t const line = line_of(address);
  main_entry* const entry = entries_.find(line);
  if (entry == nullptr || !entry->owns()) return below_.claim(line, takes, then);
  entry->closed = true;
  entry->claims.push_back(&then);
  return true;
}

std::byte* atomics_interface::look_up(std::uint64_t address, bool for_store) noexcept {
  main_entry* const entry = entries_.find(line_of(address));
  if (entry == nullptr || !entry->owns()) return below_.kept(address, for_store, 0);
  entry->dirty = entry->dirty || for_store;
  return entry->line.data() + address % line_bytes_;
}

void atomics_interface::forget(std::uint64_t address, std::uint64_t bytes) {
  for (main_entry* const one : entries_.used()) {
    if (one->address - address >= bytes || !one->owns()) continue;
    std::ranges::fill(one->line, std::byte{});
    one->dirty = false;
  }
  below_.forget(address, bytes);
}

atomics_interface::statistics atomics_interface::counted() const noexcept {
  statistics all = counted_;
  all.memory_reads = below_.counted_accesses().reads;
  all.memory_writes = below_.counted_accesses().writes;
  all.invalidations = below_.counted_accesses().invalidations;
  return all;
}

}  // namespace tess::machine
