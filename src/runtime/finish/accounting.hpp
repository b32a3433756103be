// accounting: the counts that a place keeps for finishes, changed only under the place's lock; see finish.cpp.
//
// Threads  one accounting of a place at a time.
#pragma once

#include <algorithm>
#include <functional>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "runtime/failures/failed_places.hpp"
#include "runtime/finish/finish.hpp"
#include "runtime/tasks/worker_loop.hpp"
#include "tess/at.hpp"

namespace tess::detail {

/// Messages on the way from one place to another: sent less arrived, as far as is known.
struct difference {
  place_id source, target;
  std::int64_t count;
};

struct remote_counts {
  struct route {
    place_id source, target;
    bool operator==(route const&) const = default;
  };
  struct hash {
    std::size_t operator()(route r) const noexcept {
      return std::hash<std::uint32_t>()(std::uint32_t{r.source} << 16 | r.target);
    }
  };

  void add(route r, std::int64_t n) {
    auto const [entry, made] = sums.try_emplace(r, 0);
    entry->second += n;
    if (entry->second == 0) sums.erase(entry);
  }

  std::unordered_map<route, std::int64_t, hash> sums;  ///< zeros left out
  // At home, after a failure:
  std::vector<place_id> asked;  ///< places that have not yet answered that they have none of its tasks
  std::uint64_t question = 0;   ///< the number of the question that they have to answer
};

class finish_proxy : public finish_scope {
 public:
  finish_proxy(std::uint64_t key, bool shared) : finish_scope(scope_kind::proxy, key, shared) {}

  remote_counts counts;
  std::exception_ptr exception;
  std::uint64_t exceptions = 0;
  finish_proxy* next_idle = nullptr;
  bool listed = false;  ///< in place_finishes::idle_proxies
};

inline void delete_proxy(finish_proxy* proxy) noexcept {
  std::destroy_at(proxy);
  self->frames.release(proxy);
}

class call_scope : public finish_scope {
 public:
  call_scope(std::uint64_t key, place_id by, bool shared) : finish_scope(scope_kind::call, key, shared), caller(by) {}

  place_id caller;
  finish_scope* counted_in = nullptr;  ///< where this call counts as one task, once it must
};

/// Holds the lock of the place's finishes while it lives.
class finish_accounting {
 public:
  explicit finish_accounting(place_state& place) : place_(place), lock_(place.finishes.mutex) {}

  /// The scope of a finish at this place: home itself, or the proxy, made if need be.
  finish_scope& find(std::uint64_t key) {
    if (key == 0) return *place_.finishes.system;
    auto const g = global_ptr<finish_home>::from_bits(key);
    if (g.place() == place_.id) return *g.local();
    auto const [entry, made] = place_.finishes.proxies.try_emplace(key, nullptr);
    if (made) {
      try {
        void* const memory = self->frames.allocate(sizeof(finish_proxy), frame_pool::kind::raw);
        entry->second = new (memory) finish_proxy(key, !self->single);
      } catch (...) {
        place_.finishes.proxies.erase(entry);
        throw;
      }
    }
    return *entry->second;
  }

  remote_counts& counts_of(finish_scope& s) {
    if (s.kind() == finish_scope::scope_kind::system) return uncounted_;
    if (s.kind() == finish_scope::scope_kind::proxy) return static_cast<finish_proxy&>(s).counts;
    auto& home = static_cast<finish_home&>(s);
    if (home.remote_ == nullptr) {
      home.remote_ = new remote_counts;
      home.set_travels();
    }
    return *home.remote_;
  }

  /// Counts the call for its finish from now on.
  finish_scope& count(call_scope& call) {
    if (call.counted_in == nullptr) {
      finish_scope& s = find(call.key());
      s.add(1);
      counts_of(s).add({call.caller, place_.id}, -1);
      call.counted_in = &s;
    }
    return *call.counted_in;
  }

  void drop(finish_scope& s, std::int64_t n) noexcept {
    s.add(-n);
    if (s.outstanding() == 0) idle(s);
  }

  void idle(finish_scope& s) noexcept {
    switch (s.kind()) {
      case finish_scope::scope_kind::system:
        return;
      case finish_scope::scope_kind::home:
        complete(static_cast<finish_home&>(s));
        return;
      case finish_scope::scope_kind::proxy: {
        auto& proxy = static_cast<finish_proxy&>(s);
        if (!std::exchange(proxy.listed, true)) {
          proxy.next_idle = place_.finishes.idle_proxies.load(std::memory_order_relaxed);
          place_.finishes.idle_proxies.store(&proxy, std::memory_order_relaxed);
        }
        return;
      }
      case finish_scope::scope_kind::call: {
        auto& call = static_cast<call_scope&>(s);
        finish_scope* const counted_in = call.counted_in;
        std::destroy_at(&call);
        self->frames.release(&call);
        if (counted_in != nullptr) drop(*counted_in, 1);
        return;
      }
    }
  }

  void fail(finish_scope& s, std::exception_ptr exception, std::uint64_t others = 0) {
    // Nothing waits for a task of the runtime itself; it handles its own errors.
    if (s.kind() == finish_scope::scope_kind::system) std::rethrow_exception(std::move(exception));
    if (s.kind() == finish_scope::scope_kind::home) {
      std::exception_ptr& first = static_cast<finish_home&>(s).first_;
      if (!first) first = std::move(exception);
      return;
    }
    auto& proxy = static_cast<finish_proxy&>(s);
    if (!proxy.exception) proxy.exception = std::move(exception);
    proxy.exceptions += 1 + others;
  }

  /// A place failed while this finish had tasks elsewhere: it ends with place_failed when the surviving places answer
  /// that they have none of its tasks. Returns the places to ask.
  [[nodiscard]] std::vector<place_id> fail_home(finish_home& home, place_id failed, std::uint64_t question) {
    if (home.remote_ == nullptr) return {};
    remote_counts& counts = *home.remote_;
    fail(home, make_place_failed(failed));
    counts.question = question;
    counts.asked.clear();
    for (unsigned p = 0; p < job.places; ++p)
      if (p != place_.id && !job.failed[p]) counts.asked.push_back(static_cast<place_id>(p));
    std::vector<place_id> asked = counts.asked;
    if (home.outstanding() == 0) complete(home);
    return asked;
  }
  /// A place answered the question.
  void settled(finish_home& home, place_id there, std::uint64_t question) {
    if (home.remote_ != nullptr && home.remote_->question == question) std::erase(home.remote_->asked, there);
  }

 private:
  static void complete(finish_home& home) noexcept {
    if (home.remote_ != nullptr && !settled(*home.remote_)) return;
    // Messages to a place that had failed are lost.
    if (home.remote_ != nullptr && !home.remote_->sums.empty() && !home.first_) {
      auto const lost = home.remote_->sums.begin()->first;
      home.first_ = make_place_failed(job.failed[lost.target] ? lost.target : lost.source);
    }
    // The waiter may free `home` as soon as it is woken.
    wake_task(home.waiter_worker(), *home.waiter());
  }

  /// No message is on its way, except from or to places that failed.
  static bool settled(remote_counts const& counts) noexcept {
    return counts.asked.empty() && std::ranges::all_of(counts.sums, [](auto const& sum) {
             return has_failed(sum.first.source) || has_failed(sum.first.target);
           });
  }

  place_state& place_;
  std::unique_lock<spin_lock> lock_;
  remote_counts uncounted_;
};

}  // namespace tess::detail
