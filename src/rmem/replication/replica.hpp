// replica: one of two replicated servers (--replicas 2): asks the other one and the witness, and does what the election
// decides.
//
//   Every change and write is on both servers before it is acknowledged. Who serves is decided by the election
//   (election.hpp), which is searched exhaustively by a test; this class carries its questions and keeps its word: what
//   it decides is in the file before anything follows from it.
//
// Threads  one, the server's.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "rmem/replication/election.hpp"
#include "rmem/replication/lease_clock.hpp"
#include "rmem/replication/peer.hpp"
#include "rmem/replication/service_state.hpp"
#include "rmem/store/persistent_store.hpp"

namespace tess::memd::replication {

class replica {
 public:
  struct options {
    std::string peer;     // full address of the other server
    std::string witness;  // of the witness; empty: there is none
    rmem::credentials proofs;
    std::uint8_t number = 0;
    std::uint64_t size_bytes = 0;
    std::chrono::milliseconds lease{5000};
  };
  /// What the server does for it.
  struct actions {
    std::function<void()> drop_connections;
    std::function<void()> drop_link;
    std::function<void(rmem::stream)> receive_copy;  // by this connection, into the store, which is empty
    std::function<void(std::string const&)> report;
  };

  replica(options chosen, persistent_store& regions, service_state& service, actions can);

  /// To be watched; handle_answer() when one of them is readable.
  [[nodiscard]] std::array<int, 2> event_files() const;
  void handle_answer();
  /// To be called every 10 ms: asks, and decides.
  void tick();

  /// The primary's side of the link. What was acknowledged last was sent at this time. False: it is no link any more.
  [[nodiscard]] bool acknowledged(lease_clock::time_point sent_at);
  [[nodiscard]] bool may_rely_on_backup() const { return election_.may_rely_on_backup(now()); }
  /// Returns the epoch, for the backup.
  std::uint64_t backup_in_sync();
  void backup_confirmed();
  /// The backup's side: something was received; it is about to be acknowledged.
  void heard() { election_.heard(now()); }
  void copy_in_sync(std::uint64_t epoch);
  void link_lost();
  /// The kernel says that the process at the other end of the last link has ended.
  void peer_ended();
  [[nodiscard]] bool linked() const { return election_.linked(); }
  [[nodiscard]] std::chrono::milliseconds lease() const { return chosen_.lease; }

 private:
  using clock = lease_clock;
  [[nodiscard]] static election::time now();
  [[nodiscard]] wire::message handle_join(wire::message const& m, service_state::copy_number copy);
  [[nodiscard]] checked<void> take_over();
  void handle_witness();
  void handle_join_answer(peer::answer a);
  /// Does what the election has decided.
  void apply();
  void report(std::string const& what);

  options chosen_;
  persistent_store& store_;
  service_state& service_;
  actions can_;
  peer peer_;
  std::unique_ptr<replication::peer> witness_;
  election election_;
  election::claim claim_{};
  clock::time_point asked_{};  // the other server, or the witness, last
  clock::time_point claimed_{};
  std::string reported_;
};

}  // namespace tess::memd::replication
