// receiver: the second of two servers taking in what the first one sends, entry by entry, and saying how many.
//
// Threads  one, the server's.
// Errors   std::runtime_error that says what it cannot do as the first did: it is then no copy any more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rmem/store/store.hpp"
#include "rmem/wire/message.hpp"
#include "rmem/wire/protocol.hpp"

namespace tess::memd {

class follower final : public talker {
 public:
  explicit follower(store& of) : store_(of) {}

  [[nodiscard]] std::span<std::byte> want() override;
  [[nodiscard]] bool got(std::size_t bytes, std::uint64_t now) override;
  [[nodiscard]] outgoing next() override;
  void sent(std::size_t bytes) override { said_ += bytes; }

  /// It has all that was ever acknowledged.
  [[nodiscard]] bool in_step() const { return in_step_; }

 private:
  void begin();
  void end();

  store& store_;
  wire::encoded header_{};
  wire::message m_{};
  std::vector<std::byte> change_;
  std::uint64_t moved_ = 0;
  bool in_header_ = true;
  bool in_step_ = false;
  std::uint64_t count_ = 0;
  std::uint64_t announced_ = 0;
  wire::encoded saying_{};
  std::size_t said_ = wire::message_bytes;
};

}  // namespace tess::memd
