// nma: requests, copies, and notifications.
#include "machine/nma/nma.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "machine/kernel/units.hpp"
#include "machine/nma/copy_machine.hpp"
#include "machine/rtl/rtl_library.hpp"

namespace tess::machine {
namespace {

using registers::command_status;
using registers::graph_fault;

constexpr std::uint64_t request_words = 7;
constexpr std::uint64_t counter_bytes = 32;

constexpr std::uint64_t bits(std::uint64_t word, unsigned first, unsigned count) noexcept {
  return word >> first & ((std::uint64_t{1} << count) - 1);
}

region const& map_partition(machine_description const& description, address_map const& map, std::uint32_t tile) {
  region const& partition = *map.of(region_kind::partition, tile);
  MACHINE_ASSERT(description.nma.map_bytes <= partition.size_bytes);
  return partition;
}

/// As the run wants it: the model or the hardware.
std::unique_ptr<nma_unit> unit_of(machine_description const& description) {
  if (description.hardware.nma == nullptr) return std::make_unique<copy_machine>(description.nma);
  return description.hardware.nma->make<nma_unit, nma_unit>(description.nma);
}

}  // namespace

nma::nma(kernel& k, machine_description const& description, tile& at, object_types& types)
    : kernel_(k),
      tile_(at),
      completion_(description, at),
      memory_(description, at),
      types_(types),
      unit_(unit_of(description)),
      clock_(description.memory_clock_ps),
      line_bytes_(description.l2.line_bytes),
      tiles_(description.tiles()),
      entries_(description.nma.queue_entries),
      edge_(*this, [](event& self) { static_cast<own_event&>(self).owner.step(); }),
      record_(*this, [](event& self) { static_cast<own_event&>(self).owner.record_arrives(); }) {
  unit_->in.map_offset = map_partition(description, at.map(), at.number()).memory_offset;
  unit_->in.map_entries = description.nma.map_bytes / 2 / word_bytes;
  // The simulated memory takes every access, and the rest of the machine every request, at once.
  unit_->in.access_ready = unit_->in.record_ready = unit_->in.result_ready = true;
  at.network_adapter().on_trigger([this](adapter::task_message const& came) { return accept(came); });
}

region const* nma::whole(std::uint64_t address, std::uint64_t bytes) const {
  region const* const in = tile_.map().find(address);
  bool const fits = in != nullptr && in->kind == region_kind::partition && bytes <= in->end() - address;
  return fits && (address | bytes) % line_bytes_ == 0 ? in : nullptr;
}

nma::job nma::read(adapter::task_message const& came) const {
  std::array<std::uint64_t, request_words> words;
  std::memcpy(words.data(), came.data(), sizeof words);
  auto const word = [&](std::uint64_t field) { return words[field / word_bytes]; };
  std::uint64_t const shape = word(registers::nma::shape);
  job made;
  made.task = word(registers::nma::task);
  made.counter = word(registers::nma::counter);
  made.spawn_tile = static_cast<std::uint32_t>(bits(shape, 44, 12));
  made.spawns = bits(shape, 57, 1) != 0;
  made.destination = word(registers::nma::destination);
  nma_job& request = made.copied;
  request.root = word(registers::nma::root);
  std::uint64_t const bytes = bits(word(registers::nma::room), 0, registers::nma::room_bits);
  made.first = word(registers::nma::room) >> registers::nma::room_bits;
  made.final_address =
      word(registers::nma::final_address) == 0 ? made.destination : word(registers::nma::final_address);
  request.objects = static_cast<std::uint32_t>(bits(shape, 0, 32));
  request.hashed = bits(shape, 56, 1) == registers::nma::hashed;
  auto const source_tile = static_cast<std::uint32_t>(bits(shape, 32, 12));
  made.spawns = made.spawns && made.spawn_tile < tiles_;
  region const* const source = tile_.map().of(region_kind::partition, source_tile);
  region const* const target = whole(made.destination, bytes);
  region const* const final = whole(made.final_address, bytes);
  bool const here = source != nullptr && target != nullptr && final != nullptr &&
                    source->memory_tile == tile_.number() && target->memory_tile == tile_.number();
  bool const moves = made.final_address != made.destination;
  bool const begins = made.first <= bytes && made.first % (moves ? line_bytes_ : word_bytes) == 0;
  request.sound = here && begins;
  if (!request.sound) return made;
  request.source_base = source->base;
  request.source_end = source->end();
  request.source_shift = source->memory_offset - source->base;
  request.target = target->memory_offset + (made.destination - target->base);
  request.begins = request.target + made.first;
  request.ends = request.target + bytes;
  request.final_shift = made.final_address - request.target;
  return made;
}

bool nma::accept(adapter::task_message const& came) {
  if (waiting_ >= entries_) return false;
  arriving_.push_back(read(came));
  ++waiting_;
  counted_.queued_max = std::max(counted_.queued_max, waiting_);
  wake();
  return true;
}

void nma::wake() {
  picoseconds const now = kernel_.now();
  if (pending_) return;
  picoseconds const edge = std::max(clock_.edge(now), next_edge_);
  if (edge == now) return step();
  pending_ = true;
  kernel_.at(edge, edge_);
}

void nma::step() {
  pending_ = true;
  nma_unit::inputs& in = unit_->in;
  nma_unit::outputs const& out = unit_->out;
  // What the unit offers moves at this edge, and what has arrived.
  if (out.access_valid) access_memory(out.access);
  if (out.record_valid) read_record();
  if (out.job_begins) {
    --waiting_;
    begun_ = kernel_.now();
  }
  if (out.result_valid) job_ends(out.result);
  in.types_address = types_.address();
  in.types_count = types_.count();
  if (!arriving_.empty() && out.job_ready) {
    in.job_valid = true;
    in.job = arriving_.front().copied;
    queue_.push_back(arriving_.front());
    arriving_.pop_front();
  }
  access* const answer = answers_.empty() ? nullptr : answers_.front();
  if (answer != nullptr) {
    answers_.pop_front();
    in.answer_valid = true;
    in.answer_tag = answer->tag;
    in.answer_words = answer->words.data();
  }
  in.written = acknowledged_ != 0;
  acknowledged_ -= in.written ? 1 : 0;
  in.record_answer_valid = std::exchange(record_came_, false);
  unit_->step();
  if (answer != nullptr) accesses_.give_back(*answer);
  in.job_valid = in.answer_valid = in.written = in.record_answer_valid = false;
  cycle_count cycles = 1;
  for (; !out.active() && !out.quiet; ++cycles) unit_->step();
  next_edge_ = kernel_.now() + clock_.cycles(cycles);
  bool const came = !arriving_.empty() || !answers_.empty() || acknowledged_ != 0 || record_came_;
  pending_ = !out.quiet || came;
  if (pending_) kernel_.at(next_edge_, edge_);
}

void nma::access_memory(nma_access const& wanted) {
  access& begun = accesses_.take(*this);
  begun.writes = wanted.writes;
  begun.tag = wanted.tag;
  counted_.port_bytes += wanted.words * word_bytes;
  if (wanted.writes) {
    memory_.write(wanted.offset, std::as_bytes(std::span(wanted.data + wanted.lane, wanted.words)), begun);
  } else {
    memory_.read(wanted.offset, std::as_writable_bytes(std::span(begun.words).first(wanted.words)), begun);
  }
}

void nma::ended(access& one) {
  if (one.writes) {
    ++acknowledged_;
    accesses_.give_back(one);
  } else {
    answers_.push_back(&one);
  }
  wake();
}

void nma::read_record() {
  record_at_ = unit_->out.record_address;
  record_whole_ = unit_->out.record_whole;
  kernel_.at(types_.access(record_whole_ ? object_types::read_bytes : word_bytes), record_);
}

void nma::record_arrives() {
  static constexpr std::array offsets{registers::objects::record_size, registers::objects::record_kind,
                                      registers::objects::record_mask};
  nma_unit::inputs& in = unit_->in;
  in.record_fault = false;
  for (std::size_t i = 0; i < (record_whole_ ? offsets.size() : 1); ++i) {
    auto const word = types_.word(record_at_ + offsets[i]);
    in.record_fault |= !word;
    in.record_words[i] = word.value_or(0);
  }
  record_came_ = true;
  wake();
}

void nma::job_ends(nma_result const& outcome) {
  job const done = queue_.front();
  queue_.pop_front();
  ++counted_.requests;
  counted_.faults += outcome.fault != graph_fault::none;
  counted_.objects += outcome.objects;
  counted_.bytes += outcome.bytes;
  counted_.busy_ps += kernel_.now() - begun_;
  counted_.peak.busy(begun_, kernel_.now());
  kernel_.start(finish(done, outcome));
}

process nma::finish(job done, nma_result outcome) {
  bool const moves = outcome.fault == graph_fault::none && done.final_address != done.destination;
  if (moves) {
    co_await completion_.acknowledge(done.counter, 0);
    ++counted_.transfers;
    if (!co_await transfer(done, outcome)) outcome.fault = graph_fault::transfer_failed;
  }
  if (done.spawns) co_await send_result(done, outcome);
  std::uint64_t const behind = moves ? counter_bytes : 0;
  bool const request = done.counter != 0;
  if (request) co_await completion_.acknowledge(done.counter + behind, static_cast<std::uint64_t>(outcome.fault));
}

task<bool> nma::transfer(job const& of, nma_result const& outcome) {
  transaction moved;
  moved.what = remote_operation::transfer;
  moved.target = tile_.number();
  moved.address = of.destination + of.first;
  moved.part = dma_transfer{.destination = of.final_address + of.first,
                            .destination_tile = tile_.map().find(of.final_address)->memory_tile};
  moved.bytes = (outcome.bytes - of.first + line_bytes_ - 1) / line_bytes_ * line_bytes_;
  co_await completion_.remote(moved);
  co_return moved.status == remote_outcome::done;
}

task<> nma::send_result(job const& of, nma_result const& outcome) {
  std::array<std::uint64_t, registers::invoke::words + 1> const words{
      of.task, outcome.root, outcome.bytes, static_cast<std::uint64_t>(outcome.fault), outcome.objects, tile_.number()};
  transaction sent;
  sent.what = remote_operation::invoke;
  sent.target = of.spawn_tile;
  sent.bytes = sizeof words;
  std::memcpy(sent.data.data(), words.data(), sizeof words);
  co_await completion_.remote(sent);
}

nma_requests::nma_requests(kernel& k, machine_description const& description, tile& at)
    : command_unit(description.harts_of(at.number())), kernel_(k), completion_(description, at), map_(at.map()) {}

command_status nma_requests::begin(window& by) {
  // The memory's accelerator checks the rest; here only the fields that select it and the ones for notification.
  auto const destination = completion_.global(by.field(registers::nma::destination));
  region const* const in = destination ? map_.find(*destination) : nullptr;
  if (in == nullptr || in->kind != region_kind::partition || !completion_.counter(by.field(registers::nma::counter)))
    return command_status::wrong;
  kernel_.start(run(by, in->memory_tile));
  return command_status::accepted;
}

bool nma_requests::ring(std::uint64_t hart) {
  std::uint64_t const doorbell = hart * registers::window_bytes + registers::nma::doorbell;
  auto const before = load(doorbell, device::no_hart);
  if (!before || *before == static_cast<std::uint64_t>(command_status::accepted)) return false;
  (void)store(doorbell, 1, device::no_hart);
  return *load(doorbell, device::no_hart) == static_cast<std::uint64_t>(command_status::accepted);
}

process nma_requests::run(window& by, std::uint32_t target) {
  transaction sent;
  sent.what = remote_operation::trigger;
  sent.target = target;
  sent.bytes = by.words.size() * word_bytes;
  std::array<std::uint64_t, request_words> words = by.words;
  words[registers::nma::destination / word_bytes] = *completion_.global(by.field(registers::nma::destination));
  words[registers::nma::root / word_bytes] =
      completion_.global(by.field(registers::nma::root)).value_or(by.field(registers::nma::root));
  words[registers::nma::counter / word_bytes] = *completion_.counter(by.field(registers::nma::counter));
  if (by.field(registers::nma::root) == 0) words[registers::nma::root / word_bytes] = 0;
  std::memcpy(sent.data.data(), words.data(), sizeof words);
  co_await completion_.remote(sent);
  bool const taken = sent.status == remote_outcome::done;
  by.status = taken ? command_status::idle : command_status::wrong;
  // A memory without an accelerator cannot report it.
  if (!taken)
    co_await completion_.acknowledge(words[registers::nma::counter / word_bytes],
                                     static_cast<std::uint64_t>(graph_fault::bad_request));
}

}  // namespace tess::machine
