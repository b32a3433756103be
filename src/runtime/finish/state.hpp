// state: what a place keeps for finishes: their proxies, and reports and questions on their way.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime/tasks/spin_lock.hpp"
#include "tess/detail/tasks/scope.hpp"
#include "tess/place.hpp"

namespace tess::detail {

class finish_proxy;

struct place_finishes {
  spin_lock mutex;
  std::unordered_map<std::uint64_t, finish_proxy*> proxies;  ///< by finish key
  std::atomic<finish_proxy*> idle_proxies{nullptr};          ///< a list; its head is also read without the lock

  /// Finish reports are applied in the order in which their place sent them; see finish.cpp.
  struct report_order {
    std::uint64_t next = 1;
    std::map<std::uint64_t, std::vector<std::byte>> early;  ///< by number; arrived before an earlier one
  };
  std::unordered_map<place_id, std::uint64_t> reports_to;  ///< how many, by home place
  std::unordered_map<place_id, report_order> reports_from;

  /// After a failure, a home asks: does this place have any task of the finish? See finish.cpp.
  struct question {
    std::uint64_t key;
    std::uint64_t number;
    std::uint64_t failed;  ///< the place
  };
  std::vector<question> questions;  ///< not yet answered
  std::atomic<bool> has_questions{false};

  std::unique_ptr<finish_scope> system;  ///< scope of the runtime's own tasks, which nothing waits for
};

}  // namespace tess::detail
