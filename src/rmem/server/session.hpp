// session: the server's side of one client's connection: requests in, answers and data out. No transport.
//
//   Bytes of regions are neither copied nor gathered: receive_buffer() and next_output() are places in the region,
//   found anew for every step after the client's right was checked again. If a right is revoked during a transfer, the
//   transfer ends there: data that still arrives is dropped, data that is still owed is zeros, and `done` says that the
//   right was revoked. No request is received while too many answers wait to be sent.
//
// Threads  one, the store's.
// Errors   received() is false when the client violates the protocol; it is then disconnected. A refusal is an answer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rmem/replication/service_state.hpp"
#include "rmem/store/store.hpp"
#include "rmem/wire/message.hpp"
#include "rmem/wire/protocol.hpp"

namespace tess::memd {

/// Counted since the server's start; `tess mem stat` and `top` show them.
struct counters {
  std::uint64_t connections = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
  std::uint64_t refused = 0;
  std::uint64_t leases = 0;
};

class session final : public protocol {
 public:
  static constexpr std::size_t tokens_max = 64;
  static constexpr std::size_t answers_max = 64;
  static constexpr std::size_t answer_bytes_max = 256 * 1024;
  static constexpr std::uint64_t name_lease_ms = 1000;

  session(store& regions, counters& counted, service_state const& service, caller who)
      : store_(regions), counters_(counted), service_(service), who_(std::move(who)) {}
  session(session const&) = delete;
  session& operator=(session const&) = delete;
  ~session() override;

  [[nodiscard]] std::span<std::byte> receive_buffer() override;
  [[nodiscard]] bool received(std::size_t bytes, std::uint64_t now) override;
  [[nodiscard]] output next_output() override;
  void sent(std::size_t bytes) override;

  /// The next answer waits until the steps before it are safe.
  [[nodiscard]] bool is_held() const {
    return !answers_.empty() && answers_.front().sent == 0 &&
           (answers_.front().after > service_.steps_safe || !service_.may_answer());
  }
  /// The client was accepted as the backup: the session ends when all its output is sent.
  [[nodiscard]] bool joined() const { return joined_; }
  /// The other end has proved that it is the other of two servers.
  void trust_as_server() { who_.is_server = true; }
  /// A request has arrived.
  [[nodiscard]] bool has_spoken() const { return has_spoken_; }
  /// A local user, or it has shown a valid token.
  [[nodiscard]] bool is_known() const { return who_.user || !who_.tokens.empty(); }

 private:
  struct transfer {
    std::uint64_t id = 0;
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    std::uint64_t moved = 0;
    refusal failure{};
  };
  struct answer {
    std::vector<std::byte> bytes;
    std::size_t sent = 0;
    std::uint64_t after = 0;  // is held until so many steps are safe
    bool reads = false;       // the data of `read` follows
    transfer read{};
    std::vector<int> files{};  // closed when sent
  };

  [[nodiscard]] bool begin(std::uint64_t now);
  [[nodiscard]] bool begin_write(wire::message const& m);
  [[nodiscard]] bool begin_data(wire::message const& m);
  void perform(std::uint64_t now);
  void open(std::uint64_t now);
  void create(std::uint64_t now);
  void list();
  static void add_to_list(region const& r, std::uint32_t held, wire::writer& entries);
  void grant();
  void revoke();
  void present();
  void read();
  void write_inline();
  void end_write();
  void lease();
  void state();
  void hello();
  void join();
  void claim();

  /// The bytes of the region to move next; none if the client has lost the right.
  [[nodiscard]] std::span<std::byte> step(transfer& t, std::uint32_t right);
  void reply(wire::message m, std::vector<std::byte> payload = {});
  void refuse(refusal const& why);
  void answer_to(checked<void> const& result);
  static void append(wire::message const& m, std::span<std::byte const> payload, answer& to);
  void push(answer a);
  [[nodiscard]] std::string_view text() const;

  store& store_;
  counters& counters_;
  service_state const& service_;
  caller who_;

  enum class stage : std::uint8_t { header, payload, region };
  stage receiving_ = stage::header;
  wire::encoded header_{};
  std::vector<std::byte> payload_;
  std::size_t received_ = 0;  // of the header or the payload
  wire::message request_{};
  transfer write_;                             // whose data is arriving
  std::map<std::uint64_t, transfer> portals_;  // writes that wait for their data, by id
  std::deque<answer> answers_;
  std::size_t queued_bytes_ = 0;
  bool joined_ = false;
  bool has_spoken_ = false;
};

}  // namespace tess::memd
