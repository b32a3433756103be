// graph_writeback: commands, the ports of the traversal's hardware, metadata and messages.
#include "machine/nca/graph_writeback.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "machine/kernel/units.hpp"
#include "machine/nca/traversal_machine.hpp"
#include "machine/rtl/rtl_library.hpp"

namespace tess::machine {
namespace {

using registers::command_status;
using registers::graph_fault;

/// As the run wants it: the model or the hardware.
std::unique_ptr<traversal_unit> traversal_of(machine_description const& description) {
  traversal_unit::parameters const made{.queue_entries = description.nca.queue_entries,
                                        .state_cycles = description.nca.state_cycles,
                                        .stack_entries = description.nca.stack_entries,
                                        .line_bytes = description.l2.line_bytes};
  if (description.hardware.nca == nullptr) return std::make_unique<traversal_machine>(made);
  return description.hardware.nca->make<traversal_unit, traversal_unit>(made);
}

}  // namespace

graph_writeback::graph_writeback(kernel& k, machine_description const& description, tile& at, object_types& types)
    : command_unit(description.harts_of(at.number())),
      kernel_(k),
      tile_(at),
      completion_(description, at),
      types_(types),
      unit_(traversal_of(description)),
      clock_(description.tile_clock_ps),
      partition_(at.map().of(region_kind::partition, at.number())->base),
      line_bytes_(description.l2.line_bytes),
      tiles_(description.tiles()),
      entries_(description.nca.queue_entries),
      edge_(*this, [](event& self) { static_cast<own_event&>(self).owner.step(); }),
      there_(*this, [](event& self) { static_cast<own_event&>(self).owner.look_up(); }),
      answer_(*this,
              [](event& self) {
                graph_writeback& owner = static_cast<own_event&>(self).owner;
                owner.answered_ = true;
                owner.wake();
              }),
      written_(*this,
               [](event& self) {
                 graph_writeback& owner = static_cast<own_event&>(self).owner;
                 ++owner.acknowledged_;
                 owner.wake();
               }),
      record_(*this, [](event& self) { static_cast<own_event&>(self).owner.record_arrives(); }),
      stack_event_(*this, [](event& self) {
        graph_writeback& owner = static_cast<own_event&>(self).owner;
        owner.stack_came_ = true;
        owner.wake();
      }) {
  unit_->in.partition_base = partition_;
  unit_->in.partition_bytes = at.map().of(region_kind::partition, at.number())->size_bytes;
  // The simulated tile takes everything at once.
  unit_->in.access_ready = unit_->in.record_ready = unit_->in.stack_ready = unit_->in.result_ready = true;
}

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
  if (waiting_ >= entries_) return command_status::full;
  arriving_.push_back(made);
  ++waiting_;
  // In its turn among the tile's units, not in the hart's.
  if (!std::exchange(pending_, true)) kernel_.at(std::max(clock_.edge(kernel_.now()), next_edge_), edge_);
  return command_status::accepted;
}

void graph_writeback::wake() {
  if (pending_) return;
  picoseconds const edge = std::max(clock_.edge(kernel_.now()), next_edge_);
  if (edge == kernel_.now()) return step();
  pending_ = true;
  kernel_.at(edge, edge_);
}

void graph_writeback::step() {
  pending_ = true;
  traversal_unit::inputs& in = unit_->in;
  traversal_unit::outputs const& out = unit_->out;
  // What has arrived.
  in.answer_valid = std::exchange(answered_, false);
  in.answer_words = line_.data();
  in.record_answer_valid = std::exchange(record_came_, false);
  in.stack_answer_valid = std::exchange(stack_came_, false);
  in.written = acknowledged_ != 0;
  acknowledged_ -= in.written ? 1 : 0;
  in.types_address = types_.address();
  in.types_count = types_.count();
  if (!arriving_.empty() && out.job_ready) {
    in.job_valid = true;
    in.job = {.root = arriving_.front().root, .mark = mark_ += 2};
    queue_.push_back(arriving_.front());
    arriving_.pop_front();
  }
  // What the unit offers moves at this edge.
  if (out.access_valid) access(out.access, out.mark);
  if (out.record_valid) read_record();
  if (out.stack_valid) use_stack();
  if (out.job_begins) {
    --waiting_;
    begun_ = kernel_.now();
  }
  if (out.result_valid) job_ends(out.result);
  unit_->step();
  in.job_valid = in.answer_valid = in.record_answer_valid = in.stack_answer_valid = in.written = false;
  cycle_count cycles = 1;
  for (; !out.active() && !out.quiet; ++cycles) unit_->step();
  next_edge_ = kernel_.now() + clock_.cycles(cycles);
  pending_ = !out.quiet || !arriving_.empty() || acknowledged_ != 0;
  if (pending_) kernel_.at(next_edge_, edge_);
}

void graph_writeback::access(traversal_access const& wanted, std::uint64_t mark) {
  if (wanted.kind != traversal_access::write_back) {
    accessed_ = wanted;
    written_mark_ = mark;
    return look_up();
  }
  l2_private& l2 = tile_.l2();
  if (l2.leaves(partition_ + wanted.offset)) {
    l2.write_back_line(partition_ + wanted.offset, written_);
  } else {
    ++acknowledged_;
  }
}

void graph_writeback::look_up() {
  tile_.catch_up();
  l2_private& l2 = tile_.l2();
  std::uint64_t const address = partition_ + accessed_.offset;
  bool const marks = accessed_.kind == traversal_access::mark;
  // Among coherent caches a mark is a store like any other: the line may move on with it.
  bool const stores = marks && tile_.coherent();
  std::byte* const at = marks && !stores ? l2.look_up_to_mark(address) : l2.look_up(address, stores);
  if (at == nullptr) return l2.bring(address, there_, stores);
  if (marks) {
    std::memcpy(at, &written_mark_, sizeof written_mark_);
  } else {
    std::memcpy(line_.data(), at, line_bytes_);
  }
  kernel_.at(tile_.device_access(tile::place::l2, marks ? word_bytes : line_bytes_), answer_);
}

void graph_writeback::read_record() {
  record_at_ = unit_->out.record_address;
  record_whole_ = unit_->out.record_whole;
  kernel_.at(types_.access(record_whole_ ? object_types::read_bytes : word_bytes), record_);
}

void graph_writeback::record_arrives() {
  static constexpr std::array offsets{registers::objects::record_size, registers::objects::record_kind,
                                      registers::objects::record_mask};
  traversal_unit::inputs& in = unit_->in;
  in.record_fault = false;
  for (std::size_t i = 0; i < (record_whole_ ? offsets.size() : 1); ++i) {
    auto const word = types_.word(record_at_ + offsets[i]);
    in.record_fault |= !word;
    in.record_words[i] = word.value_or(0);
  }
  record_came_ = true;
  wake();
}

void graph_writeback::use_stack() {
  traversal_unit::outputs const& out = unit_->out;
  if (out.stack_writes) {
    stack_.resize(out.stack_index);
    stack_.push_back(out.stack_place);
  } else {
    unit_->in.stack_place = stack_[out.stack_index];
  }
  kernel_.at(tile_.device_access(tile::place::tlm, sizeof(traversal_place)), stack_event_);
}

void graph_writeback::job_ends(traversal_result const& measured) {
  job const done = queue_.front();
  queue_.pop_front();
  ++counted_.graphs;
  counted_.faults += measured.fault != graph_fault::none;
  counted_.objects += measured.objects;
  counted_.bytes += measured.bytes;
  counted_.busy_ps += kernel_.now() - begun_;
  kernel_.start(finish(done, measured));
}

process graph_writeback::finish(job done, traversal_result measured) {
  if (measured.fault == graph_fault::none) {
    if (done.metadata != 0 && !co_await send_metadata(done, measured)) measured.fault = graph_fault::transfer_failed;
    if (done.spawns && measured.fault == graph_fault::none) co_await send_result(done, measured);
  }
  bool const failed = measured.fault != graph_fault::none;
  done.by->status = failed ? command_status::wrong : command_status::idle;
  co_await completion_.acknowledge(done.counter, static_cast<std::uint64_t>(measured.fault));
}

task<bool> graph_writeback::send_metadata(job const& of, traversal_result const& measured) {
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

task<> graph_writeback::send_result(job const& of, traversal_result const& measured) {
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
