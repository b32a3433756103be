// connection: a blocking connection to a server, for one call at a time; the chunks of a transfer overlap on it.
//
// Errors   rmem::refused as the server says; rmem::lost if the connection breaks: it cannot be used any more.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rmem/wire/message.hpp"
#include "rmem/wire/stream.hpp"

namespace tess::rmem {

class connection {
 public:
  /// `patience`: how long connecting may take, and any answer.
  explicit connection(std::string const& full, std::chrono::milliseconds patience = failure_timeout());
  /// How long any answer may take from now on.
  void wait_for(std::chrono::milliseconds patience);

  [[nodiscard]] bool broken() const { return broken_; }
  /// For an async_connection; ids of calls are below 2^32.
  [[nodiscard]] stream const& transport() const { return stream_; }

  /// While nothing is in flight: is the server still connected?
  [[nodiscard]] bool alive() const;

  /// The address that a server has named which does not serve; empty: none.
  [[nodiscard]] std::string const& other_server() const { return other_server_; }

  struct answer {
    wire::message head;
    std::vector<std::byte> payload;
    std::vector<descriptor> files;
  };
  /// Throws refused if the server refuses.
  answer call(wire::message m, std::span<std::byte const> payload = {});

  void read(std::byte* to, std::uint64_t from, std::uint64_t bytes);
  void write(std::uint64_t to, std::byte const* from, std::uint64_t bytes);

 private:
  /// The chunks of one transfer: how many were begun, and how many are complete.
  struct progress {
    std::uint64_t begun = 0;
    std::uint64_t done = 0;
    wire::status refused = wire::status::ok;
    std::string why;
  };

  void send(std::span<std::byte const> first, std::span<std::byte const> second = {});
  void receive(std::span<std::byte> to, std::vector<descriptor>* files = nullptr);
  [[nodiscard]] std::size_t receive_some(std::span<std::byte> to, std::vector<descriptor>* files);
  [[nodiscard]] wire::message receive_head(std::vector<descriptor>* files = nullptr);
  [[nodiscard]] std::vector<std::byte> receive_payload(wire::message const& head);
  void complete_chunk(progress& p, wire::message const& head);
  template <class F>
  void transfer(wire::operation what, std::uint64_t at, std::uint64_t bytes, F&& move_data);
  [[noreturn]] void lose(std::string const& how);

  std::string full_;
  std::chrono::milliseconds patience_;
  stream stream_;
  // Received, not yet parsed, so that a small answer takes one system call. Empty between two calls.
  std::array<std::byte, wire::inline_bytes_max + 2 * wire::message_bytes> ahead_;
  std::size_t ahead_from_ = 0;
  std::size_t ahead_to_ = 0;
  std::uint64_t next_id_ = 1;
  bool broken_ = false;
  std::string other_server_;
};

}  // namespace tess::rmem
