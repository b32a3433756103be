// remote_server: a memory server, or a pair of them, as this process sees it: connections that are taken for one call
// each, leases, the names it remembers, and the threads that move what tasks wait for.
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

class one_server {
 public:
  explicit one_server(std::string const& where) : reached_(where) {}
  one_server(one_server const&) = delete;
  one_server& operator=(one_server const&) = delete;

  [[nodiscard]] std::string const& text() const { return reached_.text(); }
  /// The top bits of its addresses; asks it once.
  [[nodiscard]] std::uint8_t number();
  [[nodiscard]] std::optional<std::uint8_t> known_number() const { return reached_.number(); }
  /// To the server of this number, if that is said.
  void present(memd::token const& t, std::optional<std::uint8_t> number);
  connection::answer call(wire::message const& m, std::span<std::byte const> payload = {});

  void remember(std::string_view name, region const& what, std::uint64_t ms);
  [[nodiscard]] std::optional<region> remembered(std::string_view name, rights wanted);
  /// They may lead elsewhere now.
  void forget_names();

  void move(bool reads, address a, std::byte* memory, std::size_t bytes);
  void prepare();
  void start(transfer& t) noexcept;
  [[nodiscard]] bool take_back(transfer& t) noexcept;
  [[nodiscard]] bool move_mapped(bool reads, address at, std::byte* memory, std::size_t bytes);
  [[nodiscard]] aside& thread_beside();

 private:
  using clock = std::chrono::steady_clock;

  [[nodiscard]] std::unique_ptr<connection> take();
  void give_back(std::unique_ptr<connection> c);
  template <class F>
  auto with(F&& f, bool again);
  template <class F>
  auto once(F&& f);
  [[nodiscard]] bool move_lent(bool reads, address a, std::byte* memory, std::size_t bytes);
  void ask_to_lend(address a, bool writes);
  void end_leases();
  void look_for_lender();
  [[nodiscard]] bool mappings_count();
  void carry(transfer& t);
  void carry_all();
  [[nodiscard]] portal& socket_portal();

  servers reached_;
  std::mutex mutex_;  // of what follows
  struct shown_token {
    memd::token token;
    std::optional<std::uint8_t> number;
  };
  std::vector<shown_token> tokens_;
  std::vector<std::unique_ptr<connection>> idle_;
  struct known_name {
    region what;
    clock::time_point until;
  };
  std::map<std::string, known_name, std::less<>> names_;
  leases lent_;

  std::mutex lending_;  // of the next
  std::unique_ptr<connection> lender_;
  std::atomic<clock::rep> looked_{0};
  static constexpr clock::rep look_every =
      std::chrono::duration_cast<clock::duration>(std::chrono::milliseconds(10)).count();

  std::mutex waiting_mutex_;  // of the next two
  std::deque<transfer*> waiting_;
  bool carries_ = false;  // the thread beside has not seen the end of them

  std::atomic<bool> prepared_{false};
  std::mutex starting_;  // of the threads; they end first, `beside_` before the portal that it gives transfers to
  std::unique_ptr<portal> portal_;
  std::unique_ptr<aside> beside_;
};

}  // namespace tess::rmem
