// memory_port: the single port of a memory tile's DDR: one word per cycle, shared by all clients; the DRAM is behind
// it.
//
//   Requests are served in order of arrival, each for as many cycles as it has words. The first word of a read leaves
//   access_cycles after its turn, or when the DRAM has it, whichever is later. So at zero load every access takes the
//   same time, as long as access_cycles cover a row conflict and a refresh. Bytes are read and written when a request's
//   turn is decided: the order of arrival is the order that every observer sees.
//
// Units     cycles of the memory's clock; offsets within this memory.
// Cost      four events per access, and those of the DRAM.
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

  memory_port(kernel& k, clock_domain clock, memory_port_parameters const& parameters, dram_parameters const& behind);

  /// `done` is called directly when all bytes are there or written. Both arguments must stay in place.
  void read(std::uint64_t offset, std::span<std::byte> into, event& done);
  void write(std::uint64_t offset, std::span<std::byte const> from, event& done);

  /// The bytes, without time: for loaders and system calls.
  [[nodiscard]] host_memory& bytes() noexcept { return bytes_; }
  [[nodiscard]] statistics const& counted() const noexcept { return counted_; }
  /// From now on, every turn at the port is logged.
  void set_log(activity_log* log, std::uint32_t tile) noexcept { activity_ = {log, tile}; }
  [[nodiscard]] dram const& behind() const noexcept { return dram_; }

 private:
  /// A request in progress: its turn, the DRAM's bursts, its last word.
  struct access : event {
    explicit access(memory_port& owner_) : event(nullptr), owner(owner_) {}
    memory_port& owner;
    std::uint64_t next_burst = 0;
    std::uint64_t end = 0;
    bool writes = false;
    picoseconds earliest = 0;  ///< For its last word.
    picoseconds word_time = 0;
    event* done = nullptr;
  };
  void begin(std::uint64_t offset, std::uint64_t bytes, bool writes, event& done);
  void burst(access& running);
  void finish(access& running);

  kernel& kernel_;
  clock_domain clock_;
  memory_port_parameters parameters_;
  dram dram_;
  host_memory bytes_;
  picoseconds free_ = 0;
  std::deque<access> all_;
  std::vector<access*> spare_;
  statistics counted_;
  activity_source activity_;
};

}  // namespace tess::machine
