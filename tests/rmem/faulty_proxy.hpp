// faulty_proxy: a proxy that passes bytes, at once or late, in both directions or in one, stops passing them, or ends
// its connections, and perhaps refuses new ones.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <list>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include "fresh_tcp_address.hpp"
#include "rmem/wire/descriptor.hpp"
#include "rmem/wire/sockets.hpp"

namespace tess::rmem {

class faulty_proxy {
 public:
  enum class mode : std::uint8_t {
    pass,
    stall,
    refuse,
    delay,     // up to 40 ms in each direction
    questions  // only what those say who connected, not what is answered
  };

  explicit faulty_proxy(std::string to, std::string own = fresh_tcp_address())
      : own_(std::move(own)), to_(std::move(to)), listener_(listen_at(own_)) {
    thread_ = std::thread([this] { run(); });
  }
  faulty_proxy(faulty_proxy const&) = delete;
  faulty_proxy& operator=(faulty_proxy const&) = delete;
  ~faulty_proxy() {
    stops_ = true;
    thread_.join();
  }

  [[nodiscard]] std::string const& address() const { return own_; }
  void set(mode m) { mode_ = m; }
  /// Once; new ones are accepted.
  void drop_connections() { drops_ = true; }

 private:
  /// Both ends of one connection, and what waits to be sent to each.
  struct pair {
    std::array<descriptor, 2> ends;
    std::array<std::string, 2> waiting;
  };

  void run() {
    while (!stops_) {
      mode const now = mode_;
      if (now == mode::refuse) {
        pairs_.clear();
        listener_ = {};
      } else if (!listener_.is_open()) {
        listener_ = listen_at(own_);
      }
      if (drops_.exchange(false)) pairs_.clear();
      if (now == mode::stall || now == mode::refuse) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        continue;
      }
      if (now == mode::delay) std::this_thread::sleep_for(std::chrono::milliseconds(random_() % 40));
      accept_one();
      for (auto p = pairs_.begin(); p != pairs_.end();) p = move(*p) ? std::next(p) : pairs_.erase(p);
      if (!moved_) std::this_thread::sleep_for(std::chrono::microseconds(200));
      moved_ = false;
    }
  }

  void accept_one() {
    pollfd ready{listener_.number(), POLLIN, 0};
    if (poll(&ready, 1, 0) != 1) return;
    descriptor from(accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    try {
      pairs_.push_back({{std::move(from), connect_to(to_)}, {}});
    } catch (std::exception const&) {
      // The server is not there: the connection ends.
    }
  }

  bool move(pair& p) {
    for (std::size_t i : {0U, 1U}) {
      if (i == 1 && mode_ == mode::questions) continue;
      auto& out = p.waiting[1 - i];
      if (out.empty()) {
        std::array<char, 65536> bytes;
        auto const n = recv(p.ends[i].number(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) return false;
        if (n > 0) out.assign(bytes.data(), static_cast<std::size_t>(n));
      }
      if (out.empty()) continue;
      auto const n = send(p.ends[1 - i].number(), out.data(), out.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (n < 0 && errno != EAGAIN && errno != EINTR) return false;
      if (n > 0) out.erase(0, static_cast<std::size_t>(n));
      moved_ = true;
    }
    return true;
  }

  std::string const own_;
  std::string to_;
  descriptor listener_;
  std::list<pair> pairs_;
  bool moved_ = false;
  std::atomic<mode> mode_{mode::pass};
  std::atomic<bool> drops_{false};
  std::minstd_rand random_;  // by one thread
  std::atomic<bool> stops_{false};
  std::thread thread_;
};

}  // namespace tess::rmem
