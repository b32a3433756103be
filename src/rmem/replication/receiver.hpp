// receiver: the backup's side of the link: applies what the primary sends, and acknowledges how many entries it has.
//
// Threads  one, the server's.
// Errors   std::runtime_error that says what is not possible here: then this server is no copy any more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rmem/replication/peer_process.hpp"
#include "rmem/store/store.hpp"
#include "rmem/wire/message.hpp"
#include "rmem/wire/protocol.hpp"

namespace tess::memd::replication {

class receiver final : public protocol {
 public:
  explicit receiver(store& to) : store_(to) {}

  [[nodiscard]] std::span<std::byte> receive_buffer() override;
  [[nodiscard]] bool received(std::size_t bytes, std::uint64_t now) override;
  [[nodiscard]] output next_output() override;
  void sent(std::size_t bytes) override { reply_sent_ += bytes; }

  /// This server has everything that was ever acknowledged to a client.
  [[nodiscard]] bool in_sync() const { return in_sync_; }
  /// In which epoch.
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
  /// The primary, as it says.
  [[nodiscard]] process_name const& other() const { return other_; }

 private:
  void begin_entry();
  void end_entry();

  store& store_;
  wire::encoded header_{};
  wire::message m_{};
  std::vector<std::byte> change_;
  std::uint64_t received_ = 0;
  bool in_header_ = true;
  bool in_sync_ = false;
  std::uint64_t epoch_ = 0;
  process_name other_{};
  std::uint64_t entries_ = 0;
  std::uint64_t acknowledged_ = 0;
  wire::encoded reply_{};
  std::size_t reply_sent_ = wire::message_bytes;
};

}  // namespace tess::memd::replication
