// range_unit: the unit by which programs write back and invalidate ranges of their tile's caches.
//
//   A window holds one command at a time; its doorbell says `full` while that runs. Commands run side by side: each
//   looks at its range line by line, a hit's time each, and waits for memory at the end. A command may trigger what
//   stands in its hart's window of requests to the NMA, so that nobody need wait for the end of an invalidation.
//
// Units     global addresses inside; those of the registers may be the local window's.
// Errors    a range that does not lie in one region of this machine, or an unknown operation: `wrong`. A request that
//           cannot be made: `error` of the counter.
// Threads   one.
// Source    range operations of Pegasus (DATE 2017) and NEMESYS (MEMSYS 2019), section 3; registers.hpp, `ranges`.
#pragma once

#include <functional>
#include <vector>

#include "machine/kernel/kernel.hpp"
#include "machine/tile/tile.hpp"
#include "machine/unit/completion.hpp"

namespace tess::machine {

class range_unit final : public device {
 public:
  range_unit(kernel& k, machine_description const& description, network& noc, tile& at);

  /// How a hart's request is made; false: it cannot be.
  void on_trigger(std::function<bool(std::uint64_t)> made) { triggered_ = std::move(made); }

  [[nodiscard]] std::optional<std::uint64_t> load(std::uint64_t offset, std::uint32_t hart) override;
  [[nodiscard]] bool store(std::uint64_t offset, std::uint64_t value, std::uint32_t hart) override;

 private:
  struct window {
    std::uint64_t operation = 0;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t counter = 0;
    std::uint64_t trigger = 0;
    registers::ranges::status_code status = registers::ranges::idle;
    bool runs = false;
  };
  registers::ranges::status_code ring(window& by);
  /// A copy of the command, as it was when the bell rang.
  process run(window command, window& of);

  kernel& kernel_;
  network& network_;
  tile& tile_;
  completion completion_;
  picoseconds line_ps_;
  std::vector<window> windows_;
  std::function<bool(std::uint64_t)> triggered_;
};

}  // namespace tess::machine
