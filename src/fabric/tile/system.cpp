// system: calls of the system kernel, and the ring's reader.
#include "fabric/tile/system.hpp"

#include <algorithm>
#include <array>

#include "fabric/tile/addresses.hpp"
#include "fabric/tile/registers.hpp"
#include "tess/assert.hpp"
#include "tess/machine/system_call.hpp"

namespace tess::detail::tile_system {

namespace hw = tile_registers;
namespace interrupts = machine::registers::interrupts;
using machine::registers::unit;
using machine::system::call_number;
using machine::system::place_block;
using machine::system::ring_slot;

namespace {

/// Waits until the kernel has done the call.
std::int64_t ask(call_number number, std::array<std::uint64_t, 5> operands) {
  machine::system::call one{.number = static_cast<std::uint64_t>(number), .operands = operands};
  asm volatile("fence rw, rw" ::: "memory");
  hw::store(hw::own_window(unit::interrupts) + interrupts::call, address_of(&one));
  while (std::atomic_ref(one.state).load(std::memory_order_acquire) == 0) {
  }
  return one.result;
}

}  // namespace

void serve(tile_places const& places) {
  tile_memory& memory = tile_memory::own();
  memory.system.calls = &memory.calls;
  std::uint64_t const cells =
      std::min<std::uint64_t>(tile_memory::graph_cells_max, tile_memory::arrivals_max / places.places());
  if (cells == 0)
    throw error("--system kernel", std::to_string(places.places()) + " places",
                "at most " + std::to_string(tile_memory::arrivals_max) + ", or --system polled");
  memory.system.cells_of_place = cells;
  for (place_id p = 0; p < places.places(); ++p)
    for (unsigned c = 0; c < cells; ++c)
      memory.arrivals[p * cells + c].cell = places.global(p, address_of(&memory.graph_cells[c]));
  // Messages interrupt the system's hart, and are no concern of the others until they are in the ring.
  hw::store(hw::unit(unit::tasks) + machine::registers::tasks::quiet, 1);
  if (ask(call_number::serve, {address_of(&memory.system), machine::system::shapes}) != 0)
    throw error("--system kernel", "the program was compiled for another system kernel", "to compile it again");
  memory.by_kernel.store(true, std::memory_order_relaxed);
}

void manage(std::span<std::byte> memory, std::uint64_t first_block, std::uint64_t hashed_least, bool collects) {
  place_block& block = tile_memory::own().system;
  block.first_block = first_block;
  block.hashed_least = hashed_least;
  block.collects = collects ? 1 : 0;
  block.released.store(0, std::memory_order_relaxed);
  TESS_ASSERT(ask(call_number::manage, {address_of(memory.data()), memory.size()}) == 0);
}

void release(void* chunk) noexcept {
  std::atomic<std::uint64_t>& list = tile_memory::own().system.released;
  auto& next = *static_cast<std::uint64_t*>(chunk);
  next = list.load(std::memory_order_relaxed);
  // release: pairs with the kernel, which reads the addresses of the others.
  while (!list.compare_exchange_weak(next, address_of(chunk), std::memory_order_release)) {
  }
}

std::optional<received> take() noexcept {
  place_block& block = tile_memory::own().system;
  std::uint64_t turn = block.taken.load(std::memory_order_relaxed);
  for (;;) {
    ring_slot& slot = block.ring[turn % place_block::slots];
    // acquire: pairs with the kernel, which has written the message.
    if (slot.turn.load(std::memory_order_acquire) != turn + 1) {
      std::uint64_t const now = block.taken.load(std::memory_order_relaxed);
      if (now == turn) return std::nullopt;
      turn = now;
      continue;
    }
    if (!block.taken.compare_exchange_weak(turn, turn + 1, std::memory_order_relaxed)) continue;
    received r;
    r.tile = slot.source;
    std::ranges::copy(slot.words, r.words);
    // release: the kernel may write it again.
    slot.turn.store(turn + place_block::slots, std::memory_order_release);
    return r;
  }
}

}  // namespace tess::detail::tile_system
