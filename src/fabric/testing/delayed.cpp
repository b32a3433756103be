// delayed: a wrapper that adds a simulated network latency to every operation on another place.
//
//   Words and blocks wait in a queue of the issuing place and go to the inner fabric when they are due. Messages wait
//   at the receiving place or, if that is another process, at the sender. Operations on the own place are not delayed,
//   nor are accelerators and event lines, which are the inner fabric's. A poll performs what its own place issued, and
//   what one other place issued: a busy issuer must not hold up a place that waits for its notification. Words come
//   here only if there is no window; otherwise the workers delay them (delay_line.hpp).
//
// Threads  as the inner fabric; one lock per place.
// Cost     an uncontended lock, a look at the clock, a push and a pop.
// Source   SoftXMT, "Crunching Large Graphs with Commodity Processors" (HotPar 2011), section 4.
#include <algorithm>
#include <deque>
#include <mutex>
#include <thread>
#include <variant>

#include "fabric/fabric.hpp"
#include "fabric/testing/delay_queue.hpp"
#include "tess/detail/platform.hpp"

namespace tess::detail {

namespace {

struct word_operation {
  word_request request;
  std::uint64_t (*result)[2];
  completion* done;
};
struct put_operation {
  std::span<std::byte const> source;
  std::uint64_t target;
  completion* local;
  std::uint64_t notified;
};
struct get_operation {
  std::uint64_t source;
  std::span<std::byte> target;
  completion* local;
};
struct copy_operation {
  std::uint64_t source, target;
  std::size_t bytes;
  completion* local;
};
/// A message to a place of another process.
struct send_operation {
  place_id to;
  message_class cls;
  std::vector<std::byte> bytes;
};
using operation =
    std::variant<std::monostate, word_operation, put_operation, get_operation, copy_operation, send_operation>;

struct message {
  place_id source = 0;
  std::vector<std::byte> bytes;
};

class delayed_fabric final : public fabric {
 public:
  delayed_fabric(std::unique_ptr<fabric> inner, thread_map const& threads, delay const& longer, std::uint64_t seed)
      : inner_(std::move(inner)), threads_(threads) {
    for (unsigned p = 0; p < threads.places; ++p)
      places_.push_back(std::make_unique<place>(longer, seed * 1000003 + 2 * p));
  }
  ~delayed_fabric() override {
    // Other processes wait for these messages; the memory of other operations may be gone.
    for (std::size_t from = 0; from < places_.size(); ++from) {
      place& p = *places_[from];
      for (operation o; p.operations.pop(never - 1, o);)
        if (std::holds_alternative<send_operation>(o)) perform(static_cast<place_id>(from), std::move(o));
      for (send_operation const& m : p.refused)
        static_cast<void>(inner_->try_send(static_cast<place_id>(from), m.to, message_class::reply, m.bytes));
    }
  }
  delayed_fabric(delayed_fabric const&) = delete;
  delayed_fabric& operator=(delayed_fabric const&) = delete;

  void word(place_id from, word_request const& request, std::uint64_t (&result)[2], completion& done) override {
    if (place_of(request.address) == from)
      inner_->word(from, request, result, done);
    else
      later(from, word_operation{request, &result, &done});
  }

  void put(place_id from, std::span<std::byte const> source, std::uint64_t target, completion* local,
           std::uint64_t notified) override {
    // A bare notification goes where its counter lies.
    place_id const to = place_of(notified != 0 ? notified : target);
    if (to == from) return inner_->put(from, source, target, local, notified);
    later(from, put_operation{source, target, local, notified});
    // A thread of that place may sleep until a later deadline.
    if (notified != 0) wake_place(to);
  }

  void get(place_id from, std::uint64_t source, std::span<std::byte> target, completion* local) override {
    if (place_of(source) == from)
      inner_->get(from, source, target, local);
    else
      later(from, get_operation{source, target, local});
  }

  void copy(place_id from, std::uint64_t source, std::uint64_t target, std::size_t bytes, completion* local) override {
    if (place_of(source) == from && place_of(target) == from)
      inner_->copy(from, source, target, bytes, local);
    else
      later(from, copy_operation{source, target, bytes, local});
  }

  bool try_send(place_id from, place_id target, message_class cls, std::span<std::byte const> bytes) override {
    if (target == from) return inner_->try_send(from, target, cls, bytes);
    if (is_remote(target)) return send_later(from, target, cls, bytes);
    place& p = *places_[target];
    {
      std::lock_guard const lock(p.mutex);
      if (cls == message_class::request && p.messages.size() >= messages_max) return false;
      message m{from, {}};
      if (!p.spare.empty()) {
        m.bytes = std::move(p.spare.back());
        p.spare.pop_back();
      }
      m.bytes.assign(bytes.begin(), bytes.end());
      p.messages.push(std::move(m));
    }
    wake_place(target);
    return true;
  }

  unsigned poll(place_id at, unsigned budget, message_sink& sink) override {
    place& p = *places_[at];
    perform_due(p, at);
    if (auto const neighbour = static_cast<place_id>(p.neighbour = (p.neighbour + 1) % places_.size()); neighbour != at)
      perform_due(*places_[neighbour], neighbour);
    unsigned const delivered = deliver_due(p, at, budget, sink);
    return delivered < budget ? delivered + inner_->poll(at, budget - delivered, sink) : delivered;
  }

  void sleep(std::uint32_t thread, deadline until, idle_question nothing_to_do) override {
    std::uint64_t const next = next_due();
    std::uint64_t const now = nanoseconds_now();
    if (next != never && next < now + shortest_sleep_ns) {
      std::this_thread::yield();
      return;
    }
    for (auto const& p : places_)
      if (p->has_refused.load(std::memory_order_relaxed))
        until = std::min(until, deadline::clock::now() + std::chrono::microseconds(100));
    if (next != never) until = std::min(until, deadline::clock::now() + std::chrono::nanoseconds(next - now));
    // An operation that becomes due earlier wakes the thread, or the question finds it.
    struct both {
      delayed_fabric const& self;
      std::uint64_t next;
      idle_question question;
    } question{*this, next, nothing_to_do};
    inner_->sleep(thread, until,
                  {[](void* context) {
                     auto const& asked = *static_cast<both*>(context);
                     return asked.self.next_due() >= asked.next && asked.question();
                   },
                   &question});
  }
  void wake(std::uint32_t thread) noexcept override { inner_->wake(thread); }

  place_window window(place_id p) const noexcept override { return inner_->window(p); }
  place_segment segment(place_id p) const noexcept override { return inner_->segment(p); }
  bool extend_segment(place_id p, std::uint64_t offset, std::uint64_t bytes) override {
    return inner_->extend_segment(p, offset, bytes);
  }
  memory_room room(place_id p) const override { return inner_->room(p); }
  bool coherent() const noexcept override { return inner_->coherent(); }
  void publish(place_id at, std::uint64_t offset, std::uint64_t bytes) override { inner_->publish(at, offset, bytes); }
  void refresh(place_id at, std::uint64_t offset, std::uint64_t bytes) override { inner_->refresh(at, offset, bytes); }
  std::vector<place_failure> failures() override { return inner_->failures(); }
  fabric_capabilities& capabilities() noexcept override { return inner_->capabilities(); }

 private:
  static constexpr std::uint64_t never = delay_queue<operation>::never;
  /// Requests under way to one place: in full buffers, enough for the bandwidth of memory during a millisecond.
  static constexpr std::size_t messages_max = 2048;
  /// About the time that the system needs for a sleep and a wake-up.
  static constexpr std::uint64_t shortest_sleep_ns = 50'000;

  struct alignas(cache_line) place {
    place(delay const& longer, std::uint64_t seed) : operations(longer, seed), messages(longer, seed + 1) {}
    std::mutex mutex;
    delay_queue<operation> operations;
    delay_queue<message> messages;
    std::vector<std::vector<std::byte>> spare;  ///< memory for messages to come
    std::atomic<std::size_t> neighbour{0};
    std::deque<send_operation> refused;  ///< due, but the inner fabric had no credit
    std::atomic<bool> has_refused{false};
  };

  /// The place is in another process.
  bool is_remote(place_id p) const noexcept { return threads_.threads_of_place[p].empty(); }

  void later(place_id from, operation o) {
    place& p = *places_[from];
    std::lock_guard const lock(p.mutex);
    p.operations.push(std::move(o));
  }

  bool send_later(place_id from, place_id to, message_class cls, std::span<std::byte const> bytes) {
    place& p = *places_[from];
    std::lock_guard const lock(p.mutex);
    bool const full = p.operations.size() + p.refused.size() >= messages_max;
    if (cls == message_class::request && full) return false;
    p.operations.push(send_operation{to, cls, {bytes.begin(), bytes.end()}});
    return true;
  }

  /// Sends messages for which there was no credit, while there is some now.
  void send_refused(place& p, place_id from) {
    if (!p.has_refused.load(std::memory_order_relaxed)) return;
    std::lock_guard const lock(p.mutex);
    while (!p.refused.empty()) {
      send_operation const& m = p.refused.front();
      if (!inner_->try_send(from, m.to, m.cls, m.bytes)) return;
      p.refused.pop_front();
    }
    p.has_refused.store(false, std::memory_order_relaxed);
  }

  void perform_due(place& p, place_id from) {
    send_refused(p, from);
    if (p.operations.next_due() == never) return;
    std::uint64_t const now = nanoseconds_now();
    while (p.operations.next_due() <= now) {
      operation o;
      {
        std::lock_guard const lock(p.mutex);
        if (!p.operations.pop(now, o)) return;
      }
      perform(from, std::move(o));
    }
  }

  void perform(place_id from, operation&& o) {
    if (auto const* const w = std::get_if<word_operation>(&o))
      inner_->word(from, w->request, *w->result, *w->done);
    else if (auto const* const t = std::get_if<put_operation>(&o))
      inner_->put(from, t->source, t->target, t->local, t->notified);
    else if (auto const* const g = std::get_if<get_operation>(&o))
      inner_->get(from, g->source, g->target, g->local);
    else if (auto const* const c = std::get_if<copy_operation>(&o))
      inner_->copy(from, c->source, c->target, c->bytes, c->local);
    else if (auto* const m = std::get_if<send_operation>(&o);
             m != nullptr && !inner_->try_send(from, m->to, m->cls, m->bytes)) {
      place& p = *places_[from];
      std::lock_guard const lock(p.mutex);
      p.refused.push_back(std::move(*m));
      p.has_refused.store(true, std::memory_order_relaxed);
    }
  }

  unsigned deliver_due(place& p, place_id at, unsigned budget, message_sink& sink) {
    if (p.messages.next_due() == never) return 0;
    std::uint64_t const now = nanoseconds_now();
    unsigned delivered = 0;
    message m;
    while (delivered < budget && p.messages.next_due() <= now) {
      {
        std::lock_guard const lock(p.mutex);
        if (m.bytes.capacity() != 0) p.spare.push_back(std::move(m.bytes));
        if (!p.messages.pop(now, m)) return delivered;
      }
      ++delivered;
      sink.deliver(at, m.source, m.bytes);
    }
    if (m.bytes.capacity() != 0) {
      std::lock_guard const lock(p.mutex);
      p.spare.push_back(std::move(m.bytes));
    }
    return delivered;
  }

  std::uint64_t next_due() const noexcept {
    std::uint64_t next = never;
    for (auto const& p : places_) next = std::min({next, p->operations.next_due(), p->messages.next_due()});
    return next;
  }

  void wake_place(place_id p) noexcept {
    for (std::uint32_t const t : threads_.threads_of_place[p]) inner_->wake(t);
  }

  std::unique_ptr<fabric> inner_;
  thread_map threads_;
  std::vector<std::unique_ptr<place>> places_;
};

}  // namespace

std::unique_ptr<fabric> make_delayed_fabric(std::unique_ptr<fabric> inner, thread_map const& threads,
                                            delay const& longer, std::uint64_t seed) {
  return std::make_unique<delayed_fabric>(std::move(inner), threads, longer, seed);
}

}  // namespace tess::detail
