// word: get, put and atomics on one word of any place; issued at the call, complete at co_await.
//
//   With a window the call is a prefetch, and the co_await is the processor's own load, store or atomic: at once if no
//   other task is runnable, else after the other runnable tasks had their turn (SoftXMT's issue, yield, complete).
//   When several operations are issued together, only the first co_await yields; the others are due by then.
//   Each operation is awaited once. The compiler warns about a call whose result is dropped or never used; checked
//   builds report an operation that was destroyed without its co_await, with its line, and assert that there is one.
//   On tiles whose harts have instructions that do not wait, the call begins an operation on another place's word if
//   another task could run, and the co_await takes its result after the others' turn (docs/machine/rae.md).
//   Each takes an order, as std::atomic's operations do: what it orders around itself, seq_cst if none is given
//   (docs/internals/contract.md, 1). A put that is not seq_cst is a plain store and may still be on its way to memory
//   when its co_await ends. Operations without a window, and on tiles those that do not wait, are always seq_cst.
//   Without a window the call goes to the fabric and the co_await parks the task until the reply. With a delay
//   (settings::delay) the call is also a prefetch; the co_await parks the task until the time has passed.
//
// Threads  any task. Operations on one aligned 4- or 8-byte word are linearizable; 16-byte get and put are not atomic.
// Errors   checked builds throw tess::error for addresses outside the segment or misaligned, others do not check;
//          place_failed.
// Cost     with a window and no other runnable task: the raw operation, two predictable branches, one count.
#pragma once

#include <bit>
#include <coroutine>
#include <cstring>
#include <source_location>

#include "tess/detail/tasks/must_await.hpp"
#include "tess/detail/words/word_apply.hpp"
#include "tess/global_ptr.hpp"
#include "tess/task.hpp"

namespace tess {

namespace detail {

/// A word operation in flight: owned by the worker's pool, never part of a frame, because a late reply may arrive after
/// the frame is destroyed.
struct word_slot : ready_node, stoppable_wait {
  [[nodiscard]] bool take_back() noexcept { return cell.disarm(); }

  completion cell{1};
  std::uint64_t result[2] = {0, 0};
};

/// Throws unless [address, address + bytes) lies in the place's segment and is aligned.
void check_access(std::uint64_t address, std::size_t bytes, std::size_t alignment, std::source_location at);
/// The job verifies every access in every build (`--fabric checked`).
[[nodiscard]] bool verifies_accesses() noexcept;
/// Checks the access as well, and gives the word's address in the window that is hidden from other code.
[[nodiscard]] std::uint64_t verified_address(std::uint64_t address, std::size_t bytes, std::size_t alignment,
                                             std::source_location at);

[[nodiscard]] word_slot* issue_word(word_request const& request,
                                    std::source_location at = std::source_location::current());

/// Parks the current task until its slot has the reply, or yields if it is there already. Returns the next task.
[[nodiscard]] std::coroutine_handle<> await_slot(word_slot& slot, promise_base& waiter) noexcept;
/// Parks the current task until a delayed operation, called at `called`, is due; returns the next task. It does not
/// record what it waits for, which would touch another line of its frame: this wait always ends.
[[nodiscard]] inline std::coroutine_handle<> await_delayed(std::uint64_t called, promise_base& waiter) noexcept {
  self->delayed.park(&waiter, called, self->runnable.size());
  return self->next();
}
/// The same if the wait may be abandoned. `call` is the time of the call before, and the argument of end_delayed after.
[[nodiscard]] std::coroutine_handle<> await_delayed_or_stop(std::uint64_t& call, promise_base& waiter) noexcept;
/// Throws `stopped` if the wait was abandoned: the operation then has no effect.
void end_delayed(std::uint64_t call);
/// After the reply: takes the result and frees the slot; throws place_failed.
void finish_slot(word_slot* slot, std::uint64_t (&result)[2]);
/// The operation was never awaited: its reply, whenever it arrives, frees the slot.
void abandon_slot(word_slot* slot) noexcept;

/// In place of an order that makes no difference.
struct no_order {
  explicit no_order(std::memory_order /*order*/) noexcept {}
  operator std::memory_order() const noexcept { return std::memory_order_seq_cst; }
};

/// The operands of an operation; for a get, the value read.
template <class T, unsigned Count>
struct word_operands {
  T value[Count];
};

constexpr unsigned operands_of(word_op op) noexcept {
  return op == word_op::compare_swap ? 2 : 1;
}

/// The way by a window is inlined, whatever its size.
#define TESS_WORD_NEAR [[gnu::always_inline]]
/// The other ways are calls, which cost little beside them. Inlined they would make the way by a window long, and
/// frames large.
#define TESS_WORD_FAR [[gnu::noinline]]

template <word_op Op, class T>
class [[nodiscard("a word operation completes at its co_await"), gnu::warn_unused]] word_call {
 public:
  using operands = word_operands<T, operands_of(Op)>;
  /// Processors overlap loads, so a load is done at the call. Atomics are done at their co_await, after their line was
  /// fetched. Harts of a simulated machine stall on loads, too, and state kept until the co_await costs instructions.
#if defined(__riscv)
  static constexpr bool done_at_call = false;
#else
  static constexpr bool done_at_call = Op == word_op::get;
#endif
  /// A lone task's put that need not be visible everywhere at its co_await goes to the store buffer at the call.
  static constexpr bool may_be_done_at_call = done_at_call || Op == word_op::put;
  /// On tiles whose harts have instructions that do not wait, an operation begins at the call if another task could
  /// run, and its co_await takes the result: on words of other places that are one integer.
#if defined(__riscv) && !TESS_RACES
  static constexpr bool may_begin = single_word<T> && (sizeof(T) == 4 || sizeof(T) == 8) &&
                                    (Op == word_op::get || Op == word_op::put || word_integer<T> || word_pointer<T>);
#else
  static constexpr bool may_begin = false;
#endif

  /// On x86-64 loads of all orders are the same instruction, and so are atomics: no order is kept until the co_await.
#if defined(__riscv) || TESS_RACES
  static constexpr bool keeps_order = true;
#else
  static constexpr bool keeps_order = Op == word_op::put;
#endif

  TESS_WORD_NEAR word_call(global_ptr<T> p, operands o, std::memory_order order, std::source_location at)
    requires(Op != word_op::get)
      : operands_(o), order_{order}, must_await_(lost_word, at) {
    at_once_ = issue(p, order, at);
  }
  TESS_WORD_NEAR word_call(global_ptr<T> p, std::memory_order order, std::source_location at)
    requires(Op == word_op::get)
      : order_{order}, must_await_(lost_word, at) {
    at_once_ = issue(p, order, at);
  }
  word_call(word_call const&) = delete;
  word_call& operator=(word_call const&) = delete;
  TESS_WORD_NEAR ~word_call() {
    if constexpr (may_begin) {
      if (!at_once_ && (where_ & (far_flag | begun_flag)) != 0) [[unlikely]]
        leave_behind();
    } else if (!at_once_ && far() && !delayed()) [[unlikely]] {
      abandon_slot(slot());
    }
  }

  /// It will not be awaited, on purpose: checked builds do not report it. It may or may not have its effect.
  void abandon() const noexcept { must_await_.met(); }
  /// True if its co_await does not wait for a reply or a delay.
  [[nodiscard]] bool by_window() const noexcept { return !far(); }
  /// An operation through a window that is due.
  struct due {
    std::byte* address;  ///< null: it was done at the call
    operands given;
    std::memory_order order;
#if TESS_RACES
    std::source_location called_at;
    T complete() const noexcept {
      if (address == nullptr) return given.value[0];
      bool const orders = order != std::memory_order_relaxed;
      races::begin_word(address, sizeof(T), Op != word_op::get, orders, called_at);
      T const result = perform();
      if (orders) races::end_word(address);
      return result;
    }
#else
    [[gnu::always_inline]] T complete() const noexcept { return perform(); }
#endif
    [[gnu::always_inline]] T perform() const noexcept {
      if constexpr (may_be_done_at_call)
        if (address == nullptr) return given.value[0];
      if constexpr (may_begin)
        if (auto const bits = reinterpret_cast<std::uint64_t>(address); (bits & begun_flag) != 0)
          return std::bit_cast<T>(extended_address::take<bits_of_word>(ticket_of(bits)));
      return access();
    }
    [[gnu::always_inline]] T access() const noexcept {
      if constexpr (Op == word_op::get) {
        return load_word<T>(address, order);
      } else if constexpr (Op == word_op::put) {
        store_word<T>(address, given.value[0], order);
        return given.value[0];
      } else {
        return apply_word<Op, T>(address, given.value[0], given.value[operands_of(Op) - 1], order);
      }
    }
  };
  [[nodiscard, gnu::always_inline]] due take_due() noexcept {
    must_await_.met();
    if constexpr (may_begin) {
      if (begun()) {
        auto* const ticket = reinterpret_cast<std::byte*>(where_);
        where_ = 0;
        return {ticket, operands_, std::memory_order_seq_cst};
      }
    }
#if TESS_RACES
    return {reinterpret_cast<std::byte*>(where_ & address_bits), operands_, order_, called_at_};
#else
    return {reinterpret_cast<std::byte*>(where_ & address_bits), operands_, order_};
#endif
  }
  /// Completes at once if no other task could run at the call.
  [[nodiscard]] bool await_ready_at_issue() const noexcept { return at_once_; }
  /// Or if others ran since the call: its line had time to arrive.
  [[gnu::always_inline]] bool await_ready() const noexcept {
    must_await_.met();
    if (at_once_) [[likely]]
      return true;
    if (far()) [[unlikely]]
      return delayed() && self->delayed.due(issued_);
    return self->runnable.position() != issued_;
  }

  template <class Promise>
  [[gnu::always_inline]] std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> h) noexcept {
    if constexpr (may_begin)
      if (begun()) return self->give_way_begun(&h.promise());
    if (!far()) [[likely]]
      return self->give_way(&h.promise());
    return suspend_far(h.promise());
  }

  [[gnu::always_inline]] T await_resume() {
    TESS_DEBUG_ASSERT(!std::exchange(awaited_, true));
    if (at_once_) [[likely]] {
      if constexpr (done_at_call) return operands_.value[0];
      due last = take_due();
      // A put of another order has been done.
      if constexpr (Op == word_op::put) last.order = std::memory_order_seq_cst;
      return last.complete();
    }
    T const value = !far() ? complete_due() : resume_far();
    // Nothing is left for the destructor, as the compiler sees.
    at_once_ = true;
    return value;
  }

 private:
  /// By a window, and not done at the call.
  [[gnu::always_inline]] T complete_due() noexcept {
#if TESS_RACES
    return take_due().complete();
#else
    if constexpr (may_begin) return take_due().complete();
    return due{reinterpret_cast<std::byte*>(where_), operands_, order_}.access();
#endif
  }
  TESS_WORD_FAR std::coroutine_handle<> suspend_far(promise_base& waiter) noexcept {
    if (!delayed()) return await_slot(*slot(), waiter);
    if (waiter.stops == nullptr) [[likely]]
      return await_delayed(issued_, waiter);
    where_ |= may_stop;
    return await_delayed_or_stop(issued_, waiter);
  }
  TESS_WORD_FAR T resume_far() {
    if (delayed()) {
      if ((where_ & may_stop) != 0) [[unlikely]]
        end_delayed(issued_);
      return take_due().complete();
    }
    std::uint64_t result[2];
    finish_slot(reinterpret_cast<word_slot*>(std::exchange(where_, 0) & address_bits), result);
    T value;
    std::memcpy(&value, result, sizeof(T));
    return value;
  }

  /// True: no other task could run.
  [[nodiscard, gnu::always_inline]] bool issue(global_ptr<T> p, std::memory_order order, std::source_location at) {
#if TESS_RACES
    called_at_ = at;
#endif
#if defined(TESS_CHECKED) && TESS_CHECKED
    check_access(p.bits(), sizeof(T), alignof(T), at);
#endif
    worker& w = *self;
    std::int64_t const left = w.count_word(p.place() != w.place);
    std::uint64_t const here = (Op == word_op::get ? job.load_window : job.atomic_window)[p.place()] + p.offset();
    // A lone task, and a window: both numbers have no sign.
    if ((left | static_cast<std::int64_t>(here)) < 0) [[unlikely]] {
      if (static_cast<std::int64_t>(here) < 0) return issue_without_window(p, order, left, at);
      issue_to_yield(w, here);
      return false;
    }
    do_at_once(here, order, at);
    return true;
  }

  /// The operation of a lone task: done now, or at its co_await.
  [[gnu::always_inline]] void do_at_once(std::uint64_t here, std::memory_order order,
                                         [[maybe_unused]] std::source_location at) {
    auto* const address = reinterpret_cast<std::byte*>(here);
    if constexpr (done_at_call) {
#if TESS_RACES
      operands_.value[0] = due{address, operands_, order, at}.complete();
#else
      operands_.value[0] = load_word<T>(address, order);
#endif
      where_ = 0;
    } else if (Op == word_op::put && (order == std::memory_order_relaxed || order == std::memory_order_release)) {
#if TESS_RACES
      due{address, operands_, order, at}.complete();
#else
      store_word<T>(address, operands_.value[0], order);
#endif
      where_ = 0;
    } else {
      prefetch_write(address);
      where_ = here;
    }
  }

  /// Other code does not see the place's window, or there is none. In one call, so that the caller has few registers to
  /// save at each switch.
  TESS_WORD_FAR bool issue_without_window(global_ptr<T> p, std::memory_order order, std::int64_t left,
                                          std::source_location at) {
    worker& w = *self;
    std::uint64_t const here = hidden_address(w, p, at);
    if (here == 0)
      issue_far(w, p, at);
    else if (left < 0)
      issue_to_yield(w, here);
    else
      do_at_once(here, order, at);
    return here != 0 && left >= 0;
  }

  /// Other tasks run until it is due.
  [[gnu::always_inline]] void issue_to_yield(worker const& w, std::uint64_t here) {
    auto* const address = reinterpret_cast<std::byte*>(here);
    issued_ = w.runnable.position();
    if constexpr (may_begin)
      if (begin(w, address)) return;
    Op == word_op::get ? prefetch_read(address) : prefetch_write(address);
    where_ = here;
  }

  /// The address of a word whose window other code does not see; 0: there is none, or a delay.
  static std::uint64_t hidden_address(worker const& w, global_ptr<T> p, std::source_location at) {
    if (p.place() == w.place && w.own_window != no_window) return w.own_window + p.offset();
    return w.verifies ? verified_address(p.bits(), sizeof(T), alignof(T), at) : 0;
  }

  /// False: it has not begun.
  [[gnu::always_inline]] bool begin(worker const& w, std::byte* address) noexcept {
    bits_of_word a{};
    bits_of_word b{};
    if constexpr (Op != word_op::get) {
      a = std::bit_cast<bits_of_word>(operands_.value[0]);
      b = std::bit_cast<bits_of_word>(operands_.value[operands_of(Op) - 1]);
    }
    std::int64_t const ticket = extended_address::begin<Op>(address, a, b);
    if (ticket < 0) return false;
    where_ = begun_flag | std::uint64_t{w.index} << worker_bit | static_cast<std::uint64_t>(ticket);
    return true;
  }
  /// It was not awaited, or it was delayed. A ticket belongs to the hart: elsewhere, as when a job has ended, it stays
  /// taken.
  [[gnu::noinline, gnu::cold]] void leave_behind() noexcept {
    if (far()) {
      if (!delayed()) abandon_slot(slot());
    } else if (self != nullptr && self->index == (where_ >> worker_bit & 0xffff)) {
      static_cast<void>(extended_address::take<bits_of_word>(ticket_of(where_)));
    }
  }

  /// An operation on a place without a window, or with a delay.
  void issue_far(worker& w, global_ptr<T> p, std::source_location at) {
    if (w.delayed_windows == nullptr) {
      where_ = reinterpret_cast<std::uint64_t>(issue_word(request(p), at)) | far_flag;
      return;
    }
    std::uint64_t const address = w.delayed_windows[p.place()] + p.offset();
    auto* const line = reinterpret_cast<std::byte*>(address);
    Op == word_op::get ? prefetch_read(line) : prefetch_write(line);
    where_ = address | far_flag | delayed_flag;
    issued_ = w.delayed.called_now();
  }

  /// No address has these bits. The first: there is no window, or a delay; the second says which of the two.
  static constexpr std::uint64_t far_flag = no_window;
  static constexpr std::uint64_t delayed_flag = std::uint64_t{1} << 61;
  /// Without far_flag: it has begun. Then bits 0-7 are its ticket, and the worker's index follows.
  static constexpr std::uint64_t begun_flag = delayed_flag;
  static constexpr unsigned worker_bit = 8;
  static constexpr std::int64_t ticket_of(std::uint64_t where) noexcept {
    return static_cast<std::int64_t>(where & 0xff);
  }
  /// The word as an integer of the same size and, for min and max, with the same sign.
  using bits_of_word = std::conditional_t<word_integer<T>, T, word_of<sizeof(T)>>;
  /// With a delay: the task waits inside a stop_scope.
  static constexpr std::uint64_t may_stop = std::uint64_t{1} << 60;
  static constexpr std::uint64_t address_bits = (std::uint64_t{1} << 60) - 1;
#if defined(__riscv)
  static_assert((extended_address::flat << extended_address::address_bits | extended_address::address_mask) ==
                address_bits);
#endif

  [[nodiscard]] bool far() const noexcept { return (where_ & far_flag) != 0; }
  [[nodiscard]] bool begun() const noexcept { return (where_ & (far_flag | begun_flag)) == begun_flag; }
  [[nodiscard]] bool delayed() const noexcept { return (where_ & delayed_flag) != 0; }
  [[nodiscard]] word_slot* slot() const noexcept { return reinterpret_cast<word_slot*>(where_ & address_bits); }

  word_request request(global_ptr<T> p) const noexcept {
    word_request r{Op, word_type_of<T>(), sizeof(T), alignof(T) < 8 ? alignof(T) : 8, p.bits(), {0, 0}};
    for (unsigned i = 0; i < operands_of(Op); ++i) {
      // One word each; a value longer than a word is a put, which uses both.
      if constexpr (Op != word_op::get) std::memcpy(&r.operands[i], &operands_.value[i], sizeof(T));
    }
    return r;
  }

  std::uint64_t where_;   ///< the word's address here, or a slot, with the flags above
  std::uint64_t issued_;  ///< position of the worker's ring at the call, which advances at every switch; or its time
  operands operands_;
  /// No other task could run at the call. Not a bit of where_, so that the compiler sees a lone task's way as one.
  bool at_once_;
  [[no_unique_address]] std::conditional_t<keeps_order, std::memory_order, no_order> order_;
  [[no_unique_address]] must_await must_await_;
#if defined(TESS_CHECKED) && TESS_CHECKED
  bool awaited_ = false;
#endif
#if TESS_RACES
  std::source_location called_at_;
#endif
};

/// A put's co_await has no value.
template <class T>
class [[nodiscard("a put completes at its co_await"), gnu::warn_unused]] put_call : public word_call<word_op::put, T> {
 public:
  using word_call<word_op::put, T>::word_call;
  void await_resume() { static_cast<void>(word_call<word_op::put, T>::await_resume()); }
};

template <class T>
using plain = std::type_identity_t<T>;

}  // namespace detail

/// Reads *p. T: any trivially copyable type up to 16 bytes; single words are read atomically.
template <detail::word_copyable T>
TESS_WORD_NEAR auto get(global_ptr<T> p, std::memory_order order = std::memory_order_seq_cst,
                        std::source_location at = std::source_location::current()) {
  using value = std::remove_cv_t<T>;
  return detail::word_call<detail::word_op::get, value>(global_ptr<value>::from_bits(p.bits()), order, at);
}

/// Writes *p.
template <detail::word_copyable T>
TESS_WORD_NEAR auto put(global_ptr<T> p, detail::plain<T> value, std::memory_order order = std::memory_order_seq_cst,
                        std::source_location at = std::source_location::current()) {
  return detail::put_call<T>(p, {{value}}, order, at);
}

/// Each of these gives the value before the operation. Integers of 32 and 64 bits have all of them; min and
/// max compare by T. float and double have fetch_add, fetch_sub, fetch_min, fetch_max (a NaN is neither stored nor
/// replaced) and exchange; they round in the order in which they took effect. global_ptr has exchange and
/// compare_swap, for linked structures: a word of zeros is the null pointer. There is no protection against ABA: do not
/// free a node that other tasks may still compare with.
template <detail::word_number T>
TESS_WORD_NEAR auto fetch_add(global_ptr<T> p, detail::plain<T> v, std::memory_order order = std::memory_order_seq_cst,
                              std::source_location at = std::source_location::current()) {
  return detail::word_call<detail::word_op::fetch_add, T>(p, {{v}}, order, at);
}
template <detail::word_integer T>
TESS_WORD_NEAR auto fetch_sub(global_ptr<T> p, detail::plain<T> v, std::memory_order order = std::memory_order_seq_cst,
                              std::source_location at = std::source_location::current()) {
  using unsigned_t = std::make_unsigned_t<T>;  // negating the smallest signed value must wrap, not overflow
  return detail::word_call<detail::word_op::fetch_add, T>(
      p, {{static_cast<T>(unsigned_t{0} - static_cast<unsigned_t>(v))}}, order, at);
}
template <detail::word_float T>
TESS_WORD_NEAR auto fetch_sub(global_ptr<T> p, detail::plain<T> v, std::memory_order order = std::memory_order_seq_cst,
                              std::source_location at = std::source_location::current()) {
  return detail::word_call<detail::word_op::fetch_add, T>(p, {{-v}}, order, at);
}
template <detail::word_integer T>
TESS_WORD_NEAR auto fetch_and(global_ptr<T> p, detail::plain<T> v, std::memory_order order = std::memory_order_seq_cst,
                              std::source_location at = std::source_location::current()) {
  return detail::word_call<detail::word_op::fetch_and, T>(p, {{v}}, order, at);
}
template <detail::word_integer T>
TESS_WORD_NEAR auto fetch_or(global_ptr<T> p, detail::plain<T> v, std::memory_order order = std::memory_order_seq_cst,
                             std::source_location at = std::source_location::current()) {
  return detail::word_call<detail::word_op::fetch_or, T>(p, {{v}}, order, at);
}
template <detail::word_integer T>
TESS_WORD_NEAR auto fetch_xor(global_ptr<T> p, detail::plain<T> v, std::memory_order order = std::memory_order_seq_cst,
                              std::source_location at = std::source_location::current()) {
  return detail::word_call<detail::word_op::fetch_xor, T>(p, {{v}}, order, at);
}
template <detail::word_number T>
TESS_WORD_NEAR auto fetch_min(global_ptr<T> p, detail::plain<T> v, std::memory_order order = std::memory_order_seq_cst,
                              std::source_location at = std::source_location::current()) {
  return detail::word_call<detail::word_op::fetch_min, T>(p, {{v}}, order, at);
}
template <detail::word_number T>
TESS_WORD_NEAR auto fetch_max(global_ptr<T> p, detail::plain<T> v, std::memory_order order = std::memory_order_seq_cst,
                              std::source_location at = std::source_location::current()) {
  return detail::word_call<detail::word_op::fetch_max, T>(p, {{v}}, order, at);
}
template <class T>
  requires(detail::word_number<T> || detail::word_pointer<T>)
TESS_WORD_NEAR auto exchange(global_ptr<T> p, detail::plain<T> v, std::memory_order order = std::memory_order_seq_cst,
                             std::source_location at = std::source_location::current()) {
  return detail::word_call<detail::word_op::exchange, T>(p, {{v}}, order, at);
}
/// Stores `desired` if *p equals `expected`; it succeeded if the result equals `expected`.
template <detail::word_discrete T>
TESS_WORD_NEAR auto compare_swap(global_ptr<T> p, detail::plain<T> expected, detail::plain<T> desired,
                                 std::memory_order order = std::memory_order_seq_cst,
                                 std::source_location at = std::source_location::current()) {
  return detail::word_call<detail::word_op::compare_swap, T>(p, {{expected, desired}}, order, at);
}

#undef TESS_WORD_NEAR
#undef TESS_WORD_FAR

}  // namespace tess
