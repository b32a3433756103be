// endpoint_names: who listens under which name, for fabrics of one process.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "fabric/fabric.hpp"

namespace tess::detail {

class endpoint_names {
 public:
  static constexpr endpoint first = 65536;  ///< below are places

  void listen(place_id at, std::string_view name) {
    std::lock_guard const lock(mutex_);
    names_[std::string(name)] = at;
  }
  [[nodiscard]] endpoint connect(std::string_view name) {
    std::lock_guard const lock(mutex_);
    auto const found = names_.find(name);
    if (found == names_.end())
      throw error("connect", "nobody listens as `" + std::string(name) + "`", "a name given to listen() before");
    auto const e = static_cast<endpoint>(first + endpoints_.size());
    endpoints_[e] = found->second;
    return e;
  }
  /// The place behind an endpoint.
  [[nodiscard]] place_id place_of(endpoint e) {
    if (e < first) return static_cast<place_id>(e);
    std::lock_guard const lock(mutex_);
    return endpoints_.at(e);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, place_id, std::less<>> names_;
  std::map<endpoint, place_id> endpoints_;
};

}  // namespace tess::detail
