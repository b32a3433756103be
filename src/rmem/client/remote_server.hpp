// remote_server: a memory server, or a replicated pair, as this process sees it: connections, each used for one call at
// a time, leases, cached names, and the threads that move the transfers of tasks.
//
// Threads  any.
// Errors   refused, lost.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rmem/client/connection.hpp"
#include "rmem/client/endpoints.hpp"
#include "rmem/client/mapped_regions.hpp"
#include "rmem/client/serial_executor.hpp"
#include "rmem/client/transfer_engine.hpp"
#include "rmem/wire/token.hpp"
#include "tess/rmem.hpp"

namespace tess::rmem {

class remote_server {
 public:
  explicit remote_server(std::string const& where) : endpoints_(where) {}
  remote_server(remote_server const&) = delete;
  remote_server& operator=(remote_server const&) = delete;

  [[nodiscard]] std::string const& text() const { return endpoints_.text(); }
  /// The top bits of its addresses; the first call connects.
  [[nodiscard]] std::uint8_t number();
  [[nodiscard]] std::optional<std::uint8_t> known_number() const { return endpoints_.number(); }
  /// With a number, the token is presented only to the server of this number.
  void present(token const& t, std::optional<std::uint8_t> number);
  connection::answer call(wire::message const& m, std::span<std::byte const> payload = {});

  void cache_name(std::string_view name, region const& what, std::uint64_t ms);
  [[nodiscard]] std::optional<region> cached(std::string_view name, rights wanted);
  /// Forgets all cached names, which may be out of date.
  void drop_names();

  void move(bool reads, address a, std::byte* memory, std::size_t bytes);
  void prepare();
  void start(transfer& t) noexcept;
  [[nodiscard]] bool cancel(transfer& t) noexcept;
  [[nodiscard]] bool move_mapped(bool reads, address at, std::byte* memory, std::size_t bytes);
  [[nodiscard]] serial_executor& executor();

 private:
  using clock = std::chrono::steady_clock;

  /// A connection that is not in use, or a new one that has presented the tokens.
  [[nodiscard]] std::unique_ptr<connection> take();
  void give_back(std::unique_ptr<connection> c);
  template <class F>
  auto with(F&& f, bool retries);
  template <class F>
  auto once(F&& f);
  [[nodiscard]] bool move_by_lease(bool reads, address a, std::byte* memory, std::size_t bytes);
  void request_lease(address a, bool writes);
  void drop_leases();
  void check_leases();
  [[nodiscard]] bool leases_are_valid();
  void process(transfer& t);
  void process_queue();
  [[nodiscard]] transfer_engine& engine();

  endpoints endpoints_;
  std::mutex mutex_;  // protects tokens_, idle_ and names_
  struct presented_token {
    token value;
    std::optional<std::uint8_t> number;
  };
  std::vector<presented_token> tokens_;
  std::vector<std::unique_ptr<connection>> idle_;
  struct cached_name {
    region what;
    clock::time_point until;
  };
  std::map<std::string, cached_name, std::less<>> names_;
  mapped_regions mapped_;

  std::mutex lease_mutex_;                        // protects the next
  std::unique_ptr<connection> lease_connection_;  // all leases are of this connection
  std::atomic<clock::rep> leases_checked_{0};
  static constexpr clock::rep lease_check_interval =
      std::chrono::duration_cast<clock::duration>(std::chrono::milliseconds(10)).count();

  std::mutex queue_mutex_;  // protects the next two
  std::deque<transfer*> queue_;
  bool processing_ = false;  // the executor runs process_queue(), or will

  std::atomic<bool> prepared_{false};
  std::mutex threads_mutex_;  // protects the next two; the executor ends first, because it uses the engine
  std::unique_ptr<transfer_engine> engine_;
  std::unique_ptr<serial_executor> executor_;
};

}  // namespace tess::rmem
