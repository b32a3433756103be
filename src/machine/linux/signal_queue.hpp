// signal_queue: signals that have been sent and not been delivered, in the order of their arrival.
//
//   Every real-time signal waits for its turn; the others are pending once. A timer's signal is there once, too, and
//   counts what its timer sends meanwhile.
//
// Threads   none.
// Source    signal(7), sigqueue(3), timer_getoverrun(2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tess::machine {

// What a handler is told about why it runs: si_code, and the two words behind it.
struct signal_information {
  std::int32_t code = 0;
  std::uint64_t value = 0;  // an address, or process and user, or timer and overruns
  std::uint64_t data = 0;   // what sigqueue or timer_create was given

  // If the code is SI_TIMER.
  [[nodiscard]] std::uint32_t timer() const noexcept { return static_cast<std::uint32_t>(value); }
  [[nodiscard]] std::uint32_t overruns() const noexcept { return static_cast<std::uint32_t>(value >> 32U); }
};

class signal_queue {
 public:
  static constexpr std::size_t most = 4096;
  static constexpr std::uint64_t bit(std::uint32_t number) noexcept { return std::uint64_t{1} << (number - 1); }

  [[nodiscard]] std::uint64_t set() const noexcept { return set_; }
  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  void add(std::uint32_t number, signal_information const& why);
  // The first one with this number, which is in the set.
  signal_information take(std::uint32_t number);
  void drop(std::uint32_t number);
  void drop_timer(std::uint32_t id);

 private:
  struct entry {
    std::uint32_t number;
    signal_information why;
  };
  void count_again() noexcept;

  std::uint64_t set_ = 0;
  std::vector<entry> all_;
};

}  // namespace tess::machine
