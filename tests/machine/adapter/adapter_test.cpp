// adapter_test: remote words are atomic, DMA moves exactly its bytes, invocations arrive once although queues overflow.
//
// Method: sixteen adapters on a mesh with buffers of one flit, whose homes are bytes in a map that answer after random
// times. Tests check the sum of concurrent additions, all bytes around a transfer, and handlers that invoke further
// tasks while their queue is full.
#include "machine/adapter/adapter.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <random>

namespace {

using namespace tess::machine;  // NOLINT: a test of one namespace

constexpr clock_domain clock_50_mhz{20'000};
constexpr std::uint64_t home_bytes = 1U << 20U;

/// The tile's range is [tile << 20, (tile + 1) << 20).
class toy_home : public home {
 public:
  toy_home(kernel& k, std::uint32_t tile) : bytes(home_bytes), kernel_(k), tile_(tile), draw_(tile) {}
  void serve(transaction& request, event& finished) override {
    if (request.address / home_bytes != tile_) {
      request.status = remote_outcome::wrong;
    } else {
      std::byte* const at = bytes.data() + request.address % home_bytes;
      if (request.what == remote_operation::read) std::memcpy(request.data.data(), at, request.bytes);
      if (request.what == remote_operation::write) std::memcpy(at, request.data.data(), request.bytes);
      if (request.what == remote_operation::atomic)
        request.operand = apply(request.word, at, request.bytes, request.operand);
      if (request.what == remote_operation::compare_swap) {
        request.operand = apply_compare_swap(at, request.bytes, request.expected, request.operand);
      }
      request.status = remote_outcome::done;
    }
    kernel_.after(draw_() % 200'000, finished);
  }
  std::vector<std::byte> bytes;

 private:
  kernel& kernel_;
  std::uint64_t tile_;
  std::mt19937_64 draw_;
};

struct tiles {
  explicit tiles(adapter_parameters const& parameters = {}, std::uint32_t buffer_flits = 1) {
    network_parameters made;
    made.width = made.height = 4;
    made.buffer_flits = buffer_flits;
    made.virtual_networks = {{1, 0}, {1, 1}, {1, 2}};
    noc = std::make_unique<network>(k, clock_50_mhz, made);
    for (std::uint32_t tile = 0; tile < 16; ++tile) {
      homes.push_back(std::make_unique<toy_home>(k, tile));
      adapters.push_back(std::make_unique<adapter>(k, *noc, clock_50_mhz, parameters, tile, *homes.back()));
    }
  }
  kernel k{20'000};
  std::unique_ptr<network> noc;
  std::vector<std::unique_ptr<toy_home>> homes;
  std::vector<std::unique_ptr<adapter>> adapters;
};

/// Awaited: the transaction is done.
struct remote : event {
  remote(adapter& by, transaction& request) : event([](event& self) { static_cast<remote&>(self).waiting.resume(); }) {
    request.done = this;
    issued = &request;
    client = &by;
  }
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    waiting = handle;
    client->issue(*issued);
  }
  void await_resume() const noexcept {}
  std::coroutine_handle<> waiting;
  transaction* issued;
  adapter* client;
};

process adds(tiles& t, std::uint32_t tile, int times, std::uint64_t& ended) {
  for (int i = 0; i < times; ++i) {
    transaction add;
    add.what = remote_operation::atomic;
    add.word = atomic_operation::add;
    add.bytes = 8;
    add.target = 5;
    add.address = 5 * home_bytes + 64;
    add.operand = tile + 1;
    co_await remote(*t.adapters[tile], add);
    EXPECT_EQ(add.status, remote_outcome::done);
  }
  ++ended;
}

TEST(remote_atomics, of_all_tiles_on_one_word_lose_nothing) {
  tiles t;
  std::uint64_t ended = 0;
  std::uint64_t expected = 0;
  for (std::uint32_t tile = 0; tile < 16; ++tile) {
    for (int hart = 0; hart < 4; ++hart) t.k.start(adds(t, tile, 50, ended));
    expected += 4 * 50 * (tile + 1);
  }
  t.k.run();
  EXPECT_EQ(ended, 64U);
  std::uint64_t sum = 0;
  std::memcpy(&sum, t.homes[5]->bytes.data() + 64, 8);
  EXPECT_EQ(sum, expected);
}

process one(tiles& t, std::uint32_t tile, transaction& request) {
  co_await remote(*t.adapters[tile], request);
}

TEST(a_remote_access, to_an_unmapped_address_fails) {
  tiles t;
  transaction request;
  request.bytes = 8;
  request.target = 3;
  request.address = 4 * home_bytes;
  t.k.start(one(t, 0, request));
  t.k.run();
  EXPECT_EQ(request.status, remote_outcome::wrong);
}

TEST(a_remote_compare_swap, stores_only_if_the_word_is_as_expected) {
  tiles t;
  for (std::uint64_t const expected : {1ULL, 0ULL}) {
    transaction request;
    request.what = remote_operation::compare_swap;
    request.bytes = 4;
    request.target = 3;
    request.address = 3 * home_bytes + 4;
    request.expected = expected;
    request.operand = 0x80000000U;
    t.k.start(one(t, 0, request));
    t.k.run();
    EXPECT_EQ(request.operand, 0U);
    EXPECT_EQ(t.homes[3]->bytes[7], expected == 0 ? std::byte{0x80} : std::byte{0});
  }
}

TEST(a_word, is_combined_as_the_a_extension_says) {
  auto const combine = [](atomic_operation what, std::uint64_t bytes, std::uint64_t before, std::uint64_t operand) {
    std::byte at[8];
    std::memcpy(at, &before, 8);
    EXPECT_EQ(
        apply(what, at, bytes, operand),
        bytes == 8 ? before : static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(before))));
    std::uint64_t after = 0;
    std::memcpy(&after, at, 8);
    return after;
  };
  constexpr std::uint64_t minus_one = ~std::uint64_t{0};
  EXPECT_EQ(combine(atomic_operation::add, 4, 0x1'ffff'ffff, 1), 0x1'0000'0000U);
  EXPECT_EQ(combine(atomic_operation::min, 8, 3, minus_one), minus_one);
  EXPECT_EQ(combine(atomic_operation::minu, 8, 3, minus_one), 3U);
  EXPECT_EQ(combine(atomic_operation::max, 4, 0x8000'0000, 1), 1U);
  EXPECT_EQ(combine(atomic_operation::maxu, 4, 0x8000'0000, 1), 0x8000'0000U);
  EXPECT_EQ(combine(atomic_operation::exclusive_or, 8, 6, 3), 5U);
  EXPECT_EQ(combine(atomic_operation::conjunction, 8, 6, 3), 2U);
  EXPECT_EQ(combine(atomic_operation::disjunction, 8, 6, 3), 7U);
  EXPECT_EQ(combine(atomic_operation::swap, 8, 6, 3), 3U);
}

class every_transfer : public testing::TestWithParam<std::uint64_t> {};

TEST_P(every_transfer, moves_its_bytes_and_none_beside_them) {
  std::uint64_t const bytes = GetParam();
  for (std::uint64_t const from_offset : {0ULL, 32ULL}) {
    for (std::uint64_t const to_offset : {0ULL, 32ULL}) {
      tiles t;
      for (std::uint64_t i = 0; i < home_bytes; ++i) t.homes[2]->bytes[i] = static_cast<std::byte>(i * 7 + 1);
      transaction request;
      request.what = remote_operation::transfer;
      request.target = 2;
      request.address = 2 * home_bytes + 4096 + from_offset;
      request.part = dma_transfer{.destination = 13 * home_bytes + 8192 + to_offset, .destination_tile = 13};
      request.bytes = bytes;
      t.k.start(one(t, 7, request));
      t.k.run();
      ASSERT_EQ(request.status, remote_outcome::done);
      for (std::uint64_t i = 0; i < bytes + 128; ++i) {
        std::uint64_t const at = 8192 - 64 + i;
        bool const inside = at >= 8192 + to_offset && at < 8192 + to_offset + bytes;
        std::byte const expected =
            inside ? t.homes[2]->bytes[4096 + from_offset + (at - 8192 - to_offset)] : std::byte{0};
        ASSERT_EQ(t.homes[13]->bytes[at], expected) << at;
      }
      EXPECT_EQ(t.adapters[2]->counted().dma_bytes, bytes);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(sizes, every_transfer, testing::Values(0, 32, 64, 96, 1024, 5120));

TEST(a_transfer, beyond_its_home_or_not_aligned_ends_as_wrong) {
  tiles t;
  transaction beyond;
  beyond.what = remote_operation::transfer;
  beyond.target = 2;
  beyond.address = 3 * home_bytes - 128;
  beyond.part = dma_transfer{.destination = 3 * home_bytes, .destination_tile = 3};
  beyond.bytes = 1024;
  t.k.start(one(t, 7, beyond));
  t.k.run();
  EXPECT_EQ(beyond.status, remote_outcome::wrong);
  transaction crooked;
  crooked.what = remote_operation::transfer;
  crooked.target = 2;
  crooked.address = 2 * home_bytes + 8;
  crooked.part = dma_transfer{.destination = 2 * home_bytes + 4096, .destination_tile = 2};
  crooked.bytes = 64;
  t.k.start(one(t, 7, crooked));
  t.k.run();
  EXPECT_EQ(crooked.status, remote_outcome::wrong);
}

struct invocation : transaction {
  invocation(std::uint32_t target_, std::uint64_t hops) : told([](event&) {}) {
    what = remote_operation::invoke;
    target = target_;
    bytes = 16;
    std::memcpy(data.data(), &hops, 8);
    done = &told;
  }
  event told;
};

/// Takes tasks. A task with hops left invokes another one with one hop fewer. It does not wait for that: the invocation
/// stays in a slot of the adapter until it is taken.
process handler(tiles& t, std::uint32_t tile, std::deque<invocation>& slots, std::uint64_t& handled) {
  for (;;) {
    co_await t.k.delay(clock_50_mhz.cycles(200));
    auto const taken = t.adapters[tile]->take_task();
    if (!taken) continue;
    ++handled;
    std::uint64_t hops = 0;
    std::memcpy(&hops, taken->data(), 8);
    if (hops > 0) t.adapters[tile]->issue(slots.emplace_back((tile * 5 + 3) % 16, hops - 1));
  }
}

TEST(invocations, from_handlers_of_all_tiles_to_full_queues_arrive_once_each) {
  adapter_parameters made;
  made.task_queue_entries = 1;
  tiles t(made);
  std::uint64_t handled = 0;
  std::deque<invocation> slots;
  for (std::uint32_t tile = 0; tile < 16; ++tile) {
    t.k.start(handler(t, tile, slots, handled));
    for (std::uint32_t to = 0; to < 16; ++to) t.adapters[tile]->issue(slots.emplace_back(to, 3));
  }
  t.k.run_until(clock_50_mhz.cycles(400'000));
  EXPECT_EQ(handled, 16U * 16 * 4);
  for (invocation const& each : slots) EXPECT_EQ(each.status, remote_outcome::done);
  std::uint64_t refused = 0;
  for (auto const& one : t.adapters) refused += one->counted().refused;
  EXPECT_GT(refused, 1000U) << "the queues were never full: this tests nothing";
}

TEST(an_adapter, limits_the_operations_in_flight_and_loses_none) {
  adapter_parameters made;
  made.outstanding = 2;
  tiles t(made);
  std::deque<transaction> request(40);
  for (transaction& each : request) {
    each.bytes = 8;
    each.target = 9;
    each.address = 9 * home_bytes;
    t.k.start(one(t, 0, each));
  }
  t.k.run_until(clock_50_mhz.cycles(30));
  EXPECT_LE(t.adapters[9]->counted().served, 2U);
  t.k.run();
  for (transaction const& each : request) EXPECT_EQ(each.status, remote_outcome::done);
}

}  // namespace
