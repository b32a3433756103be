// l2_interface: requests, main entries, operations on lines, answers.
#include "machine/rae/l2_interface.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tess::machine {

l2_interface::l2_interface(kernel& k, machine_description const& description, region const& own, l2_port& below,
                           std::function<void(std::uint64_t, std::size_t)> on_write)
    : kernel_(k),
      clock_(description.tile_clock_ps),
      description_(*description.rae),
      own_(own),
      line_bytes_(description.l2.line_bytes),
      below_(below),
      on_write_(std::move(on_write)),
      entries_(
          description_.main_entries, description_.sub_entries,
          [](event& self) {
            auto& entry = static_cast<main_entry&>(self);
            entry.owner->go_on(entry);
          },
          this) {}

void l2_interface::serve(transaction& access, event& finished) {
  auto const operation = map_operation(access.what, access.word, access.address, access.bytes);
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

void l2_interface::schedule() {
  if (stepping_ || stalled_ || queue_.empty()) return;
  stepping_ = true;
  picoseconds const begins = std::max({queue_.front().ready, look_up_free_, clock_.edge(kernel_.now())});
  look_up_free_ = begins + clock_.cycles(description_.look_up_cycles);
  kernel_.at(look_up_free_, step_);
}

void l2_interface::step() {
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

bool l2_interface::admit(sub_entry const& asks) {
  std::uint64_t const address = asks.access->address;
  if (main_entry* const entry = entries_.find(line_of(address))) return join(*entry, asks);
  main_entry* const begun = entries_.take(line_of(address));
  if (begun == nullptr) return false;
  ++counted_.entries;
  begun->joined = 1;
  begun->writes = writes(asks.operation);
  begun->requests.push_back(asks);
  go_on(*begun);
  return true;
}

bool l2_interface::join(main_entry& entry, sub_entry const& asks) {
  bool const stores = writes(asks.operation);
  if (!description_.merge || !entries_.has_room(entry)) return false;
  if (entry.is == main_entry::step::answers) {
    std::byte* const line = below_.join(entry, stores);
    if (line == nullptr) return false;
    answer(asks, line);
    entry.ends = core_free_;
  } else {
    entry.requests.push_back(asks);
  }
  ++counted_.merged;
  ++entry.joined;
  entry.writes = entry.writes || stores;
  return true;
}

void l2_interface::go_on(main_entry& entry) {
  if (entry.is == main_entry::step::answers) {
    // Requests may have joined while others were answered.
    return entry.ends > kernel_.now() ? kernel_.at(entry.ends, entry) : end(entry);
  }
  std::byte* const line = below_.reach(entry);
  if (line == nullptr) return;
  entry.is = main_entry::step::answers;
  core_free_ = std::max(core_free_, entry.ends);
  for (sub_entry const& one : entry.requests) answer(one, line);
  entry.requests.clear();
  entry.ends = core_free_;
  kernel_.at(entry.ends, entry);
}

void l2_interface::answer(sub_entry const& what, std::byte* line) {
  transaction& access = *what.access;
  std::uint64_t operand = access.operand;
  if (what.operation == interface_operation::store) std::memcpy(&operand, access.data.data(), access.bytes);
  std::uint64_t const before =
      carry_out(what.operation, line + access.address % line_bytes_, access.bytes, operand, access.expected);
  if (what.operation == interface_operation::load) {
    std::memcpy(access.data.data(), &before, access.bytes);
  } else if (what.operation != interface_operation::store) {
    access.operand = before;
  }
  access.status = remote_outcome::done;
  core_free_ = next_answer();
  kernel_.at(core_free_, *what.finished);
  if (writes(what.operation)) on_write_(access.address, access.bytes);
}

void l2_interface::end(main_entry& entry) {
  entries_.free(entry);
  stalled_ = false;
  schedule();
}

atomics_interface::statistics l2_interface::counted() const noexcept {
  statistics all = counted_;
  all.memory_reads = below_.counted_accesses().reads;
  all.memory_writes = below_.counted_accesses().writes;
  return all;
}

}  // namespace tess::machine
