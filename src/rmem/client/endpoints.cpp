// endpoints: each address is tried in turn, beginning with the one that served last.
#include "rmem/client/endpoints.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "tess/rmem.hpp"

namespace tess::rmem {

namespace {
constexpr auto retry_interval = std::chrono::milliseconds(10);
/// One of two servers must say within this part of the time-out whether it serves.
constexpr int greeting_part = 8;
}  // namespace

endpoints::endpoints(std::string const& where) : text_(where) {
  for (std::size_t at = 0; at <= where.size();) {
    std::size_t const comma = std::min(where.find(',', at), where.size());
    try {
      addresses_.push_back(full_address(where.substr(at, comma - at), false));
    } catch (bad_address const& wrong) {
      throw refused(reason::bad_request, wrong.what());
    }
    local_ = local_ && is_local(addresses_.back());
    at = comma + 1;
  }
  // One of two servers may be the backup now.
  has_other_ = addresses_.size() > 1;
  regions_persist_ = addresses_.size() > 1;
}

std::unique_ptr<connection> endpoints::try_connect(std::string const& address) {
  auto c = std::make_unique<connection>(address, failure_timeout() / (has_other_ ? greeting_part : 1));
  connection::answer answer;
  try {
    answer = c->call({.what = wire::operation::hello});
  } catch (refused const&) {
    learn(c->other_server(), address);
    throw;
  }
  regions_persist_.store((answer.head.argument & wire::regions_persist) != 0, std::memory_order_relaxed);
  number_.store(static_cast<std::uint8_t>(answer.head.rights), std::memory_order_relaxed);
  learn({reinterpret_cast<char const*>(answer.payload.data()), answer.payload.size()}, address);
  c->wait_for(patience());
  return c;
}

/// A server has named the other one of two.
void endpoints::learn(std::string const& peer, std::string const& from) {
  if (peer.empty()) return;
  has_other_ = true;
  // The path of a socket is of use on its own host only.
  if (is_local(peer) != is_local(from)) return;
  std::lock_guard const lock(mutex_);
  if (std::ranges::find(addresses_, peer) == addresses_.end()) addresses_.push_back(peer);
}

std::unique_ptr<connection> endpoints::connect() {
  auto const deadline = std::chrono::steady_clock::now() + failure_timeout();
  for (;;) {
    std::vector<std::string> all;
    {
      std::lock_guard const lock(mutex_);
      all = addresses_;
    }
    std::string why;
    std::size_t const first = last_served_.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::size_t const index = (first + i) % all.size();
      try {
        auto c = try_connect(all[index]);
        last_served_.store(index, std::memory_order_relaxed);
        return c;
      } catch (lost const& gone) {
        why += (why.empty() ? "" : "; ") + std::string(gone.what());
      } catch (refused const& no) {
        if (no.why() != reason::not_serving) throw;
        regions_persist_.store(true, std::memory_order_relaxed);
        why += (why.empty() ? "" : "; ") + all[index] + ": " + no.what();
      }
    }
    if (!regions_persist() || std::chrono::steady_clock::now() >= deadline) throw lost(why);
    std::this_thread::sleep_for(retry_interval);
  }
}

}  // namespace tess::rmem
