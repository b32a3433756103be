// memory_port: the one way into a memory tile's DDR: a word per cycle, shared by all that go there; the DRAM behind it.
//
//   Requests are taken in order of arrival, each for as many cycles as it has words. A read's first word leaves
//   access_cycles after its turn came, or when the DRAM has it, whichever is later; so at zero load every access takes
//   the same time, as long as access_cycles cover a row conflict and a refresh. Bytes change hands when a request's
//   turn is decided: the order of arrival is the order in which everyone sees them.
//
// Units     cycles of the memory's clock; offsets within this memory.
// Cost      four events an access, and those of the DRAM.
// Threads   one.
// Source    "as fast as a DMA unit could run": NEMESYS (MEMSYS 2019), section 5.2; docs/internals/machine.md, 11 has
//           why it is needed.
#pragma once

#include <deque>
#include <vector>

#include "machine/dram/dram.hpp"
#include "machine/kernel/activity.hpp"
#include "machine/memory/host_memory.hpp"

namespace tess::machine {

struct memory_port_parameters {
  std::uint32_t port_bytes = 8;
  std::uint32_t access_cycles = 20;
};

class memory_port {
 public:
  struct statistics {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    std::uint64_t bytes = 0;
    picoseconds busy_ps = 0;
  };

  memory_port(kernel& k, clock_domain clock, memory_port_parameters const& made_of, dram_parameters const& behind);

  /// `done` happens, without the calendar, when all of it is there or written. Both must stay.
  void read(std::uint64_t offset, std::span<std::byte> into, event& done);
  void write(std::uint64_t offset, std::span<std::byte const> from, event& done);

  /// The bytes themselves, without time: for loaders and system calls.
  [[nodiscard]] host_memory& bytes() noexcept { return bytes_; }
  [[nodiscard]] statistics const& counted() const noexcept { return counted_; }
  /// From now on, every turn at the port.
  void tell(activity_log* log, std::uint32_t tile) noexcept { activity_ = {log, tile}; }
  [[nodiscard]] dram const& behind() const noexcept { return dram_; }

 private:
  /// One request on its way: first its turn, then the DRAM's bursts, then its last word.
  struct access : event {
    explicit access(memory_port& owner_) : event(nullptr), owner(owner_) {}
    memory_port& owner;
    std::uint64_t next_burst = 0;
    std::uint64_t end = 0;
    bool writes = false;
    picoseconds earliest = 0;  ///< Of its last word.
    picoseconds word_time = 0;
    event* done = nullptr;
  };
  void begin(std::uint64_t offset, std::uint64_t bytes, bool writes, event& done);
  void burst(access& running);
  void finish(access& running);

  kernel& kernel_;
  clock_domain clock_;
  memory_port_parameters made_of_;
  dram dram_;
  host_memory bytes_;
  picoseconds free_ = 0;
  std::deque<access> all_;
  std::vector<access*> spare_;
  statistics counted_;
  activity_teller activity_;
};

}  // namespace tess::machine
