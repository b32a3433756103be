// graphs: the fields of commands, and the counters that report their end.
#include "fabric/tile/graphs.hpp"

#include <bit>
#include <cstring>

#include "fabric/tile/addresses.hpp"
#include "fabric/tile/ranges.hpp"
#include "fabric/tile/sleepers.hpp"
#include "fabric/tile/system.hpp"
#include "tess/assert.hpp"

namespace tess::detail {

namespace hw = tile_registers;
namespace nca = machine::registers::nca;
namespace nma = machine::registers::nma;
using machine::registers::command_status;
using machine::registers::unit;
using enum machine::system::cell_word;

namespace {

/// The window for commands of the fabric. The system kernel has that of the system's hart, but for the NCA.
std::uint64_t window_of(unit of) noexcept {
  return tile_system::is_used() && of == unit::nma ? hw::own_window(of) : hw::system_window(of);
}

/// Lines of M with a message of so many bytes.
std::uint64_t lines_of_message(std::uint64_t bytes) noexcept {
  return (tile_memory::line_bytes + bytes + tile_memory::line_bytes - 1) / tile_memory::line_bytes;
}

void expect(tile_memory::unit_counter& counter, std::uint64_t acknowledgements) noexcept {
  counter.error = 0;
  counter.value = acknowledgements;
}

}  // namespace

void tile_graphs::add(job const& wanted) {
  under_way_.fetch_add(1, std::memory_order_seq_cst);
  if (stepping_.exchange(true, std::memory_order_acquire)) {
    std::lock_guard const lock(mutex_);
    new_.push_back(wanted);
    has_new_.store(true, std::memory_order_relaxed);
  } else {
    take_in();
    waiting_.push_back(wanted);
    begin_some();
    stepping_.store(false, std::memory_order_release);
  }
  // If this hart goes to sleep, the watcher must progress it.
  tile_sleepers::call_watcher();
}

void tile_graphs::write_back(void const* root, graph_size& result, completion& done) {
  add({.root = root, .size = &result, .done = &done});
}

void tile_graphs::serve(graph_receiver& receiver) noexcept {
  receiver_ = &receiver;
  calls_.serve(receiver);
}

bool tile_graphs::system_allocates() const noexcept {
  return tile_system::is_used();
}

void tile_graphs::manage(std::span<std::byte> memory, std::uint64_t first_block, bool collects) {
  tile_system::manage(memory, first_block, hashed_least, collects);
}

void tile_graphs::release(void* chunk) noexcept {
  tile_system::release(chunk);
}

void tile_graphs::call(graph_call const& what, graph_size& result, completion& done) {
  TESS_ASSERT(what.message.size() <= tile_memory::call_bytes);
  add({.call = &what, .size = &result, .done = &done});
}

void tile_graphs::copy(graph_move const& what, std::uint64_t& fault, completion& done) {
  add({.move = &what, .fault = &fault, .done = &done});
}

void tile_graphs::take_in() {
  // Later ones are taken in by the next step.
  if (!has_new_.load(std::memory_order_relaxed)) return;
  std::lock_guard const lock(mutex_);
  has_new_.store(false, std::memory_order_relaxed);
  for (job const& j : new_) waiting_.push_back(j);
  new_.clear();
}

bool tile_graphs::step_some() {
  if (stepping_.exchange(true, std::memory_order_acquire)) return false;
  take_in();
  bool moved = end_some();
  if (!waiting_.empty()) moved |= begin_some();
  stepping_.store(false, std::memory_order_release);
  return moved;
}

bool tile_graphs::has_ended(job const& of) noexcept {
  auto const& cell = tile_memory::own().graph_cells[of.cell];
  if (of.call != nullptr) {
    if (cell.traversed.value != 0) return false;
    if (cell.traversed.error != 0) return true;
    // With the system kernel M stays in use until M' is free, of which the caller's graph is independent.
    if (!tile_system::is_used() && cell.held.load(std::memory_order_relaxed) != 0) return false;
  }
  // If the traversal failed, nothing is moved.
  return cell.read.value == 0 && (cell.moved.value == 0 || cell.read.error != 0);
}

void tile_graphs::end(job const& of, std::uint64_t fault) const {
  auto& cell = tile_memory::own().graph_cells[of.cell];
  if (of.size != nullptr)
    *of.size = {fault, cell.metadata[cell_objects], cell.metadata[cell_bytes]};
  else
    *of.fault = fault;
  if (of.call != nullptr && cell.traversed.error != 0) cell.held.store(0, std::memory_order_relaxed);
  void* const staging = cell.staging.exchange(nullptr, std::memory_order_relaxed);
  if (staging == nullptr) return;
  if (tile_system::is_used())
    tile_system::release(staging);
  else
    receiver_->end(staging);
}

bool tile_graphs::end_some() {
  bool moved = false;
  for (std::size_t i = 0; i < running_.size();) {
    job const j = running_[i];
    if (!has_ended(j)) {
      ++i;
      continue;
    }
    asm volatile("fence rw, rw" ::: "memory");
    auto const& cell = tile_memory::own().graph_cells[j.cell];
    std::uint64_t const traversed = j.call != nullptr ? cell.traversed.error : 0;
    std::uint64_t const copied = cell.read.error != 0 ? cell.read.error : cell.moved.error;
    end(j, traversed != 0 ? traversed : copied);
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

std::optional<unsigned> tile_graphs::free_cell() const noexcept {
  auto const first = static_cast<unsigned>(std::countr_one(cells_used_));
  if (!tile_system::is_used()) return first < tile_memory::graph_cells_max ? std::optional(first) : std::nullopt;
  tile_memory const& memory = tile_memory::own();
  for (unsigned c = first; c < memory.system.cells_of_place; ++c)
    if ((cells_used_ >> c & 1U) == 0 && memory.graph_cells[c].held.load(std::memory_order_acquire) == 0) return c;
  return std::nullopt;
}

bool tile_graphs::begin(job& next) {
  std::uint64_t const window = window_of(next.size != nullptr ? unit::nca : unit::nma);
  auto const cell = free_cell();
  if (!cell || (!next.measured() && hw::is_busy(window))) return false;
  next.cell = *cell;
  auto& cells = tile_memory::own().graph_cells[*cell];
  expect(cells.read, 1);
  bool const moves = next.call != nullptr   ? !share_memory(places_.own(), next.call->target)
                     : next.move != nullptr ? next.move->staging != nullptr
                                            : false;
  expect(cells.moved, moves ? 1 : 0);
  if (next.call != nullptr) write_message(next);
  if (next.measured()) {
    asm volatile("fence rw, rw" ::: "memory");
    if (tile_system::is_used()) store_message(next);
    post_.send(next.call->target, first_packet(next));
  } else {
    if (next.size != nullptr)
      ask_nca(next);
    else
      ask_nma(next);
    hw::ring(window);
    if (hw::load(window + nca::doorbell) == static_cast<std::uint64_t>(command_status::full)) {
      cells.held.store(0, std::memory_order_relaxed);
      return false;
    }
  }
  // The fields are valid, so the counter reports the end, also if the doorbell reads `wrong` by now.
  cells_used_ |= 1U << *cell;
  return true;
}

void tile_graphs::write_message(job const& of) const {
  auto& cell = tile_memory::own().graph_cells[of.cell];
  graph_call const& call = *of.call;
  expect(cell.traversed, call.measured ? 0 : 1);
  cell.metadata[cell_objects] = call.size.objects;
  cell.metadata[cell_bytes] = call.size.bytes;
  cell.metadata[cell_message] = call.message.size();
  cell.metadata[cell_arrival] = call.arrival;
  cell.metadata[cell_root] = address_of(call.root);
  std::memcpy(cell.message, call.message.data(), call.message.size());
  cell.held.store(1, std::memory_order_relaxed);
}

/// M, or if the system kernel serves the target M', which is there when T1 comes.
std::uint64_t tile_graphs::message_there(job const& of) const {
  return tile_system::is_used()
             ? places_.global(of.call->target, address_of(tile_system::arrival_of(places_.own(), of.cell)))
             : places_.global(places_.own(), address_of(&tile_memory::own().graph_cells[of.cell]));
}

/// What the NCA does by DMA, by the hart's stores: there are few words, and a transfer would end in a later poll only.
void tile_graphs::store_message(job const& of) const {
  auto const* const from = reinterpret_cast<std::uint64_t const*>(&tile_memory::own().graph_cells[of.cell]);
  auto* const to = object_at<std::uint64_t volatile>(message_there(of));
  for (std::uint64_t k = 0; k <= cell_root; ++k) to[k] = from[k];
  constexpr std::uint64_t first = tile_memory::line_bytes / sizeof(std::uint64_t);
  for (std::uint64_t k = 0; k < (of.call->message.size() + 7) / 8; ++k) to[first + k] = from[first + k];
}

/// T1, as the NCA sends it, or a hart instead of it.
tile_packet tile_graphs::first_packet(job const& of) const {
  std::uint64_t const root = (address_of(of.call->root) - places_.of(places_.own()).partition) / 8;
  return {tile_packet_kind::graph_call, lines_of_message(of.call->message.size()) | root << 8U, message_there(of),
          of.call->size.objects, of.call->size.bytes};
}

void tile_graphs::ask_nca(job const& of) const {
  std::uint64_t const window = window_of(unit::nca);
  auto& cell = tile_memory::own().graph_cells[of.cell];
  hw::store(window + nca::root, address_of(of.call != nullptr ? of.call->root : of.root));
  hw::store(window + nca::metadata, address_of(cell.metadata));
  bool const sends = of.call != nullptr && tile_system::is_used();
  hw::store(window + nca::remote, sends ? message_there(of) : 0);
  std::uint64_t const bytes = nca::dispatch_of(
      sends ? lines_of_message(of.call->message.size()) * tile_memory::line_bytes : sizeof cell.metadata);
  hw::store(window + nca::dispatch,
            of.call != nullptr ? bytes | nca::spawning(places_.of(of.call->target).tile) : bytes);
  if (of.call != nullptr) hw::store(window + nca::task, first_packet(of).words[0]);
  hw::store(window + nca::counter, address_of(of.call != nullptr ? &cell.traversed : &cell.read));
}

void tile_graphs::ask_nma(job const& of) const {
  std::uint64_t const window = window_of(unit::nma);
  graph_move const& move = *of.move;
  std::uint64_t const shape =
      nma::shape_of(move.objects, places_.of(places_.own()).tile, move.hashed ? nma::hashed : nma::linear);
  hw::store(window + nma::root, address_of(move.root));
  bool const moves = move.staging != nullptr;
  hw::store(window + nma::destination, moves ? address_of(move.staging) : move.chunk);
  hw::store(window + nma::room, move.bytes | move.first << nma::room_bits);
  hw::store(window + nma::final_address, moves ? move.chunk : 0);
  hw::store(window + nma::shape, shape);
  hw::store(window + nma::counter, address_of(&tile_memory::own().graph_cells[of.cell].read));
}

void tile_graphs::write_back_range(void const* begin, std::uint64_t bytes) {
  tile_ranges::ask(tile_ranges::ranges::write_back, begin, bytes);
}

void tile_graphs::invalidate_range(void const* begin, std::uint64_t bytes) {
  tile_ranges::ask(tile_ranges::ranges::invalidate, begin, bytes);
}

void tile_graphs::wait_for_ranges() {
  tile_ranges::settle();
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
