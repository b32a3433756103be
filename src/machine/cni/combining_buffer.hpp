// combining_buffer: posted stores of a tile's harts to scratchpads of other tiles, combined per line.
//
//   Consecutive stores within a line are combined and sent as one. A combined byte is never overwritten: the buffer is
//   flushed first. It is also flushed before a store elsewhere, before a store that must not be combined, when its line
//   is full or nothing has been added for a while, and by drain(). So all stores leave in order.
//
// Units     bytes, picoseconds.
// Errors    an error at the home is reported when it is known, long after the store.
// Threads   one.
// Source    CNI (IJPP 2012), section 4.1: the write-combining buffer.
#pragma once

#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "machine/adapter/adapter.hpp"
#include "machine/kernel/kernel.hpp"

namespace tess::machine {

class combining_buffer : private event {
 public:
  /// `failed` is called with every transaction that failed.
  combining_buffer(kernel& k, adapter& way, picoseconds idle_ps, std::uint32_t posted_max,
                   std::function<void(transaction const&)> failed);

  /// Stores a word of tile `target`. False: nothing was accepted; try again when `again` happens.
  [[nodiscard]] bool store(std::uint32_t target, std::uint64_t address, std::span<std::byte const> value, bool combines,
                           event& again);
  /// Have all stores completed at their homes? False: ask again when `again` happens.
  [[nodiscard]] bool drain(event& again);

 private:
  struct posted : event {
    explicit posted(combining_buffer& owner_)
        : event([](event& self) { static_cast<posted&>(self).owner.ended(static_cast<posted&>(self)); }),
          owner(owner_) {}
    combining_buffer& owner;
    transaction sent;
  };

  [[nodiscard]] bool is_full() const noexcept { return under_way_ >= posted_max_; }
  [[nodiscard]] bool continues(std::uint64_t address, std::size_t bytes) const noexcept;
  /// False: too many are in flight.
  bool flush();
  void send(std::uint32_t target, std::uint64_t address, std::span<std::byte const> value);
  void ended(posted& one);
  void idle_for_long();

  kernel& kernel_;
  adapter& adapter_;
  picoseconds idle_ps_;
  std::uint32_t posted_max_;
  std::function<void(transaction const&)> failed_;
  // The combined bytes: `bytes_` from `first_` on; 0: none.
  std::uint64_t first_ = 0;
  std::size_t bytes_ = 0;
  std::uint32_t target_ = 0;
  std::array<std::byte, transaction::data_max> data_{};
  picoseconds flush_at_ = 0;
  bool timer_runs_ = false;
  std::uint32_t under_way_ = 0;
  std::deque<posted> all_;
  std::vector<posted*> spare_;
  std::vector<event*> waiting_;
};

}  // namespace tess::machine
