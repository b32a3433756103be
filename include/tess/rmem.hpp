// rmem: remote memory: named regions on memory servers, read and written by address, protected by rights.
//
//   A region is a range of one flat 64-bit address space, in which the top 8 bits select the server. `create` makes a
//   region, `open` finds one by its name; `memread` and `memwrite` move any number of bytes, cut into chunks that
//   overlap. A local server lends its memory after checking the rights, and bytes move through that mapping; otherwise
//   they move through a socket, and every request is checked. These functions block the calling thread; they are for
//   code outside of tasks and need no job. In tasks: tess/rmem_task.hpp, and tess/rmem_array.hpp for arrays larger than
//   local memory.
//
//     auto const r = tess::rmem::blocking::create("matrix", 1 << 30);
//     tess::rmem::blocking::memwrite(r + 4096, local.data(), local.size());
//
//   TESS_RMEM names the server: `unix:PATH`, `tcp:HOST:PORT`, or the name of a `tess memd` on this host. A,B is a
//   replicated pair of servers; A+B+C are several servers with one address space, each with its own number. Without
//   TESS_RMEM, the first call starts a private server, which ends with the program; it has half of the machine's
//   memory, or TESS_RMEM_SIZE. TESS_RMEM_TOKEN: tokens to present, separated by commas.
//
// Units    bytes.
// Threads  any. Two calls on the same bytes are not ordered, as with two tasks that access one word.
// Errors   refused: the right or region that was missing, or what else the server did not do; no byte has moved,
//          unless the right was revoked during the transfer. lost: the server is gone; the next call connects again.
// Cost     a mapped transfer: the copy and a fence. Through the socket: one round trip, two for a write over 4 KiB.
// Source   RMem (MultiProg 2019), section 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tess/detail/remote_memory/std_function.hpp"
#include "tess/error.hpp"
#include "tess/rmem_reason.hpp"

namespace tess::rmem {

/// An address in the flat address space of all servers.
using address = std::uint64_t;

/// The rights of a user or a token.
enum class rights : std::uint32_t { none = 0, read = 1, write = 2, read_write = 3, allocate = 4, grant = 8 };
[[nodiscard]] constexpr rights operator|(rights a, rights b) {
  return static_cast<rights>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}

/// A region: its address, its size, and the rights of the opener.
struct region {
  address base = 0;
  std::uint64_t size = 0;
  rights held = rights::none;  ///< when it was opened
  [[nodiscard]] address operator+(std::uint64_t offset) const { return base + offset; }
};

/// The server refused a request; what() explains why.
class refused : public error {
 public:
  refused(reason why, std::string const& text) : error(text), why_(why) {}
  /// Why the server refused.
  [[nodiscard]] reason why() const noexcept { return why_; }

 private:
  reason why_;
};

/// The server is gone, or cannot be reached.
class lost : public error {
 public:
  using error::error;
};

/// An asynchronous transfer, which threads of the client perform. The transfer and its memory must stay valid until
/// `ended` is called: once, on a thread of the client, which does not access them afterwards.
struct transfer {
  bool reads = true;  ///< from `at` to `memory`; else the other way, and `memory` is not changed
  address at = 0;
  std::byte* memory = nullptr;
  std::size_t bytes = 0;
  void (*ended)(transfer&) noexcept = nullptr;
  std::exception_ptr failure{};  ///< refused or lost
};

/// A connection to one server, or to several with one address space. The functions below use one that is created at
/// their first call.
class client {
 public:
  /// An address or a name as above. Throws lost.
  explicit client(std::string const& where, std::vector<std::string> tokens = {});
  client(client const&) = delete;
  client& operator=(client const&) = delete;
  ~client();

  /// Throws refused without all of the rights `wanted`. Results are cached as long as the server allows (1 s).
  [[nodiscard]] region open(std::string_view name, rights wanted);
  /// The cached result of open(), if there is one. Never blocks.
  [[nodiscard]] std::optional<region> cached(std::string_view name, rights wanted);
  /// A region of zeros. `for_users`: the rights of every user of the server's host. This user owns it; a remote creator
  /// owns it by a token, which this client keeps and appends to `owner_token`. With several servers, each gets an equal
  /// part if that is more than 1 MiB.
  region create(std::string_view name, std::uint64_t size, rights for_users = rights::none,
                std::string* owner_token = nullptr);
  /// Removes the region; its owner and the server's user may do so.
  void remove(address of);

  /// Copies bytes from the region, or to it; blocks.
  void memread(void* to, address from, std::size_t bytes);
  void memwrite(address to, void const* from, std::size_t bytes);

  /// Starts the threads that start() needs. Throws std::system_error if the system has none left.
  void prepare();
  /// Needs prepare(). Transfers overlap and complete in any order. Cost: a lock, and waking a thread that sleeps.
  void start(transfer& t) noexcept;
  /// True: no thread has started the transfer, and none will; `ended` is not called.
  [[nodiscard]] bool cancel(transfer& t) noexcept;
  /// Moves bytes through an existing mapping. False: there is none, or the move does not count. Never blocks.
  [[nodiscard]] bool move_mapped(bool reads, address at, std::byte* memory, std::size_t bytes);
  /// True if reads at this address use a mapping.
  [[nodiscard]] bool is_mapped(address at) {
    std::byte nothing{};
    return move_mapped(true, at, &nothing, 0);
  }
  /// Calls f on a thread of the client, where it may block. It must not throw.
  void run_in_background(std::function<void()> f);

  /// Adds a name; `for_ms` 0: until it is unlinked.
  void link(address of, std::string_view name, std::uint64_t for_ms = 0);
  /// Removes a name.
  void unlink(std::string_view name);

  /// Gives a user rights. `of` 0: the server itself, on which the right is allocate.
  void grant_user(address of, rights given, std::uint32_t user);
  void grant_any_user(address of, rights given);
  /// Makes a token of 64 digits that gives the rights to clients that present it; its first 32 digits identify it. With
  /// several servers: one token of each, as `2:DIGITS` with the server's number, separated by commas.
  [[nodiscard]] std::string grant_token(address of, rights given);
  /// After it returns, no client moves another byte by the revoked right.
  void revoke_user(address of, std::uint32_t user);
  void revoke_any_user(address of);
  void revoke_token(address of, std::string_view token);
  /// Presents a token to the server: from now on this client has its rights.
  void present(std::string_view token);

  /// A region as listed by list().
  struct listed {
    std::string name;
    region what;
    std::string owner;
    std::uint32_t grants = 0;
    bool leased = false;
  };
  /// The regions on which this user has a right; all of them for the user that runs the server.
  [[nodiscard]] std::vector<listed> list();

  /// Sums over all servers since their start.
  struct counters {
    std::uint64_t size = 0, free = 0, regions = 0, connections = 0, reads = 0, writes = 0, read_bytes = 0,
                  written_bytes = 0, refused = 0, leases = 0;
  };
  /// The counters now.
  [[nodiscard]] counters state();

 private:
  struct internals;
  std::unique_ptr<internals> internals_;
};

/// The client of the server that TESS_RMEM names, or of the program's private server.
[[nodiscard]] client& default_client();

/// Calls of the default client; they block the calling thread.
namespace blocking {
/// Like the members of client, on default_client().
[[nodiscard]] inline region open(std::string_view name, rights wanted) {
  return default_client().open(name, wanted);
}
inline region create(std::string_view name, std::uint64_t size, rights for_users = rights::none) {
  return default_client().create(name, size, for_users);
}
inline void remove(region const& r) {
  default_client().remove(r.base);
}
inline void memread(void* to, address from, std::size_t bytes) {
  default_client().memread(to, from, bytes);
}
inline void memwrite(address to, void const* from, std::size_t bytes) {
  default_client().memwrite(to, from, bytes);
}
}  // namespace blocking

}  // namespace tess::rmem
