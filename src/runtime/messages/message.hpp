// message: the receiving half of messages: checks records and calls their handlers; and the sending of replies.
#pragma once

#include <cstddef>
#include <span>

#include "fabric/fabric.hpp"
#include "tess/detail/handler.hpp"

namespace tess::detail {

struct worker_state;

/// Where fabrics deliver to: handlers run as the polling worker's place.
[[nodiscard]] message_sink& message_receiver() noexcept;

/// Runs the records of one batch. `local_scope`: the finish of a batch that never left the place, or null.
/// What cannot be delivered ends the job.
void deliver(place_id source, std::span<std::byte const> bytes, finish_scope* local_scope) noexcept;
/// The same, but throws.
void deliver_records(place_id source, std::span<std::byte const> bytes, finish_scope* local_scope);

/// Sends one record as a reply: never refused.
void send_reply(worker_state& w, place_id target, handler_id handler, std::span<std::byte const> payload);

/// Puts what a ready queue delivered where it belongs: a task among the runnable, a slot back to its pool.
void take_cookie(worker_state& w, std::uint64_t cookie) noexcept;

}  // namespace tess::detail
