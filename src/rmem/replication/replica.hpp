// replica: the role of one of two replicated servers (--replicas 2), and the evidence on which the role changes.
//
//   The primary serves; it answers a change or a write when the backup has it, too. The backup becomes primary when it
//   is sure that the primary is dead: their connection ended, and nothing, or another process, listens at its address.
//   The primary needs the same evidence of the backup before it continues alone. Silence proves nothing: then nothing
//   is acknowledged until the operator decides (`tess mem take-over`). The epoch grows with every change of the
//   primary; a server that learns of a later epoch than its own discards what it has and becomes the backup. Two
//   servers that start empty wait for each other, so a server never serves less than was acknowledged. What a server's
//   file says counts unless the other server may have continued without it.
//
// Threads  one, the server's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "rmem/replication/peer.hpp"
#include "rmem/replication/service_state.hpp"
#include "rmem/store/persistent_store.hpp"

namespace tess::memd::replication {

class replica {
 public:
  struct options {
    std::string peer;    // full address of the other server
    std::string secret;  // needed unless both servers belong to one user of one host
    std::uint8_t number = 0;
    std::uint64_t size_bytes = 0;
  };
  /// What the server does for it.
  struct actions {
    std::function<void()> drop_connections;
    std::function<void(rmem::stream)> receive_copy;  // by this connection, into the store, which is empty
    std::function<void(std::string const&)> report;
  };

  replica(options chosen, persistent_store& regions, service_state& service, actions can);

  [[nodiscard]] int event_file() const { return peer_.event_file(); }
  /// event_file() is readable.
  void handle_answer();
  /// To be called every 10 ms: asks the other server, and decides.
  void tick();

  /// The primary's side of the link: the backup is connected, it has everything, it has confirmed that.
  void backup_connected();
  void backup_in_sync();
  void backup_confirmed();
  /// The backup's side: the primary says that everything is here.
  void copy_in_sync();
  void link_lost() { linked_ = false; }

 private:
  enum class role : std::uint8_t { waiting, primary, backup };

  [[nodiscard]] wire::message handle_join(wire::message const& m, bool trusted, std::string_view secret);
  [[nodiscard]] checked<void> take_over();
  void handle_answer_as_primary(peer::answer const& a);
  void handle_answer_as_backup(peer::answer const& a);
  void become_primary(std::string const& why);
  void continue_alone(std::string const& why);
  void discard();
  void set_state(replica_state s);
  void update_service();
  [[nodiscard]] bool goes_first(wire::message const& join) const;

  options chosen_;
  persistent_store& store_;
  service_state& service_;
  actions can_;
  peer peer_;
  std::uint64_t instance_ = 0;  // of this process, random
  std::uint64_t epoch_ = 0;
  role role_ = role::waiting;
  replica_state state_ = replica_state::incomplete;
  bool linked_ = false;
  bool outdated_ = false;    // another server has served in a later epoch
  bool peer_waits_ = false;  // according to its last answer
  std::uint64_t peer_instance_ = 0;
  std::uint64_t joining_instance_ = 0;
};

}  // namespace tess::memd::replication
