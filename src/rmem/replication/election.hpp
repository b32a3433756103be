// election: which of two replicated servers serves. Decides from what was seen; has no socket, no file and no clock.
//
//   The death of the other server is never inferred from silence, nor from a refused connection. Four things decide:
//     - The lease. The primary answers only while the backup has acknowledged something that was sent less than a
//       lease ago. The backup waits longer than a lease after its last acknowledgement before it may serve.
//     - The kernel's word, for two processes of one host: the process of the other server has ended.
//     - The witness, a third process, if there is one: of two servers that want to leave an epoch, it lets one.
//     - The operator's word.
//   Without a witness, a backup that has lost its primary serves after a lease, and a primary that has lost its backup
//   waits, because the backup may serve. With one, either continues.
//
//   The epoch grows with every change of the one that serves. A primary that meets a later epoch, and has acknowledged
//   nothing alone, discards what it has and becomes the backup. Two servers that have both acknowledged something alone
//   have diverged, which takes a mistaken operator: then the one with the earlier epoch stops.
//
// Units    time: ms of a clock that never goes back; two clocks may differ in rate by 5 %.
// Source   Gray and Cheriton, Leases, SOSP 1989; the witness as in Paris and Long, Efficient Dynamic Voting, ICDE 1988.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rmem/store/change.hpp"

namespace tess::memd::replication {

class election {
 public:
  using time = std::int64_t;
  static constexpr time forever = INT64_MAX;

  enum class role : std::uint8_t { waiting, forming, primary, backup, stopped };

  struct settings {
    std::uint64_t instance = 0;  // of this process, random, not 0
    time lease = 0;
    time promise = 0;  // longer than the lease of the other server by every clock
    bool has_witness = false;
  };
  struct greeting {  // the answer to hello
    bool serves = false;
    std::uint64_t epoch = 0;
    std::uint64_t instance = 0;
  };
  struct application {  // a request to join
    replica_record has;
    std::uint64_t instance = 0;
  };
  struct admission {  // the answer to it
    bool accepted = false;
    bool complete = false;  // has everything that was acknowledged before that epoch
    std::uint64_t epoch = 0;
    std::uint64_t round = 0;
    std::uint64_t pair = 0;
    std::uint64_t instance = 0;
  };
  struct claim {  // to the witness
    std::uint64_t pair = 0;
    std::uint64_t epoch = 0;
    std::uint64_t follows = 0;  // 0: it serves in this epoch already
    std::uint64_t self = 0;
    bool operator==(claim const&) const = default;
  };
  enum class question : std::uint8_t { none, hello, join };
  /// What the owner has to do, in this order; saves is true whenever kept() has changed.
  struct effects {
    bool drops_link = false;
    bool drops_clients = false;
    bool discards = false;  // all regions, which are then set aside
    bool saves = false;
    std::string report{};
  };

  /// An earlier process with this copy may have promised something until a promise after `now`.
  election(settings chosen, replica_record loaded, time now);

  [[nodiscard]] replica_record const& kept() const { return kept_; }
  [[nodiscard]] role what() const { return role_; }
  [[nodiscard]] std::uint64_t instance() const { return chosen_.instance; }
  [[nodiscard]] bool linked() const { return linked_; }
  /// Until when an answer may be given: in the past if this server does not serve.
  [[nodiscard]] time serves_until() const;
  [[nodiscard]] bool serves(time now) const { return now < serves_until(); }
  [[nodiscard]] std::string why_not(std::string const& peer) const;

  [[nodiscard]] question wants_to_ask(time now) const;
  [[nodiscard]] application to_join() const { return {kept_, chosen_.instance}; }
  [[nodiscard]] std::optional<claim> wants_to_claim(time now) const;

  void tick(time now);
  void greeted(greeting const& g, time now);
  /// True: the connection on which this came is the link, and this server is the backup.
  [[nodiscard]] bool admitted(admission const& a, time now);
  void rejected() { peer_waits_ = peer_serves_ = false; }
  [[nodiscard]] admission handle(application const& a, time now);
  void witness_answered(claim const& asked, bool granted, std::uint64_t recorded_epoch, time now);

  // The primary's side of the link.
  /// The one that was admitted has acknowledged something that was sent at this time.
  void acknowledged(time sent_at, time now);
  /// The backup may be told that it is in sync: the witness knows of this epoch, or has not answered for a lease.
  [[nodiscard]] bool may_rely_on_backup(time now) const {
    return !chosen_.has_witness || confirmed_ || now - serves_since_ >= chosen_.lease;
  }
  /// Everything is there; the backup is told after this.
  void backup_in_sync(time now);
  // The backup's side.
  void heard(time now);
  void copy_in_sync(std::uint64_t epoch, time now);
  void link_lost();
  /// The kernel says that the process at the other end of the last link has ended.
  void peer_ended(time now);

  /// Empty: done; else why not.
  [[nodiscard]] std::string take_over(time now);

  [[nodiscard]] bool discards() const { return effects_.discards; }
  [[nodiscard]] effects take_effects();

 private:
  friend struct election_state;  // of the model
  void serve_alone(std::uint64_t epoch, time now, std::string_view why);
  void step_down();
  void lose_link();
  void stop(std::string_view why);
  void meet_primary(greeting const& g);
  [[nodiscard]] bool is_complete() const {
    return kept_.state == replica_state::sole || kept_.state == replica_state::in_sync;
  }
  [[nodiscard]] bool goes_first(application const& a) const;

  settings chosen_;
  replica_record kept_;
  role role_ = role::waiting;
  bool linked_ = false;
  bool peer_waits_ = false;       // according to its last answer
  bool peer_serves_ = false;      // the same
  bool peer_ended_ = false;       // the process of the last link
  bool confirmed_ = false;        // the witness knows this epoch
  time serves_since_ = 0;         // in this epoch
  time lease_until_ = 0;          // as the primary of a backup in sync
  time promise_until_ = 0;        // not before this time may this server leave its epoch
  time acknowledged_at_ = 0;      // the last time the other one acknowledged something, or was admitted
  std::uint64_t forming_ = 0;     // the epoch to serve in
  std::uint64_t admitted_ = 0;    // the copy that was admitted last
  std::uint64_t later_seen_ = 0;  // the latest epoch of any other server
  effects effects_{};
};

}  // namespace tess::memd::replication
