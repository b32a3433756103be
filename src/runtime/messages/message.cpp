// message: checks the records of a batch one by one and runs their handlers.
#include "runtime/messages/message.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "runtime/failures/abort.hpp"
#include "runtime/finish/finish.hpp"
#include "runtime/job/job.hpp"
#include "runtime/races/handling.hpp"

namespace tess::detail {

namespace {

[[noreturn]] void malformed(place_id source, char const* what) {
  throw error("message of place " + std::to_string(source), what,
              "the same binaries at every place, which are here: " + identity(the_job->objects));
}

class receiver final : public message_sink {
 public:
  void deliver(place_id, place_id source, std::span<std::byte const> bytes) override {
    if (worker_state& w = this_worker(); w.trace.enabled()) [[unlikely]]
      w.trace.message(trace_event::receive, source, bytes.size());
    // Messages of a failed place would confuse the places that go on without it.
    if (!has_failed(source)) [[likely]]
      detail::deliver(source, bytes, nullptr);
  }
};

/// The run of the records that follow. When it closes, its messages are done; tasks that they started count themselves.
struct open_run {
  finish_scope* scope = nullptr;
  std::int64_t messages = 0;

  void close() noexcept {
    if (finish_scope* const s = std::exchange(scope, nullptr)) s->done(messages);
  }
};

void begin_run(std::span<std::byte const> payload, place_id source, finish_scope* local_scope, open_run& run) {
  std::uint64_t fields[2];
  if (payload.size() != sizeof fields) malformed(source, "run of the wrong size");
  std::memcpy(fields, payload.data(), sizeof fields);
  run.close();
  run.messages = static_cast<std::int64_t>(fields[1]);
  if (local_scope != nullptr) local_scope->add(run.messages);
  run.scope = local_scope != nullptr ? local_scope : arrive(fields[0], source, run.messages);
}

handler_record const& handler_for(record_header const& h, place_id source) {
  handler_record const* begin = __start_tess_handlers;
  handler_record const* end = __stop_tess_handlers;
  if (h.handler.object != 0) [[unlikely]] {
    if (h.handler.object >= the_job->objects.size()) malformed(source, "unknown shared object");
    handler_object const& object = the_job->objects[h.handler.object];
    begin = object.begin;
    end = object.end;
  }
  if (h.handler.index >= end - begin) malformed(source, "unknown handler");
  handler_record const& record = begin[h.handler.index];
  // The makers of exceptions are among the handlers, but messages must not call them.
  if (record.alignment > cache_line) malformed(source, "not a handler of messages");
  if (record.variable ? h.bytes < record.bytes : h.bytes != record.bytes) malformed(source, "payload of wrong size");
  return record;
}

}  // namespace

message_sink& message_receiver() noexcept {
  static constinit receiver r;
  return r;
}

void deliver(place_id source, std::span<std::byte const> bytes, finish_scope* local_scope) noexcept try {
  deliver_records(source, bytes, local_scope);
} catch (...) {
  abort_job("delivering a message from place %u", unsigned{source});
}

void deliver_records(place_id source, std::span<std::byte const> bytes, finish_scope* local_scope) {
  worker& w = *self;
  open_run run;
  message_context context{source, nullptr};
  struct delivery {
    explicit delivery(worker& by) noexcept : w(by), outer(by.handler.scope) { ++w.delivering; }
    ~delivery() {
      w.handler.scope = outer;
      --w.delivering;
    }
    worker& w;
    finish_scope* outer;
  } const guard(w);
  w.handler.scope = nullptr;
  std::byte const* next = bytes.data();
  std::byte const* const end = next + bytes.size();
  for (std::size_t i = cache_line; i < std::min(bytes.size(), records_prefetch_bytes); i += cache_line)
    prefetch_read(next + i);
  // Records with equal headers often follow each other: the check of one header holds for all of them.
  std::uint64_t checked = ~std::uint64_t{0};
  handler_record const* handler = nullptr;
  while (next < end) {
    if (end - next < static_cast<std::ptrdiff_t>(sizeof(record_header))) malformed(source, "truncated record");
    record_header h;
    std::memcpy(&h, next, sizeof h);
    std::uint64_t const bits = header_bits(next);
    static_assert(TESS_RACES || sizeof h == sizeof bits);
    std::byte const* const record = next;
    std::byte const* const payload = next + sizeof h;
    prefetch_read(next + records_prefetch_bytes);
    auto const left = static_cast<std::size_t>(end - payload);
    if (h.bytes > left) malformed(source, "record longer than its message");
    next = payload + std::min(left, padded(h.bytes));
    if (bits != checked) {
      if (h.handler.index == run_index) {
        begin_run({payload, h.bytes}, source, local_scope, run);
        context.scope = run.scope;
        w.handler.scope = run.scope;
        continue;
      }
      handler = &handler_for(h, source);
      checked = bits;
    }
    // A message's clock is behind its header when races are looked for.
    if (!TESS_RACES && handler->invoke_run != nullptr) {
      next = handler->invoke_run(context, record, end);
      continue;
    }
    races::handling const by(w, h.clock, context.scope);
    handler->invoke(context, payload, h.bytes);
  }
  run.close();
}

void send_reply(worker_state& w, place_id target, handler_id handler, std::span<std::byte const> payload,
                std::span<std::byte const> rest) {
  std::size_t const payload_bytes = payload.size() + rest.size();
  bump(w.cold.messages);
  bump(w.cold.message_bytes, payload_bytes);
  record_header const h{handler, static_cast<std::uint32_t>(payload_bytes), races::send()};
  std::array<std::byte, 2304> small;
  std::vector<std::byte> large;
  std::byte* room = small.data();
  std::size_t const bytes = sizeof h + padded(payload_bytes);
  if (bytes > small.size()) {
    large.resize(bytes);
    room = large.data();
  }
  // Padding is sent too: it must not be indeterminate.
  std::memset(room + bytes - 8, 0, 8);
  std::memcpy(room, &h, sizeof h);
  std::memcpy(room + sizeof h, payload.data(), payload.size());
  if (!rest.empty()) std::memcpy(room + sizeof h + payload.size(), rest.data(), rest.size());
  bool const sent = the_job->fabric->try_send(w.place, target, message_class::reply, {room, bytes});
  TESS_ASSERT(sent);
  if (w.trace.enabled()) [[unlikely]]
    w.trace.message(trace_event::send, target, bytes);
}

}  // namespace tess::detail
