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
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rmem/store/store.hpp"
#include "rmem/wire/message.hpp"
#include "rmem/wire/protocol.hpp"

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

/// What the server is now, for all of its sessions.
struct service {
  bool serves = true;
  std::uint64_t epoch = 0;
  std::uint64_t instance = 0;
  std::uint64_t put = 0;             // steps that a second server was sent
  std::uint64_t taken = UINT64_MAX;  // and has taken in: what was answered after later ones is kept back until then
  /// Somebody asks to be the second server; the answer.
  std::function<wire::message(wire::message const&, bool trusted, std::string_view secret)> join{};
  std::function<checked<void>()> take_over{};
  bool (*has_memory)() noexcept = [] noexcept { return true; };  // for changes
  bool comes_back = false;                                       // its regions outlive its process
  std::string partner{};                                         // the other's address, if there are two
  std::string why_not{};                                         // if it does not serve
};

class session final : public talker {
 public:
  static constexpr std::size_t tokens_max = 64;
  static constexpr std::size_t answers_max = 64;
  static constexpr std::size_t answer_bytes_max = 256 * 1024;
  static constexpr std::uint64_t name_lease_ms = 1000;

  session(store& of, figures& counted, service const& now, caller who)
      : store_(of), figures_(counted), service_(now), who_(std::move(who)) {}
  session(session const&) = delete;
  session& operator=(session const&) = delete;
  ~session() override;

  [[nodiscard]] std::span<std::byte> want() override;
  [[nodiscard]] bool got(std::size_t bytes, std::uint64_t now) override;
  [[nodiscard]] outgoing next() override;
  /// The next answer waits for the second server.
  [[nodiscard]] bool is_held() const {
    return !answers_.empty() && answers_.front().sent == 0 && answers_.front().after > service_.taken;
  }
  /// It was let in as the second server: no session any more, once all is sent.
  [[nodiscard]] bool joined() const { return joined_; }
  void sent(std::size_t bytes) override;

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
    std::uint64_t after = 0;  // kept back until so much was taken in
    bool reads = false;
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
  service const& service_;
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
  bool joined_ = false;
};

}  // namespace tess::memd
