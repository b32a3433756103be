// server: what `tess memd` runs: one thread that waits for sockets and moves bytes between them and the store.
//
//   Each client with something to do gets a turn of at most one portal's bytes, so that no client waits long for
//   another. A client that violates the protocol is disconnected; one that does not read its answers is not listened
//   to; one user has at most half of the connections. No request makes the server wait.
//
// Threads  run(): one. stop(): any, and signal handlers.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "rmem/replication/link.hpp"
#include "rmem/replication/witness.hpp"
#include "rmem/server/session.hpp"
#include "rmem/store/persistent_store.hpp"
#include "rmem/wire/stream.hpp"

namespace tess::memd {

class server {
 public:
  struct options {
    std::uint64_t size_bytes = 0;
    std::filesystem::path file{};                      // keeps the regions over restarts; empty: nothing does
    std::vector<std::string> listen;                   // full addresses
    int inherited_listener = -1;                       // a socket that listens already
    int life_pipe = -1;                                // the server ends when the other end of this pipe is closed
    bool only_own_user = false;                        // rejects all other users
    std::uint8_t number = 0;                           // the top bits of its addresses
    std::string peer{};                                // the other of two servers, full address; empty: there is none
    std::string witness{};                             // of two servers, full address; empty: there is none
    bool is_witness = false;                           // has no regions; its file keeps what it has granted
    rmem::credentials proofs{};                        // for TCP
    std::chrono::milliseconds lease{};                 // of two servers; 0: half of the failure time-out
    std::chrono::milliseconds greeting_time{10'000};   // a connection on which no request comes so long is closed
    bool sync = false;                                 // nothing is acknowledged before the disk has it
    std::function<void(std::string const&)> report{};  // changes of the roles of two servers
  };

  /// Listens from here on. Throws std::runtime_error that says what is wrong.
  explicit server(options const& chosen);
  server(server const&) = delete;
  server& operator=(server const&) = delete;
  ~server();

  /// Serves until stop().
  void run();
  void stop() noexcept;

 private:
  struct connection {
    rmem::stream stream;
    std::unique_ptr<protocol> speaks;
    session* client = nullptr;  // `speaks`, if it is a session
    std::int64_t user = -1;     // negative: remote
    std::uint32_t events = 0;
    std::uint64_t accepted = 0;  // how many connections there were before
  };
  /// A connection that must speak until then.
  struct greeting {
    std::chrono::steady_clock::time_point until;
    int socket = -1;
    std::uint64_t accepted = 0;
  };

  [[nodiscard]] int timeout_ms() const;
  void watch(int file, std::uint32_t events);
  void begin_replication(options const& chosen);
  void leave_pair(std::filesystem::path const& file);
  void accept_from(int listener);
  /// Is there a connection for one more of this user? If not for a stranger, another stranger is dropped.
  [[nodiscard]] bool make_room(std::int64_t user, bool operates);
  void move_to(std::int64_t user, connection& c);
  [[nodiscard]] std::size_t count_of(std::int64_t user) const;
  void drop_silent();
  void serve_buffered();
  connection& add(rmem::stream stream, std::int64_t user, std::unique_ptr<protocol> speaks);
  void drop(int socket);
  void serve(connection& c, std::uint32_t events);
  [[nodiscard]] bool take_turn(connection& c);
  [[nodiscard]] bool send_output(connection& c, std::uint64_t& moved, bool& full);
  void write_to_disk();
  /// Serves the sessions whose answers waited for steps that are safe now.
  void release_answers();

  persistent_store store_;
  counters counters_;
  service_state service_;
  std::unique_ptr<replication::link> link_;  // null: one server
  std::unique_ptr<replication::witness> witness_;
  std::unique_ptr<rmem::tls::acceptor> tls_;  // null: no TCP
  std::uint64_t released_ = 0;                // the safe steps at the last release
  bool answered_ = true;                      // answers could leave then
  std::vector<int> buffered_;                 // connections with bytes that their sockets do not show
  rmem::descriptor epoll_;
  rmem::descriptor stop_;
  rmem::descriptor reserve_;  // closed for a moment to reject a client when no descriptors are left
  int life_pipe_;
  bool only_own_user_;
  bool syncs_;
  std::vector<rmem::descriptor> listeners_;
  std::vector<std::string> paths_;  // of sockets, removed at the end
  std::unordered_map<int, connection> connections_;
  std::unordered_map<std::int64_t, std::size_t> connections_of_user_;
  std::size_t connections_max_ = 0;
  std::uint64_t accepted_ = 0;
  std::chrono::milliseconds greeting_time_;
  std::deque<greeting> greetings_;  // the oldest first
};

}  // namespace tess::memd
