// endpoints: each is asked in turn whether it serves, the one that served last first.
#include "rmem/client/endpoints.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

#include "tess/rmem.hpp"

namespace tess::rmem {

namespace {
constexpr auto pause = std::chrono::milliseconds(10);
}

servers::servers(std::string const& where) : text_(where) {
  for (std::size_t at = 0; at <= where.size();) {
    std::size_t const comma = std::min(where.find(',', at), where.size());
    addresses_.push_back(full_address(where.substr(at, comma - at), false));
    local_ = local_ && is_local(addresses_.back());
    at = comma + 1;
  }
  // Of two at least one may be the second now.
  come_back_ = addresses_.size() > 1;
}

std::unique_ptr<connection> servers::try_one(std::string const& address) {
  auto c = std::make_unique<connection>(address);
  auto const said = c->call({.what = wire::operation::hello});
  come_back_.store((said.head.argument & wire::comes_back) != 0, std::memory_order_relaxed);
  number_.store(static_cast<std::uint8_t>(said.head.rights), std::memory_order_relaxed);
  std::string const partner(reinterpret_cast<char const*>(said.payload.data()), said.payload.size());
  // A socket's path is of use on its host only.
  if (partner.empty() || is_local(partner) != is_local(address)) return c;
  std::lock_guard const lock(mutex_);
  if (std::ranges::find(addresses_, partner) == addresses_.end()) addresses_.push_back(partner);
  return c;
}

std::unique_ptr<connection> servers::find() {
  auto const deadline = std::chrono::steady_clock::now() + failure_timeout();
  for (;;) {
    std::vector<std::string> all;
    {
      std::lock_guard const lock(mutex_);
      all = addresses_;
    }
    std::string why;
    std::size_t const first = last_.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::size_t const index = (first + i) % all.size();
      try {
        auto c = try_one(all[index]);
        last_.store(index, std::memory_order_relaxed);
        return c;
      } catch (lost const& gone) {
        why += (why.empty() ? "" : "; ") + std::string(gone.what());
      } catch (refused const& no) {
        if (no.why() != reason::not_serving) throw;
        come_back_.store(true, std::memory_order_relaxed);
        why += (why.empty() ? "" : "; ") + all[index] + ": " + no.what();
      }
    }
    if (!come_back() || std::chrono::steady_clock::now() >= deadline) throw lost(why);
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace tess::rmem
