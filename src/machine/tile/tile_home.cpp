// tile_home: what a tile does for others: words at its TLM and L2, lines and DMA at its DDR and TLM.
#include <cstring>

#include "machine/tile/tile.hpp"

namespace tess::machine {
namespace {

constexpr std::uint64_t word_bytes_max = 8;

/// The partition's cached name of an uncached address, or the address itself.
std::uint64_t cached_name(address_map const& map, region const& in, std::uint64_t address) {
  if (in.kind != region_kind::partition_uncached) return address;
  return map.of(region_kind::partition, in.tile)->base + (address - in.base);
}

}  // namespace

void tile::serve(transaction& asked, event& finished) {
  catch_up(clock_.cycle_from(kernel_.now()));
  if (guard_ != nullptr && asked.is_dma_data && asked.source != number_) {
    bool const enters = guard_->lets_in(asked);
    if (!enters || asked.tells) {
      asked.status = enters ? remote_outcome::done : remote_outcome::wrong;
      return kernel_.after(0, finished);
    }
  }
  if (asked.what == remote_operation::probe) return serve_probe(asked, finished);
  if (asked.what == remote_operation::unblock) {
    directory_->unblocked(asked.address);
    return finished.happens(finished);
  }
  region const* const in = map_.find(asked.address);
  bool const whole = in != nullptr && asked.address + asked.bytes <= in->end();
  if (whole && in->kind == region_kind::device && in->tile == number_) return serve_device(asked, finished);
  if (!whole || in->kind == region_kind::device) {
    asked.status = remote_outcome::wrong;
    return kernel_.after(0, finished);
  }
  if (in->kind == region_kind::scratchpad && in->tile == number_) return serve_scratchpad(asked, finished);
  bool const is_tlm = in->kind == region_kind::tlm;
  // What an interface copies goes behind the caches however short it is; of the uncached view it goes through them.
  bool const through = asked.of_interface && in->kind == region_kind::partition_uncached;
  bool const word = through || (asked.bytes <= word_bytes_max && (!asked.is_dma_data || asked.brief));
  // An interface's messages may not be refused by anything but queues; they go to the L2.
  if (in->tile == number_ && word && !is_tlm && atomics_ != nullptr && !asked.of_interface) {
    asked.address = cached_name(map_, *in, asked.address);
    return atomics_->serve(asked, finished);
  }
  if (in->tile == number_ && (word || is_tlm)) {
    if (spare_words_.empty()) spare_words_.push_back(&all_words_.emplace_back(*this));
    served_word& begun = *spare_words_.back();
    spare_words_.pop_back();
    asked.address = cached_name(map_, *in, asked.address);
    begun.asked = &asked;
    begun.finished = &finished;
    begun.where = is_tlm ? place::tlm : place::l2;
    return serve_word(begun);
  }
  bool const in_memory = !is_tlm && in->kind != region_kind::scratchpad;
  if (in_memory && in->memory_tile == number_ && memory_ != nullptr) return serve_memory(asked, *in, finished);
  asked.status = remote_outcome::wrong;
  kernel_.after(0, finished);
}

void tile::serve_scratchpad(transaction& asked, event& finished) {
  interface_->serve(asked);
  std::uint64_t const there = hit_cycle(place::l2, clock_.cycle_from(kernel_.now()), asked.bytes);
  kernel_.at(clock_.cycles(there), finished);
}

void tile::serve_device(transaction& asked, event& finished) {
  auto const [unit, offset] = device_at(asked.address);
  bool const sound = unit != nullptr && asked.bytes == sizeof(std::uint64_t) && offset % sizeof(std::uint64_t) == 0;
  asked.status = remote_outcome::wrong;
  if (sound && asked.what == remote_operation::read) {
    if (auto const value = unit->load(offset, device::no_hart)) {
      std::memcpy(asked.data.data(), &*value, sizeof *value);
      asked.status = remote_outcome::done;
    }
  } else if (sound && asked.what == remote_operation::write) {
    std::uint64_t value = 0;
    std::memcpy(&value, asked.data.data(), sizeof value);
    if (unit->store(offset, value, device::no_hart)) asked.status = remote_outcome::done;
  }
  kernel_.at(clock_.cycles(bus(clock_.cycle_from(kernel_.now()), sizeof(std::uint64_t))), finished);
}

void tile::serve_memory(transaction& asked, region const& in, event& finished) {
  std::uint64_t const offset = in.memory_offset + (asked.address - in.base);
  bool const reads = asked.what == remote_operation::read;
  if (!reads && asked.what != remote_operation::write) {
    asked.status = remote_outcome::wrong;  // nothing atomic is done behind the caches
    return kernel_.after(0, finished);
  }
  if (directory_) {
    asked.address = cached_name(map_, in, asked.address);
    return directory_->serve(asked, offset, finished);
  }
  if (node_ != nullptr && !claim_lines(asked, in, finished)) return;
  asked.status = remote_outcome::done;
  std::span<std::byte> const data(asked.data.data(), asked.bytes);
  if (reads) {
    memory_->read(offset, data, finished);
  } else {
    memory_->write(offset, data, finished);
  }
}

bool tile::claim_lines(transaction& asked, region const& in, event& finished) {
  // The own L2 has the line from now on; all others read what there is.
  bool const own_fetch = asked.source == number_ && asked.right != line_right::none;
  bool const takes = asked.what == remote_operation::write || own_fetch;
  if (spare_late_.empty()) spare_late_.push_back(&all_late_.emplace_back(*this));
  late_access& late = *spare_late_.back();
  late.asked = &asked;
  late.finished = &finished;
  std::uint64_t const begin = cached_name(map_, in, asked.address);
  std::uint64_t const line_bytes = made_of_.l2.line_bytes;
  for (std::uint64_t line = begin / line_bytes * line_bytes; line < begin + asked.bytes; line += line_bytes) {
    if (!atomics_->claim(line, takes, late)) continue;
    spare_late_.pop_back();
    return false;
  }
  return true;
}

void tile::try_again(late_access& late) {
  spare_late_.push_back(&late);
  serve_memory(*late.asked, *map_.find(late.asked->address), *late.finished);
}

std::byte* tile::reach(main_entry& entry) {
  using step = main_entry::step;
  entry.owned = false;
  // Requests join while the L2 looks the line up, or brings it.
  if (entry.is == step::waits && l2_.probe(entry.address).line_state != l2_private::invalid) {
    entry.is = step::takes;
    kernel_.after(clock_.cycles(made_of_.l2_hit_cycles), entry);
    return nullptr;
  }
  std::uint64_t const cycle = clock_.cycle_from(kernel_.now());
  catch_up(cycle);
  std::byte* const line = l2_.look_up(entry.address, entry.writes);
  if (line == nullptr) {
    entry.is = step::reads;
    l2_.bring(entry.address, entry, entry.writes);
    return nullptr;
  }
  // All in one turn, in which nobody else comes to the L2.
  ++accesses_.reads;
  if (entry.writes) ++accesses_.writes;
  entry.ends = clock_.cycles(std::max(cycle, bus_free_));
  hold_bus(cycle, arbitration_cycles_ + entry.requests.size() * made_of_.rae->operation_cycles);
  return line;
}

std::byte* tile::join(main_entry& entry, bool stores) {
  auto const found = l2_.probe(entry.address);
  bool const fits = stores ? found.line_state == l2_private::dirty : found.line_state != l2_private::invalid;
  if (!fits) return nullptr;
  std::uint64_t const cycle = clock_.cycle_from(kernel_.now());
  catch_up(cycle);
  hold_bus(cycle, made_of_.rae->operation_cycles);
  return found.data.data();
}

void tile::serve_word(served_word& word) {
  catch_up(clock_.cycle_from(kernel_.now()));
  bool const stores = word.asked->what != remote_operation::read;
  std::byte* const at = look_up(word.where, word.asked->address, stores);
  if (at == nullptr) return l2_.bring(word.asked->address, word, stores);
  do_word(word, at);
}

void tile::retry(served_word& word) {
  serve_word(word);
}

void tile::do_word(served_word& word, std::byte* at) {
  transaction& asked = *word.asked;
  switch (asked.what) {
    case remote_operation::read:
      std::memcpy(asked.data.data(), at, asked.bytes);
      break;
    case remote_operation::write:
      std::memcpy(at, asked.data.data(), asked.bytes);
      break;
    case remote_operation::atomic:
      asked.operand = apply(asked.word, at, asked.bytes, asked.operand);
      break;
    case remote_operation::compare_swap:
      asked.operand = apply_compare_swap(at, asked.bytes, asked.expected, asked.operand);
      break;
    case remote_operation::invoke:
    case remote_operation::trigger:
    case remote_operation::transfer:
    case remote_operation::probe:
    case remote_operation::unblock:
      MACHINE_ASSERT(false);
  }
  asked.status = remote_outcome::done;
  std::uint64_t const there = hit_cycle(word.where, clock_.cycle_from(kernel_.now()), asked.bytes);
  // DMA writes several lines of the TLM at a time, and who may hold them is known for each.
  std::uint64_t const line = made_of_.l2.line_bytes;
  std::uint64_t const end = asked.address + asked.bytes;
  for (std::uint64_t at_line = asked.address; at_line < end && asked.what != remote_operation::read;) {
    std::uint64_t const next = std::min(end, at_line / line * line + line);
    snoop(at_line, next - at_line, nullptr, there);
    at_line = next;
  }
  event& finished = *word.finished;
  spare_words_.push_back(&word);
  kernel_.at(clock_.cycles(there), finished);
}

}  // namespace tess::machine
