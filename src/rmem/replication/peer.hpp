// peer: asks the other of two servers, on a thread of its own, for asking may take as long as the failure time-out.
//
//   `gone` is what only a dead process looks like: its host answers, and nobody listens at its address. Silence is not
//   that: whoever is silent may still serve.
//
// Threads  ask(), take(): one. file() becomes readable when there is an answer.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "rmem/wire/message.hpp"
#include "rmem/wire/sockets.hpp"

namespace tess::memd {

class partner {
 public:
  struct answer {
    enum class kind : std::uint8_t { silent, gone, said };
    kind what = kind::silent;
    wire::operation asked{};
    wire::message head{};
    std::string text{};
    rmem::descriptor socket{};  // on which it was said
  };

  explicit partner(std::string const& address);
  partner(partner const&) = delete;
  partner& operator=(partner const&) = delete;
  ~partner();

  [[nodiscard]] std::string const& address() const { return address_; }
  [[nodiscard]] int file() const { return told_.number(); }
  [[nodiscard]] bool is_asked() const { return asked_; }
  void ask(wire::message const& m, std::string const& payload = {});
  [[nodiscard]] std::optional<answer> take();

 private:
  void run();
  [[nodiscard]] answer call(wire::message m, std::string const& payload) const;

  std::string address_;
  rmem::descriptor told_;
  bool asked_ = false;  // of the asker
  std::mutex mutex_;    // of what follows
  std::condition_variable changed_;
  std::optional<wire::message> question_;
  std::string payload_;
  std::optional<answer> answer_;
  bool stops_ = false;
  std::thread thread_;
};

}  // namespace tess::memd
