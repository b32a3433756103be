// endpoints: the addresses by which one memory server, or a pair of them, can be reached, and which of them serves now.
//
//   Whether a server's regions outlive it, it says itself. If they do, whoever asks waits for it, or for its partner,
//   as long as the failure time-out (TESS_FAILURE_TIMEOUT, 10 s) allows; if not, a lost server is an error at once.
//
// Threads  any.
// Errors   lost.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "rmem/client/connection.hpp"

namespace tess::rmem {

class servers {
 public:
  /// Addresses or names, with commas between.
  explicit servers(std::string const& where);

  [[nodiscard]] std::unique_ptr<connection> find();
  /// Regions outlive the process that serves them.
  [[nodiscard]] bool come_back() const { return come_back_.load(std::memory_order_relaxed); }
  /// The top bits of its addresses, once it was asked.
  [[nodiscard]] std::optional<std::uint8_t> number() const {
    int const known = number_.load(std::memory_order_relaxed);
    return known < 0 ? std::nullopt : std::optional(static_cast<std::uint8_t>(known));
  }
  /// Regions may be lent.
  [[nodiscard]] bool are_local() const { return local_; }
  [[nodiscard]] std::string const& text() const { return text_; }

 private:
  [[nodiscard]] std::unique_ptr<connection> try_one(std::string const& address);

  std::string text_;
  bool local_ = true;
  std::atomic<bool> come_back_{false};
  std::atomic<int> number_{-1};
  std::atomic<std::size_t> last_{0};
  std::mutex mutex_;  // of the next
  std::vector<std::string> addresses_;
};

}  // namespace tess::rmem
