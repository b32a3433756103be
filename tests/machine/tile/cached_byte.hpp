// cached_byte: awaited by a test's client of a tile: a byte of the L2 that may be loaded or stored.
#pragma once

#include <coroutine>

#include "machine/tile/tile.hpp"

namespace tess::machine {

/// Requests the line as often as necessary.
struct cached_byte : event {
  cached_byte(tile& at_, std::uint64_t address_, bool for_store_)
      : event([](event& self) { static_cast<cached_byte&>(self).retry(); }),
        at(at_),
        address(address_),
        for_store(for_store_) {}
  [[nodiscard]] bool await_ready() { return (found = at.look_up(tile::place::l2, address, for_store)) != nullptr; }
  void await_suspend(std::coroutine_handle<> handle) {
    waiting = handle;
    at.l2().bring(address, *this, for_store);
  }
  [[nodiscard]] std::byte* await_resume() const { return found; }
  void retry() {
    if (!await_ready()) return at.l2().bring(address, *this, for_store);
    waiting.resume();
  }
  tile& at;
  std::uint64_t address;
  bool for_store;
  std::byte* found = nullptr;
  std::coroutine_handle<> waiting;
};

}  // namespace tess::machine
