// message: receives messages: checks their records and calls the handlers; and sends replies.
#pragma once

#include <cstddef>
#include <span>

#include "fabric/fabric.hpp"
#include "tess/detail/handler.hpp"

namespace tess::detail {

struct worker_state;

/// The sink that fabrics deliver to. Handlers run at the polling worker's place.
[[nodiscard]] message_sink& message_receiver() noexcept;

/// Runs the records of one batch. `local_scope`: the finish of a batch that never left the place, or null.
/// A malformed batch aborts the job.
void deliver(place_id source, std::span<std::byte const> bytes, finish_scope* local_scope) noexcept;
/// The same, but throws if the batch is malformed.
void deliver_records(place_id source, std::span<std::byte const> bytes, finish_scope* local_scope);

/// Sends one record, whose payload is in two parts, as a reply: never refused.
void send_reply(worker_state& w, place_id target, handler_id handler, std::span<std::byte const> payload,
                std::span<std::byte const> rest = {});

/// Handles an entry of the ready queue: makes a task runnable, or frees a slot.
void take_cookie(worker_state& w, std::uint64_t cookie) noexcept;

}  // namespace tess::detail
