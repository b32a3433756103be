// endpoints: the addresses of one memory server, or of a replicated pair, and which of them serves now.
//
//   The server says whether its regions outlive its process. If they do, connect() waits for it, or for its peer, as
//   long as the failure time-out (TESS_FAILURE_TIMEOUT, 10 s) allows; if not, a lost server is an error at once.
//
// Threads  any.
// Errors   lost.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "rmem/client/connection.hpp"

namespace tess::rmem {

class endpoints {
 public:
  /// Addresses or names, separated by commas.
  explicit endpoints(std::string const& where);

  /// To the server that serves.
  [[nodiscard]] std::unique_ptr<connection> connect();
  /// The server that served last does not answer: the other one is tried first.
  void suspect() { last_served_.fetch_add(1, std::memory_order_relaxed); }
  /// How long an answer may take: less if there is another server that may serve by then.
  [[nodiscard]] std::chrono::milliseconds patience() const { return failure_timeout() / (has_other_ ? 2 : 1); }
  /// Regions outlive the process that serves them.
  [[nodiscard]] bool regions_persist() const { return regions_persist_.load(std::memory_order_relaxed); }
  /// The top bits of its addresses, once a connection was made.
  [[nodiscard]] std::optional<std::uint8_t> number() const {
    int const known = number_.load(std::memory_order_relaxed);
    return known < 0 ? std::nullopt : std::optional(static_cast<std::uint8_t>(known));
  }
  /// All addresses are of this host, so the server may lend regions.
  [[nodiscard]] bool all_local() const { return local_; }
  [[nodiscard]] std::string const& text() const { return text_; }

 private:
  [[nodiscard]] std::unique_ptr<connection> try_connect(std::string const& address);
  void learn(std::string const& peer, std::string const& from);

  std::string text_;
  bool local_ = true;
  std::atomic<bool> has_other_{false};  // it is one of two servers
  std::atomic<bool> regions_persist_{false};
  std::atomic<int> number_{-1};
  std::atomic<std::size_t> last_served_{0};
  std::mutex mutex_;  // protects addresses_
  std::vector<std::string> addresses_;
};

}  // namespace tess::rmem
