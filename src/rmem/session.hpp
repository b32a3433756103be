// session: one client's side of the protocol, as a machine that takes bytes and gives bytes. No transport.
//
//   A transport asks where the next bytes shall go (want), puts them there, says how many (got), and sends what next()
//   shows. Bytes of regions are neither copied nor gathered: want() and next() are places in the region, named anew for
//   every step after the client's right was checked anew. A right that ends in mid-transfer ends the transfer there:
//   what still comes is dropped, what is still owed is zeros, and `done` says that it was revoked.
//   Whoever never reads his answers is not listened to either: want() is empty until they are gone.
//
// Threads  one, the store's.
// Errors   got() is false when the other side speaks no such protocol; then it is cut off. A refusal is an answer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "rmem/store.hpp"
#include "rmem/wire.hpp"

namespace tess::memd {

/// What `tess mem top` shows, counted since the server's start.
struct figures {
  std::uint64_t connections = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
  std::uint64_t refused = 0;
  std::uint64_t leases = 0;
};

class session {
 public:
  static constexpr std::size_t tokens_max = 64;
  static constexpr std::size_t answers_max = 64;
  static constexpr std::size_t answer_bytes_max = 256 * 1024;
  static constexpr std::uint64_t name_lease_ms = 1000;

  session(store& of, figures& counted, caller who) : store_(of), figures_(counted), who_(std::move(who)) {}
  session(session const&) = delete;
  session& operator=(session const&) = delete;
  ~session();

  /// Where the next bytes go; empty while answers must be taken first.
  [[nodiscard]] std::span<std::byte> want();
  /// So many arrived there; at most want().size(), and nothing else was called in between. `now`: ms.
  [[nodiscard]] bool got(std::size_t bytes, std::uint64_t now);

  struct outgoing {
    std::span<std::byte const> bytes;
    std::span<int const> files;  // go with the first of the bytes
    bool data_follow = false;    // at once: this is the header of a read's data
  };
  /// What to send next; no bytes: nothing for now.
  [[nodiscard]] outgoing next();
  void sent(std::size_t bytes);

 private:
  struct transfer {
    std::uint64_t id = 0;
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    std::uint64_t moved = 0;
    refusal ended{};
  };
  struct answer {
    std::vector<std::byte> bytes;
    std::size_t sent = 0;
    bool reads = false;
    transfer read{};
    std::vector<int> files{};  // closed when sent
  };

  [[nodiscard]] bool begin(std::uint64_t now);
  [[nodiscard]] bool begin_write(wire::message const& m);
  [[nodiscard]] bool begin_data(wire::message const& m);
  void perform(std::uint64_t now);
  void create(std::uint64_t now);
  void list();
  void grant();
  void revoke();
  void present();
  void read();
  void write_inline();
  void end_write();
  void lease();
  void state();

  /// The bytes of the region to be moved next, if the right still stands.
  [[nodiscard]] std::span<std::byte> step(transfer& t, std::uint32_t right);
  void reply(wire::message m, std::vector<std::byte> payload = {});
  void refuse(refusal const& why);
  void answer_to(checked<void> const& result);
  void put(wire::message const& m, std::span<std::byte const> payload, answer& to);
  void push(answer a);
  [[nodiscard]] std::string_view text() const;

  store& store_;
  figures& figures_;
  caller who_;

  enum class part : std::uint8_t { header, payload, region };
  part taking_ = part::header;
  wire::encoded header_{};
  std::vector<std::byte> payload_;
  std::size_t taken_ = 0;  // of the header or the payload
  wire::message request_{};
  transfer write_;                             // whose data is coming in
  std::map<std::uint64_t, transfer> portals_;  // open, waiting for their data; by id
  std::deque<answer> answers_;
  std::size_t queued_bytes_ = 0;
};

}  // namespace tess::memd
