// service_state: whether this server serves, and how much of what it did is safe; shared by its sessions.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

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
  /// A server asks to become the backup; the answer. Empty: this server has no backup.
  std::function<wire::message(wire::message const&, bool trusted, std::string_view secret)> join{};
  std::function<checked<void>()> take_over{};
  bool (*has_memory)() noexcept = [] noexcept { return true; };  // for changes
};

}  // namespace tess::memd
