// post: the fields of a window, and the list of waiting packets.
#include "fabric/tile/post.hpp"

#include <algorithm>

#include "fabric/tile/system.hpp"

namespace tess::detail {

namespace hw = tile_registers;
using machine::registers::unit;
namespace invoke = machine::registers::invoke;
namespace tasks = machine::registers::tasks;

bool tile_post::try_send(place_id to, tile_packet const& packet) const noexcept {
  std::uint64_t const window = hw::own_window(unit::invoke);
  if (hw::is_busy(window)) return false;
  for (std::uint64_t i = 0; i < invoke::words; ++i) hw::store(window + 8 * i, packet.words[i]);
  hw::store(window + invoke::target, places_.of(to).tile);
  hw::ring(window);
  return true;
}

void tile_post::send(place_id to, tile_packet const& packet) {
  if (waiting_.load(std::memory_order_relaxed) == 0 && try_send(to, packet)) return;
  std::lock_guard const lock(mutex_);
  list_.push_back({to, packet});
  waiting_.fetch_add(1, std::memory_order_seq_cst);
}

void tile_post::send_waiting() {
  std::lock_guard const lock(mutex_);
  while (!list_.empty() && try_send(list_.front().to, list_.front().packet)) {
    list_.pop_front();
    waiting_.fetch_sub(1, std::memory_order_relaxed);
  }
}

std::optional<tile_post::received> tile_post::take() const noexcept {
  if (tile_system::is_used()) {
    auto const passed_on = tile_system::take();
    if (!passed_on) return std::nullopt;
    received r{.source = places_.place_of_tile(passed_on->tile), .packet = {}};
    std::ranges::copy(passed_on->words, r.packet.words.begin());
    return r;
  }
  std::uint64_t const window = hw::own_window(unit::tasks);
  if (hw::load(window + tasks::take) == 0) return std::nullopt;
  received r;
  for (std::uint64_t i = 0; i < invoke::words; ++i) r.packet.words[i] = hw::load(window + 8 * i);
  r.source = places_.place_of_tile(hw::load(window + tasks::source));
  return r;
}

bool tile_post::queue_empty() noexcept {
  if (tile_system::is_used()) return tile_system::nothing_came();
  return hw::load(hw::unit(unit::tasks) + tasks::waiting) == 0;
}

}  // namespace tess::detail
