// tile_coherence: the newest bytes of an address, wherever they are, and what a tile does for directories.
#include <algorithm>

#include "machine/tile/tile.hpp"

namespace tess::machine {

std::byte* tile::in_memory(region const& in, std::uint64_t address) noexcept {
  return (*all_)[in.memory_tile]->memory_->bytes().at(in.memory_offset + (address - in.base));
}

tile& tile::owner_of(region const& in, std::uint64_t address) noexcept {
  if (!coherent()) return *this;
  std::uint32_t const owner = (*all_)[in.memory_tile]->directory_->of(address).owner;
  return owner == directory::nobody ? *this : *(*all_)[owner];
}

std::byte* tile::peek(std::uint64_t address) noexcept {
  if (tlm_region_.holds(address)) return tlm_.at(address - tlm_region_.base);
  std::uint64_t const offset = address % made_of_.l2.line_bytes;
  if (auto const probed = l2_.probe(address); probed.line_state != l2_private::invalid) return &probed.data[offset];
  if (interface_ != nullptr && interface_->lines().holds(address)) return interface_->lines().at(address);
  region const* const in = map_.find(address);
  if (in == nullptr || in->kind != region_kind::partition || all_ == nullptr) return nullptr;
  l2_private& owners = owner_of(*in, address).l2_;
  if (auto const probed = owners.probe(address); probed.line_state != l2_private::invalid) return &probed.data[offset];
  if (std::byte* const left = owners.leaving(address)) return left;
  return in_memory(*in, address);
}

void tile::poke(std::uint64_t address, std::span<std::byte const> from) {
  if (tlm_region_.holds(address)) {
    std::ranges::copy(from, tlm_.at(address - tlm_region_.base));
    return;
  }
  region const& in = *map_.find(address);
  std::byte* at = l2_.look_up(address, true);
  if (at == nullptr && coherent()) {
    at = poke_coherent(in, address, from);
    if (at == nullptr) return;
  } else if (at == nullptr) {
    if (l2_.write_absent(address, from)) return;
    at = in_memory(in, address);
  }
  std::ranges::copy(from, at);
}

std::byte* tile::poke_coherent(region const& in, std::uint64_t address, std::span<std::byte const> from) {
  std::uint64_t const line = l2_.line_address(address);
  auto const& books = (*all_)[in.memory_tile]->directory_->of(address);
  if (books.owner != directory::nobody) {
    tile& owner = *(*all_)[books.owner];
    if (std::byte* const there = owner.l2_.look_up(address, true)) {
      owner.snoop(line, made_of_.l2.line_bytes, nullptr, clock_.count(kernel_.now()) + 1);
      return there;
    }
    bool const gone = owner.l2_.probe(line).line_state == l2_private::invalid;
    if (gone && owner.l2_.leaving(address) != nullptr && owner.l2_.write_absent(address, from)) return nullptr;
    owner.l2_.drop_line(line);
  }
  // As if all had given it up.
  l2_.drop_line(line);
  for (std::uint32_t const sharer : books.sharers) (*all_)[sharer]->l2_.drop_line(line);
  return in_memory(in, address);
}

std::byte* tile::watchable(std::uint64_t address) noexcept {
  if (!coherent() || tlm_region_.holds(address)) return peek(address);
  auto const probed = l2_.probe(address);
  return probed.line_state == l2_private::invalid ? nullptr : &probed.data[address % made_of_.l2.line_bytes];
}

void tile::tell_watchers(std::uint64_t address, std::size_t bytes) {
  std::uint64_t const cycle = clock_.cycle_from(kernel_.now());
  for (std::size_t i = watchers_.size(); i > 0; --i) watchers_[i - 1]->written(address, bytes, cycle);
}

void tile::serve_probe(transaction& asked, event& finished) {
  std::uint64_t const line_bytes = made_of_.l2.line_bytes;
  auto const given = l2_.surrender(asked.address, asked.right, {asked.data.data(), line_bytes});
  asked.right = given.kept;
  asked.bytes = given.dirty ? line_bytes : 0;
  asked.status = remote_outcome::done;
  kernel_.after(clock_.cycles(made_of_.coherence->probe_cycles), finished);
}

void tile::unblock(line_request& arrived) {
  arrived.fetched->right = arrived.right;
  event& told = *arrived.asked_by;
  told.happens(told);
  arrived.what = remote_operation::unblock;
  adapter_.issue_at_once(arrived);
}

}  // namespace tess::machine
