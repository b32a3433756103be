// exception_trace: the table of the latest ways, and their text.
#include "runtime/failures/exception_trace.hpp"

#include <algorithm>
#include <utility>

#include "runtime/job/job.hpp"
#include "tess/task.hpp"

namespace tess::detail {

namespace {

/// `walk(graph&)`: the task's function without its result type, cut where it is long.
std::string function_of(std::source_location where) {
  constexpr std::size_t most = 80;
  std::string_view name = where.function_name();
  for (std::string_view const result : {"tess::task<", "task<"})
    if (name.starts_with(result)) {
      std::size_t depth = 0;
      for (std::size_t i = result.size() - 1; i < name.size(); ++i) {
        depth += name[i] == '<' ? 1U : 0U;
        if (name[i] == '>' && --depth == 0) {
          name.remove_prefix(std::min(name.size(), i + 1));
          break;
        }
      }
      while (name.starts_with(' ')) name.remove_prefix(1);
    }
  return name.size() <= most ? std::string(name) : std::string(name.substr(0, most)) + "...";
}

}  // namespace

exception_traces::way& exception_traces::find(std::exception_ptr const& exception, std::exception_ptr& gone) {
  if (auto const known = std::ranges::find(ways_, exception, &way::exception); known != ways_.end()) return *known;
  way& oldest = ways_[next_++ % ways_.size()];
  gone = std::exchange(oldest.exception, exception);
  oldest.before.clear();
  oldest.count = 0;
  return oldest;
}

void exception_traces::passes(std::exception_ptr exception, place_id place, std::source_location where) noexcept {
  // The tasks around the program say nothing to its reader.
  if (is_around_program(where)) return;
  // Let go without the lock: its destructor is the program's.
  std::exception_ptr gone;
  std::lock_guard const lock(mutex_);
  way& w = find(exception, gone);
  if (w.count < w.steps.size()) w.steps[w.count] = {where, place};
  ++w.count;
}

void exception_traces::arrives(std::exception_ptr exception, std::string before) noexcept {
  std::exception_ptr gone;
  std::lock_guard const lock(mutex_);
  find(exception, gone).before = std::move(before);
}

std::string exception_traces::text_of(std::exception_ptr const& exception) noexcept try {
  std::lock_guard const lock(mutex_);
  auto const known = std::ranges::find(ways_, exception, &way::exception);
  if (exception == nullptr || known == ways_.end()) return {};
  std::string text = known->before;
  for (std::size_t i = 0; i < std::min(known->count, known->steps.size()); ++i) {
    step const& s = known->steps[i];
    bool const thrown_here = i == 0 && known->before.empty();
    text += thrown_here ? "  thrown at place " : "  through place ";
    text += std::to_string(s.place);
    if (s.where.line() == 0)
      text += ", by a task before its first co_await\n";
    else
      text += (thrown_here ? ", by a task after its co_await at " : ", the co_await at ") + to_text(s.where) + " in " +
              function_of(s.where) + '\n';
  }
  if (known->count > known->steps.size())
    text += "  and " + std::to_string(known->count - known->steps.size()) + " more\n";
  return text;
} catch (...) {
  return {};
}

void exception_traces::clear() noexcept {
  decltype(ways_) gone;
  std::lock_guard const lock(mutex_);
  ways_.swap(gone);
}

void keep_exception(promise_base& task) noexcept {
  task.exception = std::current_exception();
  if (task.continuation.is_shared()) task.continuation.fail();
  this_place().exceptions.passes(task.exception, self->place, task.where);
}

}  // namespace tess::detail
