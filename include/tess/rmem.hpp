// rmem: remote memory: named regions on memory servers, read and written by address, guarded by rights.
//
//   A region is a run of bytes of one flat 64-bit space whose top 8 bits say the server. `open` finds one by its name,
//   `create` makes one; `memread` and `memwrite` move any number of bytes, cut into pieces that overlap. Bytes of a
//   local server move through a mapping that it lends after the check; otherwise through its socket, where every
//   request is checked. These forms block the calling thread; they are for programs outside tasks and need no job.
//   In tasks: tess/rmem_task.hpp, and tess/rmem_array.hpp for arrays larger than the memory here.
//
//     auto const r = tess::rmem::blocking::create("matrix", 1 << 30);
//     tess::rmem::blocking::memwrite(r + 4096, local.data(), local.size());
//
//   The server is the one that TESS_RMEM names: `unix:PATH`, `tcp:HOST:PORT` or the name of a `tess memd` of this host;
//   A,B is a pair of servers that have the same, A+B+C are several that are one space, each with a number of its own.
//   Without it the program's own server is started at the first call and ends with the program; it has half of the
//   memory of the machine, or TESS_RMEM_SIZE. TESS_RMEM_TOKEN: tokens to present, with commas between.
//
// Units    bytes.
// Threads  any. Two calls to the same bytes are as two tasks writing to one word: not ordered.
// Errors   refused: which right on which region was missing, or what else the server did not do; nothing has moved,
//          unless the right was revoked meanwhile. lost: the server is gone; the next call looks for it again.
// Cost     a call by a mapping: the copy and a fence. By the socket: one round trip, two for a write over 4 KiB.
// Source   RMem (MultiProg 2019), section 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tess/error.hpp"
#include "tess/rmem_reason.hpp"

namespace tess::rmem {

/// In the flat space of all servers.
using address = std::uint64_t;

/// What a user or a token may do.
enum class rights : std::uint32_t { none = 0, read = 1, write = 2, read_write = 3, allocate = 4, grant = 8 };
[[nodiscard]] constexpr rights operator|(rights a, rights b) {
  return static_cast<rights>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}

/// A region: where it is, and what its opener may do.
struct region {
  address base = 0;
  std::uint64_t size = 0;
  rights held = rights::none;  ///< when it was opened
  [[nodiscard]] address operator+(std::uint64_t offset) const { return base + offset; }
};

/// The server said no; what() says why, in its words.
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

/// Bytes that threads of the client move while the caller does something else. Its memory, and the transfer itself,
/// must stay until `ended` was called: once, on a thread of the client, which does not touch them any more.
struct transfer {
  bool reads = true;  ///< from `at` to `memory`; else the other way, and `memory` is only read
  address at = 0;
  std::byte* memory = nullptr;
  std::size_t bytes = 0;
  void (*ended)(transfer&) noexcept = nullptr;
  std::exception_ptr failure{};  ///< refused or lost
};

/// One server, or several as one space, as this process sees them. The functions below use one that is made at their
/// first call.
class client {
 public:
  /// An address or a name as above. Throws lost.
  explicit client(std::string const& where, std::vector<std::string> tokens = {});
  client(client const&) = delete;
  client& operator=(client const&) = delete;
  ~client();

  /// Throws refused unless all of `wanted` is held. Names are remembered as long as the server allows (1 s).
  [[nodiscard]] region open(std::string_view name, rights wanted);
  /// What open() would give without asking the server, if it would. Never waits for it.
  [[nodiscard]] std::optional<region> remembered(std::string_view name, rights wanted);
  /// Of zeros. `for_users`: what every user of the server's host may do. Owned by this user; a remote creator owns by a
  /// token, which this client keeps and `owner_token` shows. Of several servers each gets an equal part, if that is
  /// more than 1 MiB.
  region create(std::string_view name, std::uint64_t size, rights for_users = rights::none,
                std::string* owner_token = nullptr);
  /// Removes the region; its owner, and the user of the server, may.
  void remove(address of);

  /// Copies bytes from the region, or to it; blocks.
  void memread(void* to, address from, std::size_t bytes);
  void memwrite(address to, void const* from, std::size_t bytes);

  /// Starts the threads that start() needs. Throws std::system_error if the system gives none.
  void prepare();
  /// After prepare(). Several transfers that were begun overlap, in any order. Cost: a lock, and waking a thread that
  /// sleeps.
  void start(transfer& t) noexcept;
  /// True: no thread has begun with it, and none will: it is the caller's again.
  [[nodiscard]] bool take_back(transfer& t) noexcept;
  /// Through a mapping that this client has; false: there is none, or it is not for that, and nothing was moved that
  /// counts. Never waits.
  [[nodiscard]] bool move_mapped(bool reads, address at, std::byte* memory, std::size_t bytes);
  /// Reads there would go through a mapping.
  [[nodiscard]] bool is_mapped(address at) {
    std::byte nothing{};
    return move_mapped(true, at, &nothing, 0);
  }
  /// Calls f on a thread of the client, where it may block. It must not throw.
  void run_aside(std::function<void()> f);

  /// Another name; `for_ms` 0: until it is unlinked.
  void link(address of, std::string_view name, std::uint64_t for_ms = 0);
  /// Removes a name.
  void unlink(std::string_view name);

  /// `of` 0: the server, whose right is allocate.
  void grant_user(address of, rights given, std::uint32_t user);
  void grant_any_user(address of, rights given);
  /// A token, 64 digits: whoever presents it has the rights. Its first 32 digits name it. Of several servers: one of
  /// each, as `2:DIGITS`, where 2 is its number, with commas between.
  [[nodiscard]] std::string grant_token(address of, rights given);
  /// When it returns, nobody moves another byte by what was revoked.
  void revoke_user(address of, std::uint32_t user);
  void revoke_any_user(address of);
  void revoke_token(address of, std::string_view token);
  /// Shows a token to the server: its rights are this client's from now on.
  void present(std::string_view token);

  /// A region as list() shows it.
  struct listed {
    std::string name;
    region what;
    std::string owner;
    std::uint32_t grants = 0;
    bool leased = false;
  };
  /// Those that this user may know of.
  [[nodiscard]] std::vector<listed> list();

  /// What a server has, and what it has done so far.
  struct figures {
    std::uint64_t size = 0, free = 0, regions = 0, connections = 0, reads = 0, writes = 0, read_bytes = 0,
                  written_bytes = 0, refused = 0, leases = 0;
  };
  /// The figures of the server now.
  [[nodiscard]] figures state();

 private:
  struct inside;
  std::unique_ptr<inside> in_;
};

/// The client of TESS_RMEM, or of the program's own server.
[[nodiscard]] client& default_client();

/// With it, blocking the calling thread. The forms for tasks: tess/rmem_task.hpp.
namespace blocking {
/// As the members of client, on default_client().
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
