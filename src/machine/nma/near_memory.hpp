// near_memory: what a memory tile's accelerator reads and writes: its own memory, by the port alone, or on a machine
// with directories by the home of each line, so that it sees what caches have, and they lose what it writes.
//
//   The port takes accesses in order. Homes do so for a line only, and messages to them may overtake each other; so
//   accesses to one line begin one after another.
//
// Units     offsets within the tile's memory.
// Threads   one.
// Source    docs/internals/machine.md, 11 and 12.
// Test      tests/machine/tile/coherent_units_test.cpp
#pragma once

#include <deque>
#include <span>

#include "machine/config/description.hpp"
#include "machine/kernel/pool.hpp"
#include "machine/tile/tile.hpp"

namespace tess::machine {

class near_memory {
 public:
  near_memory(machine_description const& description, tile& at);
  near_memory(near_memory const&) = delete;
  near_memory& operator=(near_memory const&) = delete;

  /// `done` happens when the bytes are in `into`, which stays in place until then.
  void read(std::uint64_t offset, std::span<std::byte> into, event& done);
  /// `from` is taken at once; `done` happens when the bytes are in memory.
  void write(std::uint64_t offset, std::span<std::byte const> from, event& done);

 private:
  /// An access of several lines.
  struct whole {
    event* done = nullptr;
    std::size_t missing = 0;
  };
  /// Its part in one line.
  struct piece : event {
    explicit piece(near_memory& owner_)
        : event([](event& self) { static_cast<piece&>(self).owner.ended(static_cast<piece&>(self)); }), owner(owner_) {}
    near_memory& owner;
    whole* of = nullptr;
    transaction sent;
    std::byte* into = nullptr;  ///< Null: a write.
  };

  [[nodiscard]] std::uint64_t address_of(std::uint64_t offset);
  [[nodiscard]] std::uint64_t line_of(std::uint64_t address) const noexcept {
    return address / line_bytes_ * line_bytes_;
  }
  [[nodiscard]] whole& begin(event& done);
  void add(whole& to, std::uint64_t offset, std::uint64_t bytes, std::byte* into, std::byte const* from);
  void ended(piece& one);
  void finish(whole& of);

  tile& tile_;
  memory_port& port_;
  bool by_homes_;
  std::uint64_t line_bytes_;
  region last_{};  ///< That held the last access.
  pool<whole> wholes_;
  pool<piece> pieces_;
  std::deque<piece*> under_way_;
  std::deque<piece*> waiting_;  ///< For an earlier one of the same line.
};

}  // namespace tess::machine
