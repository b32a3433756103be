// l2_interface: RAE's network interface beside a tile's L2: performs loads, stores and atomics of other tiles there.
//
//   The path of a request: the input queue; decoding of its packet and mapping of its operation; then, in order, one
//   look-up of the extended MSHRs. If the line is being fetched, the request joins it in a sub-entry. Otherwise a main
//   entry asks the L2 for the line. Then all requests of the entry are done in order, in one turn at the L2. The
//   interface core takes `operation_cycles` for each.
//
//   A full resource blocks: a request without an entry waits at the head of the queue, with all others behind it. If
//   the queue is full, requests of other nodes are refused, stay in their adapters and are sent again. To end, an entry
//   needs only lines of the memory and the L2. These never wait for the entry at the same time, and have slots of their
//   own in the adapter; so nothing waits forever.
//
// Units     global addresses, cached names; cycles of the tile's clock.
// Threads   one.
// Source    RAE, section 3; docs/machine/rae.md lists the differences.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>

#include "machine/config/description.hpp"
#include "machine/kernel/kernel.hpp"
#include "machine/rae/atomics_interface.hpp"
#include "machine/rae/extended_mshr.hpp"
#include "machine/rae/l2_port.hpp"

namespace tess::machine {

class l2_interface final : public atomics_interface {
 public:
  /// `own`: the tile's partition; `on_write` is called when bytes of it have changed.
  l2_interface(kernel& k, machine_description const& description, region const& own, l2_port& below,
               std::function<void(std::uint64_t, std::size_t)> on_write);

  void serve(transaction& access, event& finished) override;
  [[nodiscard]] statistics counted() const noexcept override;
  [[nodiscard]] bool idle() const noexcept override { return queue_.empty() && entries_.in_use() == 0; }

 private:
  struct request {
    sub_entry what;
    picoseconds ready = 0;  ///< When its packet has been decoded.
    bool waited = false;    ///< It has been counted as a stall.
  };
  struct step_event : event {
    explicit step_event(l2_interface& owner_)
        : event([](event& self) { static_cast<step_event&>(self).owner.step(); }), owner(owner_) {}
    l2_interface& owner;
  };

  [[nodiscard]] std::uint64_t line_of(std::uint64_t address) const noexcept { return address & ~(line_bytes_ - 1); }
  /// When an operation done now is answered.
  [[nodiscard]] picoseconds next_answer() const noexcept {
    return std::max(core_free_, clock_.edge(kernel_.now())) + clock_.cycles(description_.operation_cycles);
  }
  void schedule();
  void step();
  // False: it must wait until an entry ends.
  [[nodiscard]] bool admit(sub_entry const& asks);
  [[nodiscard]] bool join(main_entry& entry, sub_entry const& asks);
  void go_on(main_entry& entry);
  void end(main_entry& entry);
  void answer(sub_entry const& what, std::byte* line);

  kernel& kernel_;
  clock_domain clock_;
  rae_description const& description_;
  region own_;
  std::uint64_t line_bytes_;
  l2_port& below_;
  std::function<void(std::uint64_t, std::size_t)> on_write_;
  extended_mshr entries_;
  std::deque<request> queue_;
  step_event step_{*this};
  bool stepping_ = false;  ///< `step_` is scheduled.
  bool stalled_ = false;   ///< The first request waits for an entry to end.
  picoseconds look_up_free_ = 0;
  picoseconds core_free_ = 0;
  statistics counted_;
};

}  // namespace tess::machine
