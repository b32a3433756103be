// fabric_contract: the fabrics on which the tests of the contract in src/fabric/fabric.hpp run, and their fixture.
//
//   A fabric under test has `places` places, each of which belongs to the thread of the same number. All waiting is
//   polling with a limit, so that a lost completion fails a test instead of hanging it.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <ostream>
#include <thread>
#include <utility>
#include <vector>

#include "fabric/fabric.hpp"
#include "fabric/ucx/ucx.hpp"
#include "test_seed.hpp"

namespace tess::test {

using namespace tess::detail;

struct fabric_kind {
  char const* name;
  std::unique_ptr<fabric> (*make)(thread_map const&, std::uint64_t seed);
  bool incoherent;      ///< block transfers are seen only after refresh()
  bool windows = true;  ///< segments are windows
};
inline void PrintTo(fabric_kind const& k, std::ostream* out) {
  *out << k.name;
}

/// Places of this process that communicate by UCX: over shared memory, or as UCX_TLS says.
template <bool Windows>
std::unique_ptr<fabric> make_ucx_here(thread_map const& t, std::uint64_t) {
  return make_checked_fabric(make_ucx_fabric(t, {.windows = Windows, .identity = {}}, nullptr), t);
}

inline std::vector<fabric_kind> all_fabrics() {
  return {
      {"smp", [](thread_map const& t, std::uint64_t) { return make_smp_fabric(t); }, false},
      {"delayed",
       [](thread_map const& t, std::uint64_t s) {
         return make_checked_fabric(
             make_delayed_fabric(make_smp_fabric(t), t, {std::chrono::microseconds(2), std::chrono::microseconds(2)},
                                 s),
             t);
       },
       false},
      {"checked", [](thread_map const& t, std::uint64_t) { return make_checked_fabric(make_smp_fabric(t), t); }, false},
#if TESS_HAVE_UCX
      {"ucx", &make_ucx_here<true>, false},
      {"ucx_without_windows", &make_ucx_here<false>, false, false},
#endif
      {"hostile",
       [](thread_map const& t, std::uint64_t s) { return make_checked_fabric(make_hostile_fabric(t, s), t); }, true,
       false}};
}
inline std::string name_of(testing::TestParamInfo<fabric_kind> const& i) {
  return i.param.name;
}

inline thread_map one_thread_per_place(place_id places) {
  thread_map map{places, {}, places};
  for (std::uint32_t p = 0; p < places; ++p) map.threads_of_place.push_back({p});
  return map;
}

constexpr std::uint64_t address(place_id place, std::uint64_t offset) {
  return global_address(place, offset);
}

/// Collects messages.
struct collecting_sink final : message_sink {
  struct message {
    place_id at, source;
    std::vector<std::byte> bytes;
  };
  void deliver(place_id at, place_id source, std::span<std::byte const> bytes) override {
    messages.push_back({at, source, {bytes.begin(), bytes.end()}});
  }
  std::vector<message> messages;
};

inline std::vector<std::byte> pattern(std::size_t bytes, std::uint64_t first) {
  std::vector<std::byte> v(bytes);
  for (std::size_t i = 0; i < bytes; ++i) v[i] = static_cast<std::byte>(first + i * 7);
  return v;
}

class fabric_contract : public testing::TestWithParam<fabric_kind> {
 protected:
  static constexpr place_id places = 3;
  static constexpr std::uint64_t room = std::uint64_t{1} << 20;

  fabric_contract() : fabric_(GetParam().make(one_thread_per_place(places), seed())) {
    for (place_id p = 0; p < places; ++p) EXPECT_TRUE(fabric_->extend_segment(p, 0, room));
  }

  std::byte* memory(place_id place, std::uint64_t offset) { return fabric_->segment(place).base + offset; }

  /// Polls all places until the cell is idle; what arrives goes to `sink_`.
  void settle(completion& c) {
    poll_until([&] { return c.idle(); });
    ASSERT_TRUE(c.idle()) << "an operation never completed";
  }
  /// Other threads may make progress, so the limit is a time.
  template <class Condition>
  void poll_until(Condition reached) {
    auto const limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!reached() && std::chrono::steady_clock::now() < limit) poll_all();
  }
  void poll_all() {
    for (place_id p = 0; p < places; ++p) static_cast<void>(fabric_->poll(p, 16, sink_));
  }
  /// Sends a request, and polls while there is no credit.
  void send(place_id from, place_id to, std::span<std::byte const> bytes) {
    bool sent = false;
    poll_until([&] { return sent = fabric_->try_send(from, to, message_class::request, bytes); });
    ASSERT_TRUE(sent) << "try_send refuses for ever";
  }
  void deliver_all(std::size_t count) {
    poll_until([&] { return sink_.messages.size() >= count; });
    for (int i = 0; i < 20; ++i) poll_all();
    ASSERT_EQ(sink_.messages.size(), count);
  }

  std::unique_ptr<fabric> fabric_;
  collecting_sink sink_;
};

}  // namespace tess::test
