// graph_writeback: commands, traversals, metadata and messages.
#include "machine/nca/graph_writeback.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "machine/kernel/units.hpp"

namespace tess::machine {
namespace {

using registers::command_status;
using registers::graph_fault;

}  // namespace

graph_writeback::graph_writeback(kernel& k, machine_description const& description, tile& at, object_types& types)
    : command_unit(description.harts_of(at.number())),
      kernel_(k),
      tile_(at),
      completion_(description, at),
      traversal_(k, description, at, types),
      line_bytes_(description.l2.line_bytes),
      tiles_(description.tiles()),
      entries_(description.nca.queue_entries) {}

region const* graph_writeback::whole(std::uint64_t address, std::uint64_t bytes) const {
  region const* const in = tile_.map().find(address);
  bool const copied = in != nullptr && (in->kind == region_kind::partition || in->kind == region_kind::tlm);
  bool const fits = copied && bytes != 0 && bytes <= in->end() - address;
  return fits && (address | bytes) % line_bytes_ == 0 ? in : nullptr;
}

bool graph_writeback::read(window const& by, job& into) const {
  std::uint64_t const dispatch = by.field(registers::nca::dispatch);
  into.metadata_bytes = dispatch & 0xffff'ffff;
  into.spawn_tile = static_cast<std::uint32_t>(dispatch >> 32U & 0xffff);
  into.spawns = (dispatch >> 48U & 1U) != 0;
  into.task = by.field(registers::nca::task);
  auto const counter = completion_.counter(by.field(registers::nca::counter));
  if (!counter || (into.spawns && into.spawn_tile >= tiles_)) return false;
  into.counter = *counter;
  // A root in the tail of the partition may be given by its local address; the traversal reports null.
  into.root = by.field(registers::nca::root) == 0
                  ? 0
                  : completion_.global(by.field(registers::nca::root)).value_or(by.field(registers::nca::root));
  if (by.field(registers::nca::metadata) == 0) return by.field(registers::nca::remote) == 0;
  auto const metadata = completion_.global(by.field(registers::nca::metadata));
  region const* const in = metadata ? whole(*metadata, into.metadata_bytes) : nullptr;
  if (in == nullptr || in->tile != tile_.number()) return false;
  into.metadata = *metadata;
  if (by.field(registers::nca::remote) == 0) return true;
  auto const remote = completion_.global(by.field(registers::nca::remote));
  into.remote = remote.value_or(0);
  return remote && whole(*remote, into.metadata_bytes) != nullptr;
}

command_status graph_writeback::begin(window& by) {
  job made{.by = &by};
  if (!read(by, made)) return command_status::wrong;
  if (queue_.size() >= entries_) return command_status::full;
  queue_.push_back(made);
  if (!std::exchange(works_, true)) kernel_.start(work());
  return command_status::accepted;
}

process graph_writeback::work() {
  while (!queue_.empty()) {
    job const next = queue_.front();
    queue_.pop_front();
    picoseconds const begun = kernel_.now();
    graph_measured const measured = co_await traversal_.run(next.root);
    ++counted_.graphs;
    counted_.faults += measured.error != graph_fault::none;
    counted_.objects += measured.objects;
    counted_.bytes += measured.bytes;
    counted_.busy_ps += kernel_.now() - begun;
    kernel_.start(finish(next, measured));
  }
  works_ = false;
}

process graph_writeback::finish(job done, graph_measured measured) {
  if (measured.error == graph_fault::none) {
    if (done.metadata != 0 && !co_await send_metadata(done, measured)) measured.error = graph_fault::transfer_failed;
    if (done.spawns && measured.error == graph_fault::none) co_await send_result(done, measured);
  }
  bool const failed = measured.error != graph_fault::none;
  done.by->status = failed ? command_status::wrong : command_status::idle;
  co_await completion_.acknowledge(done.counter, static_cast<std::uint64_t>(measured.error));
}

task<bool> graph_writeback::send_metadata(job const& of, graph_measured const& measured) {
  for (auto const& [offset, value] : {std::pair{std::uint64_t{0}, measured.objects}, {word_bytes, measured.bytes}}) {
    transaction sent;
    sent.what = remote_operation::write;
    sent.address = of.metadata + offset;
    std::memcpy(sent.data.data(), &value, sizeof value);
    co_await completion_.word(sent);
  }
  if (of.remote == 0) co_return true;
  region const& from = *tile_.map().find(of.metadata);
  region const& to = *tile_.map().find(of.remote);
  bool const cached = from.kind == region_kind::partition;
  // DMA reads bypass the caches.
  if (cached) co_await tile_.l2().write_back(of.metadata, of.metadata_bytes, 0);
  transaction moved;
  moved.what = remote_operation::transfer;
  moved.target = cached ? from.memory_tile : from.tile;
  moved.address = of.metadata;
  moved.part = dma_transfer{.destination = of.remote,
                            .destination_tile = to.kind == region_kind::tlm ? to.tile : to.memory_tile};
  moved.bytes = of.metadata_bytes;
  co_await completion_.remote(moved);
  co_return moved.status == remote_outcome::done;
}

task<> graph_writeback::send_result(job const& of, graph_measured const& measured) {
  std::array<std::uint64_t, registers::invoke::words + 1> const words{
      of.task, of.remote != 0 ? of.remote : of.metadata, measured.objects, measured.bytes, 0, tile_.number()};
  transaction sent;
  sent.what = remote_operation::invoke;
  sent.target = of.spawn_tile;
  sent.bytes = sizeof words;
  std::memcpy(sent.data.data(), words.data(), sizeof words);
  co_await completion_.remote(sent);
}

}  // namespace tess::machine
