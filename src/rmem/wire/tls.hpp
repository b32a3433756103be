// tls: what two ends of a TCP connection prove to each other, by TLS 1.3 and nothing older.
//
//   Two kinds of proof. A pre-shared key, which each end proves that it has: one key for clients, another one (the
//   secret) for a server that speaks to its partner or its witness. Or a certificate of the server, which the client
//   checks against an authority; then the client proves nothing but what its tokens prove.
//
// Threads  one for each connection.
// Errors   std::runtime_error that names the file or the address, and what is wrong.
// Source   RFC 8446, sections 2.2 and 4.2.11 (external pre-shared keys, with a fresh Diffie-Hellman exchange).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

namespace tess::rmem {

/// The two ends have not proved themselves to each other.
struct not_proved : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct credentials {
  std::string key;     // that clients have; empty: none
  std::string secret;  // that servers have
  std::filesystem::path certificate{};
  std::filesystem::path private_key{};
  std::filesystem::path authority{};  // that a client trusts

  [[nodiscard]] bool any() const { return !key.empty() || !secret.empty() || !certificate.empty(); }
  /// Those of a client of this process: TESS_RMEM_KEY and TESS_RMEM_AUTHORITY name files.
  [[nodiscard]] static credentials of_environment();
  /// The first line of a file that only its owner may read, of at least 16 bytes.
  [[nodiscard]] static std::string read_key(std::filesystem::path const& file);
};

/// One end of an encrypted connection. Results as those of recv(2) and send(2).
class tls {
 public:
  enum class proved : std::uint8_t { nothing, key, secret };

  /// A client's end, by its key, the authority, or as a server; blocks until both ends have proved what they should.
  [[nodiscard]] static std::unique_ptr<tls> connect(int socket, std::string const& full, credentials const& with,
                                                    bool as_server);
  /// The context of all connections of a server. Throws if a file is not usable.
  class acceptor {
   public:
    explicit acceptor(credentials const& with);
    acceptor(acceptor const&) = delete;
    acceptor& operator=(acceptor const&) = delete;
    ~acceptor();
    /// The server's end; the handshake is part of the first calls of receive().
    [[nodiscard]] std::unique_ptr<tls> accept(int socket) const;

   private:
    struct state;
    std::unique_ptr<state> state_;
  };

  ~tls();
  tls(tls const&) = delete;
  tls& operator=(tls const&) = delete;

  /// What the other end has proved; known once something was received.
  [[nodiscard]] proved what() const;
  [[nodiscard]] ssize_t receive(std::span<std::byte> to, int flags);
  /// After EAGAIN, the next call must begin with the same bytes.
  [[nodiscard]] ssize_t send(std::span<std::byte const> bytes, int flags);
  /// The last receive() may have left bytes that the socket does not show.
  [[nodiscard]] bool has_buffered() const;

 private:
  struct state;
  explicit tls(std::unique_ptr<state> made);
  std::unique_ptr<state> state_;
};

}  // namespace tess::rmem
