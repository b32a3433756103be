// tile_coherence: the newest bytes of an address, wherever they are, and what a tile does for directories.
#include <algorithm>

#include "machine/tile/tile.hpp"

namespace tess::machine {

std::byte* tile::in_memory(region const& in, std::uint64_t address) noexcept {
  return (*all_)[in.memory_tile]->memory_->bytes().at(in.memory_offset + (address - in.base));
}

std::byte* tile::peek_coherent(region const& in, std::uint64_t address) noexcept {
  directory& home = *(*all_)[in.memory_tile]->directory_;
  std::uint32_t const owner = home.of(address).owner;
  // Nobody may write it: memory has it, whatever is still on its way there.
  if (owner == directory::nobody) return in_memory(in, address);
  l2_private& owners = (*all_)[owner]->l2_;
  auto const probed = owners.probe(address);
  if (probed.line_state != l2_private::invalid) return &probed.data[address % made_of_.l2.line_bytes];
  // What has been given up is newer than what was written back before.
  if (std::byte* const answered = home.in_answer(address)) return answered;
  if (std::byte* const left = owners.leaving(address)) return left;
  return in_memory(in, address);
}

std::byte* tile::peek(std::uint64_t address) noexcept {
  if (tlm_region_.holds(address)) return tlm_.at(address - tlm_region_.base);
  std::uint64_t const offset = address % made_of_.l2.line_bytes;
  if (auto const probed = l2_.probe(address); probed.line_state != l2_private::invalid) return &probed.data[offset];
  if (interface_ != nullptr && interface_->lines().holds(address)) return interface_->lines().at(address);
  region const* const in = map_.find(address);
  if (in == nullptr || in->kind != region_kind::partition || all_ == nullptr) return nullptr;
  if (coherent()) return peek_coherent(*in, address);
  if (std::byte* const left = l2_.leaving(address)) return left;
  if (std::byte* const held = in_interface(*in, address, false)) return held;
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
  } else if (at == nullptr) {
    at = in_interface(in, address, true);
  }
  if (at == nullptr) {
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
    owner.l2_.drop_line(line);  // it has begun to share it
  }
  // As if all had given it up.
  for (std::uint32_t const sharer : books.sharers) (*all_)[sharer]->l2_.drop_line(line);
  change_on_way({.address = address, .bytes = from.size(), .from = from.data()});
  return in_memory(in, address);
}

void tile::change_on_way(overwrite const& written) noexcept {
  for (auto const& one : *all_) {
    one->l2_.change_on_way(written);
    for (line_request& carried : one->all_lines_)
      written.apply(carried.address, std::span(carried.data).first(made_of_.l2.line_bytes));
    if (one->directory_) one->directory_->change_on_way(written);
  }
}

std::byte* tile::in_interface(region const& in, std::uint64_t address, bool for_store) noexcept {
  tile& there = *(*all_)[in.memory_tile];
  return there.node_ == nullptr ? nullptr : there.atomics_->look_up(address, for_store);
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
