// tile_graphs: the fields of the commands, and the counters that end them.
#include "fabric/tile_graphs.hpp"

#include <bit>

#include "fabric/tile_sleepers.hpp"
#include "tess/assert.hpp"

namespace tess::detail {

namespace hw = tile_registers;
namespace nca = machine::registers::nca;
namespace nma = machine::registers::nma;
namespace ranges = machine::registers::ranges;
using machine::registers::command_status;
using machine::registers::unit;

namespace {

std::uint64_t name_of(void const volatile* object) noexcept {
  return reinterpret_cast<std::uint64_t>(object);
}

void expect(tile_memory::unit_counter& counter, std::uint64_t acknowledgements) noexcept {
  counter.error = 0;
  counter.value = acknowledgements;
}

tile_memory::unit_counter& own_ranges() noexcept {
  std::uint64_t const hart = hw::inform(machine::registers::information::hart);
  TESS_ASSERT(hart < tile_memory::harts_max);
  return tile_memory::own().ranges[hart];
}

/// By the hart's own window, which waits for no more than the range before.
void ask_for_range(ranges::operation_code what, void const* begin, std::uint64_t bytes) {
  std::uint64_t const window = hw::own_window(unit::ranges);
  tile_memory::unit_counter& counter = own_ranges();
  auto* const value = const_cast<std::uint64_t*>(&counter.value);
  std::atomic_ref(*value).fetch_add(1, std::memory_order_relaxed);
  hw::store(window + ranges::operation, what);
  hw::store(window + ranges::address, name_of(begin));
  hw::store(window + ranges::bytes, bytes);
  hw::store(window + ranges::counter, name_of(&counter));
  hw::store(window + ranges::trigger, 0);
  // Of a window one command runs at a time, of what its fields were when its bell rang.
  do hw::ring(window);
  while (hw::load(window + ranges::doorbell) == ranges::full);
  TESS_ASSERT(hw::load(window + ranges::doorbell) != ranges::wrong);
}

}  // namespace

void tile_graphs::add(job const& wanted) {
  {
    std::lock_guard const lock(mutex_);
    new_.push_back(wanted);
    under_way_.fetch_add(1, std::memory_order_seq_cst);
  }
  // If this hart goes to sleep, somebody must see to it.
  tile_sleepers::call_watcher();
}

void tile_graphs::write_back(void const* root, graph_size& result, completion& done) {
  add({.what = {.root = root}, .size = &result, .done = &done});
  static_cast<void>(step());
}

void tile_graphs::copy(graph_move const& what, std::uint64_t& fault, completion& done) {
  add({.what = what, .fault = &fault, .done = &done});
  static_cast<void>(step());
}

bool tile_graphs::step() {
  if (under_way_.load(std::memory_order_relaxed) == 0) return false;
  if (stepping_.exchange(true, std::memory_order_acquire)) return false;
  {
    std::lock_guard const lock(mutex_);
    for (job const& j : new_) waiting_.push_back(j);
    new_.clear();
  }
  bool moved = end_some();
  moved |= begin_some();
  stepping_.store(false, std::memory_order_release);
  return moved;
}

bool tile_graphs::end_some() {
  bool moved = false;
  for (std::size_t i = 0; i < running_.size();) {
    job const j = running_[i];
    auto& cell = tile_memory::own().graph_cells[j.cell];
    // Of one that failed, nothing is moved.
    bool const ended = cell.read.value == 0 && (cell.moved.value == 0 || cell.read.error != 0);
    if (!ended) {
      ++i;
      continue;
    }
    asm volatile("fence rw, rw" ::: "memory");
    std::uint64_t const fault = cell.read.error != 0 ? cell.read.error : cell.moved.error;
    if (j.size != nullptr)
      *j.size = {fault, cell.metadata[0], cell.metadata[1]};
    else
      *j.fault = fault;
    cells_used_ &= ~(1U << j.cell);
    running_[i] = running_.back();
    running_.pop_back();
    under_way_.fetch_sub(1, std::memory_order_seq_cst);
    j.done->acknowledge(1);
    moved = true;
  }
  return moved;
}

bool tile_graphs::begin_some() {
  bool moved = false;
  for (std::size_t i = 0; i < waiting_.size();) {
    if (!begin(waiting_[i])) {
      ++i;
      continue;
    }
    running_.push_back(waiting_[i]);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    moved = true;
  }
  return moved;
}

bool tile_graphs::begin(job& next) {
  std::uint64_t const window = hw::system_window(next.size != nullptr ? unit::nca : unit::nma);
  auto const cell = static_cast<unsigned>(std::countr_one(cells_used_));
  if (cell >= tile_memory::graph_cells_max || hw::is_busy(window)) return false;
  next.cell = cell;
  auto& cells = tile_memory::own().graph_cells[cell];
  expect(cells.read, 1);
  expect(cells.moved, next.what.staging != nullptr ? 1 : 0);
  if (next.size != nullptr)
    ask_nca(next);
  else
    ask_nma(next);
  hw::ring(window);
  if (hw::load(window + nca::doorbell) == static_cast<std::uint64_t>(command_status::full)) return false;
  // The fields are sound, so the counter tells of the end, also of one that the doorbell calls wrong by now.
  cells_used_ |= 1U << cell;
  return true;
}

void tile_graphs::ask_nca(job const& of) const {
  std::uint64_t const window = hw::system_window(unit::nca);
  auto& cell = tile_memory::own().graph_cells[of.cell];
  hw::store(window + nca::root, name_of(of.what.root));
  hw::store(window + nca::metadata, name_of(cell.metadata));
  hw::store(window + nca::remote, 0);
  hw::store(window + nca::dispatch, nca::dispatch_of(sizeof cell.metadata));
  hw::store(window + nca::counter, name_of(&cell.read));
}

void tile_graphs::ask_nma(job const& of) const {
  std::uint64_t const window = hw::system_window(unit::nma);
  graph_move const& move = of.what;
  std::uint64_t const shape =
      nma::shape_of(move.objects, places_.of(places_.own()).tile, move.hashed ? nma::hashed : nma::linear);
  hw::store(window + nma::root, name_of(move.root));
  bool const moves = move.staging != nullptr;
  hw::store(window + nma::destination, moves ? name_of(move.staging) : move.chunk);
  hw::store(window + nma::room, move.bytes | move.first << nma::room_bits);
  hw::store(window + nma::final_address, moves ? move.chunk : 0);
  hw::store(window + nma::shape, shape);
  hw::store(window + nma::counter, name_of(&tile_memory::own().graph_cells[of.cell].read));
}

void tile_graphs::bring(void const* begin, std::uint64_t bytes) {
  ask_for_range(ranges::write_back, begin, bytes);
}

void tile_graphs::forget(void const* begin, std::uint64_t bytes) {
  ask_for_range(ranges::invalidate, begin, bytes);
}

void tile_graphs::settle() {
  while (own_ranges().value != 0) {
  }
  asm volatile("fence rw, rw" ::: "memory");
}

std::span<std::byte> tile_graphs::message_memory() noexcept {
  return tile_memory::own_buffers();
}

void tile_graphs::push(void const* source, place_id to, std::uint64_t target, std::uint64_t bytes, completion& done) {
  transfers_.push({source, places_.global(to, target), bytes, &done});
  tile_sleepers::call_watcher();
}

bool tile_graphs::share_memory(place_id one, place_id other) const noexcept {
  namespace information = machine::registers::information;
  return hw::row(places_.of(one).tile, information::row_memory_tile) ==
         hw::row(places_.of(other).tile, information::row_memory_tile);
}

}  // namespace tess::detail
