// invocation: remote task invocation: windows that send a message to another tile's queue, and windows by which the
// harts of that tile take messages out.
//
//   A message is five words and the number of the sending tile. The queue is the adapter's; the machine file gives its
//   size. A message that finds it full stays in its slot at the sender, which tries again: nothing waits in a router
//   (docs/internals/machine.md, 5). The sender's counter is acknowledged when the message is in the queue. A hart takes
//   the oldest message into its own window, so harts do not mix their messages. An arriving message adds 1 to the word
//   at `notify`, if there is one, which wakes its sleepers. So does the tile's alarm, for sleepers with a deadline.
//
// Threads   one.
// Source    NEMESYS (MEMSYS 2019), sections 3 and 4 (task spawn by the network adapter); registers.hpp, `invoke` and
//           `tasks`.
#pragma once

#include <functional>

#include "machine/kernel/kernel.hpp"
#include "machine/tile/tile.hpp"
#include "machine/unit/command_unit.hpp"
#include "machine/unit/completion.hpp"

namespace tess::machine {

class invoke_unit final : public command_unit {
 public:
  invoke_unit(kernel& k, machine_description const& description, tile& at);

 private:
  [[nodiscard]] registers::command_status begin(window& by) override;
  process run(window& by);

  kernel& kernel_;
  completion completion_;
  std::uint32_t tile_;
  std::uint32_t tiles_;
};

class task_queue final : public device {
 public:
  /// `changed`: called when a message has come or gone, with whether there are any.
  task_queue(kernel& k, machine_description const& description, tile& at, std::function<void(bool)> changed = {});

  [[nodiscard]] std::optional<std::uint64_t> load(std::uint64_t offset, std::uint32_t hart) override;
  [[nodiscard]] bool store(std::uint64_t offset, std::uint64_t value, std::uint32_t hart) override;

  /// Messages, notification and alarm are as there.
  void take_over(task_queue& from);
  /// Adds 1 to the word at `notify`, as if a message had arrived.
  void call();

 private:
  struct window {
    std::array<std::uint64_t, 7> words{};
  };
  std::uint64_t take(window& into);
  task<> count(std::uint64_t word);
  process send_notification(std::uint64_t word);
  void set_alarm(std::uint64_t ns);
  process ring(picoseconds due);

  kernel& kernel_;
  tile& tile_;
  completion completion_;
  std::vector<window> windows_;
  std::function<void(bool)> changed_;
  std::uint64_t notify_ = 0;  ///< Global; 0: none.
  bool quiet_ = false;        ///< It is for alarms only.
  static constexpr picoseconds never = ~picoseconds{0};
  picoseconds alarm_ps_ = never;  ///< Time of the next alarm.
  picoseconds reach_ps_;          ///< How far harts may run ahead of an event that they do not know.
};

}  // namespace tess::machine
