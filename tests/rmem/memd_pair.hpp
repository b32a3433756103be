// memd_pair: two servers that keep each other's copy, as processes with local addresses.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "memd_process.hpp"
#include "running_server.hpp"

namespace tess::rmem {

struct memd_pair {
  std::array<std::string, 2> const at{fresh_address(), fresh_address()};
  std::array<std::unique_ptr<memd_process>, 2> servers;

  memd_pair() {
    for (std::size_t const i : {0U, 1U})
      servers[i] = std::make_unique<memd_process>(
          std::vector<std::string>{"--size", "32M", "--name", at[i], "--replicas", "2", "--peer", at[1 - i]});
  }
  [[nodiscard]] std::string both() const { return at[0] + "," + at[1]; }
  /// The primary has printed, since it was asked last, that the backup is in sync. False: not within 10 s.
  bool in_sync() {
    for (int i = 0; i < 10000; ++i) {
      for (auto const& s : servers)
        if (s->has_printed("the backup is in sync") && s->wait_for("the backup is in sync")) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
};

}  // namespace tess::rmem
