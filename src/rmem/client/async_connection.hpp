// async_connection: sends the requests of a chunk table and receives their answers, without ever blocking.
//
//   Small answers are read ahead, many in one system call; long ones go straight to the caller's memory.
//
// Threads  one, the transfer engine's.
// Errors   lost, if the server is gone or violates the protocol; the connection cannot be used any more.
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

class async_connection {
 public:
  async_connection(std::unique_ptr<connection> c, chunk_table& chunks);

  [[nodiscard]] int socket() const { return connection_->transport().number(); }
  /// While nothing is in flight: is the server still connected?
  [[nodiscard]] bool alive() const { return connection_->alive(); }
  [[nodiscard]] bool wants_to_send() const { return !outgoing_.empty(); }

  /// Queues the requests of as many chunks as may be in flight.
  void request_chunks();
  /// Sends what the socket accepts. True: something was sent.
  bool send();
  /// Receives what has arrived, and appends the transfers that are complete. True: something was received.
  bool receive(std::vector<transfer*>& ended);

 private:
  struct output {
    wire::encoded head{};
    std::span<std::byte const> data{};  // the caller's memory
    std::size_t sent = 0;
    [[nodiscard]] std::size_t size() const { return head.size() + data.size(); }
  };

  void put(wire::message const& m, std::span<std::byte const> data);
  [[nodiscard]] bool fill(std::vector<transfer*>& ended);
  void handle_head(wire::encoded const& bytes, std::vector<transfer*>& ended);
  void received_payload(std::size_t bytes, std::vector<transfer*>& ended);
  void complete(std::vector<transfer*>& ended);
  [[noreturn]] static void lose(std::string const& how);

  std::unique_ptr<connection> connection_;
  chunk_table& chunks_;
  std::deque<output> outgoing_;
  std::vector<std::byte> ahead_;  // received, not yet parsed: [from_, to_)
  std::size_t from_ = 0;
  std::size_t to_ = 0;
  wire::message head_{};                 // of the payload that arrives
  std::span<std::byte> payload_{};       // where its rest belongs
  std::vector<std::byte> refusal_text_;  // the payload of a refusal
};

}  // namespace tess::rmem
