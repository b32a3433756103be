// graphs: tasks that take jobs, the windows of the range unit and the NMA, and chunks for copies.
#include "system/graphs.hpp"

#include <tess/machine/system_call.hpp>
#include <tess/machine/system_place.hpp>

#include "system/kernel.hpp"
#include "system/mailboxes.hpp"

namespace tess::system::graphs {
namespace {

using namespace machine::system;  // NOLINT: what the two sides share

constexpr int tasks_max = 8;  // of so many calls at once
constexpr std::uint64_t retry_ticks = 2;
constexpr std::uint64_t retry_ticks_max = 512;  // the copy of a few KB
constexpr std::uint64_t buffer_full = static_cast<std::uint64_t>(registers::graph_fault::buffer_full);

place_block* place;
std::uint64_t put_turn;  // of the ring
job* first_job;
job* last_job;
int workers;
task_list idle_workers;
std::uint64_t own_tlm;

// Range operations: one at a time, by the window of the system's hart. Their numbers are in order.
unit_counter range_end;
std::uint64_t ranges_begun;
std::uint64_t ranges_ended;
task_list wait_for_range;

// Requests to the NMA: one task fills the window in.
bool asks;
task_list wait_to_ask;

std::uint64_t address_of(void const volatile* at) {
  return reinterpret_cast<std::uint64_t>(at);
}
/// A field of a tile's row in the table.
std::uint64_t row(std::uint64_t tile, std::uint64_t field) {
  namespace information = registers::information;
  return word(unit_address(registers::unit::information) + information::table + tile * information::row_bytes + field);
}
bool shares_memory(std::uint64_t tile) {
  constexpr std::uint64_t memory = registers::information::row_memory_tile;
  return row(tile, memory) == row(own_tile, memory);
}

// ── the program's mailbox ──────────────────────────────────────────────────────────────────────────────────────────

void pass_on(std::uint64_t source, std::uint64_t const* words) {
  ring_slot& slot = place->ring[put_turn % place_block::slots];
  for (std::uint64_t k = 0; k < registers::invoke::words; ++k) slot.words[k] = words[k];
  slot.source = source;
  slot.turn.store(++put_turn, std::memory_order_release);
  // After the message: who finds no more work sleeps on this word.
  place->calls->fetch_add(1, std::memory_order_seq_cst);
}

// ── memory of copies ───────────────────────────────────────────────────────────────────────────────────────────────

/// Chunks that the program gave back are free again.
void collect() {
  std::uint64_t chunk = place->released.exchange(0, std::memory_order_acquire);
  while (chunk != 0) {
    std::uint64_t const next = *reinterpret_cast<std::uint64_t*>(chunk);
    managed.release(reinterpret_cast<void*>(chunk));
    chunk = next;
  }
}

void* allocate(std::uint64_t bytes) {
  if (place->collects == 0) collect();
  void* chunk = managed.allocate(bytes);
  if (chunk == nullptr && place->collects != 0) {
    collect();
    chunk = managed.allocate(bytes);
  }
  return chunk;
}

// ── units ──────────────────────────────────────────────────────────────────────────────────────────────────────────

bool range_has_ended(std::uint64_t number) {
  if (range_end.value == 0) ranges_ended = ranges_begun;
  return ranges_ended >= number;
}

/// Stops the own task until that range operation has ended.
void await_range(std::uint64_t number) {
  while (!range_has_ended(number)) {
    // An interrupt at the end, if that is still to come.
    range_end.notify = unit_address(registers::unit::interrupts) + registers::interrupts::raise;
    fence();
    if (range_end.value == 0) continue;
    wait_for_range.put(own_task());
    block();
  }
}

/// The one before has ended. False: the unit's queue is full.
bool begin_invalidation(std::uint64_t begin, std::uint64_t bytes, bool trigger) {
  namespace to = registers::ranges;
  std::uint64_t const at = window(registers::unit::ranges, own_hart);
  range_end.value = 1;
  range_end.notify = 0;
  range_end.cookie = source_ranges;
  word(at + to::operation) = to::invalidate;
  word(at + to::address) = begin;
  word(at + to::bytes) = bytes;
  word(at + to::counter) = address_of(&range_end);
  word(at + to::trigger) = trigger ? 1 : 0;
  fence();
  word(at + to::doorbell) = 1;
  if (word(at + to::doorbell) == to::full) {
    range_end.value = 0;
    return false;
  }
  ++ranges_begun;
  return true;
}

bool accelerator_is_busy() {
  return word(window(registers::unit::nma, own_hart) + registers::nma::doorbell) ==
         static_cast<std::uint64_t>(registers::command_status::accepted);
}

/// A request to an NMA, behind the invalidation of its destination.
struct copy_request {
  std::uint64_t root;
  std::uint64_t chunk;
  std::uint64_t bytes;
  std::uint64_t final_address;  // 0: there
  std::uint64_t objects;
  std::uint64_t source;  // tile
  std::uint64_t target;  // tile
  std::uint64_t arrival;
  std::uint64_t counter;
};

void fill_in(copy_request const& wanted) {
  namespace to = registers::nma;
  std::uint64_t const at = window(registers::unit::nma, own_hart);
  word(at + to::root) = wanted.root;
  word(at + to::destination) = wanted.chunk;
  word(at + to::room) = wanted.bytes | place->first_block << to::room_bits;
  word(at + to::final_address) = wanted.final_address;
  word(at + to::shape) =
      to::shape_of(wanted.objects, wanted.source, wanted.objects >= place->hashed_least ? to::hashed : to::linear) |
      to::spawning(wanted.target);
  word(at + to::task) = static_cast<std::uint64_t>(packet::graph_ready) | wanted.arrival << packet_shift;
  word(at + to::counter) = wanted.counter;
}

void ask(copy_request const& wanted) {
  while (asks) {
    wait_to_ask.put(own_task());
    block();
  }
  asks = true;
  for (std::uint64_t pause = retry_ticks;; pause = pause < retry_ticks_max ? 2 * pause : pause) {
    await_range(ranges_begun);
    if (!accelerator_is_busy()) {
      fill_in(wanted);
      if (begin_invalidation(wanted.chunk + place->first_block, wanted.bytes - place->first_block, true)) break;
    }
    // The queue of the memory is full: it takes the request before when it has copied another graph.
    sleep(pause);
  }
  asks = false;
  if (task* const next = wait_to_ask.take()) wake(next);
}

// ── T1, T2, T3 ─────────────────────────────────────────────────────────────────────────────────────────────────────

/// M, and M' here, may be used again.
void release(arrival const* call) {
  word(call->cell + offsetof(graph_cell, held)) = 0;
}

/// There is no memory: the caller takes the path in software.
void refuse(arrival const* call) {
  std::uint64_t const read = call->cell + offsetof(graph_cell, read);
  word(read + offsetof(unit_counter, error)) = buffer_full;
  fence();
  word(read + offsetof(unit_counter, value)) = 0;
  release(call);
}

/// T1
void begin_call(arrival* call) {
  job const& came = call->call;
  std::uint64_t const bytes = (place->first_block + came.words[3] + line_bytes - 1) / line_bytes * line_bytes;
  auto const chunk = reinterpret_cast<std::uint64_t>(allocate(bytes));
  if (chunk == 0) return refuse(call);
  ++place->calls_begun;
  call->chunk = chunk;
  call->chunk_bytes = bytes;
  call->objects = came.words[2];
  if (shares_memory(came.source)) {
    return ask({.root = row(came.source, registers::information::row_partition) + (came.words[0] >> 16U) * 8,
                .chunk = chunk,
                .bytes = bytes,
                .final_address = 0,
                .objects = call->objects,
                .source = came.source,
                .target = own_tile,
                .arrival = address_of(call),
                .counter = call->cell + offsetof(graph_cell, read)});
  }
  await_range(ranges_begun);
  while (!begin_invalidation(chunk + place->first_block, bytes - place->first_block, false)) {
    sleep(retry_ticks);
    await_range(ranges_begun);
  }
  // Before the DMA can write.
  await_range(ranges_begun);
  std::uint64_t const words[] = {static_cast<std::uint64_t>(packet::graph_stage) | bytes << packet_shift, call->cell,
                                 address_of(call), chunk, own_tile};
  mailboxes::put_packet(came.source, words);
}

/// T3
void begin_intermediate(graph_cell* cell) {
  auto const& [kind_and_bytes, own, arrival_there, chunk_there, target] = cell->stage.words;
  std::uint64_t const bytes = kind_and_bytes >> packet_shift;
  void* const chunk = allocate(bytes);
  if (chunk == nullptr) {
    cell->read.error = buffer_full;
    cell->read.value = 0;
    std::uint64_t const words[] = {static_cast<std::uint64_t>(packet::graph_ready) | arrival_there << packet_shift, 0,
                                   0, buffer_full, 0};
    return mailboxes::put_packet(target, words);
  }
  ++place->calls_staged;
  cell->staging.store(chunk, std::memory_order_relaxed);
  ask({.root = cell->metadata[cell_root],
       .chunk = address_of(chunk),
       .bytes = bytes,
       .final_address = chunk_there,
       .objects = cell->metadata[cell_objects],
       .source = own_tile,
       .target = target,
       .arrival = arrival_there,
       .counter = own + offsetof(graph_cell, read)});
}

/// T2
void end_call(std::uint64_t const* words) {
  auto* const call = reinterpret_cast<arrival*>(words[0] >> packet_shift);
  ++place->calls_ready;
  if (words[3] == 0) return pass_on(call->call.source, words);
  managed.release(reinterpret_cast<void*>(call->chunk));
  release(call);
}

/// A task: does jobs, and waits for more.
void work(void*) {
  no_interrupts const off;
  for (;;) {
    job* const one = first_job;
    if (one == nullptr) {
      idle_workers.put(own_task());
      block();
      continue;
    }
    first_job = one->next;
    if (static_cast<packet>(one->words[0] & 0xffU) == packet::graph_call) {
      begin_call(reinterpret_cast<arrival*>(address_of(one) - offsetof(arrival, call)));
    } else {
      begin_intermediate(reinterpret_cast<graph_cell*>(address_of(one) - offsetof(graph_cell, stage)));
    }
  }
}

void put(job* added, std::uint64_t source, std::uint64_t const* words) {
  for (std::uint64_t k = 0; k < registers::invoke::words; ++k) added->words[k] = words[k];
  added->source = source;
  added->next = nullptr;
  (first_job == nullptr ? first_job : last_job->next) = added;
  last_job = added;
  if (task* const idle = idle_workers.take()) return wake(idle);
  if (workers == tasks_max) return;
  if (spawn(work, nullptr)) {
    ++workers;
  } else if (workers == 0) {
    panic(panic_code::memory);
  }
}

}  // namespace

bool serves() {
  return place != nullptr;
}

bool has_room() {
  return place == nullptr ||
         place->ring[put_turn % place_block::slots].turn.load(std::memory_order_acquire) == put_turn;
}

void take(std::uint64_t source, std::uint64_t const* words) {
  if (place == nullptr) return;
  switch (static_cast<packet>(words[0] & 0xffU)) {
    case packet::graph_call: {
      auto* const call = reinterpret_cast<arrival*>(words[1] - own_tlm);
      return put(&call->call, source, words);
    }
    case packet::graph_stage: {
      auto* const cell = reinterpret_cast<graph_cell*>(words[1] - own_tlm);
      return put(&cell->stage, source, words);
    }
    case packet::graph_ready:
      return end_call(words);
    default:
      ++place->passed_on;
      pass_on(source, words);
  }
}

void range_ended() {
  while (task* const one = wait_for_range.take()) wake(one);
}

std::int64_t serve(std::uint64_t block, std::uint64_t its_shapes) {
  if (its_shapes != shapes) return static_cast<std::int64_t>(error::invalid);
  no_interrupts const off;
  auto* const given = reinterpret_cast<place_block*>(block);
  if (place == nullptr) {
    for (std::uint64_t k = 0; k < place_block::slots; ++k) given->ring[k].turn.store(k, std::memory_order_relaxed);
  }
  own_tlm = row(own_tile, registers::information::row_tlm);
  place = given;
  return 0;
}

}  // namespace tess::system::graphs
