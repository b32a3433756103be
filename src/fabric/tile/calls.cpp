// calls: the tasks T1, T2 and T3.
#include "fabric/tile/calls.hpp"

#include <bit>
#include <cstring>

#include "fabric/tile/addresses.hpp"
#include "fabric/tile/ranges.hpp"
#include "fabric/tile/sleepers.hpp"
#include "fabric/tile/system.hpp"

namespace tess::detail {

namespace hw = tile_registers;
namespace nma = machine::registers::nma;
using graph_cell = tile_memory::graph_cell;
using machine::registers::graph_fault;
using machine::registers::unit;
using enum machine::system::cell_word;

tile_calls::incoming* tile_calls::take(tile_post::received const& r) {
  switch (r.packet.kind()) {
    case tile_packet_kind::graph_call:
      begin_call(r);
      return nullptr;
    case tile_packet_kind::graph_stage:
      begin_intermediate(r.packet);
      return nullptr;
    default:
      return copied(r.packet);
  }
}

tile_calls::incoming* tile_calls::make_record() {
  static_assert(records_max == 64 && records_max <= tile_memory::arrivals_max, "a bit each");
  for (std::uint64_t used = records_used_.load(std::memory_order_relaxed); ~used != 0;) {
    auto const i = static_cast<unsigned>(std::countr_one(used));
    std::uint64_t const bit = std::uint64_t{1} << i;
    // acquire: its last user is done with it.
    used = records_used_.fetch_or(bit, std::memory_order_acquire);
    if ((used & bit) != 0) continue;
    records_[i].bytes = reinterpret_cast<std::byte*>(&tile_memory::own().arrivals[i]);
    return &records_[i];
  }
  auto made = std::make_unique<incoming>();
  made->own = std::make_unique<std::byte[]>(machine::system::arrival_bytes);
  made->bytes = made->own.get();
  return made.release();
}

void tile_calls::end_record(incoming* call) noexcept {
  if (call->own) {
    delete call;
    return;
  }
  call->missing.store(2, std::memory_order_relaxed);
  records_used_.fetch_and(~(std::uint64_t{1} << (call - records_.data())), std::memory_order_release);
}

/// T1: {kind, lines of M, place of the root in the sender's segment}, M, objects, bytes.
void tile_calls::begin_call(tile_post::received const& r) {
  auto const& words = r.packet.words;
  graph_room const room = receiver_->make(words[3]);
  if (room.owner == nullptr) return refuse(r.source, words[1]);
  incoming* const call = make_record();
  call->source = r.source;
  call->cell = words[1];
  call->objects = words[2];
  call->room = room;
  bool const shared = shares_memory(r.source);
  // First, because the copy takes longest.
  if (shared)
    ask({.root = places_.of(r.source).partition + (words[0] >> 16U) * 8,
         .destination = room,
         .final_address = 0,
         .objects = call->objects,
         .source = r.source,
         .target = places_.own(),
         .record = call,
         .counter = call->cell + offsetof(graph_cell, read)});
  else
    tile_ranges::ask(tile_ranges::ranges::invalidate, object_at<void>(room.begin + room.first),
                     room.bytes - room.first);
  bool const direct = call->own == nullptr;
  transfers_.fetch({.what = tile_packet_kind::graph_call,
                    .source = r.source,
                    .address = call->cell,
                    .target = direct ? nullptr : call->bytes,
                    .lines = direct ? call->bytes : nullptr,
                    .bytes = (words[0] >> 8U & 0xffU) * tile_memory::line_bytes,
                    .a = reinterpret_cast<std::uint64_t>(call)});
  if (shared) return;
  // Before the DMA can write.
  tile_ranges::settle();
  post_.send(r.source,
             tile_packet(tile_packet_kind::graph_stage, room.bytes - room.first, reinterpret_cast<std::uint64_t>(call),
                         room.begin, words[1], std::uint64_t{places_.own()}));
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
  ask({.root = cell.metadata[cell_root],
       .destination = room,
       .final_address = chunk,
       .objects = cell.metadata[cell_objects],
       .source = places_.own(),
       .target = static_cast<place_id>(target),
       .record = object_at<incoming>(record),
       .counter = name + offsetof(graph_cell, read)});
}

/// T2: {kind, the call}, the root's copy, bytes, fault.
tile_calls::incoming* tile_calls::copied(tile_packet const& p) {
  auto* const call = object_at<incoming>(p.bytes());
  call->fault = p.words[3];
  return one_less(call);
}

void tile_calls::fetched(tile_fetch const& f) {
  auto* const call = object_at<incoming>(f.a);
  // M is not read any more.
  release(call->source, call->cell);
  if (one_less(call) == nullptr) return;
  std::lock_guard const lock(mutex_);
  arrived_.push_back(call);
  arrived_count_.fetch_add(1, std::memory_order_seq_cst);
}

tile_calls::incoming* tile_calls::one_less(incoming* call) {
  // acq_rel: pairs with the other arrival.
  if (call->missing.fetch_sub(1, std::memory_order_acq_rel) != 1) return nullptr;
  if (call->fault == 0) return call;
  receiver_->end(call->room.owner);
  end_record(call);
  return nullptr;
}

tile_calls::incoming* tile_calls::next_arrived() {
  std::lock_guard const lock(mutex_);
  if (arrived_.empty()) return nullptr;
  incoming* const call = arrived_.front();
  arrived_.pop_front();
  arrived_count_.fetch_sub(1, std::memory_order_relaxed);
  return call;
}

void tile_calls::deliver(incoming* call, message_sink& sink) {
  struct ended {
    tile_calls& calls;
    incoming* call;
    ~ended() { calls.end_record(call); }
  } const at_the_end{*this, call};
  std::uint64_t words[tile_memory::line_bytes / 8];
  std::memcpy(words, call->bytes, sizeof words);
  std::span<std::byte> const message(call->bytes + sizeof words, words[cell_message]);
  receiver_->complete(message, words[cell_arrival], call->room, call->objects);
  sink.deliver(places_.own(), call->source, message);
}

void tile_calls::deliver(tile_memory::arrival* call, message_sink& sink) {
  place_id const source = places_.place_of_tile(call->call.source);
  graph_room room{nullptr, call->chunk, call->chunk_bytes, tile_memory::own().system.first_block};
  room.owner = receiver_->adopt(room);
  std::span<std::byte> const message(call->message, call->metadata[cell_message]);
  receiver_->complete(message, call->metadata[cell_arrival], room, call->objects);
  sink.deliver(places_.own(), source, message);
  release(source, call->cell);
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
  // A pending trigger is not in the memory's queue yet.
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
  tile_ranges::ask(tile_ranges::ranges::invalidate, object_at<void>(to.begin + to.first), to.bytes - to.first, true);
  return true;
}

bool tile_calls::ask_again() {
  std::lock_guard const lock(mutex_);
  bool moved = false;
  while (!list_.empty() && try_ask(list_.front())) {
    list_.pop_front();
    waiting_.fetch_sub(1, std::memory_order_seq_cst);
    moved = true;
  }
  return moved;
}

void tile_calls::refuse(place_id source, std::uint64_t cell) const {
  auto const word = [&](std::size_t offset) {
    return reinterpret_cast<std::uint64_t volatile*>(places_.word(source, cell + offset));
  };
  *word(offsetof(graph_cell, read) + offsetof(tile_memory::unit_counter, error)) =
      static_cast<std::uint64_t>(graph_fault::buffer_full);
  asm volatile("fence rw, rw" ::: "memory");
  *word(offsetof(graph_cell, read) + offsetof(tile_memory::unit_counter, value)) = 0;
  release(source, cell);
}

void tile_calls::release(place_id source, std::uint64_t cell) const {
  std::uint64_t const held = cell + offsetof(graph_cell, held);
  reinterpret_cast<std::atomic<std::uint64_t>*>(places_.word(source, held))->store(0);
}

bool tile_calls::shares_memory(place_id other) const noexcept {
  namespace information = machine::registers::information;
  return hw::row(places_.of(other).tile, information::row_memory_tile) ==
         hw::row(places_.of(places_.own()).tile, information::row_memory_tile);
}

}  // namespace tess::detail
