// acknowledged_writes: writers that remember what was acknowledged, while somebody kills servers and clients.
//
//   For every slot of a region, a writer keeps the last value that was acknowledged and the last that was tried; what
//   is read must lie in between. One writer is a process that is killed, too; it shares its model through a mapping.
#pragma once

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tess/rmem.hpp"

namespace tess::rmem {

class acknowledged_writes {
 public:
  static constexpr std::size_t slots = 4;  // the last one is written by a process
  static constexpr std::uint64_t slot_bytes = std::uint64_t{2} << 20;

  /// Creates the region, and begins to write.
  explicit acknowledged_writes(std::string const& at) : at_(at), model_(model::shared()), client_(at) {
    base_ = client_.create("model", slots * slot_bytes).base;
    start_process();
    for (std::size_t i = 0; i + 1 < slots; ++i) threads_.emplace_back([this, i] { write_in_thread(i); });
  }
  acknowledged_writes(acknowledged_writes const&) = delete;
  acknowledged_writes& operator=(acknowledged_writes const&) = delete;
  ~acknowledged_writes() {
    model_->done = true;
    for (auto& t : threads_) t.join();
    if (process_ > 0) waitpid(process_, nullptr, 0);
    munmap(model_, sizeof(model));
  }

  void kill_client() {
    ::kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    start_process();
  }
  /// What is wrong; empty: nothing.
  std::string problem() {
    if (failed_) return failure_;
    if (client_.open("model", rights::read_write).base != base_) return "the region's address has changed";
    for (std::size_t i = 0; i < slots; ++i) {
      std::vector<std::uint64_t> words(slot_words[i]);
      std::uint64_t const least = model_->of[i].acknowledged;
      client_.memread(words.data(), base_ + i * slot_bytes, words.size() * sizeof(std::uint64_t));
      std::uint64_t const most = model_->of[i].tried;
      auto const [low, high] = std::ranges::minmax(words);
      auto const where = "slot " + std::to_string(i) + ": ";
      if (low < least)
        return where + std::to_string(low) + " is there, " + std::to_string(least) +
               " was acknowledged: a write is lost";
      if (high > most) return where + std::to_string(high) + " was never written";
    }
    return "";
  }
  /// Ends the writers; what is wrong then.
  std::string end() {
    model_->done = true;
    for (auto& t : threads_) t.join();
    threads_.clear();
    int status = 0;
    waitpid(std::exchange(process_, 0), &status, 0);
    if (status != 0) return "the writing process ended with status " + std::to_string(status);
    return problem();
  }
  [[nodiscard]] std::uint64_t acknowledged(std::size_t slot) const { return model_->of[slot].acknowledged; }

 private:
  /// Words of each slot: the first slot is small, the others are written in two steps, some in several chunks.
  static constexpr std::array<std::size_t, slots> slot_words{8, 3000, 200000, 1000};

  /// In memory that processes share.
  struct model {
    struct slot {
      std::atomic<std::uint64_t> tried{0};
      std::atomic<std::uint64_t> acknowledged{0};
    };
    std::array<slot, slots> of;
    std::atomic<bool> done{false};

    static model* shared() {
      void* const page = mmap(nullptr, sizeof(model), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
      return new (page) model;
    }
  };

  /// A client does not wait for a server that never answered, and this server may be killed just now.
  [[nodiscard]] std::unique_ptr<client> connect() const {
    for (int i = 0;; ++i) {
      try {
        return std::make_unique<client>(at_);
      } catch (std::exception const&) {
        if (i == 20000 || model_->done) throw;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  /// Each value fills the slot.
  void write(client& c, std::size_t i) const {
    auto& slot = model_->of[i];
    std::vector<std::uint64_t> words(slot_words[i]);
    while (!model_->done) {
      std::uint64_t const value = slot.tried + 1;
      slot.tried = value;
      std::ranges::fill(words, value);
      c.memwrite(base_ + i * slot_bytes, words.data(), words.size() * sizeof(std::uint64_t));
      slot.acknowledged = value;
    }
  }

  void write_in_thread(std::size_t i) {
    try {
      write(*connect(), i);
    } catch (std::exception const& e) {
      failure_ = "writer " + std::to_string(i) + ": " + e.what();
      failed_ = true;
    }
  }

  void start_process() {
    process_ = fork();
    if (process_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Sockets of the test, which may listen, end with the test's own descriptors.
    constexpr unsigned after_standard_error = STDERR_FILENO + 1;
    close_range(after_standard_error, UINT_MAX, 0);
    try {
      write(*connect(), slots - 1);
    } catch (std::exception const& e) {
      std::fprintf(stderr, "writer: %s\n", e.what());
      _exit(1);
    }
    _exit(0);
  }

  std::string at_;
  model* model_;
  client client_;
  std::uint64_t base_ = 0;
  std::vector<std::thread> threads_;
  pid_t process_ = 0;
  std::string failure_;
  std::atomic<bool> failed_{false};
};

}  // namespace tess::rmem
