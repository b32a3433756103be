// memory_port: turns at the port, and the bursts behind it.
#include "machine/memory/memory_port.hpp"

#include <algorithm>

#include "machine/cache/copy_line.hpp"

namespace tess::machine {

memory_port::memory_port(kernel& k, clock_domain clock, memory_port_parameters const& parameters,
                         dram_parameters const& behind)
    : kernel_(k), clock_(clock), parameters_(parameters), dram_(k, behind), bytes_(behind.size_bytes()) {}

void memory_port::read(std::uint64_t offset, std::span<std::byte> into, event& done) {
  MACHINE_ASSERT(offset + into.size() <= bytes_.size_bytes());
  copy_line(into.data(), bytes_.at(offset), into.size());
  ++counted_.reads;
  begin(offset, into.size(), false, done);
}

void memory_port::write(std::uint64_t offset, std::span<std::byte const> from, event& done) {
  MACHINE_ASSERT(offset + from.size() <= bytes_.size_bytes());
  copy_line(bytes_.at(offset), from.data(), from.size());
  ++counted_.writes;
  begin(offset, from.size(), true, done);
}

void memory_port::begin(std::uint64_t offset, std::uint64_t bytes, bool writes, event& done) {
  if (spare_.empty()) spare_.push_back(&all_.emplace_back(*this));
  access& begun = *spare_.back();
  spare_.pop_back();
  picoseconds const turn = std::max(clock_.edge(kernel_.now()), free_);
  begun.word_time = clock_.cycles((bytes + parameters_.port_bytes - 1) / parameters_.port_bytes);
  free_ = turn + begun.word_time;
  counted_.busy_ps += begun.word_time;
  activity_.record("DDR", writes ? "write" : "read", turn, free_);
  counted_.bytes += bytes;
  std::uint64_t const burst_bytes = dram_.parameters().access_bytes;
  begun.next_burst = offset / burst_bytes * burst_bytes;
  begun.end = offset + bytes;
  begun.writes = writes;
  begun.earliest = turn + clock_.cycles(parameters_.access_cycles) + begun.word_time;
  begun.done = &done;
  begun.happens = [](event& self) {
    auto& running = static_cast<access&>(self);
    running.owner.burst(running);
  };
  kernel_.at(turn, begun);
}

void memory_port::burst(access& running) {
  if (running.next_burst >= running.end) return finish(running);
  if (!dram_.try_access(running.next_burst, running.writes, running)) return dram_.tell_of_room(running);
  running.next_burst += dram_.parameters().access_bytes;
}

void memory_port::finish(access& running) {
  running.happens = [](event& self) {
    auto& ended = static_cast<access&>(self);
    event& done = *ended.done;
    ended.owner.spare_.push_back(&ended);
    ended.owner.kernel_.notify(done);
  };
  kernel_.at(std::max(running.earliest, clock_.edge(kernel_.now()) + running.word_time), running);
}

}  // namespace tess::machine
