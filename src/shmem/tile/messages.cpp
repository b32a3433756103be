// messages: the ring of what was kept, handlers, and the windows of the hart.
#include "shmem/tile/messages.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include "shmem/call.hpp"
#include "shmem/tile/pes.hpp"
#include "shmem/tile/waiting.hpp"

extern "C" {
/// Programs that want messages define it.
[[gnu::weak]] extern int const tess_shmem_by_messages;
}

namespace tess::shmem::messages {

namespace hw = detail::tile_registers;
namespace invoke = machine::registers::invoke;
namespace tasks = machine::registers::tasks;
using detail::word_op;
using machine::registers::unit;

bool used = false;

namespace {

/// Where the words of a message can be read: the window of the hart, or where it was kept.
using message_words = std::uint64_t;
using handler = void (*)(message_words);
constexpr std::uint64_t word_bytes = sizeof(std::uint64_t);
constexpr std::size_t source_word = tasks::source / word_bytes;

// A register's offset is part of the instruction.
template <std::uint64_t Offset>
std::uint64_t device(std::uint64_t address) {
  std::uint64_t value;
  asm volatile("ld %0, %2(%1)" : "=r"(value) : "r"(address), "i"(Offset) : "memory");
  return value;
}
template <std::uint64_t Offset>
void set_device(std::uint64_t address, std::uint64_t value) {
  asm volatile("sd %0, %2(%1)" : : "r"(value), "r"(address), "i"(Offset) : "memory");
}
template <std::uint64_t Number>
std::uint64_t word_of(message_words m) {
  return device<Number * word_bytes>(m);
}

struct mail {
  std::uint64_t arrived = 0;  ///< the queue adds to it, after the message is there
  std::uint64_t taken = 0;
  std::uint64_t old = 0;  ///< the reply's value
  bool replied = false;
  std::array<std::uint64_t, source_word + 1>* kept = nullptr;  ///< a ring
  std::size_t kept_max = 0;
  std::size_t kept_first = 0;
  std::size_t kept_count = 0;
  std::uint64_t invoke_window = 0;
  std::uint64_t tasks_window = 0;
};
constinit mail box{};

bool take() {
  return device<tasks::take>(box.tasks_window) != 0;
}

[[gnu::noinline, gnu::cold]] void keep_one() {
  if (!take()) return;
  ++box.taken;
  if (box.kept_count == box.kept_max) fail("more messages than all PEs send", "one hart of a PE in shmem_...");
  auto& to = box.kept[(box.kept_first + box.kept_count++) % box.kept_max];
  for (std::size_t i = 0; i <= source_word; ++i) to[i] = hw::load(box.tasks_window + i * word_bytes);
}

template <std::uint64_t... Numbers, class... Words>
void set_words(std::uint64_t window, std::integer_sequence<std::uint64_t, Numbers...>, Words... words) {
  (set_device<(Numbers + 1) * word_bytes>(window, words), ...);
}
template <class... Words>
void send(std::uint64_t tile, handler to, Words... words) {
  std::uint64_t const window = box.invoke_window;
  while (device<invoke::doorbell>(window) != 0) [[unlikely]]
    keep_one();
  set_device<0>(window, reinterpret_cast<std::uint64_t>(to));
  set_words(window, std::make_integer_sequence<std::uint64_t, sizeof...(words)>(), words...);
  set_device<invoke::target>(window, tile);
  // What was stored before goes before it.
  asm volatile("fence rw, rw" ::: "memory");
  set_device<invoke::doorbell>(window, 1);
}

/// On a word of this PE; 1 and 2 bytes can only be loaded and stored.
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

void on_reply(message_words m) {
  box.old = word_of<1>(m);
  box.replied = true;
}
void on_flag(message_words m) {
  *reinterpret_cast<std::uint64_t volatile*>(word_of<1>(m)) = word_of<2>(m);
}
template <word_op Op, class W>
void on_request(message_words m) {
  std::uint64_t const source = word_of<source_word>(m);
  auto* const word = reinterpret_cast<W*>(word_of<1>(m));
  W const operand = Op == word_op::get ? W{0} : static_cast<W>(word_of<2>(m));
  W const expected = Op == word_op::compare_swap ? static_cast<W>(word_of<3>(m)) : W{0};
  send(source, on_reply, static_cast<std::uint64_t>(apply_here<Op>(word, operand, expected)));
}

[[gnu::noinline, gnu::cold]] void serve_kept() {
  auto const m = box.kept[box.kept_first];
  box.kept_first = (box.kept_first + 1) % box.kept_max;
  --box.kept_count;
  reinterpret_cast<handler>(m[0])(reinterpret_cast<message_words>(m.data()));
}

/// Without a look at what was kept.
[[gnu::always_inline]] inline void serve_from_queue() {
  ++box.taken;
  // The machine tells, too, when all are asleep.
  if (!take()) [[unlikely]]
    return;
  message_words const m = box.tasks_window;
  reinterpret_cast<handler>(word_of<0>(m))(m);
}

[[gnu::always_inline]] inline void serve_or_sleep() {
  if (box.kept_count != 0) [[unlikely]]
    return serve_kept();
  // What is kept was taken before the queue had told of it, perhaps.
  std::uint64_t arrived;
  asm volatile("lr.d %0, (%1)" : "=r"(arrived) : "r"(&box.arrived) : "memory");
  if (static_cast<std::int64_t>(arrived - box.taken) <= 0) return sleep_reserved();
  serve_from_queue();
}

template <word_op Op, class W>
[[gnu::noinline]] std::uint64_t request(std::uint64_t address, std::uint64_t operand, std::uint64_t expected, int pe) {
  if (static_cast<unsigned>(pe) >= static_cast<unsigned>(own.pes)) [[unlikely]]
    fail("there is no PE " + std::to_string(pe), "0 to " + std::to_string(own.pes - 1));
  std::uint64_t const tile = all_pes.of(pe).tile;
  box.replied = false;
  if constexpr (Op == word_op::get)
    send(tile, on_request<Op, W>, address);
  else if constexpr (Op == word_op::compare_swap)
    send(tile, on_request<Op, W>, address, operand, expected);
  else
    send(tile, on_request<Op, W>, address, operand);
  while (!box.replied) serve_or_sleep();
  return box.old;
}

template <word_op Op, class W>
std::uint64_t at_pe(void const* address, std::uint64_t operand, std::uint64_t expected, int pe) {
  if (pe != own.pe) return request<Op, W>(reinterpret_cast<std::uint64_t>(address), operand, expected, pe);
  auto* const word = static_cast<W*>(const_cast<void*>(address));
  return apply_here<Op>(word, static_cast<W>(operand), static_cast<W>(expected));
}

template <class W>
std::uint64_t ask_number(word_op op, std::uint64_t address, std::uint64_t operand, std::uint64_t expected, int pe) {
  switch (op) {
    case word_op::get:
      return request<word_op::get, W>(address, operand, expected, pe);
    case word_op::put:
      return request<word_op::put, W>(address, operand, expected, pe);
    case word_op::exchange:
      return request<word_op::exchange, W>(address, operand, expected, pe);
    case word_op::compare_swap:
      return request<word_op::compare_swap, W>(address, operand, expected, pe);
    case word_op::fetch_add:
      return request<word_op::fetch_add, W>(address, operand, expected, pe);
    case word_op::fetch_and:
      return request<word_op::fetch_and, W>(address, operand, expected, pe);
    case word_op::fetch_or:
      return request<word_op::fetch_or, W>(address, operand, expected, pe);
    case word_op::fetch_xor:
      return request<word_op::fetch_xor, W>(address, operand, expected, pe);
    default:
      fail("a word operation that is none of OpenSHMEM", "a put, a get or an atomic");
  }
}
template <class W>
std::uint64_t ask_short(word_op op, std::uint64_t address, std::uint64_t operand, int pe) {
  return op == word_op::get ? request<word_op::get, W>(address, operand, 0, pe)
                            : request<word_op::put, W>(address, operand, 0, pe);
}

}  // namespace

std::uint64_t ask(word_op op, std::size_t bytes, std::uint64_t address, std::uint64_t operand, std::uint64_t expected,
                  int pe) {
  switch (bytes) {
    case 1:
      return ask_short<std::uint8_t>(op, address, operand, pe);
    case 2:
      return ask_short<std::uint16_t>(op, address, operand, pe);
    case 4:
      return ask_number<std::uint32_t>(op, address, operand, expected, pe);
    default:
      return ask_number<std::uint64_t>(op, address, operand, expected, pe);
  }
}

void serve_one() {
  serve_or_sleep();
}

void serve() {
  while (box.kept_count != 0) serve_kept();
  while (static_cast<std::int64_t>(*static_cast<std::uint64_t volatile*>(&box.arrived) - box.taken) > 0)
    serve_from_queue();
}

namespace {
bool wanted() {
  return &tess_shmem_by_messages != nullptr;
}
}  // namespace

void open() {
  if (!wanted() || box.kept != nullptr) return;
  if (all_pes.shares_tile()) fail("words by messages with several PEs in a tile", "one PE a tile");
  box.invoke_window = hw::own_window(unit::invoke);
  box.tasks_window = hw::own_window(unit::tasks);
  // From each other PE a request, flags of the rounds that it is ahead, and a call to look again.
  constexpr std::size_t rounds = 16;
  box.kept_max = 4 * (static_cast<std::size_t>(all_pes.count()) + rounds);
  box.kept = static_cast<decltype(box.kept)>(std::malloc(sizeof(*box.kept) * box.kept_max));
  if (box.kept == nullptr) fail("no memory", "a smaller program");
  hw::store(box.invoke_window + invoke::counter, 0);
  hw::store(hw::unit(unit::tasks) + tasks::notify, reinterpret_cast<std::uint64_t>(&box.arrived));
}

void begin() {
  used = wanted();
}

void close() {
  while (used && hw::load(box.invoke_window + invoke::doorbell) != 0) keep_one();
}

void raise(std::uint64_t address, std::uint64_t value, int pe) {
  send(all_pes.of(pe).tile, on_flag, address, value);
}
void wake(int pe) {
  static std::uint64_t const nothing = 0;
  if (pe != all_pes.own()) request<word_op::get, std::uint64_t>(reinterpret_cast<std::uint64_t>(&nothing), 0, 0, pe);
}

}  // namespace tess::shmem::messages

// For the words that a program's header inlines.
#define TESS_SHMEM_ASK(NAME, OP, BYTES, W)                                                             \
  extern "C" std::uint64_t tess_shmem_ask_##NAME##BYTES(void const* address, std::uint64_t operand,    \
                                                        std::uint64_t expected, int pe) {              \
    return tess::shmem::messages::at_pe<tess::detail::word_op::OP, W>(address, operand, expected, pe); \
  }
#define TESS_SHMEM_ASK_NUMBERS(NAME, OP)     \
  TESS_SHMEM_ASK(NAME, OP, 4, std::uint32_t) \
  TESS_SHMEM_ASK(NAME, OP, 8, std::uint64_t)
#define TESS_SHMEM_ASK_ALL(NAME, OP)         \
  TESS_SHMEM_ASK(NAME, OP, 1, std::uint8_t)  \
  TESS_SHMEM_ASK(NAME, OP, 2, std::uint16_t) \
  TESS_SHMEM_ASK_NUMBERS(NAME, OP)
TESS_SHMEM_ASK_ALL(get, get)
TESS_SHMEM_ASK_ALL(put, put)
TESS_SHMEM_ASK_NUMBERS(swap, exchange)
TESS_SHMEM_ASK_NUMBERS(compare_swap, compare_swap)
TESS_SHMEM_ASK_NUMBERS(add, fetch_add)
TESS_SHMEM_ASK_NUMBERS(and, fetch_and)
TESS_SHMEM_ASK_NUMBERS(or, fetch_or)
TESS_SHMEM_ASK_NUMBERS(xor, fetch_xor)
