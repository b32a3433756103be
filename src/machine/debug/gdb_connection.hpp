// gdb_connection: packets of gdb's remote protocol over a connection: framing, sums, escapes and acknowledgements.
//
//   A packet is $TEXT#SUM, and is answered by + or -, until both sides agree to leave that out; byte 3 alone asks a
//   running program to stop. What arrives may be anything: a packet is at most packet_max bytes, a wrong one is asked
//   for again three times, and a connection that ends or errs is `closed`.
//
// Threads   one.
// Source    Debugging with GDB, appendix E.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tess::machine {

class gdb_connection {
 public:
  static constexpr std::size_t packet_max = 16384;

  /// Takes the descriptor of a connected stream.
  explicit gdb_connection(int stream) noexcept : stream_(stream) {}
  gdb_connection(gdb_connection const&) = delete;
  gdb_connection& operator=(gdb_connection const&) = delete;
  ~gdb_connection();

  [[nodiscard]] bool closed() const noexcept { return closed_; }
  [[nodiscard]] int descriptor() const noexcept { return stream_; }
  /// Waits for the next packet, without its frame and escapes, or for a request to stop, which is a text of byte 3.
  /// Nothing: the connection is closed, a signal has come, or `other` can be read, such as a pipe that has an end.
  [[nodiscard]] std::optional<std::string> receive(int other = -1);
  /// Has anything arrived that was not received? Does not wait.
  [[nodiscard]] bool has_arrived();
  void send(std::string_view text);
  /// From the next packet on, none is acknowledged.
  void leave_acknowledgements() noexcept { acknowledges_ = false; }

 private:
  /// The next byte; nothing: the connection is closed, or `other` can be read.
  std::optional<char> byte(int other);
  void write(std::string_view bytes);

  int stream_;
  bool closed_ = false;
  bool acknowledges_ = true;
  int wrong_ = 0;
  std::string arrived_;
  std::size_t read_ = 0;
};

/// A listening socket of this computer alone; port 0: any that is free. Returns its descriptor, and the port in `port`.
/// Throws std::system_error.
[[nodiscard]] int listen_here(std::uint16_t& port);

/// The connection of the first one who comes, and no more listening; none if `other` can be read before, or a signal
/// comes.
void accept_one(int listener, int other, std::optional<gdb_connection>& into);

// Texts of the protocol.
[[nodiscard]] std::string hex_of(std::span<std::byte const> bytes);
/// False: it is no text of whole bytes in hexadecimal digits.
[[nodiscard]] bool bytes_of_hex(std::string_view text, std::string& into);
/// Takes a number in hexadecimal digits from the begin; nothing: there is none, or it is too large.
[[nodiscard]] std::optional<std::uint64_t> take_hex(std::string_view& text);
/// Takes this text from the begin, if it is there.
[[nodiscard]] bool take(std::string_view& text, std::string_view wanted);

}  // namespace tess::machine
