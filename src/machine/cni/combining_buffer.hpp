// combining_buffer: a tile's stores to scratchpads of other tiles: its harts do not wait for them.
//
//   Stores that continue each other within a line are gathered and go as one. A byte that is gathered is never written
//   over: what is there goes first; so does it before a store elsewhere, before a store that must not be gathered, when
//   its line is full or nothing has been added for a while, and for drain(). So all stores leave in their order.
//
// Units     bytes, picoseconds.
// Errors    what a home finds wrong is told when it is known, long after the store.
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
  /// `failed` is told of every transaction that was wrong.
  combining_buffer(kernel& k, adapter& way, picoseconds idle_ps, std::uint32_t posted_max,
                   std::function<void(transaction const&)> failed);

  /// Of a word of tile `target`. False: nothing has been taken, and `again` happens when it may be tried again.
  [[nodiscard]] bool store(std::uint32_t target, std::uint64_t address, std::span<std::byte const> value, bool combines,
                           event& again);
  /// Everything has been done at its home. False: not yet, `again` happens when it may be asked again.
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
  /// False: too many are under way.
  bool flush();
  void send(std::uint32_t target, std::uint64_t address, std::span<std::byte const> value);
  void ended(posted& one);
  void idle_for_long();

  kernel& kernel_;
  adapter& adapter_;
  picoseconds idle_ps_;
  std::uint32_t posted_max_;
  std::function<void(transaction const&)> failed_;
  // What is gathered: `bytes_` from `first_` on; 0: nothing.
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
