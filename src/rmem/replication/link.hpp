// link: a replicated server's connection to the other one: what is sent over it, and which answers wait for that.
//
// Threads  one, the server's.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "rmem/replication/lease_clock.hpp"
#include "rmem/replication/peer_process.hpp"
#include "rmem/replication/receiver.hpp"
#include "rmem/replication/replica.hpp"
#include "rmem/replication/sender.hpp"
#include "rmem/wire/protocol.hpp"

namespace tess::memd::replication {

class link {
 public:
  static constexpr auto tick = std::chrono::milliseconds(10);

  /// What the server does for it; connections are named by their sockets.
  struct actions {
    std::function<void()> drop_all;
    std::function<void(int)> drop;
    std::function<void(rmem::stream, std::unique_ptr<protocol>)> add;
    std::function<void(int)> send;
    std::function<void(std::string const&)> report;
  };

  link(replica::options chosen, persistent_store& regions, service_state& service, actions can);

  [[nodiscard]] std::array<int, 2> event_files() const { return replica_.event_files(); }
  void handle_answer() { replica_.handle_answer(); }

  /// After each round of the server: which steps are safe now?
  void update();
  /// After held answers were released: sends what is queued, and lets the replica decide.
  void advance();
  /// update() would find something new.
  [[nodiscard]] bool has_news() const {
    return sender_ != nullptr &&
           ((gated_ && safe_steps() != service_.steps_safe) || sender_->sent_at().value_or(renewed_) != renewed_);
  }

  /// A session has accepted its client as the backup: the protocol that continues on this connection.
  [[nodiscard]] std::unique_ptr<protocol> begin_sending(rmem::stream const& to);
  /// Bytes were received on a connection, and nothing was sent yet.
  void after_receiving(int socket);
  /// A connection was dropped.
  void after_dropping(int socket);

 private:
  void begin_receiving(rmem::stream stream);
  [[nodiscard]] std::uint64_t safe_steps() const { return steps_before_ + sender_->acknowledged(); }

  persistent_store& store_;
  service_state& service_;
  actions can_;
  replica replica_;
  int socket_ = -1;                 // -1: not connected
  sender* sender_ = nullptr;        // of the connection, if this is the primary
  receiver* receiver_ = nullptr;    // of the connection, if this is the backup
  std::uint64_t steps_before_ = 0;  // the sender's first entry
  bool gated_ = false;              // answers wait for the backup
  std::uint64_t in_sync_step_ = 0;  // not 0: the step that tells the backup that it is in sync, until it confirms
  bool was_in_sync_ = false;
  peer_process other_;  // at the other end of the last connection
  lease_clock::time_point ticked_{};
  lease_clock::time_point beat_{};
  lease_clock::time_point renewed_{};  // the lease, by what was sent then
};

}  // namespace tess::memd::replication
