// range_unit: the unit by which programs write back and invalidate ranges of their tile's caches.
//
//   Commands of all harts wait in one queue; a doorbell reads `full` if there is no room in it. They are served in the
//   order of arrival; the unit visits one line after the other, each for as long as the tags of the L2 need. It does
//   not wait for memory: the next command begins when the lines of the one before have been visited. A command may
//   trigger the request in its hart's window of the NMA, so that the hart need not wait for the end of an invalidation;
//   that window takes no further command until then.
//
// Units     global addresses inside; register addresses may be in the local window.
// Errors    a range that is not in one region of this machine, or an unknown operation: `wrong`. An invalid request:
//           `error` of the counter.
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
  range_unit(kernel& k, machine_description const& description, tile& at);

  /// The fields of all windows are as there, where no command runs.
  void take_over(range_unit const& from) { windows_ = from.windows_; }
  /// Issues a hart's request; false: it is invalid.
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
    bool triggers = false;  ///< Its command will issue the hart's request: the fields must stay.
  };
  registers::ranges::status_code ring(window& by);
  /// The command as it was when the doorbell rang; its turn is at `begin`.
  process run(window command, window& of, picoseconds begin);

  kernel& kernel_;
  tile& tile_;
  completion completion_;
  picoseconds line_ps_;
  std::uint32_t queue_entries_;
  std::uint32_t queued_ = 0;  ///< Commands whose turn has not come.
  picoseconds free_ = 0;      ///< From when on the tags are free for the next command.
  std::vector<window> windows_;
  std::function<bool(std::uint64_t)> triggered_;
};

}  // namespace tess::machine
