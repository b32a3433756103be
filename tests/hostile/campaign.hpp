// campaign: what all hostile campaigns in C++ have in common: the time, the seed, and the last line, which
// tools/hostile.py reads: `NAME: N attempts, N failures, seed N`.
#pragma once

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <string>
#include <string_view>

namespace tess::hostile {

class campaign {
 public:
  using clock = std::chrono::steady_clock;

  /// The command line is [--seconds S] [--seed N].
  campaign(std::string name, int argc, char** argv) : name_(std::move(name)) {
    std::uint64_t seconds = 60;
    seed_ = std::random_device{}();
    for (int i = 1; i + 1 < argc; i += 2) {
      std::string_view const option = argv[i];
      std::uint64_t* const to = option == "--seconds" ? &seconds : option == "--seed" ? &seed_ : nullptr;
      char const* const end = argv[i + 1] + std::strlen(argv[i + 1]);
      if (to == nullptr || std::from_chars(argv[i + 1], end, *to).ptr != end) misuse();
    }
    if (argc % 2 == 0) misuse();
    deadline_ = clock::now() + std::chrono::seconds(seconds);
    std::printf("%s: seed %lu\n", name_.c_str(), seed_);
    std::fflush(stdout);
  }
  campaign(campaign const&) = delete;
  campaign& operator=(campaign const&) = delete;

  [[nodiscard]] bool goes_on() const { return clock::now() < deadline_ && failures_ == 0; }
  /// Draws of its own for each thread.
  [[nodiscard]] std::mt19937_64 draw(std::uint64_t thread = 0) const { return std::mt19937_64(seed_ * 1000 + thread); }
  void counted(std::uint64_t attempts = 1) { count_ += attempts; }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  void failed(std::string const& what) {
    std::lock_guard const lock(mutex_);
    ++failures_;
    std::printf("attempt %lu of --seed %lu: %s\n", count_.load(), seed_, what.c_str());
    std::fflush(stdout);
  }
  /// The exit code.
  [[nodiscard]] int end() const {
    std::printf("%s: %lu attempts, %lu failures, seed %lu\n", name_.c_str(), count_.load(), failures_.load(), seed_);
    return failures_ == 0 ? 0 : 1;
  }

 private:
  [[noreturn]] void misuse() const {
    std::fprintf(stderr, "usage: hostile_%s [--seconds S] [--seed N]\n", name_.c_str());
    std::exit(2);
  }

  std::string name_;
  std::uint64_t seed_ = 0;
  clock::time_point deadline_;
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::uint64_t> failures_{0};
  std::mutex mutex_;
};

}  // namespace tess::hostile
