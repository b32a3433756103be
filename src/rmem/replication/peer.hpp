// peer: asks the other of two servers, or the witness, on a thread of its own, because an answer may take the whole
// failure time-out.
//
//   No answer proves nothing: neither silence nor a refused connection says that a server has ended.
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
    bool answered = false;
    bool unproved = false;  // it does not have the secret
    wire::operation question{};
    wire::message head{};
    std::string text{};
    rmem::stream stream{};  // on which the answer came
  };

  peer(std::string const& address, rmem::credentials const& proofs);
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
  rmem::credentials proofs_;
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
