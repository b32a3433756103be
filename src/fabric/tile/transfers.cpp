// transfers: commands in the system hart's windows; the next DMA runs while a piece is copied.
#include "fabric/tile/transfers.hpp"

#include <algorithm>
#include <utility>

#include "fabric/tile/addresses.hpp"
#include "fabric/tile/system.hpp"
#include "tess/assert.hpp"

namespace tess::detail {

namespace hw = tile_registers;
namespace adapter = machine::registers::adapter;
namespace ranges = machine::registers::ranges;
using machine::registers::unit;

namespace {

/// Pieces to be copied alternate between these buffers; messages stay in the others until delivery.
constexpr unsigned copied_buffers = 2;

void expect(tile_memory::unit_counter& counter) noexcept {
  counter.value = 1;
  counter.error = 0;
}

void ask_for_copy(std::uint64_t from, std::uint64_t to, std::uint64_t bytes) {
  tile_memory& memory = tile_memory::own();
  expect(memory.dma);
  std::uint64_t const window = hw::system_window(unit::adapter);
  hw::store(window + adapter::operation, adapter::copy);
  hw::store(window + adapter::address, from);
  hw::store(window + adapter::bytes, bytes);
  hw::store(window + adapter::operand, to);
  hw::store(window + adapter::counter, address_of(&memory.dma));
  hw::ring(window);
  TESS_ASSERT(hw::load(window + adapter::doorbell) !=
              static_cast<std::uint64_t>(machine::registers::command_status::wrong));
}

/// The command has ended, without an error, because its fields were valid.
bool has_ended(tile_memory::unit_counter& counter) noexcept {
  if (counter.value != 0) return false;
  asm volatile("fence rw, rw" ::: "memory");
  TESS_ASSERT(counter.error == 0);
  return true;
}

}  // namespace

tile_transfers::tile_transfers(tile_places const& places, tile_post& post) : places_(places), post_(post) {
  for (auto& used : tile_memory::own().dma_buffer_used) used.store(0, std::memory_order_relaxed);
}

/// Under the lock.
void tile_transfers::note_new() noexcept {
  has_new_.store(true, std::memory_order_relaxed);
  under_way_.fetch_add(1, std::memory_order_seq_cst);
}

void tile_transfers::fetch(tile_fetch const& wanted) {
  std::lock_guard const lock(mutex_);
  new_fetches_.push_back(wanted);
  note_new();
}

void tile_transfers::push(tile_push const& wanted) {
  std::lock_guard const lock(mutex_);
  new_pushes_.push_back(wanted);
  note_new();
}

void tile_transfers::write_back(std::uint64_t address, std::uint64_t bytes, place_id to, tile_packet const& then) {
  // Only L1s cache tile-local memory, and they write through.
  if (places_.in_tlm(address)) {
    std::uint64_t const local = places_.together(address, bytes);
    address += local;
    bytes -= local;
  }
  if (bytes == 0) {
    asm volatile("fence rw, rw" ::: "memory");
    return post_.send(to, then);
  }
  std::lock_guard const lock(mutex_);
  new_ranges_.push_back({address, bytes, to, then});
  note_new();
}

void tile_transfers::take_in() {
  // Later ones are taken in by the next step.
  if (!has_new_.load(std::memory_order_relaxed)) return;
  std::lock_guard const lock(mutex_);
  has_new_.store(false, std::memory_order_relaxed);
  std::ranges::move(new_ranges_, std::back_inserter(ranges_));
  std::ranges::move(new_fetches_, std::back_inserter(fetches_));
  std::ranges::move(new_pushes_, std::back_inserter(pushes_));
  new_ranges_.clear();
  new_fetches_.clear();
  new_pushes_.clear();
}

std::optional<tile_fetch> tile_transfers::step_some(bool& moved, bool& ended) {
  if (stepping_.exchange(true, std::memory_order_acquire)) return std::nullopt;
  take_in();
  moved |= step_range();
  std::optional<tile_fetch> fetched = step_dma(moved, ended);
  stepping_.store(false, std::memory_order_release);
  return fetched;
}

bool tile_transfers::step_range() {
  auto& counter = tile_memory::own().write_back;
  bool moved = false;
  if (range_runs_) {
    if (!has_ended(counter)) return false;
    post_.send(ranges_.front().to, ranges_.front().then);
    ranges_.pop_front();
    range_runs_ = false;
    under_way_.fetch_sub(1, std::memory_order_seq_cst);
    moved = true;
  }
  if (ranges_.empty()) return moved;
  expect(counter);
  // The system kernel has the window of the system's hart.
  std::uint64_t const window = tile_system::is_used() ? hw::own_window(unit::ranges) : hw::system_window(unit::ranges);
  hw::store(window + ranges::operation, ranges::write_back);
  hw::store(window + ranges::address, ranges_.front().address);
  hw::store(window + ranges::bytes, ranges_.front().bytes);
  hw::store(window + ranges::counter, address_of(&counter));
  if (tile_system::is_used()) hw::store(window + ranges::trigger, 0);
  do hw::ring(window);
  while (hw::load(window + ranges::doorbell) == ranges::full);
  TESS_ASSERT(hw::load(window + ranges::doorbell) != ranges::wrong);
  range_runs_ = true;
  return true;
}

std::optional<unsigned> tile_transfers::take_buffer(bool copied) noexcept {
  auto& used = tile_memory::own().dma_buffer_used;
  if (copied) return next_copied_ = (next_copied_ + 1) % copied_buffers;
  for (unsigned i = copied_buffers; i < tile_memory::dma_buffers; ++i) {
    // acquire: its last user has read it.
    if (used[i].load(std::memory_order_acquire) != 0) continue;
    used[i].store(1, std::memory_order_relaxed);
    return i;
  }
  return std::nullopt;
}

void tile_transfers::free_buffer(unsigned buffer) noexcept {
  tile_memory::own().dma_buffer_used[buffer].store(0, std::memory_order_release);
}

bool tile_transfers::begin_piece(tile_fetch& of) {
  if (of.lines != nullptr) {
    ask_for_copy(places_.global(of.source, of.address), address_of(of.lines), of.bytes);
    fetching_ = {tile_fetch::no_buffer, 0, 0, of.bytes};
    of.asked = of.bytes;
    return true;
  }
  auto const buffer = take_buffer(of.target != nullptr);
  if (!buffer) return false;
  tile_memory& memory = tile_memory::own();
  std::uint64_t const begin = of.address + of.asked;
  std::uint64_t const bytes =
      places_.together(begin, std::min<std::uint64_t>(of.bytes - of.asked, tile_memory::chunk_bytes));
  std::uint64_t const skipped = begin % tile_memory::line_bytes;
  std::uint64_t const lines =
      (skipped + bytes + tile_memory::line_bytes - 1) / tile_memory::line_bytes * tile_memory::line_bytes;
  ask_for_copy(places_.global(of.source, begin - skipped), address_of(memory.dma_buffer[*buffer]), lines);
  fetching_ = {*buffer, skipped, of.asked, bytes};
  of.asked += bytes;
  return true;
}

void tile_transfers::begin_dma(bool& moved) {
  // The oldest with pieces left: the first, or the one behind it.
  auto const next = std::ranges::find_if(fetches_, [](tile_fetch const& f) { return f.asked < f.bytes; });
  bool const fetches = next != fetches_.end();
  // Alternately; a fetch may have to wait for a buffer.
  if (fetches && (pushes_.empty() || pushed_last_) && begin_piece(*next)) {
    pushed_last_ = false;
    moved = true;
    return;
  }
  if (pushes_.empty()) return;
  tile_push const& push = pushes_.front();
  ask_for_copy(address_of(push.source), push.target, push.bytes);
  pushing_ = push.done;
  pushes_.pop_front();
  pushed_last_ = true;
  moved = true;
}

std::optional<tile_fetch> tile_transfers::step_dma(bool& moved, bool& ended) {
  std::optional<piece> received;
  if (fetching_ || pushing_ != nullptr) {
    if (!has_ended(tile_memory::own().dma)) return std::nullopt;
    received = std::exchange(fetching_, std::nullopt);
  }
  completion* const pushed = std::exchange(pushing_, nullptr);
  begin_dma(moved);
  if (pushed != nullptr) {
    under_way_.fetch_sub(1, std::memory_order_seq_cst);
    pushed->acknowledge(1);
    moved = ended = true;
  }
  if (!received) return std::nullopt;
  moved = true;
  tile_fetch& first = fetches_.front();
  if (first.lines == nullptr) {
    std::byte const* const bytes = tile_memory::own().dma_buffer[received->buffer] + received->skipped;
    if (first.target != nullptr) {
      std::memcpy(first.target + received->offset, bytes, received->bytes);
    } else {
      first.buffer = received->buffer;
      first.received_at = bytes;
    }
  }
  if (received->offset + received->bytes < first.bytes) return std::nullopt;
  tile_fetch const fetched = first;
  fetches_.pop_front();
  under_way_.fetch_sub(1, std::memory_order_seq_cst);
  return fetched;
}

}  // namespace tess::detail
