// hostile: a fabric of one process for tests, as unfriendly as the contract allows.
//
//   There are no windows. Operations complete late and out of order, by a seeded random draw. try_send refuses at
//   random; messages arrive in any order. The bytes of a put or copy are invisible at the target until refresh(). A put
//   reads its source only when it completes, so a source that changes too early is noticed; results are written late,
//   too. fail() makes a place fail.
//
// Units    delays in polls of the issuing place: 0 to 7.
// Threads  as smp; one lock per place.
#include <algorithm>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>

#include "fabric/fabric.hpp"
#include "fabric/segment.hpp"
#include "fabric/sleepers.hpp"
#include "tess/assert.hpp"

namespace tess::detail {

namespace {

class hostile_fabric final : public fabric, private fabric_capabilities {
 public:
  hostile_fabric(thread_map const& threads, std::uint64_t seed) : threads_(threads), sleepers_(threads.threads) {
    places_of_thread_.resize(threads.threads);
    for (unsigned p = 0; p < threads.places; ++p) {
      places_.push_back(std::make_unique<place>(threads.places, seed * 1000003 + p));
      for (std::uint32_t const t : threads.threads_of_place[p]) places_of_thread_[t].push_back(places_.back().get());
    }
  }

  void word(place_id from, word_request const& request, std::uint64_t (&result)[2], completion& done) override {
    later(from, [this, request, &result, &done] {
      if (std::uint64_t const failure = failure_of(request.address)) return done.acknowledge(1, failure);
      apply_request(at(request.address), request, result);
      done.acknowledge(1);
    });
  }

  void put(place_id from, std::span<std::byte const> source, std::uint64_t target, completion* local,
           std::uint64_t notified) override {
    later(from, [this, source, target, local, notified] {
      if (std::uint64_t const failure = failure_of(source.empty() ? notified : target)) {
        return end(local, failure);
      }
      if (!source.empty()) stage(target, {source.begin(), source.end()});
      end(local);
      if (notified != 0) reinterpret_cast<completion*>(at(notified))->acknowledge(1);
    });
  }

  void get(place_id from, std::uint64_t source, std::span<std::byte> target, completion* local) override {
    later(from, [this, source, target, local] {
      if (std::uint64_t const failure = failure_of(source)) return end(local, failure);
      if (!target.empty()) std::memcpy(target.data(), at(source), target.size());
      end(local);
    });
  }

  void copy(place_id from, std::uint64_t source, std::uint64_t target, std::size_t bytes, completion* local) override {
    later(from, [this, source, target, bytes, local] {
      for (std::uint64_t const address : {source, target})
        if (std::uint64_t const failure = failure_of(address)) return end(local, failure);
      if (bytes != 0) stage(target, {at(source), at(source) + bytes});
      end(local);
    });
  }

  bool try_send(place_id from, place_id to, message_class cls, std::span<std::byte const> bytes) override {
    if (cls == message_class::request && draw(*places_[from], 4) == 0) return false;
    place& target = *places_[to];
    if (target.failed.load(std::memory_order_relaxed) || places_[from]->failed.load(std::memory_order_relaxed))
      return true;
    {
      std::lock_guard const lock(target.mutex);
      if (cls == message_class::request && target.messages.size() >= messages_max) return false;
      target.messages.push_back({from, std::vector<std::byte>(bytes.begin(), bytes.end())});
      target.waiting.store(target.messages.size(), std::memory_order_seq_cst);
    }
    wake_place(target);
    return true;
  }

  unsigned poll(place_id at_place, unsigned budget, message_sink& sink) override {
    place& p = *places_[at_place];
    perform_due(p);
    unsigned delivered = 0;
    while (delivered < budget && p.waiting.load(std::memory_order_relaxed) != 0) {
      message m;
      {
        std::lock_guard const lock(p.mutex);
        if (p.messages.empty()) break;
        std::size_t const which = draw_locked(p, p.messages.size());
        std::swap(p.messages[which], p.messages.back());
        m = std::move(p.messages.back());
        p.messages.pop_back();
        p.waiting.store(p.messages.size(), std::memory_order_relaxed);
      }
      ++delivered;
      sink.deliver(at_place, m.source, m.bytes);
    }
    return delivered;
  }

  void sleep(std::uint32_t thread, deadline until, idle_question nothing_to_do) override {
    if (!nothing_here(thread)) {
      // Delays are counted in polls, so a thread must poll.
      std::this_thread::yield();
      return;
    }
    sleepers_.sleep(thread, until, [&] { return nothing_here(thread) && nothing_to_do(); });
  }
  void wake(std::uint32_t thread) noexcept override { static_cast<void>(sleepers_.wake(thread)); }

  place_window window(place_id) const noexcept override { return {}; }
  place_segment segment(place_id p) const noexcept override {
    return {places_[p]->memory.base(), places_[p]->memory.bytes()};
  }
  bool extend_segment(place_id p, std::uint64_t offset, std::uint64_t bytes) override {
    return places_[p]->memory.commit(offset, bytes);
  }
  memory_room room(place_id p) const override { return places_[p]->memory.room(); }

  bool coherent() const noexcept override { return false; }
  void publish(place_id, std::uint64_t, std::uint64_t) override {}

  void refresh(place_id at_place, std::uint64_t offset, std::uint64_t bytes) override {
    place& p = *places_[at_place];
    std::lock_guard const lock(p.mutex);
    // Whole transfers become visible, oldest first, if they touch the range.
    std::erase_if(p.staged, [&](staged_bytes const& s) {
      bool const touches = s.offset < offset + bytes && offset < s.offset + s.bytes.size();
      if (touches) std::memcpy(p.memory.base() + s.offset, s.bytes.data(), s.bytes.size());
      return touches;
    });
  }

  std::vector<place_failure> failures() override {
    if (!has_failures_.load(std::memory_order_relaxed)) return {};
    std::lock_guard const lock(failures_mutex_);
    has_failures_.store(false, std::memory_order_relaxed);
    return std::exchange(failures_, {});
  }
  fabric_capabilities& capabilities() noexcept override { return *this; }
  void fail(place_id which, std::string const& how) override {
    places_[which]->failed.store(true, std::memory_order_relaxed);
    for (auto const& p : places_) {
      std::lock_guard const lock(p->mutex);
      std::erase_if(p->messages, [&](message const& m) { return m.source == which || p == places_[which]; });
      p->waiting.store(p->messages.size(), std::memory_order_relaxed);
    }
    std::lock_guard const lock(failures_mutex_);
    failures_.push_back({which, how});
    has_failures_.store(true, std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t messages_max = 64;
  static constexpr std::uint64_t delay_max = 8;

  struct message {
    place_id source = 0;
    std::vector<std::byte> bytes;
  };
  struct staged_bytes {
    std::uint64_t offset;
    std::vector<std::byte> bytes;
  };
  struct late_operation {
    std::uint64_t due;
    std::function<void()> perform;
  };
  struct place {
    place(unsigned places, std::uint64_t seed) : memory(places), random(seed) {}
    detail::segment memory;
    std::mutex mutex;
    std::vector<message> messages;
    std::vector<staged_bytes> staged;
    std::vector<late_operation> late;
    std::uint64_t random;
    std::uint64_t polls = 0;
    std::atomic<std::size_t> waiting{0};  ///< messages
    std::atomic<std::size_t> pending{0};  ///< late operations
    std::atomic<bool> failed{false};
  };

  static std::uint64_t draw_locked(place& p, std::uint64_t n) noexcept {
    p.random = p.random * 6364136223846793005u + 1442695040888963407u;
    return (p.random >> 33) % n;
  }
  static std::uint64_t draw(place& p, std::uint64_t n) noexcept {
    std::lock_guard const lock(p.mutex);
    return draw_locked(p, n);
  }

  static void end(completion* local, std::uint64_t failure = 0) {
    if (local != nullptr) local->acknowledge(1, failure);
  }

  /// 0, or the error with which an operation on that place ends.
  std::uint64_t failure_of(std::uint64_t address) const noexcept {
    place_id const place = place_of(address);
    return places_[place]->failed.load(std::memory_order_relaxed) ? place + 1U : 0;
  }

  std::byte* at(std::uint64_t address) const noexcept {
    return places_[place_of(address)]->memory.base() + offset_of(address);
  }

  void later(place_id from, std::function<void()> perform) {
    place& p = *places_[from];
    {
      std::lock_guard const lock(p.mutex);
      p.late.push_back({p.polls + draw_locked(p, delay_max), std::move(perform)});
      p.pending.store(p.late.size(), std::memory_order_seq_cst);
    }
    wake_place(p);
  }

  void perform_due(place& p) {
    if (p.pending.load(std::memory_order_relaxed) == 0) return;
    std::vector<late_operation> due;
    {
      std::lock_guard const lock(p.mutex);
      ++p.polls;
      auto const split =
          std::partition(p.late.begin(), p.late.end(), [&](late_operation const& o) { return o.due > p.polls; });
      due.assign(std::make_move_iterator(split), std::make_move_iterator(p.late.end()));
      p.late.erase(split, p.late.end());
      for (std::size_t i = due.size(); i > 1; --i) std::swap(due[i - 1], due[draw_locked(p, i)]);
      p.pending.store(p.late.size(), std::memory_order_relaxed);
    }
    for (late_operation& o : due) o.perform();
  }

  void stage(std::uint64_t target, std::vector<std::byte> bytes) {
    place& p = *places_[place_of(target)];
    std::lock_guard const lock(p.mutex);
    p.staged.push_back({offset_of(target), std::move(bytes)});
  }

  void wake_place(place& p) noexcept {
    for (std::uint32_t t = 0; t < threads_.threads; ++t)
      if (std::ranges::find(places_of_thread_[t], &p) != places_of_thread_[t].end() && sleepers_.wake(t)) return;
  }

  bool nothing_here(std::uint32_t thread) const noexcept {
    return std::ranges::all_of(places_of_thread_[thread], [](place const* p) {
      return p->waiting.load(std::memory_order_seq_cst) == 0 && p->pending.load(std::memory_order_seq_cst) == 0;
    });
  }

  thread_map threads_;
  sleepers sleepers_;
  std::vector<std::unique_ptr<place>> places_;
  std::vector<std::vector<place*>> places_of_thread_;
  std::mutex failures_mutex_;
  std::vector<place_failure> failures_;
  std::atomic<bool> has_failures_{false};
};

}  // namespace

std::unique_ptr<fabric> make_hostile_fabric(thread_map const& threads, std::uint64_t seed) {
  return std::make_unique<hostile_fabric>(threads, seed);
}

}  // namespace tess::detail
