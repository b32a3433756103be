// node_interface: RAE's network interface beside a node's memory, between adapter, core's caches and DDR.
//
//   The interface itself is a clocked unit (interface_unit): the C++ pipeline, or its hardware. What arrives during a
//   cycle is in the unit's inputs of that cycle; what the unit drives in the next one is acted on at its beginning. A
//   cycle in which nothing can happen is left out.
//
//   A line of the node is in the core's caches or in the interface, never in both. The directory is the tags of both:
//   here a fetch of the unit is directed to the core's L2, by one turn on the coherence bus, or to memory. One fetch is
//   decided in a cycle, and the unit learns it in the same one (a grant), so that a claim cannot come between. A line
//   in flight to or from the L2 is not requested from either. Accesses of the core's caches, of DMA and of other nodes
//   to a line in memory come by claim(): the unit gives the line back first.
//
// Units     global addresses, cached names; cycles of the tile's clock.
// Threads   one.
// Source    RAE, section 3 and Table I; docs/machine/rae.md lists the differences.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "machine/cache/l2_private.hpp"
#include "machine/config/description.hpp"
#include "machine/memory/memory_port.hpp"
#include "machine/rae/atomics_interface.hpp"
#include "machine/rae/interface_unit.hpp"

namespace tess::machine {

/// The unit of a machine's nodes, for the largest of them.
[[nodiscard]] interface_parameters parameters_of(machine_description const& description);

class node_interface final : public atomics_interface {
 public:
  /// `own`: the node's partition, in this memory; `on_write` is called when bytes of it have changed.
  node_interface(kernel& k, machine_description const& description, region const& own, l2_private& cores,
                 memory_port& memory, std::unique_ptr<interface_unit> unit,
                 std::function<void(std::uint64_t, std::size_t)> on_write);

  void serve(transaction& access, event& finished) override;
  [[nodiscard]] statistics counted() const noexcept override { return counted_; }
  [[nodiscard]] bool idle() const noexcept override;

  /// Before anything else reads a line of this memory (`takes` false) or owns or writes it (true): when `then` happens,
  /// memory is current, and the access must be done at once.
  void claim(std::uint64_t line, bool takes, event& then);

  // Without time:

  /// The byte in the interface; null: its line is elsewhere.
  [[nodiscard]] std::byte const* look_up(std::uint64_t address) noexcept;
  /// Writes within a line, if it is in the interface; the caller writes memory in any case.
  void poke(std::uint64_t address, std::span<std::byte const> from);
  /// Sets [address, address + bytes), whole lines, to zero.
  void forget(std::uint64_t address, std::uint64_t bytes);

 private:
  struct edge_event : event {
    explicit edge_event(node_interface& owner_)
        : event([](event& self) { static_cast<edge_event&>(self).owner.edge(); }), owner(owner_) {}
    node_interface& owner;
  };
  /// The line of a main entry, from its fetch until the unit has it. It happens when the L2 has finished with the line,
  /// when its turn on the bus ends, or when memory has read it.
  struct wanted_line : event {
    explicit wanted_line(node_interface& owner_)
        : event([](event& self) {
            auto& wanted = static_cast<wanted_line&>(self);
            wanted.owner.comes(wanted);
          }),
          owner(owner_) {}
    enum class stage : std::uint8_t { none, seeks, in_core, reads };
    node_interface& owner;
    stage is = stage::none;
    std::uint32_t entry = 0;
    std::uint64_t line = 0;
    bool owned = false;  ///< Only the interface has it: `bytes` is the line.
    std::vector<std::byte> bytes;
  };
  struct waiting_request {
    interface_request packet;
    transaction* access = nullptr;
    event* finished = nullptr;
    cycle_count arrived = 0;
  };
  struct waiting_claim {
    std::uint64_t line = 0;
    bool takes = false;
    event* then = nullptr;
    cycle_count arrived = 0;
  };
  struct waiting_line {
    wanted_line* wanted = nullptr;
    cycle_count arrived = 0;  ///< In this cycle or later it can be acted on.
  };
  struct pending {
    transaction* access = nullptr;
    event* finished = nullptr;
  };

  [[nodiscard]] std::uint64_t offset_of(std::uint64_t address) const noexcept { return address - own_.base; }
  [[nodiscard]] cycle_count cycle_now() const noexcept { return clock_.count(kernel_.now()); }
  /// The unit's next edge is needed: that of this cycle.
  void wake();
  void edge();
  void fill(interface_inputs& in, cycle_count now);
  void act(interface_outputs const& out, cycle_count now);
  void answer(interface_outputs const& out);
  void decide_one(cycle_count now);
  /// Looks where the line is; it may be granted from memory now.
  void seek(wanted_line& wanted, cycle_count now);
  void take(wanted_line& wanted, cycle_count now);
  void comes(wanted_line& wanted);
  [[nodiscard]] bool has_work() const noexcept;

  kernel& kernel_;
  clock_domain clock_;
  rae_description const& description_;
  region own_;
  std::uint64_t line_bytes_;
  l2_private& cores_;
  memory_port& memory_;
  std::unique_ptr<interface_unit> unit_;
  std::function<void(std::uint64_t, std::size_t)> on_write_;

  edge_event edge_{*this};
  bool scheduled_ = false;
  std::deque<waiting_request> requests_;  ///< Before the unit's port, as the following ones.
  std::deque<waiting_claim> claims_;
  event* claiming_ = nullptr;  ///< Whose claim the unit has.
  std::deque<waiting_line> arrived_;
  std::deque<waiting_line> seeking_;  ///< To be directed to core or memory.
  std::deque<waiting_line> turns_;    ///< On the coherence bus, in order of time.
  wanted_line* granted_ = nullptr;    ///< In this cycle.
  bool from_core_ = false;
  std::deque<wanted_line> lines_;  ///< By main entry.
  std::vector<pending> pending_;   ///< By tag.
  std::vector<std::uint32_t> spare_tags_;
  event nothing_{[](event&) {}};
  statistics counted_;
};

}  // namespace tess::machine
