// atomics_interface: requests into entries, lines from core and memory, answers.
#include "machine/rae/atomics_interface.hpp"

#include <algorithm>
#include <utility>

#include "machine/copy_line.hpp"

namespace tess::machine {

using entry_step = main_entry::step;

atomics_interface::atomics_interface(kernel& k, machine_description const& made_of, region const& own,
                                     l2_private& cores, memory_port& memory,
                                     std::function<void(std::uint64_t, std::size_t)> told)
    : kernel_(k),
      clock_(made_of.tile_clock_ps),
      made_of_(*made_of.rae),
      own_(own),
      tile_(own.tile),
      line_bytes_(made_of.l2.line_bytes),
      cores_(cores),
      memory_(memory),
      told_(std::move(told)),
      entries_(
          made_of_.main_entries, made_of_.sub_entries, line_bytes_,
          [](event& self) {
            auto& entry = static_cast<main_entry&>(self);
            entry.owner->go_on(entry);
          },
          this),
      kept_({.way_bytes = made_of_.cache_bytes, .ways = 1, .line_bytes = made_of.l2.line_bytes}) {}

void atomics_interface::serve(transaction& asked, event& finished) {
  auto const operation = map_operation(asked);
  bool const in_one_line = line_of(asked.address) == line_of(asked.address + asked.bytes - 1);
  if (!operation || !in_one_line || !own_.holds(asked.address)) {
    asked.status = remote_outcome::wrong;
    return kernel_.after(0, finished);
  }
  // The own tile's requests are as many as its units and the tickets of its harts, and nobody sends them again.
  if (queue_.size() >= made_of_.queue_entries && asked.source != tile_) {
    ++counted_.refused;
    asked.status = remote_outcome::refused;
    return kernel_.after(0, finished);
  }
  ++counted_.requests;
  picoseconds const ready = clock_.edge(kernel_.now()) + clock_.cycles(made_of_.packet_cycles);
  queue_.push_back({.what = {&asked, &finished, *operation}, .ready = ready});
  schedule();
}

void atomics_interface::schedule() {
  if (stepping_ || stalled_ || queue_.empty()) return;
  stepping_ = true;
  picoseconds const begins = std::max({queue_.front().ready, look_up_free_, clock_.edge(kernel_.now())});
  look_up_free_ = begins + clock_.cycles(made_of_.look_up_cycles);
  kernel_.at(look_up_free_, step_);
}

void atomics_interface::step() {
  stepping_ = false;
  request& first = queue_.front();
  if (admit(first)) {
    queue_.pop_front();
  } else {
    if (!std::exchange(first.waited, true)) ++counted_.full_stalls;
    stalled_ = true;
  }
  schedule();
}

bool atomics_interface::admit(request& first) {
  std::uint64_t const line = line_of(first.what.asked->address);
  bool const stores = writes(first.what.operation);
  if (main_entry* const entry = entries_.find(line)) {
    if (!made_of_.merge || entry->closed || !entries_.has_room(*entry)) return false;
    ++counted_.merged;
    ++entry->joined;
    entry->writes = entry->writes || stores;
    if (entry->is != entry_step::answers) {
      entry->requests.push_back(first.what);
      return true;
    }
    answer(first.what, entry->line.data());
    entry->dirty = entry->dirty || stores;
    entry->ends = core_free_;
    return true;
  }
  if (line_index const here = kept_.find(line); here != no_line) {
    ++counted_.hits;
    answer(first.what, kept_.data(here).data());
    if (stores) kept_.state(here) = dirty;
    kept_.metadata(here) = core_free_;
    return true;
  }
  main_entry* const begun = entries_.take(line);
  if (begun == nullptr) return false;
  ++counted_.entries;
  begun->joined = 1;
  begun->writes = stores;
  begun->requests.push_back(first.what);
  seek(*begun);
  return true;
}

void atomics_interface::go_on(main_entry& entry) {
  switch (entry.is) {
    case entry_step::waits:
      return seek(entry);
    case entry_step::takes:
      return take(entry);
    case entry_step::reads:
      return arrive(entry);
    case entry_step::answers:
      // Requests have joined while others were answered.
      return entry.ends > kernel_.now() ? kernel_.at(entry.ends, entry) : end(entry);
    case entry_step::free:
      MACHINE_ASSERT(false);
  }
}

void atomics_interface::seek(main_entry& entry) {
  if (cores_.wait_for(entry.address, entry)) {
    entry.is = entry_step::waits;
  } else if (cores_.probe(entry.address).line_state != l2_private::invalid) {
    entry.is = entry_step::takes;
    kernel_.after(clock_.cycles(made_of_.probe_cycles), entry);
  } else {
    entry.is = entry_step::reads;
    ++counted_.memory_reads;
    memory_.read(offset_of(entry.address), entry.line, entry);
  }
}

void atomics_interface::take(main_entry& entry) {
  auto const found = cores_.probe(entry.address);
  // Meanwhile it may have gone, or be on its way to memory.
  if (found.line_state == l2_private::invalid) return seek(entry);
  if (cores_.wait_for(entry.address, entry)) {
    entry.is = entry_step::waits;
    return;
  }
  copy_line(entry.line.data(), found.data.data(), line_bytes_);
  entry.owned = entry.writes;
  if (entry.writes) {
    ++counted_.invalidations;
    cores_.drop_line(entry.address);
  } else {
    entry.closed = true;  // what joined would be done to a copy
  }
  arrive(entry);
}

void atomics_interface::arrive(main_entry& entry) {
  entry.is = entry_step::answers;
  for (sub_entry const& one : entry.requests) answer(one, entry.line.data());
  entry.dirty = entry.dirty || entry.writes;
  entry.requests.clear();
  entry.ends = core_free_;
  kernel_.at(entry.ends, entry);
}

void atomics_interface::answer(sub_entry const& what, std::byte* line) {
  transaction& asked = *what.asked;
  carry_out(what.operation, asked, line + asked.address % line_bytes_);
  asked.status = remote_outcome::done;
  core_free_ = std::max(core_free_, clock_.edge(kernel_.now())) + clock_.cycles(made_of_.operation_cycles);
  kernel_.at(core_free_, *what.finished);
  if (writes(what.operation)) told_(asked.address, asked.bytes);
}

void atomics_interface::end(main_entry& entry) {
  bool const keep = made_of_.policy == rae_policy::retain && entry.claims.empty();
  if (entry.owned && keep) {
    retain(entry);
  } else if (entry.owned && entry.dirty) {
    write_memory(entry.address, entry.line);
  }
  std::vector<event*> const claims = std::exchange(entry.claims, {});
  entries_.free(entry);
  // Who waited for the line comes before requests that did.
  for (event* const one : claims) one->happens(*one);
  stalled_ = false;
  schedule();
}

void atomics_interface::retain(main_entry& entry) {
  line_index const into = kept_.first_of(entry.address);
  if (kept_.state(into) == dirty) write_memory(kept_.address_of(into), kept_.data(into));
  kept_.assign(into, entry.address);
  kept_.state(into) = entry.dirty ? dirty : clean;
  kept_.metadata(into) = entry.ends;
  copy_line(kept_.data(into).data(), entry.line.data(), line_bytes_);
}

void atomics_interface::write_memory(std::uint64_t line, std::span<std::byte const> bytes) {
  ++counted_.memory_writes;
  memory_.write(offset_of(line), bytes, nothing_);
}

bool atomics_interface::claim(std::uint64_t address, bool takes, event& then) {
  std::uint64_t const line = line_of(address);
  if (main_entry* const entry = entries_.find(line); entry != nullptr && entry->owns()) {
    entry->closed = true;
    entry->claims.push_back(&then);
    return true;
  }
  line_index const here = kept_.find(line);
  if (here == no_line) return false;
  if (kept_.state(here) == dirty) write_memory(line, kept_.data(here));
  kept_.state(here) = takes ? std::uint8_t{cache_array::invalid} : std::uint8_t{clean};
  picoseconds const answered = kept_.metadata(here);
  if (!takes || answered <= kernel_.now()) return false;
  kernel_.at(answered, then);
  return true;
}

std::byte* atomics_interface::look_up(std::uint64_t address, bool for_store) noexcept {
  if (main_entry* const entry = entries_.find(line_of(address)); entry != nullptr && entry->owns()) {
    entry->dirty = entry->dirty || for_store;
    return entry->line.data() + address % line_bytes_;
  }
  line_index const here = kept_.find(address);
  if (here == no_line) return nullptr;
  if (for_store) kept_.state(here) = dirty;
  return kept_.at(here, address);
}

void atomics_interface::forget(std::uint64_t address, std::uint64_t bytes) {
  auto const inside = [&](std::uint64_t line) { return line - address < bytes; };
  for (main_entry* const one : entries_.used()) {
    if (!inside(one->address) || !one->owns()) continue;
    std::ranges::fill(one->line, std::byte{});
    one->dirty = false;
  }
  for (line_index line = 0; line < kept_.lines(); ++line) {
    if (kept_.state(line) != cache_array::invalid && inside(kept_.address_of(line))) {
      kept_.state(line) = cache_array::invalid;
    }
  }
}

}  // namespace tess::machine
