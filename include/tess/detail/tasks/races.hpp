// races: what a program that was compiled by `tess c++ --races` tells its runtime about the order of its accesses.
//
//   Such a program reports each load and store, and the runtime looks for two that no synchronisation orders
//   (src/runtime/races). The order is made of edges: a release by one task, and an acquire by another of the same
//   object. The calls here are these edges, and where a task or a handler begins and ends. In every other program they
//   are empty and cost nothing: TESS_RACES is 0, and there is another library.
//
// Threads  the worker's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>

#if !defined(TESS_RACES)
#define TESS_RACES 0
#endif

namespace tess::detail {

struct promise_base;
struct worker;

namespace races {

#if TESS_RACES

/// A task with all that it awaits, or one call of a handler: its accesses follow each other.
struct strand;
/// What was done before a message was sent.
struct sent_clock;

[[nodiscard]] std::uint64_t new_key() noexcept;

/// The strand that a task belongs to.
struct task_strand {
  strand* is = nullptr;
};
/// Names an object of synchronisation whose address others use later.
struct own_key {
  std::uint64_t bits = new_key();
};
/// A part of a message's header.
struct message_clock {
  sent_clock* is;
};

/// The task runs concurrently with the current one. `made_at`: the address of the code that started it.
void begin(promise_base& task, void const* made_at) noexcept;
/// `child` runs as a part of `parent`.
void continue_in(promise_base& child, promise_base const& parent) noexcept;
/// The task's frame has been destroyed; everything that it did is released to its finish.
void end(worker& w, strand* ended, std::uint64_t finish_key) noexcept;
[[nodiscard]] strand* strand_of(promise_base const& task) noexcept;

void release(std::uint64_t key) noexcept;
void acquire(std::uint64_t key) noexcept;
inline void release(void const* object) noexcept {
  release(reinterpret_cast<std::uint64_t>(object));
}
inline void acquire(void const* object) noexcept {
  acquire(reinterpret_cast<std::uint64_t>(object));
}
inline void release(own_key const& k) noexcept {
  release(k.bits);
}
inline void acquire(own_key const& k) noexcept {
  acquire(k.bits);
}

/// The next message is sent by the code at this address.
void sending_from(void const* code) noexcept;
/// A message is sent by the current task.
[[nodiscard]] message_clock send() noexcept;
/// The current task adds to a message that is not yet closed.
void also_send(message_clock m) noexcept;

/// A word operation, before it takes effect, and after it if it is not relaxed: then it orders others.
void begin_word(void const* word, std::size_t bytes, bool writes, bool orders, std::source_location at) noexcept;
inline void end_word(void const* word) noexcept {
  acquire(word);
}
/// An access to a block by the current task.
void block(void const* begin, std::size_t bytes, bool writes, std::source_location at) noexcept;
/// Memory that was just allocated: what others did there before does not count.
void* fresh(void* begin, std::size_t bytes) noexcept;

#define TESS_RACES_CALLER __builtin_return_address(0)

#else

struct strand;
struct task_strand {};
struct own_key {};
struct message_clock {};

inline void begin(promise_base&, void const*) noexcept {}
inline void continue_in(promise_base&, promise_base const&) noexcept {}
inline void end(worker&, strand*, std::uint64_t) noexcept {}
inline strand* strand_of(promise_base const&) noexcept {
  return nullptr;
}
inline void release(std::uint64_t) noexcept {}
inline void acquire(std::uint64_t) noexcept {}
inline void release(void const*) noexcept {}
inline void acquire(void const*) noexcept {}
inline void release(own_key const&) noexcept {}
inline void acquire(own_key const&) noexcept {}
inline void sending_from(void const*) noexcept {}
inline message_clock send() noexcept {
  return {};
}
inline void also_send(message_clock) noexcept {}
inline void begin_word(void const*, std::size_t, bool, bool, std::source_location) noexcept {}
inline void end_word(void const*) noexcept {}
inline void block(void const*, std::size_t, bool, std::source_location) noexcept {}
inline void* fresh(void* begin, std::size_t) noexcept {
  return begin;
}

#define TESS_RACES_CALLER nullptr

#endif

}  // namespace races
}  // namespace tess::detail
