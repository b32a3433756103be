// tile_calls: the three tasks.
#include "fabric/tile_calls.hpp"

#include <cstring>
#include <memory>

#include "fabric/tile_ranges.hpp"
#include "fabric/tile_sleepers.hpp"

namespace tess::detail {

namespace hw = tile_registers;
namespace nma = machine::registers::nma;
using graph_cell = tile_memory::graph_cell;
using machine::registers::graph_fault;
using machine::registers::unit;

namespace {

template <class T>
T* named(std::uint64_t name) noexcept {
  return reinterpret_cast<T*>(name);  // NOLINT: given back as it went
}

}  // namespace

void tile_calls::take(tile_post::received const& r) {
  switch (r.packet.kind()) {
    case tile_packet_kind::graph_call:
      return begin_call(r);
    case tile_packet_kind::graph_stage:
      return begin_intermediate(r.packet);
    default:
      return copied(r.packet);
  }
}

/// T1: {kind, lines of M, place of the root in the sender's segment}, M, objects, bytes.
void tile_calls::begin_call(tile_post::received const& r) {
  auto const& words = r.packet.words;
  auto* const call = new incoming;
  call->source = r.source;
  call->cell = words[1];
  call->objects = words[2];
  call->room = receiver_->make(words[3]);
  if (call->room.owner == nullptr) {
    refuse(*call);
    delete call;
    return;
  }
  call->bytes.resize((words[0] >> 8U & 0xffU) * tile_memory::line_bytes);
  transfers_.fetch({.what = tile_packet_kind::graph_call,
                    .source = r.source,
                    .address = call->cell,
                    .target = call->bytes.data(),
                    .bytes = call->bytes.size(),
                    .a = reinterpret_cast<std::uint64_t>(call)});
  tile_sleepers::call_watcher();
  graph_room const& room = call->room;
  if (shares_memory(r.source)) {
    ask({.root = places_.of(r.source).partition + (words[0] >> 16U) * 8,
         .destination = room,
         .final_address = 0,
         .objects = call->objects,
         .source = r.source,
         .target = places_.own(),
         .record = call,
         .counter = call->cell + offsetof(graph_cell, read)});
    return;
  }
  // Before the DMA can come.
  tile_ranges::ask(tile_ranges::ranges::invalidate, named<void>(room.begin + room.first), room.bytes - room.first);
  tile_ranges::settle();
  post_.send(r.source,
             tile_packet(tile_packet_kind::graph_stage, room.bytes - room.first, reinterpret_cast<std::uint64_t>(call),
                         room.begin, call->cell, std::uint64_t{places_.own()}));
}

/// T3: {kind, bytes of blocks}, the call at the target, its chunk, M, the target.
void tile_calls::begin_intermediate(tile_packet const& p) {
  auto const& [kind_and_bytes, record, chunk, name, target] = p.words;
  std::uint64_t const first = places_.global(places_.own(), reinterpret_cast<std::uint64_t>(&tile_memory::own()));
  auto& cell = *reinterpret_cast<graph_cell*>(reinterpret_cast<std::byte*>(&tile_memory::own()) + (name - first));
  graph_room const room = receiver_->make(p.bytes());
  if (room.owner == nullptr) {
    cell.read.error = static_cast<std::uint64_t>(graph_fault::buffer_full);
    cell.read.value = 0;
    post_.send(static_cast<place_id>(target), tile_packet(tile_packet_kind::graph_ready, record, 0, 0,
                                                          static_cast<std::uint64_t>(graph_fault::buffer_full)));
    return;
  }
  cell.staging.store(room.owner, std::memory_order_relaxed);
  ask({.root = cell.metadata[tile_memory::cell_root],
       .destination = room,
       .final_address = chunk,
       .objects = cell.metadata[tile_memory::cell_objects],
       .source = places_.own(),
       .target = static_cast<place_id>(target),
       .record = named<incoming>(record),
       .counter = name + offsetof(graph_cell, read)});
}

/// T2: {kind, the call}, the root's copy, bytes, fault.
void tile_calls::copied(tile_packet const& p) {
  auto* const call = named<incoming>(p.bytes());
  call->fault = p.words[3];
  one_less(call);
}

void tile_calls::fetched(tile_fetch const& f) {
  one_less(named<incoming>(f.a));
}

void tile_calls::one_less(incoming* call) {
  // acq_rel: the other one's words.
  if (call->missing.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  std::unique_ptr<incoming> const done(call);
  release(*call);
  if (call->fault != 0) return receiver_->end(call->room.owner);
  std::uint64_t words[tile_memory::line_bytes / 8];
  std::memcpy(words, call->bytes.data(), sizeof words);
  auto message = std::make_unique<std::vector<std::byte>>(
      call->bytes.begin() + sizeof words,
      call->bytes.begin() + sizeof words + static_cast<std::ptrdiff_t>(words[tile_memory::cell_message]));
  receiver_->complete(*message, words[tile_memory::cell_arrival], call->room, call->objects);
  inbox_.push_owned(call->source, std::move(message));
  tile_sleepers::call_watcher();
}

void tile_calls::ask(copy_request const& wanted) {
  if (try_ask(wanted)) return;
  {
    std::lock_guard const lock(mutex_);
    list_.push_back(wanted);
    waiting_.fetch_add(1, std::memory_order_seq_cst);
  }
  tile_sleepers::call_watcher();
}

bool tile_calls::try_ask(copy_request const& wanted) const {
  std::uint64_t const window = hw::own_window(unit::nma);
  // What it has been told to trigger is not in the memory's queue yet.
  if (!tile_ranges::all_ended() || hw::is_busy(window)) return false;
  graph_room const& to = wanted.destination;
  hw::store(window + nma::root, wanted.root);
  hw::store(window + nma::destination, to.begin);
  hw::store(window + nma::room, to.bytes | to.first << nma::room_bits);
  hw::store(window + nma::final_address, wanted.final_address);
  hw::store(window + nma::shape,
            nma::shape_of(wanted.objects, places_.of(wanted.source).tile,
                          wanted.objects >= graph_units::hashed_least ? nma::hashed : nma::linear) |
                nma::spawning(places_.of(wanted.target).tile));
  hw::store(window + nma::task, static_cast<std::uint64_t>(tile_packet_kind::graph_ready) |
                                    reinterpret_cast<std::uint64_t>(wanted.record) << 8U);
  hw::store(window + nma::counter, wanted.counter);
  tile_ranges::ask(tile_ranges::ranges::invalidate, named<void>(to.begin + to.first), to.bytes - to.first, true);
  return true;
}

bool tile_calls::step() {
  if (waiting_.load(std::memory_order_relaxed) == 0) return false;
  std::lock_guard const lock(mutex_);
  bool moved = false;
  while (!list_.empty() && try_ask(list_.front())) {
    list_.pop_front();
    waiting_.fetch_sub(1, std::memory_order_seq_cst);
    moved = true;
  }
  return moved;
}

void tile_calls::refuse(incoming const& call) const {
  auto const word = [&](std::size_t offset) {
    return reinterpret_cast<std::uint64_t volatile*>(places_.word(call.source, call.cell + offset));
  };
  *word(offsetof(graph_cell, read) + offsetof(tile_memory::unit_counter, error)) =
      static_cast<std::uint64_t>(graph_fault::buffer_full);
  asm volatile("fence rw, rw" ::: "memory");
  *word(offsetof(graph_cell, read) + offsetof(tile_memory::unit_counter, value)) = 0;
  release(call);
}

void tile_calls::release(incoming const& call) const {
  std::uint64_t const held = call.cell + offsetof(graph_cell, held);
  reinterpret_cast<std::atomic<std::uint64_t>*>(places_.word(call.source, held))->store(0);
}

bool tile_calls::shares_memory(place_id other) const noexcept {
  namespace information = machine::registers::information;
  return hw::row(places_.of(other).tile, information::row_memory_tile) ==
         hw::row(places_.of(places_.own()).tile, information::row_memory_tile);
}

}  // namespace tess::detail
