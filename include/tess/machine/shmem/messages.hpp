// messages: words of other PEs by software: a request, a handler on the PE's own hart, and a reply.
//
//   A message is {handler, address, operand, expected}, a reply {handler, old value}: the image is the same in every
//   tile, and so are its functions' addresses. A PE serves others while it waits: for its own reply, for its window to
//   be free, in shmem_barrier_all. What comes while it waits for the window is kept, so that queues are emptied in any
//   case and nobody waits in a circle. A PE has one request under way, and is at most one meeting ahead: that bounds
//   what is kept.
//
// Cost      docs/use/shmem.md has the instructions of each side.
// Source    the software path of RAE, section 2, made lean: no layers of a library, no completion queues.
#pragma once

#include <tess/machine/shmem/device.hpp>
#include <utility>

namespace tess::detail::shmem {

/// Where the words of a message can be read: the window of the hart, or where it was kept.
using message_words = std::uint64_t;
using message_handler = void (*)(message_words);
inline constexpr std::uint64_t word_bytes = sizeof(std::uint64_t);
template <std::uint64_t Number>
std::uint64_t word_of(message_words m) {
  return device<Number * word_bytes>(m);
}

struct mail {
  std::uint64_t arrived = 0;  ///< The queue adds to it, after the message is there.
  std::uint64_t taken = 0;
  std::uint64_t old = 0;  ///< The reply's value.
  bool replied = false;
  std::uint64_t (*kept)[6] = nullptr;  ///< A ring.
  std::size_t kept_max = 0;
  std::size_t kept_first = 0;
  std::size_t kept_count = 0;
};
inline constinit mail box{};
inline constexpr std::size_t source_word = registers::tasks::source / word_bytes;

inline bool take() {
  return device<registers::tasks::take>(own.tasks_window) != 0;
}

[[gnu::noinline, gnu::cold]] inline void keep_one() {
  if (!take()) return;
  ++box.taken;
  if (box.kept_count == box.kept_max) fail("messages", "more than all PEs send", "one hart a PE that calls shmem_...");
  std::uint64_t* const to = box.kept[(box.kept_first + box.kept_count++) % box.kept_max];
  for (std::size_t i = 0; i <= source_word; ++i) to[i] = device(own.tasks_window + i * word_bytes);
}

template <std::uint64_t... Numbers, class... Words>
void set_words(std::uint64_t window, std::integer_sequence<std::uint64_t, Numbers...>, Words... words) {
  (set_device<(Numbers + 1) * word_bytes>(window, words), ...);
}
template <class... Words>
void send(std::uint64_t tile, message_handler handler, Words... words) {
  namespace of = registers::invoke;
  std::uint64_t const window = own.invoke_window;
  while (device<of::doorbell>(window) != 0) [[unlikely]]
    keep_one();
  set_device(window, reinterpret_cast<std::uint64_t>(handler));
  set_words(window, std::make_integer_sequence<std::uint64_t, sizeof...(words)>(), words...);
  set_device<of::target>(window, tile);
  // What was stored before goes before it.
  asm volatile("fence rw, rw" ::: "memory");
  set_device<of::doorbell>(window, 1);
}

inline void on_reply(message_words m) {
  box.old = word_of<1>(m);
  box.replied = true;
}
inline void on_meeting(message_words m) {
  ++told[word_of<1>(m)];
}

/// On a word of this PE.
template <word_op Op, class W>
W apply_here(W* word, W operand, W expected) {
  constexpr int order = __ATOMIC_RELAXED;
  if constexpr (Op == word_op::get) return __atomic_load_n(word, order);
  if constexpr (Op == word_op::put) {
    __atomic_store_n(word, operand, order);
    return 0;
  }
  if constexpr (Op == word_op::exchange) return __atomic_exchange_n(word, operand, order);
  if constexpr (Op == word_op::compare_swap) {
    __atomic_compare_exchange_n(word, &expected, operand, false, order, order);
    return expected;
  }
  if constexpr (Op == word_op::fetch_add) return __atomic_fetch_add(word, operand, order);
  if constexpr (Op == word_op::fetch_and) return __atomic_fetch_and(word, operand, order);
  if constexpr (Op == word_op::fetch_or) return __atomic_fetch_or(word, operand, order);
  if constexpr (Op == word_op::fetch_xor) return __atomic_fetch_xor(word, operand, order);
}

template <word_op Op, class W>
void on_request(message_words m) {
  std::uint64_t const source = word_of<source_word>(m);
  auto* const word = reinterpret_cast<W*>(word_of<1>(m));
  W const operand = Op == word_op::get ? 0 : static_cast<W>(word_of<2>(m));
  W const expected = Op == word_op::compare_swap ? static_cast<W>(word_of<3>(m)) : 0;
  send(source, on_reply, static_cast<std::uint64_t>(apply_here<Op>(word, operand, expected)));
}

[[gnu::noinline, gnu::cold]] inline void serve_kept() {
  std::uint64_t const* const m = box.kept[box.kept_first];
  std::uint64_t words[source_word + 1];
  for (std::size_t i = 0; i <= source_word; ++i) words[i] = m[i];
  box.kept_first = (box.kept_first + 1) % box.kept_max;
  --box.kept_count;
  reinterpret_cast<message_handler>(words[0])(reinterpret_cast<message_words>(&words));
}

/// Serves one, or sleeps until one comes.
inline void serve_one() {
  if (box.kept_count != 0) [[unlikely]]
    return serve_kept();
  // What is kept was taken before the queue had told of it, perhaps.
  if (static_cast<std::int64_t>(reserve(&box.arrived) - box.taken) <= 0) return sleep_reserved();
  ++box.taken;
  // The machine tells, too, when all are asleep.
  if (!take()) [[unlikely]]
    return;
  message_words const m = own.tasks_window;
  reinterpret_cast<message_handler>(word_of<0>(m))(m);
}

template <word_op Op, class W>
[[gnu::noinline]] W request(W* word, W operand, W expected, int pe) {
  if (static_cast<unsigned>(pe) >= static_cast<unsigned>(own.pes)) [[unlikely]]
    fail("a word", "there is no such PE", "0 to shmem_n_pes() - 1");
  auto const address = reinterpret_cast<std::uint64_t>(word);
  box.replied = false;
  if constexpr (Op == word_op::get)
    send(own.tiles[pe], on_request<Op, W>, address);
  else if constexpr (Op == word_op::compare_swap)
    send(own.tiles[pe], on_request<Op, W>, address, std::uint64_t{operand}, std::uint64_t{expected});
  else
    send(own.tiles[pe], on_request<Op, W>, address, std::uint64_t{operand});
  while (!box.replied) serve_one();
  return static_cast<W>(box.old);
}

template <word_op Op, class W>
W at_pe(W* word, W operand, W expected, int pe) {
  if (pe == own.pe) return apply_here<Op>(word, operand, expected);
  return request<Op>(word, operand, expected, pe);
}

inline void tell(int pe, int round) {
  send(own.tiles[pe], on_meeting, static_cast<std::uint64_t>(round));
}
inline void wait_until_told(int round, std::uint64_t times) {
  while (told[round] < times) serve_one();
}

/// Nobody sends before all have done this.
inline void open_transport() {
  // Room for a request and the rounds of two barriers from each other PE, and for the own reply.
  box.kept_max = static_cast<std::size_t>(own.pes) + 2 * rounds_max + 1;
  box.kept = static_cast<std::uint64_t(*)[6]>(std::malloc(sizeof(*box.kept) * box.kept_max));
  if (box.kept == nullptr) fail("shmem_init", "no memory", "a smaller program");
  set_device(own.invoke_window + registers::invoke::counter, 0);
  set_device(unit_address(registers::unit::tasks) + registers::tasks::notify,
             reinterpret_cast<std::uint64_t>(&box.arrived));
}
/// A program must not end before its last message is in the other's queue.
inline void close_transport() {
  while (device(own.invoke_window + registers::invoke::doorbell) != 0) keep_one();
}

}  // namespace tess::detail::shmem
