// past: earlier states of this process: copies made by fork, which wait until one of them is to go on instead.
//
//   A copy costs the pages that this process changes after it. At most copies_max are kept: with every further one the
//   older half is thinned, so that the near past is close. A copy that goes on leaves a copy of itself behind, so one
//   can go back to it again. A question runs in a copy, which answers and ends.
//
//   Whoever goes on is this run's process for the one that began it (supervised_run). If that one ends, so do all.
//
// Errors    std::system_error if there can be no further process.
// Threads   one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tess::machine {

/// How a process of a run and the one that began it know of each other.
struct run_link {
  int life = -1;    ///< Can be read when the beginning process has ended.
  int result = -1;  ///< Who goes on, and how it ended.
};

class past {
 public:
  static constexpr std::size_t copies_max = 24;

  explicit past(run_link const& link) noexcept : link_(link) {}
  past(past const&) = delete;
  past& operator=(past const&) = delete;

  /// What a copy that was woken is to do: `text`, and whether it is a question.
  struct message {
    std::string text;
    bool is_question = false;
  };
  /// Keeps a copy of this process as it is, at this step. Returns nothing; in the copy, when it is woken, its message.
  std::optional<message> keep(std::uint64_t step);
  /// The latest copy of a step up to `step`; nothing: there is none. The first is of the begin.
  [[nodiscard]] std::optional<std::size_t> latest(std::uint64_t step) const;
  [[nodiscard]] std::uint64_t step_of(std::size_t copy) const { return copies_[copy].step; }
  [[nodiscard]] std::size_t copies() const noexcept { return copies_.size(); }
  /// All copies end: what has happened until now cannot be gone back to.
  void forget();

  /// That copy goes on, and this process ends.
  [[noreturn]] void go_back(std::size_t copy, std::string_view text);
  /// That copy's answer. Nothing: it failed, or `stop` could be read before.
  std::optional<std::string> ask(std::size_t copy, std::string_view text, int stop);
  /// In a copy that was asked.
  [[noreturn]] void answer(std::string_view text);

 private:
  struct copy {
    std::uint64_t step;
    int control;  ///< This process's end of a pair of sockets.
  };
  /// In a new copy: waits for messages; returns in those that go on.
  message wait(int commands);
  void end(std::size_t copy);

  run_link link_;
  std::vector<copy> copies_;
  int answers_ = -1;
};

}  // namespace tess::machine
