// cni_test: the algorithms of CNI's evaluation, on threads instead of cores: sorted blocks, transforms, and a barrier's
// counters.
//
// Method: threads with arrays as scratchpads; checks by second algorithms; counters are stepped in random orders.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <cstring>
#include <map>
#include <random>
#include <thread>

#include "barrier_plan.hpp"
#include "checks.hpp"

namespace {

using namespace cni;  // NOLINT

/// What the threads of one run share.
struct shared_chip {
  explicit shared_chip(unsigned cores) : all(cores), pads(cores), arrived(cores) {}
  std::barrier<> all;
  std::vector<std::array<std::byte, data_bytes>> pads;
  std::vector<std::array<std::atomic<unsigned>, channels_max>> arrived;
};

class thread_core {
 public:
  thread_core(shared_chip& chip, unsigned number) : chip_(chip), number_(number) {}
  [[nodiscard]] unsigned number() const { return number_; }
  [[nodiscard]] unsigned cores() const { return static_cast<unsigned>(chip_.pads.size()); }
  [[nodiscard]] std::byte* scratchpad() { return chip_.pads[number_].data(); }
  void announce(exchange const& with) { announced_[with.channel] = with; }
  void send(exchange const& with, void* to, void const* from) {
    EXPECT_EQ(announced_.at(with.channel).peer, with.peer);
    EXPECT_EQ(announced_.at(with.channel).bytes, with.bytes);
    auto const offset = static_cast<std::byte*>(to) - scratchpad();
    ASSERT_LE(static_cast<std::uint64_t>(offset) + with.bytes, data_bytes);
    std::memcpy(chip_.pads[with.peer].data() + offset, from, with.bytes);
    // Pairs with the acquire of wait(): the bytes are there.
    EXPECT_EQ(chip_.arrived[with.peer][with.channel].exchange(1, std::memory_order_release), 0U);
  }
  void wait(exchange const& with) {
    auto& flag = chip_.arrived[number_][with.channel];
    while (flag.load(std::memory_order_acquire) == 0) std::this_thread::yield();
    flag.store(0, std::memory_order_relaxed);
  }
  void barrier() { chip_.all.arrive_and_wait(); }
  std::uint64_t cycle() { return ++now_; }

 private:
  shared_chip& chip_;
  unsigned number_;
  std::map<unsigned, exchange> announced_;
  std::uint64_t now_ = 0;
};

/// f(core) on as many threads.
template <class Function>
void on_cores(unsigned cores, Function f) {
  shared_chip chip(cores);
  std::vector<std::jthread> threads;
  for (unsigned number = 0; number < cores; ++number)
    threads.emplace_back([&chip, number, &f] {
      thread_core own(chip, number);
      f(own);
    });
}

TEST(bitonic, sorts_every_size_on_every_number_of_cores) {
  for (unsigned const cores : {1U, 2U, 4U})
    for (std::uint64_t n = 4; n <= bitonic_sort<thread_core>::elements_max; n *= 2)
      on_cores(cores, [n](thread_core& own) {
        bitonic_sort sort(own, n);
        for (int round = 0; round < 2; ++round) {
          sort.fill();
          own.barrier();
          sort.run();
          EXPECT_TRUE(is_sorted_part(sort, n)) << n << " on " << own.cores() << ", core " << own.number();
          own.barrier();
        }
      });
}

TEST(bitonic, an_exchange_of_two_elements_would_be_seen) {
  on_cores(1, [](thread_core& own) {
    bitonic_sort sort(own, 64);
    sort.fill();
    EXPECT_FALSE(is_sorted_part(sort, 64));
    sort.run();
    auto* const words = reinterpret_cast<bitonic_sort<thread_core>::element*>(own.scratchpad());
    std::swap(words[40], words[41]);
    EXPECT_FALSE(is_sorted_part(sort, 64));
  });
}

TEST(fft, is_the_transform_for_every_size_on_every_number_of_cores) {
  for (unsigned const cores : {1U, 2U, 4U})
    for (std::uint64_t n = std::max(8U, cores * cores); n <= fft<thread_core>::elements_max; n *= 2)
      on_cores(cores, [n](thread_core& own) {
        fft transform(own, n);
        for (int round = 0; round < 2; ++round) {
          transform.fill();
          own.barrier();
          transform.run();
          EXPECT_TRUE(is_transformed_part(transform, n, n <= 512 ? n : 16)) << n << " on " << own.cores();
          own.barrier();
        }
      });
}

TEST(fft, every_result_is_on_one_core) {
  std::vector<std::atomic<int>> seen(256);
  on_cores(4, [&](thread_core& own) {
    fft const transform(own, 256);
    for (std::uint64_t i = 0; i < transform.count(); ++i) ++seen[transform.index(i)];
  });
  for (auto const& times : seen) EXPECT_EQ(times, 1);
}

TEST(fft, a_wrong_result_would_be_seen) {
  on_cores(1, [](thread_core& own) {
    fft transform(own, 64);
    transform.fill();
    transform.run();
    auto* const values = reinterpret_cast<complex*>(own.scratchpad());
    values[17].imaginary += 0.01F;
    EXPECT_FALSE(is_transformed_part(transform, 64, 64));
  });
}

/// A barrier's counters: adds are taken in random order.
class stepped_counters {
 public:
  stepped_counters(barrier_plan const& plan, unsigned cores, std::mt19937& random)
      : plan_(plan), notified_(cores, 0), random_(random) {
    for (auto const& one : plan.counters()) {
      EXPECT_TRUE(values_.emplace(key(one.at), -static_cast<int>(one.adds)).second) << "two counters at one place";
      EXPECT_LE(one.notifies.size(), notified_max);
      EXPECT_LT(one.at.number, barrier_counters);
      EXPECT_LT(one.at.core, cores);
      counters_by_place_[key(one.at)] = &one;
    }
  }
  void arrive(unsigned core) { pending_.push_back(plan_.arrival(core)); }
  [[nodiscard]] bool step() {
    if (pending_.empty()) return false;
    std::swap(pending_[random_() % pending_.size()], pending_.back());
    counter_place const to = pending_.back();
    pending_.pop_back();
    if (to.is_flag) {
      ++notified_[to.core];
      return true;
    }
    auto& value = values_.at(key(to));
    if (++value != 0) return true;
    auto const& one = *counters_by_place_.at(key(to));
    value = -static_cast<int>(one.adds);
    pending_.insert(pending_.end(), one.notifies.begin(), one.notifies.end());
    return true;
  }
  [[nodiscard]] std::vector<int> const& notified() const { return notified_; }

 private:
  static std::uint64_t key(counter_place const& at) { return std::uint64_t{at.core} << 32U | at.number; }
  barrier_plan const& plan_;
  std::map<std::uint64_t, int> values_;
  std::map<std::uint64_t, planned_counter const*> counters_by_place_;
  std::vector<counter_place> pending_;
  std::vector<int> notified_;
  std::mt19937& random_;
};

TEST(barrier_plan, notifies_all_cores_when_all_have_arrived_and_not_before) {
  std::mt19937 random(20);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same every time
  for (unsigned const group : {2U, 4U, 8U, 16U})
    for (unsigned const cores : {1U, 2U, 3U, 4U, 5U, 16U, 17U, 64U, 100U, 128U, 1024U}) {
      barrier_plan const plan(cores, group);
      stepped_counters counters(plan, cores, random);
      for (int episode = 1; episode <= 3; ++episode) {
        for (unsigned core = 1; core < cores; ++core) counters.arrive(core);
        while (counters.step()) {
        }
        ASSERT_EQ(counters.notified(), std::vector<int>(cores, episode - 1)) << cores << " in groups of " << group;
        counters.arrive(0);
        while (counters.step()) {
        }
        ASSERT_EQ(counters.notified(), std::vector<int>(cores, episode)) << cores << " in groups of " << group;
      }
    }
}

}  // namespace
