// exception_trace: the way of an exception through tasks: where it was thrown, and each co_await that it left by.
//
//   A task whose body throws notes its latest co_await; each task that awaited it adds its own as the exception
//   passes. A reply or a finish report takes the way along as text, and the place where it arrives goes on with it. The
//   way is printed if the exception leaves the program.
//
//   Each place keeps the latest ways, each with its exception, so that no other exception has the same address
//   meanwhile. They are the place's because what an exception owns (a graph) may end only there.
//
// Threads  any of the place.
// Cost     nothing until an exception leaves a task; then a lock and at most an entry of a fixed table.
#pragma once

#include <array>
#include <cstddef>
#include <exception>
#include <mutex>
#include <source_location>
#include <string>
#include <string_view>

#include "tess/error.hpp"

namespace tess::detail {

/// The co_await is one of the tasks that the runtime itself runs around the program.
[[nodiscard]] inline bool is_around_program(std::source_location where) noexcept {
  std::string_view const file = where.file_name();
  return file.find("src/runtime/job/") != std::string_view::npos || file.ends_with("/tess/at.hpp");
}

class exception_traces {
 public:
  /// The exception leaves a task of `place`, whose latest co_await is `where` (line 0: it has come to none).
  void passes(std::exception_ptr exception, place_id place, std::source_location where) noexcept;
  /// It arrived from another place, where its way was `before`.
  void arrives(std::exception_ptr exception, std::string before) noexcept;
  /// A line for each step, each with the same indent and an end of line; empty if nothing is known.
  [[nodiscard]] std::string text_of(std::exception_ptr const& exception) noexcept;
  /// Forgets all of them, and lets the exceptions go.
  void clear() noexcept;

 private:
  struct step {
    std::source_location where;
    place_id place = 0;
  };
  struct way {
    std::exception_ptr exception;
    std::string before;
    std::array<step, 16> steps;
    std::size_t count = 0;  ///< of all steps; only the first ones are kept
  };

  /// The way of the exception; if it is new, in place of the oldest, whose exception is put into `gone`.
  way& find(std::exception_ptr const& exception, std::exception_ptr& gone);

  std::mutex mutex_;
  std::array<way, 4> ways_;
  std::size_t next_ = 0;
};

}  // namespace tess::detail
