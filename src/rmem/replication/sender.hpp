// sender: what the primary sends to the backup: everything it has, then every change and every byte written.
//
//   Entries keep the order in which things happened. Bytes are not copied into the queue but read from the region when
//   they are sent; what overwrote them in the meantime follows as a later entry. The backup acknowledges how many
//   entries it has taken.
//
// Threads  one, the server's.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "rmem/replication/lease_clock.hpp"
#include "rmem/replication/peer_process.hpp"
#include "rmem/store/store.hpp"
#include "rmem/wire/message.hpp"
#include "rmem/wire/protocol.hpp"

namespace tess::memd::replication {

class sender final : public protocol {
 public:
  using clock = lease_clock;

  explicit sender(store const& regions);

  void add(change const& c);
  /// True: a new entry; false: the bytes joined the last one.
  bool add(std::uint64_t address, std::uint64_t size);
  void add_in_sync(std::uint64_t epoch);
  void add_beat();

  [[nodiscard]] std::span<std::byte> receive_buffer() override { return std::span(header_).subspan(received_); }
  [[nodiscard]] bool received(std::size_t bytes, std::uint64_t now) override;
  [[nodiscard]] output next_output() override;
  void sent(std::size_t bytes) override;

  /// Everything that existed at the beginning has arrived.
  [[nodiscard]] bool has_copied_all() const { return acknowledged_ >= initial_; }
  /// When the last entry that was acknowledged, or one before it, was sent; nothing: none was.
  [[nodiscard]] std::optional<clock::time_point> sent_at() const { return sent_at_; }
  /// The backup, as it says.
  [[nodiscard]] process_name const& other() const { return other_; }
  /// Entries after those.
  [[nodiscard]] std::uint64_t acknowledged() const { return has_copied_all() ? acknowledged_ - initial_ : 0; }

 private:
  struct entry {
    std::vector<std::byte> bytes{};  // the message, and a change after it
    std::uint64_t address = 0;       // of bytes of a region
    std::uint64_t size = 0;
    bool begun = false;
  };

  store const& store_;
  std::deque<entry> entries_;
  std::size_t sent_ = 0;  // of the first entry
  std::uint64_t added_ = 0;
  std::uint64_t initial_ = 0;
  std::uint64_t acknowledged_ = 0;
  struct mark {
    std::uint64_t entries = 0;  // so many were sent before this one
    clock::time_point at;
  };
  std::deque<mark> marks_;
  std::optional<clock::time_point> sent_at_;
  wire::encoded header_{};
  std::size_t received_ = 0;
  process_name other_{};
};

}  // namespace tess::memd::replication
