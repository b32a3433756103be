// arrival: turns a graph that arrived with a message into a region of this place; and answers that are graphs.
#include "runtime/graphs/arrival.hpp"

#include <cstring>
#include <optional>
#include <string>

#include "runtime/failures/abort.hpp"
#include "runtime/graphs/check.hpp"
#include "runtime/graphs/copier.hpp"
#include "runtime/graphs/message_passing.hpp"
#include "runtime/graphs/nemesys.hpp"
#include "runtime/graphs/owned_region.hpp"
#include "runtime/graphs/serialise.hpp"
#include "runtime/graphs/types.hpp"
#include "runtime/graphs/walk.hpp"
#include "runtime/job/job.hpp"
#include "runtime/messages/message.hpp"
#include "runtime/tasks/worker_loop.hpp"
#include "tess/graph_error.hpp"
#include "tess/memory.hpp"

namespace tess::detail {

namespace {

[[noreturn]] void malformed(char const* what) {
  throw error("an arrived graph", what, "what the same binary sends");
}

/// Images that a fabric moved are checked; images that this process stored itself, only in checked builds.
bool images_are_checked() noexcept {
#if defined(TESS_CHECKED) && TESS_CHECKED
  return true;
#else
  return job.atomic_window[self->place] == no_window;
#endif
}

/// The region of this place at an address from a message.
region* named_region(std::uint64_t address) {
  place_segment const memory = this_place().memory;
  std::uint64_t const offset = address - reinterpret_cast<std::uint64_t>(memory.base);
  if (address % 16 != 0 || offset < sizeof(chunk) || offset >= memory.bytes) malformed("a region outside this place");
  auto* const r = reinterpret_cast<region*>(address);
  if (chunk const& c = *r->first(); c.magic != chunk::live || c.owner != r) malformed("no region");
  return r;
}

/// The graph that pegasus copied here.
arrived_graph pulled_graph(std::uint64_t address, type_record const& root_type) {
  owned_region r(named_region(address));
  std::byte* const root = r->base() + graph_walk::root_offset(root_type);
  if (find_type(header_of(root).type) != &root_type) malformed("another root");
  return {r.release(), root};
}

arrived_graph receive_image(sent_graph const& sent, std::byte const* bytes, std::size_t count,
                            type_record const& type) {
  if (sent.bytes != count) malformed("an image of another size than announced");
  owned_region made(region::make(count));
  std::memcpy(made->base() + region::blocks_begin(), bytes, count);
  check_image(made->base(), region::blocks_begin() + count, sent.blocks, 0, type);
  return {made.release(), nullptr};
}

arrived_graph receive_stream(sent_graph const& sent, type_record const& type) {
  auto* const stream = reinterpret_cast<std::byte*>(sent.where);  // NOLINT: as it was given out
  message_buffers* const buffers = this_place().graphs.buffers.get();
  if (buffers == nullptr || !buffers->contains(stream, sent.bytes)) malformed("a buffer outside this place");
  struct releaser {
    std::byte* buffer;
    ~releaser() { release_message_buffer(buffer); }
  } const at_exit{stream};
  deserialised const d = deserialise({stream, sent.bytes}, sent.blocks, type);
  return {d.owner, d.root};
}

}  // namespace

region* named_region(std::uint64_t address, std::uint64_t bytes) {
  region* const r = named_region(address);
  if (chunk const& c = *r->first(); c.next != nullptr || c.bytes != region::blocks_begin() + bytes)
    malformed("a region of another size than its graph");
  return r;
}

arrived_graph receive_graph(sent_graph const& sent, std::byte const* bytes, std::size_t count,
                            type_record const& root_type) {
  using transport = sent_graph::transport;
  if (sent.how == transport::serialised) {
    if (sent.bytes != count) malformed("a stream of another size than announced");
    deserialised const d = deserialise({bytes, count}, sent.blocks, root_type);
    return {d.owner, d.root};
  }
  if (sent.how == transport::streamed) return receive_stream(sent, root_type);
  arrived_graph g;
  if (sent.how == transport::image) {
    g = receive_image(sent, bytes, count, root_type);
  } else {
    // What pegasus copied here has several chunks, and its blocks are not announced.
    bool const pulled = sent.how == transport::region && sent.blocks == 0;
    if (pulled) return pulled_graph(sent.where, root_type);
    owned_region named(named_region(sent.where, sent.bytes));
    std::uint64_t const end = region::blocks_begin() + sent.bytes;
    if (sent.how == transport::buffer) {
      deserialised const d = deserialise({named->base() + region::blocks_begin(), sent.bytes}, sent.blocks, root_type);
      return {d.owner, d.root};
    }
    if (sent.how != transport::region && sent.how != transport::staged) malformed("an unknown way to travel");
    std::uint64_t const from = sent.how == transport::staged ? 0 : reinterpret_cast<std::uint64_t>(named->base());
    if (sent.how == transport::staged || images_are_checked())
      check_image(named->base(), end, sent.blocks, from, root_type);
    if (the_job->options.dummy_allocations && sent.how == transport::region && accelerators() != nullptr)
      allocate_dummies(*named.get(), sent.blocks);
    g.owner = named.release();
  }
  g.root = g.owner->base() + graph_walk::root_offset(root_type);
  return g;
}

void end_asked_region(std::uint64_t address) {
  region::end(named_region(address));
}

void fail_call(call_scope* scope, std::exception_ptr thrown) noexcept {
  as_scope(scope)->fail(std::move(thrown));
}

void set_call_objects(call_scope* scope, region* owner) noexcept {
  as_scope(scope)->set_objects(owner);
}

namespace {

struct graph_reply {
  std::uint64_t slot;
  sent_graph graph;
  handler_id maker;  ///< makes the exception that carries the graph
  bool is_exception;
  bool left_tasks;
  std::uint16_t unused;
};
static_assert(sizeof(graph_reply) <= 64, "the room that outgoing_graph::fits_message leaves");

void apply_graph_reply(graph_reply const& r, std::byte const* bytes, std::size_t count) noexcept {
  at_slot& slot = *global_ptr<at_slot>::from_bits(r.slot).local();
  slot.left_tasks = r.left_tasks;
  try {
    type_record const& type = r.is_exception ? error_root_type() : any_root_type();
    arrived_graph const g = receive_graph(r.graph, bytes, count, type);
    if (r.is_exception) {
      slot.exception = make_graph_error(r.maker, g);
    } else {
      slot.arrived = g.owner;
      std::memcpy(&slot.arrived_root, g.root, sizeof(void*));
    }
  } catch (...) {
    slot.exception = std::current_exception();
  }
  slot.cell.acknowledge(1);
}

struct graph_reply_handler {
  static constexpr std::uint32_t payload_bytes = sizeof(graph_reply);
  static constexpr std::uint16_t payload_alignment = 8;
  static constexpr bool variable = true;

  static void invoke(message_context&, std::byte const* payload, std::size_t bytes) {
    graph_reply r;
    std::memcpy(&r, payload, sizeof r);
    apply_graph_reply(r, payload + sizeof r, bytes - sizeof r);
  }
};

void send_graph_reply(place_id target, graph_reply const& r, outgoing_graph const* graph) {
  if (graph == nullptr) {
    if (target == self->place)
      apply_graph_reply(r, nullptr, 0);
    else
      send_reply(this_worker(), target, handler_entry<graph_reply_handler>::id(), std::as_bytes(std::span(&r, 1)));
    return;
  }
  built_message const m(&r, sizeof r, *graph);
  if (target == self->place)
    apply_graph_reply(r, m.data + sizeof r, m.bytes - sizeof r);
  else
    send_reply(this_worker(), target, handler_entry<graph_reply_handler>::id(), {m.data, m.bytes});
}

}  // namespace

void reply_graph(place_id target, std::uint64_t slot, bool left_tasks, outgoing_graph const& graph) noexcept try {
  send_graph_reply(target, {slot, graph.sent(), {}, false, left_tasks, 0}, &graph);
} catch (...) {
  abort_job("answering an `at` of place %u with a graph", unsigned{target});
}

task<void> reply_graph_later(place_id target, std::uint64_t slot, call_scope* scope, outgoing_graph graph) {
  std::exception_ptr failed;
  std::optional<bool> left_tasks;  // once the call has been left
  try {
    if (accelerators() != nullptr) {
      left_tasks = leave_call(scope);
      graph_reply const r{slot, {}, {}, false, *left_tasks, 0};
      if (co_await send_by_accelerators(graph, target, handler_entry<graph_reply_handler>::id(), r, r.graph)) co_return;
    }
    sent_graph const sent = co_await graph.send_ahead(target);
    if (!left_tasks) left_tasks = leave_call(scope);
    send_graph_reply(target, {slot, sent, {}, false, *left_tasks, 0}, nullptr);
  } catch (...) {
    failed = std::current_exception();
    graph.withdraw(target);
  }
  if (failed) reply_exception(target, slot, left_tasks ? *left_tasks : leave_call(scope), std::move(failed));
}

namespace {

/// Holds the exception while its graph is on its way.
task<void> send_thrown(place_id target, std::uint64_t slot, bool left_tasks, std::exception_ptr thrown,
                       graph_error_base const* what) {
  std::exception_ptr failed;
  try {
    outgoing_graph graph = what->outgoing();
    try {
      sent_graph const sent = co_await graph.send_ahead(target);
      send_graph_reply(target, {slot, sent, what->maker(), true, left_tasks, 0}, nullptr);
    } catch (...) {
      graph.withdraw(target);
      throw;
    }
  } catch (...) {
    failed = std::current_exception();
  }
  thrown = nullptr;
  if (failed) reply_exception(target, slot, left_tasks, std::move(failed));
}

}  // namespace

bool reply_thrown_graph(place_id target, std::uint64_t slot, bool left_tasks, std::exception_ptr const& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (graph_error_base const& e) {
    // At its own place an exception arrives as itself, as every exception does.
    if (target == self->place) return false;
    outgoing_graph graph = e.outgoing();
    if (graph.fits_message(target))
      send_graph_reply(target, {slot, graph.sent(), e.maker(), true, left_tasks, 0}, &graph);
    else
      start_system_task(send_thrown(target, slot, left_tasks, thrown, &e));
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace tess::detail
