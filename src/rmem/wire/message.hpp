// message: the protocol of memory servers: messages of 64 bytes, little-endian, some followed by a payload.
//
//   A message is what the RMem paper puts into a mailbox. Bytes of regions go through the portal, which on a stream is
//   the payload of a `data` message. docs/use/rmem.md has the sequence charts.
//
//   bytes  0-3 magic  4 version  5 operation  6-7 status  8-15 id  16-23 address  24-31 size  32-39 argument
//          40-43 rights  44-47 payload bytes  48-55 second argument  56-63 zero
//
// Errors   Readers are bounds-checked and return nothing for malformed bytes; their sender is disconnected.
// Source   RMem (MultiProg 2019), section 4: header, acknowledgement, data; reads are set up while the header travels.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tess/rmem_reason.hpp"

namespace tess::rmem::wire {

inline constexpr std::uint32_t magic = 0x4d454d52;  // "RMEM"
inline constexpr std::uint8_t version = 2;
inline constexpr std::size_t message_bytes = 64;
/// The most that one read or write moves; clients cut longer transfers into chunks that overlap.
inline constexpr std::uint64_t portal_bytes_max = std::uint64_t{1} << 20;
/// A write up to this size carries its bytes after its header; the server buffers them until the check.
inline constexpr std::uint32_t inline_bytes_max = 4096;
inline constexpr std::uint32_t name_bytes_max = 255;
/// The top bits of an address are the number of its server.
inline constexpr unsigned server_bits = 8;
inline constexpr unsigned server_shift = 64 - server_bits;
/// One for each server number except the first server's.
inline constexpr std::uint64_t other_parts_max = 255;
inline constexpr std::uint32_t part_bytes = 16;
/// The most writes of a connection whose portal is open.
inline constexpr std::size_t transfers_max = 16;

/// A lease is two shared files: the region's bytes, and one page whose first word is this as long as the lease holds.
inline constexpr std::uint64_t lease_valid = 1;
inline constexpr std::uint64_t lease_epoch_bytes = 4096;

enum class operation : std::uint8_t {
  // Requests. Each is answered by `done` with its id, after `data` if it asked for bytes.
  open = 1,   // payload: name, or empty: address. rights: those needed.
              // → address, size, rights held, argument: how long a client may cache this, in ms;
              // payload: parts on other servers
  create,     // size. rights: of every local user. argument2: number of parts on other servers. payload: name, then
              // those parts. → address; total size; payload: the owner's token, if the client is remote
  remove,     // address
  link,       // address. payload: another name. argument: for how long in ms, 0: until unlinked
  unlink,     // payload: name
  list,       // address: where to begin. → payload: entries; address: where to continue, 0: that was all
  grant,      // address (0: the server). rights. argument: see grantee. → payload: the token, if one was asked for
  revoke,     // address. argument, second argument: from which grantee
  present,    // payload: a token; what it grants is valid on this connection
  read,       // address, size. argument: bytes of the whole transfer from here on, checked together → data
  write,      // address, size, argument as for read; payload: empty, then `data` after `go`; or all of the bytes
  lease,      // address. rights: read, or read and write → address, size; descriptors of the
              // region and of its epoch, or none: it is not lent
  state,      // → payload: the server's counters
  hello,      // → argument: properties of the server; rights: its number; payload: the address of its peer.
              // Refused: it does not serve; payload: why, and the address of
              // its peer, which has `size` bytes. In both cases: address: epoch; argument2: instance
  join,       // a server asks to be the backup. argument: epoch; argument2: instance; rights: replica_state; size;
              // address: number; payload: its copy's number and round
              // → address: epoch; argument: round; size: the pair's number; argument2: instance;
              // rights: 1 if it has everything that was acknowledged, and twice the lease in ms
  claim,      // to a witness. argument: the epoch to serve in; size: the epoch it follows, 0: it serves already;
              // address: the pair's number; argument2: its copy's number → address: the epoch on record
  take_over,  // the operator says that the other of two servers is certainly gone
  // Answers, and data in both directions.
  go,    // the portal is open: send the data
  data,  // payload: bytes
  done,  // status; payload: what was wrong, as text
  // From the primary to the backup once it has joined, and back.
  copied_change,  // payload: the change
  copied_bytes,   // address, payload: bytes
  in_sync,        // everything that was acknowledged so far has been sent. argument: epoch
  beat,           // nothing: shows that the primary is there, and renews its lease when it is acknowledged
  acknowledge,    // argument: the number of these messages that were applied
};
inline constexpr auto last_request = operation::take_over;

/// `argument` of the answer to hello: regions outlive the process that serves them.
inline constexpr std::uint64_t regions_persist = 1;

using status = reason;

/// `argument` of grant and revoke.
enum class grantee : std::uint64_t { token, user, any_user };

/// A part of a region that spans several servers.
struct part {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  bool operator==(part const&) const = default;
};

struct message {
  operation what{};
  status outcome{};
  std::uint64_t id = 0;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t argument = 0;
  std::uint32_t rights = 0;
  std::uint32_t payload = 0;
  std::uint64_t argument2 = 0;
};

template <std::unsigned_integral T>
void store(std::byte* to, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) to[i] = static_cast<std::byte>(value >> (8 * i));
}
template <std::unsigned_integral T>
[[nodiscard]] T load(std::byte const* from) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(value | static_cast<T>(static_cast<T>(from[i]) << (8 * i)));
  return value;
}

using encoded = std::array<std::byte, message_bytes>;

[[nodiscard]] inline encoded encode(message const& m) {
  encoded to{};
  store(&to[0], magic);
  store(&to[4], version);
  store(&to[5], static_cast<std::uint8_t>(m.what));
  store(&to[6], static_cast<std::uint16_t>(m.outcome));
  store(&to[8], m.id);
  store(&to[16], m.address);
  store(&to[24], m.size);
  store(&to[32], m.argument);
  store(&to[40], m.rights);
  store(&to[44], m.payload);
  store(&to[48], m.argument2);
  return to;
}

/// Nothing if these bytes are no message of this version.
[[nodiscard]] inline std::optional<message> decode(encoded const& from) {
  auto const what = load<std::uint8_t>(&from[5]);
  auto const outcome = load<std::uint16_t>(&from[6]);
  if (load<std::uint32_t>(&from[0]) != magic || load<std::uint8_t>(&from[4]) != version || what == 0 ||
      what > static_cast<std::uint8_t>(operation::acknowledge) ||
      outcome > static_cast<std::uint16_t>(status::not_serving) || load<std::uint64_t>(&from[56]) != 0)
    return std::nullopt;
  return message{static_cast<operation>(what),   static_cast<status>(outcome),   load<std::uint64_t>(&from[8]),
                 load<std::uint64_t>(&from[16]), load<std::uint64_t>(&from[24]), load<std::uint64_t>(&from[32]),
                 load<std::uint32_t>(&from[40]), load<std::uint32_t>(&from[44]), load<std::uint64_t>(&from[48])};
}

/// Reads numbers and bytes from a payload, never beyond its end.
class reader {
 public:
  explicit reader(std::span<std::byte const> bytes) : left_(bytes) {}
  [[nodiscard]] bool empty() const { return left_.empty(); }
  template <std::unsigned_integral T>
  [[nodiscard]] std::optional<T> number() {
    if (left_.size() < sizeof(T)) return std::nullopt;
    T const value = load<T>(left_.data());
    left_ = left_.subspan(sizeof(T));
    return value;
  }
  [[nodiscard]] std::optional<std::string> text(std::size_t bytes) {
    if (left_.size() < bytes) return std::nullopt;
    std::string value(reinterpret_cast<char const*>(left_.data()), bytes);
    left_ = left_.subspan(bytes);
    return value;
  }

 private:
  std::span<std::byte const> left_;
};

/// Writes a payload for a reader.
class writer {
 public:
  template <std::unsigned_integral T>
  void number(T value) {
    bytes_.resize(bytes_.size() + sizeof(T));
    store(&bytes_[bytes_.size() - sizeof(T)], value);
  }
  void text(std::string_view value) {
    auto const bytes = std::as_bytes(std::span(value));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

inline void put(writer& to, std::span<part const> parts) {
  for (auto const& p : parts) {
    to.number(p.address);
    to.number(p.size);
  }
}
/// `count` parts; nothing if there are fewer.
[[nodiscard]] inline std::optional<std::vector<part>> take_parts(reader& from, std::uint64_t count) {
  std::vector<part> all;
  for (; count != 0; --count) {
    auto const address = from.number<std::uint64_t>();
    auto const size = from.number<std::uint64_t>();
    if (!size) return std::nullopt;
    all.push_back({*address, *size});
  }
  return all;
}

}  // namespace tess::rmem::wire

namespace tess::memd {
namespace wire = rmem::wire;
}
