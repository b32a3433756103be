// sender: what the first of two servers sends to the second: all there is, then every change and every byte written.
//
//   Entries keep the order in which things happened. Bytes are not kept but taken from the region when they are sent:
//   what was written over them meanwhile comes again behind them. The second server counts the entries that it took in.
//
// Threads  one, the server's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "rmem/store/store.hpp"
#include "rmem/wire/message.hpp"
#include "rmem/wire/protocol.hpp"

namespace tess::memd {

class copier final : public talker {
 public:
  explicit copier(store const& of);

  void put(change const& c);
  /// True: a new entry, else they go with the last one.
  bool put(std::uint64_t address, std::uint64_t size);
  void put_in_step();

  [[nodiscard]] std::span<std::byte> want() override { return std::span(header_).subspan(taken_); }
  [[nodiscard]] bool got(std::size_t bytes, std::uint64_t now) override;
  [[nodiscard]] outgoing next() override;
  void sent(std::size_t bytes) override;

  /// All that there was at the beginning has arrived.
  [[nodiscard]] bool has_begun() const { return acknowledged_ >= first_; }
  /// Of the entries since then.
  [[nodiscard]] std::uint64_t acknowledged() const { return has_begun() ? acknowledged_ - first_ : 0; }

 private:
  struct entry {
    std::vector<std::byte> bytes{};  // of the message and a change
    std::uint64_t address = 0;       // of bytes in a region
    std::uint64_t size = 0;
    bool begun = false;
  };
  void put_region(region const& r);

  store const& store_;
  std::deque<entry> entries_;
  std::size_t sent_ = 0;  // of the first entry
  std::uint64_t put_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t acknowledged_ = 0;
  wire::encoded header_{};
  std::size_t taken_ = 0;
};

}  // namespace tess::memd
