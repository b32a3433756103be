// service_state: whether this server serves, and how much of what it did is safe; shared by its sessions.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "rmem/replication/lease_clock.hpp"
#include "rmem/store/store.hpp"
#include "rmem/wire/message.hpp"

namespace tess::memd {

struct service_state {
  bool serves = true;
  std::string why_not{};  // if it does not serve
  std::uint64_t epoch = 0;
  std::uint64_t instance = 0;
  /// Changes and writes are counted as steps. A step is safe when the backup has it (or the disk, with --sync); an
  /// answer waits until all steps before it are safe.
  std::uint64_t steps = 0;
  std::uint64_t steps_safe = UINT64_MAX;
  bool regions_persist = false;  // they outlive the server's process
  std::string peer{};            // the address of the other server, if there are two
  /// No answer leaves this server from here on, because another one may serve then.
  lease_clock::time_point answers_until = lease_clock::time_point::max();
  [[nodiscard]] bool may_answer() const {
    return answers_until == lease_clock::time_point::max() || lease_clock::now() < answers_until;
  }
  /// A server that has proved to be the other one asks to become the backup; the answer. Empty: there is no backup.
  struct copy_number {
    std::uint64_t self = 0;
    std::uint64_t round = 0;
  };
  std::function<wire::message(wire::message const&, copy_number)> join{};
  std::function<checked<void>()> take_over{};
  /// This is a witness, and one of two servers asks it; the answer.
  std::function<wire::message(wire::message const&)> claim{};
  bool (*has_memory)() noexcept = [] noexcept { return true; };  // for changes
};

}  // namespace tess::memd
