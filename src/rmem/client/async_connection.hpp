// async_connection: one connection's headers and data that wait to be sent, and where received bytes belong.
//
//   Small answers are read ahead, many in one system call; long ones go straight to their memory.
//
// Threads  one, the portal's.
// Errors   lost, when the other side is gone or speaks another protocol; then it is no more use.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rmem/client/chunk_table.hpp"
#include "rmem/client/connection.hpp"

namespace tess::rmem {

class stream {
 public:
  stream(std::unique_ptr<connection> c, pieces& of);

  [[nodiscard]] int socket() const { return connection_->socket(); }
  /// Nothing is under way: is the server there still?
  [[nodiscard]] bool alive() const { return connection_->alive(); }
  [[nodiscard]] bool wants_to_send() const { return !outgoing_.empty(); }

  /// Asks for as many pieces as may be under way.
  void ask();
  /// Sends what the socket takes. True: something moved.
  bool send();
  /// Takes what is there; transfers that ended are added.
  bool receive(std::vector<transfer*>& ended);

 private:
  struct part {
    wire::encoded head{};
    std::span<std::byte const> data{};  // the caller's memory
    std::size_t sent = 0;
    [[nodiscard]] std::size_t size() const { return head.size() + data.size(); }
  };

  void put(wire::message const& m, std::span<std::byte const> data);
  [[nodiscard]] bool fill(std::vector<transfer*>& ended);
  void take_head(wire::encoded const& bytes, std::vector<transfer*>& ended);
  void take_payload(std::size_t bytes, std::vector<transfer*>& ended);
  void finish(std::vector<transfer*>& ended);
  [[noreturn]] static void lose(std::string const& how);

  std::unique_ptr<connection> connection_;
  pieces& pieces_;
  std::deque<part> outgoing_;
  std::vector<std::byte> ahead_;  // read, not yet looked at: [from_, to_)
  std::size_t from_ = 0;
  std::size_t to_ = 0;
  wire::message head_{};                 // whose payload comes
  std::span<std::byte> payload_{};       // where the rest of it belongs
  std::vector<std::byte> refusal_text_;  // a refusal's payload
};

}  // namespace tess::rmem
