// nma: requests, copies, and notifications.
#include "machine/nma/nma.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "machine/kernel/units.hpp"

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

}  // namespace

nma::nma(kernel& k, machine_description const& description, tile& at, object_types& types)
    : kernel_(k),
      tile_(at),
      completion_(description, at),
      memory_(k, description, at),
      copier_(memory_, types, map_partition(description, at.map(), at.number()).memory_offset,
              description.nma.map_bytes),
      line_bytes_(description.l2.line_bytes),
      tiles_(description.tiles()),
      entries_(description.nma.queue_entries) {
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
  copy_request& request = made.copied;
  request.root = word(registers::nma::root);
  request.destination = word(registers::nma::destination);
  request.bytes = bits(word(registers::nma::room), 0, registers::nma::room_bits);
  request.first = word(registers::nma::room) >> registers::nma::room_bits;
  request.final_address =
      word(registers::nma::final_address) == 0 ? request.destination : word(registers::nma::final_address);
  request.objects = bits(shape, 0, 32);
  request.map = static_cast<registers::nma::map_code>(bits(shape, 56, 1));
  auto const source_tile = static_cast<std::uint32_t>(bits(shape, 32, 12));
  made.spawns = made.spawns && made.spawn_tile < tiles_;
  region const* const source = tile_.map().of(region_kind::partition, source_tile);
  region const* const target = whole(request.destination, request.bytes);
  region const* const final = whole(request.final_address, request.bytes);
  bool const here = source != nullptr && target != nullptr && final != nullptr &&
                    source->memory_tile == tile_.number() && target->memory_tile == tile_.number();
  bool const moves = request.final_address != request.destination;
  bool const begins = request.first <= request.bytes && request.first % (moves ? line_bytes_ : word_bytes) == 0;
  made.sound = here && begins;
  if (!made.sound) return made;
  request.source = *source;
  request.target = *target;
  return made;
}

bool nma::accept(adapter::task_message const& came) {
  if (queue_.size() >= entries_) return false;
  queue_.push_back(read(came));
  counted_.queued_max = std::max(counted_.queued_max, queue_.size());
  if (!std::exchange(works_, true)) kernel_.start(work());
  return true;
}

process nma::work() {
  while (!queue_.empty()) {
    job const next = queue_.front();
    queue_.pop_front();
    picoseconds const begun = kernel_.now();
    copy_outcome outcome{.error = graph_fault::bad_request};
    if (next.sound) outcome = co_await copier_.run(next.copied);
    ++counted_.requests;
    counted_.faults += outcome.error != graph_fault::none;
    counted_.objects += outcome.objects;
    counted_.bytes += outcome.bytes;
    counted_.port_bytes = memory_.moved_bytes();
    counted_.busy_ps += kernel_.now() - begun;
    counted_.peak.busy(begun, kernel_.now());
    kernel_.start(finish(next, outcome));
  }
  works_ = false;
}

process nma::finish(job done, copy_outcome outcome) {
  bool const moves = outcome.error == graph_fault::none && done.copied.final_address != done.copied.destination;
  if (moves) {
    co_await completion_.acknowledge(done.counter, 0);
    ++counted_.transfers;
    if (!co_await transfer(done, outcome)) outcome.error = graph_fault::transfer_failed;
  }
  if (done.spawns) co_await send_result(done, outcome);
  std::uint64_t const behind = moves ? counter_bytes : 0;
  bool const request = done.counter != 0;
  if (request) co_await completion_.acknowledge(done.counter + behind, static_cast<std::uint64_t>(outcome.error));
}

task<bool> nma::transfer(job const& of, copy_outcome const& outcome) {
  transaction moved;
  moved.what = remote_operation::transfer;
  moved.target = tile_.number();
  moved.address = of.copied.destination + of.copied.first;
  moved.part = dma_transfer{.destination = of.copied.final_address + of.copied.first,
                            .destination_tile = tile_.map().find(of.copied.final_address)->memory_tile};
  moved.bytes = (outcome.bytes - of.copied.first + line_bytes_ - 1) / line_bytes_ * line_bytes_;
  co_await completion_.remote(moved);
  co_return moved.status == remote_outcome::done;
}

task<> nma::send_result(job const& of, copy_outcome const& outcome) {
  std::array<std::uint64_t, registers::invoke::words + 1> const words{
      of.task, outcome.root, outcome.bytes, static_cast<std::uint64_t>(outcome.error), outcome.objects, tile_.number()};
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
