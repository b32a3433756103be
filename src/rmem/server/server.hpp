// server: what `tess memd` runs: one thread that waits for sockets and moves bytes between them and the store.
//
//   Each client that has something gets a turn of at most one portal's bytes, so that nobody waits long for another.
//   Whoever breaks the protocol is cut off; whoever does not read is not listened to; one user has at most half of the
//   connections. No request makes the server wait.
//
// Threads  run(): one. stop(): any, and signal handlers.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "rmem/replication/receiver.hpp"
#include "rmem/replication/replica.hpp"
#include "rmem/replication/sender.hpp"
#include "rmem/server/session.hpp"
#include "rmem/store/persistent_store.hpp"
#include "rmem/wire/sockets.hpp"

namespace tess::memd {

class server {
 public:
  struct options {
    std::uint64_t size_bytes = 0;
    std::filesystem::path file{};                   // keeps the regions over a restart; empty: nothing does
    std::vector<std::string> listen;                // full addresses
    int inherited = -1;                             // a listening socket that was open already
    int life = -1;                                  // the server ends when the other end of this pipe is closed
    bool only_own_user = false;                     // turns all others away
    std::uint8_t number = 0;                        // the top bits of its addresses
    std::string other{};                            // the second of two servers, full address; empty: there is none
    std::string secret{};                           // that both know, if they are not of one user and host
    bool sync = false;                              // nothing is acknowledged before the disk has it
    std::function<void(std::string const&)> say{};  // what changes between the two
  };

  /// Listens from here on. Throws std::runtime_error that says what is not possible.
  explicit server(options const& chosen);
  server(server const&) = delete;
  server& operator=(server const&) = delete;
  ~server();

  /// Serves until stop().
  void run();
  void stop() noexcept;

 private:
  struct connection {
    rmem::descriptor socket;
    std::unique_ptr<talker> speaks;
    session* client = nullptr;  // if it speaks with one
    std::int64_t user = -1;     // -1: remote
    std::uint32_t events = 0;
  };

  [[nodiscard]] int patience_ms() const;
  void watch(int file, std::uint32_t events);
  void accept_from(int listener);
  void serve(connection& c, std::uint32_t events);
  void write_to_disk();
  /// Those that waited until so much was safe.
  void release_answers();
  [[nodiscard]] bool take_turn(connection& c);
  [[nodiscard]] bool send_out(connection& c, std::uint64_t& moved, bool& full);
  void drop(int socket);
  connection& add(rmem::descriptor socket, std::int64_t user, std::unique_ptr<talker> speaks);

  // With a second server:
  void begin_pair(options const& chosen);
  void tend_pair();
  /// There are bytes for the second server.
  [[nodiscard]] bool has_to_copy() const { return copier_ != nullptr && !copier_->next().bytes.empty(); }
  void after_serving(connection& c);
  void note_in_step(connection const& c);
  void begin_copying(connection& c);
  void begin_following(rmem::descriptor socket);
  void link_dropped();

  holdings holdings_;
  figures figures_;
  service service_;
  std::unique_ptr<pair> pair_;
  int link_ = -1;  // to the other server; one of the next speaks there
  copier* copier_ = nullptr;
  follower* follower_ = nullptr;
  std::uint64_t put_before_ = 0;  // the copier's first entry
  bool gated_ = false;
  std::uint64_t in_step_put_ = 0;  // not 0: the step by which the second hears that it has all, until it has said so
  bool was_in_step_ = false;
  std::uint64_t released_ = 0;
  std::chrono::steady_clock::time_point tended_{};
  rmem::descriptor epoll_;
  rmem::descriptor stop_;
  rmem::descriptor spare_;  // given up for a moment to turn somebody away when no descriptors are left
  int life_;
  bool only_own_user_;
  bool syncs_;
  std::vector<rmem::descriptor> listeners_;
  std::vector<std::string> paths_;  // removed at the end
  std::unordered_map<int, connection> connections_;
  std::unordered_map<std::int64_t, std::size_t> of_user_;
  std::size_t connections_max_ = 0;
};

}  // namespace tess::memd
