// completion: how a unit reports that a command is done: it decrements a counter at its home.
//
//   A counter is four words: value, error, notify, cookie. An error is written first. The decrement to zero writes
//   `cookie` to `notify`, unless that is null; harts that sleep on that word wake.
//
// Units     register addresses may be in the local window; inside they are global.
// Errors    an invalid notify address is ignored: the program has changed it meanwhile.
// Threads   one.
// Source    counters of CNI (IJPP 2012), section 3.3; docs/internals/machine.md, 6 has the form.
#pragma once

#include <optional>

#include "machine/kernel/process.hpp"
#include "machine/tile/tile.hpp"

namespace tess::machine {

/// An awaitable event: `co_await` continues when it has happened, at once if it already has.
class happened : public event {
 public:
  happened() : event([](event& self) { static_cast<happened&>(self).resume(); }) {}
  [[nodiscard]] bool await_ready() const noexcept { return done_; }
  void await_suspend(std::coroutine_handle<> waiting) noexcept { waiting_ = waiting; }
  void await_resume() const noexcept {}

 private:
  void resume() {
    done_ = true;
    if (waiting_) waiting_.resume();
  }
  bool done_ = false;
  std::coroutine_handle<> waiting_;
};

class completion {
 public:
  completion(machine_description const& description, tile& at)
      : tile_(at), local_(description.window_of_units(at.number())), own_only_(description.has_clusters()) {}

  /// The global address of a register's value; nothing if it lies in a hole of the local window.
  [[nodiscard]] std::optional<std::uint64_t> global(std::uint64_t address) const noexcept {
    return local_.global(address);
  }
  /// The global address of a command's counter; 0: it has none; nothing: the address is invalid.
  [[nodiscard]] std::optional<std::uint64_t> counter(std::uint64_t address) const noexcept;

  /// `counter` may be 0. `error` 0: no error.
  [[nodiscard]] task<> acknowledge(std::uint64_t counter, std::uint64_t error);
  /// A word operation at the home of its address.
  [[nodiscard]] task<> word(transaction& request);
  /// Any transaction whose target is set, through the adapter.
  [[nodiscard]] task<> remote(transaction& request);

 private:
  [[nodiscard]] bool reaches(std::uint64_t name) const noexcept {
    region const* const in = tile_.map().find(name);
    return in != nullptr && (!own_only_ || in->tile == tile_.number());
  }
  [[nodiscard]] task<std::uint64_t> read(std::uint64_t address);
  [[nodiscard]] task<> write(std::uint64_t address, std::uint64_t value);

  tile& tile_;
  local_window local_;
  bool own_only_;  ///< A cluster's commands do not write to other clusters.
};

}  // namespace tess::machine
