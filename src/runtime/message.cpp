// message: records of a batch, checked one by one before their handlers run.
#include "runtime/message.hpp"

#include <array>
#include <cstring>
#include <string>

#include "runtime/finish.hpp"
#include "runtime/job.hpp"

namespace tess::detail {

namespace {

[[noreturn]] void malformed(place_id source, char const* what) {
  throw error("message from place " + std::to_string(source), what, "the same binary at every place");
}

class receiver final : public message_sink {
 public:
  void deliver(place_id, place_id source, std::span<std::byte const> bytes) override {
    if (worker_state& w = this_worker(); w.trace.enabled()) [[unlikely]]
      w.trace.message(trace_event::receive, source, bytes.size());
    deliver_records(source, bytes, nullptr);
  }
};

/// The run that the records before belong to ends: its messages are done (tasks that they started count themselves).
struct open_run {
  finish_scope* scope = nullptr;
  std::int64_t messages = 0;

  void close() noexcept {
    if (finish_scope* const s = std::exchange(scope, nullptr)) s->done(messages);
  }
};

}  // namespace

message_sink& message_receiver() noexcept {
  static constinit receiver r;
  return r;
}

void deliver_records(place_id source, std::span<std::byte const> bytes, finish_scope* local_scope) {
  auto const handlers = static_cast<std::size_t>(__stop_tess_handlers - __start_tess_handlers);
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
  while (!bytes.empty()) {
    record_header h;
    if (bytes.size() < sizeof h) malformed(source, "truncated record");
    std::memcpy(&h, bytes.data(), sizeof h);
    if (h.bytes > bytes.size() - sizeof h) malformed(source, "record longer than its message");
    std::byte const* const payload = bytes.data() + sizeof h;
    bytes = bytes.subspan(std::min(bytes.size(), sizeof h + padded(h.bytes)));
    if (h.index == run_index) {
      std::uint64_t fields[2];
      if (h.bytes != sizeof fields) malformed(source, "run of the wrong size");
      std::memcpy(fields, payload, sizeof fields);
      run.close();
      run.messages = static_cast<std::int64_t>(fields[1]);
      if (local_scope != nullptr) local_scope->add(run.messages);
      run.scope = local_scope != nullptr ? local_scope : arrive(fields[0], run.messages);
      context.scope = run.scope;
      continue;
    }
    if (h.index >= handlers) malformed(source, "unknown handler");
    handler_record const& record = __start_tess_handlers[h.index];
    if (record.variable ? h.bytes < record.bytes : h.bytes != record.bytes) malformed(source, "payload of wrong size");
    w.handler.scope = context.scope;
    record.invoke(context, payload, h.bytes);
  }
  run.close();
}

void send_reply(worker_state& w, place_id target, std::uint16_t index, std::span<std::byte const> payload) {
  ++w.cold.messages;
  w.cold.message_bytes += payload.size();
  record_header const h{index, 0, static_cast<std::uint32_t>(payload.size())};
  std::array<std::byte, 2304> small;
  std::vector<std::byte> large;
  std::byte* room = small.data();
  std::size_t const bytes = sizeof h + padded(payload.size());
  if (bytes > small.size()) {
    large.resize(bytes);
    room = large.data();
  }
  std::memcpy(room, &h, sizeof h);
  std::memcpy(room + sizeof h, payload.data(), payload.size());
  // Padding is sent too: it must not be indeterminate.
  std::memset(room + sizeof h + payload.size(), 0, bytes - sizeof h - payload.size());
  bool const sent = the_job->fabric->try_send(w.place, target, message_class::reply, {room, bytes});
  TESS_ASSERT(sent);
  if (w.trace.enabled()) [[unlikely]]
    w.trace.message(trace_event::send, target, bytes);
}

}  // namespace tess::detail
