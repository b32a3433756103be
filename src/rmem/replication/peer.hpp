// peer: asks the other of two servers, on a thread of its own, because an answer may take the whole failure time-out.
//
//   `dead` is only concluded from what looks like a dead process: its host answers, and nothing listens at its address.
//   Silence is not enough: a silent server may still serve.
//
// Threads  ask(), take_answer(): one. event_file() becomes readable when there is an answer.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "rmem/wire/message.hpp"
#include "rmem/wire/stream.hpp"

namespace tess::memd::replication {

class peer {
 public:
  struct answer {
    enum class kind : std::uint8_t { silent, dead, answered };
    kind what = kind::silent;
    wire::operation question{};
    wire::message head{};
    std::string text{};
    rmem::stream stream{};  // on which the answer came
  };

  explicit peer(std::string const& address);
  peer(peer const&) = delete;
  peer& operator=(peer const&) = delete;
  ~peer();

  [[nodiscard]] std::string const& address() const { return address_; }
  [[nodiscard]] int event_file() const { return event_.number(); }
  [[nodiscard]] bool is_asked() const { return asked_; }
  void ask(wire::message const& m, std::string const& payload = {});
  [[nodiscard]] std::optional<answer> take_answer();

 private:
  void run();
  [[nodiscard]] answer call(wire::message m, std::string const& payload) const;

  std::string address_;
  rmem::descriptor event_;
  bool asked_ = false;  // used by the asking thread only
  std::mutex mutex_;    // protects what follows
  std::condition_variable changed_;
  std::optional<wire::message> question_;
  std::string payload_;
  std::optional<answer> answer_;
  bool stops_ = false;
  std::thread thread_;
};

}  // namespace tess::memd::replication
