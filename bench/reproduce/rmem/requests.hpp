// requests: several reads and writes of a client under way at once, each of whole lines.
//
//   A read has a window of its own from its begin on. A write waits in finish() for the server's window, then sends.
//   The tag of a request is its number, which the server returns with its response.
//
// Units     bytes; whole, aligned lines of 64.
// Threads   one hart: the one at the mailbox. While requests are under way, rmem_client makes none.
// Errors    finish() returns the status; a refused request leaves both memories unchanged.
#pragma once

#include "ipc.hpp"
#include "protocol.hpp"

namespace mppa {

class rmem_requests {
 public:
  static constexpr std::uint64_t requests_max = 4;

  explicit rmem_requests(mailbox& mail) : mail_(mail) {}

  /// Number `which` must not be under way.
  [[nodiscard]] bool begin_read(std::uint64_t which, void* local, std::uint64_t address, std::uint64_t bytes) {
    request& one = all_[which];
    std::uint64_t const server = server_cluster(address >> server_shift);
    if (!one.window.open(reinterpret_cast<std::uint64_t>(local), bytes, server)) return false;
    one.now = phase::reads;
    mailbox::send(server, {static_cast<std::uint64_t>(operation::read), address, bytes,
                           tess::machine::cluster::global_name(local), which});
    return true;
  }
  void begin_write(std::uint64_t which, std::uint64_t address, void const* local, std::uint64_t bytes) {
    request& one = all_[which];
    one.now = phase::asks;
    one.local = reinterpret_cast<std::uint64_t>(local);
    one.bytes = bytes;
    mailbox::send(server_cluster(address >> server_shift),
                  {static_cast<std::uint64_t>(operation::write), address, bytes, 0, which});
  }
  /// Waits until request `which` has ended. Others make progress meanwhile.
  [[nodiscard]] status finish(std::uint64_t which) {
    for (;;) {
      take_responses();
      for (request& one : all_)
        if (one.now == phase::reads && one.window.is_closed()) one.end(status::ok);
      if (all_[which].now == phase::ended) {
        all_[which].now = phase::idle;
        return all_[which].how;
      }
      std::uint64_t windows = 0;
      for (request const& one : all_) windows |= one.now == phase::reads ? one.window.mask() : 0;
      mail_.wait_until(windows, [this] {
        for (request const& one : all_)
          if (one.now == phase::reads && one.window.is_closed()) return true;
        return !mailbox::empty();
      });
    }
  }

 private:
  enum class phase : std::uint8_t { idle, reads, asks, ended };
  struct request {
    receive_window window;
    phase now = phase::idle;
    status how = status::ok;
    std::uint64_t local = 0;
    std::uint64_t bytes = 0;
    void end(status with) {
      now = phase::ended;
      how = with;
    }
  };

  void take_responses() {
    while (auto const came = mailbox::try_receive()) {
      request& one = all_[came->said[4] % requests_max];
      auto const how = static_cast<status>(came->said[0]);
      if (one.now == phase::asks && how == status::ok) {
        one.end(sender_.send(one.local, one.bytes, came->said[1]) ? status::ok : status::lost);
      } else {
        if (one.now == phase::reads) one.window.close();
        one.end(how);
      }
    }
  }

  mailbox& mail_;
  // Window 0 is the blocking client's.
  std::array<request, requests_max> all_{request{receive_window(1)}, request{receive_window(2)},
                                         request{receive_window(3)}, request{receive_window(4)}};
  portal_sender sender_;
};

}  // namespace mppa
