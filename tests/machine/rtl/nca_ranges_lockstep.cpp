// nca_ranges_lockstep: the range operations' hardware beside its model, with random commands and stalls. A result
// before all lines of its command are done, or a wrong line, is an error.
//
// Usage: lockstep_bench.hpp
#include <vector>

#include "lockstep_bench.hpp"
#include "machine/unit/range_machine.hpp"

namespace tess::machine {
namespace {

/// Caches, and harts that ask.
class toy_caches {
 public:
  struct statistics {
    std::uint64_t commands = 0;
    std::uint64_t lines[4] = {};

    [[nodiscard]] bool all() const {
      return std::ranges::all_of(lines, [](std::uint64_t count) { return count != 0; });
    }
    [[nodiscard]] std::string text() const {
      std::string said = std::to_string(commands) + " commands; lines by what is done to them:";
      for (std::uint64_t const count : lines) said += ' ' + std::to_string(count);
      return said;
    }
  };

  toy_caches(std::uint64_t seed, range_engine::parameters const& made)
      : choose_(seed), line_bytes_(made.line_bytes), commands_(made.tags()) {
    for (auto* const rate : {&command_rate_, &line_rate_, &done_rate_, &result_rate_}) *rate = choose_.rate();
    coherent_ = choose_.chance(4);
    longest_ = 1 + choose_.below(choose_.chance(5) ? 2000 : 300);
  }

  static std::string text_of(range_engine::outputs const& out) {
    std::string text;
    auto const add = [&](char const* format, auto... values) {
      char buffer[160];
      std::snprintf(buffer, sizeof buffer, format, static_cast<unsigned long long>(values)...);
      text += buffer;
    };
    add("%llu%llu%llu", out.command_ready, out.command_begins, out.quiet);
    if (out.line_valid)
      add(" line %llu slot %llu at %llx last %llx", out.line.action, out.line.slot, out.line.address, out.line.last);
    if (out.result_valid) add(" result %llu", out.result_tag);
    return text;
  }

  void drive(range_engine::inputs& in) {
    in.coherent = coherent_;
    if (!in.command_valid || took_command_) {
      took_command_ = false;
      auto const free = std::ranges::find(commands_, false, &command::used);
      in.command_valid = free != commands_.end() && choose_.happens(command_rate_);
      if (in.command_valid) {
        std::uint64_t const first = choose_.word() >> choose_.below(64);
        std::uint64_t const bytes = 1 + choose_.below(longest_);
        in.command = {.operation = static_cast<range_operation>(choose_.below(4)),
                      .first = first,
                      .last = std::max(first, first + bytes - 1),
                      .tag = static_cast<std::uint32_t>(free - commands_.begin())};
        if (choose_.chance(3)) in.command.first = in.command.first / line_bytes_ * line_bytes_;
        if (choose_.chance(3)) in.command.last |= line_bytes_ - 1;
        if (choose_.chance(20)) in.command.last = choose_.word() % std::max<std::uint64_t>(1, in.command.first);
        *free = {.used = true, .asked = in.command, .next = in.command.first, .under_way = 0, .complete = false};
      }
    }
    in.line_ready = choose_.happens(line_rate_);
    in.result_ready = choose_.happens(result_rate_);
    in.done_valid = !lines_.empty() && choose_.happens(done_rate_);
    if (in.done_valid) {
      std::size_t const which = choose_.below(lines_.size());
      in.done_slot = lines_[which].slot;
      --commands_[lines_[which].tag].under_way;
      lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(which));
    }
  }

  /// What moves at the edge that `in` was made for; a text: something that must not be.
  [[nodiscard]] char const* take(range_engine::inputs const& in, range_engine::outputs const& out,
                                 statistics& reached) {
    if (in.command_valid && out.command_ready) {
      took_command_ = true;
      queue_.push_back(in.command.tag);
    }
    if (out.line_valid && in.line_ready) {
      ++reached.lines[static_cast<std::size_t>(out.line.action)];
      if (!visited(out.line)) return "not the line in turn, or not what is to be done to it";
    }
    if (out.result_valid && in.result_ready) {
      ++reached.commands;
      command& ended = commands_[out.result_tag];
      if (!ended.used || !ended.complete || ended.under_way != 0) return "a result before the end";
      ended.used = false;
    }
    return nullptr;
  }

 private:
  struct command {
    bool used = false;
    range_command asked;
    std::uint64_t next = 0;  ///< In the next line to visit.
    std::uint64_t under_way = 0;
    bool complete = false;
  };
  struct line {
    std::uint32_t slot;
    std::uint32_t tag;
  };

  /// Commands are visited in their order; each line with the action that its place in the range wants.
  [[nodiscard]] bool visited(visited_line const& one) {
    if (queue_.empty()) return false;
    command& of = commands_[queue_.front()];
    lines_.push_back({one.slot, queue_.front()});
    ++of.under_way;
    std::uint64_t const begin = of.next / line_bytes_ * line_bytes_;
    bool const inside = begin >= of.asked.first && begin + (line_bytes_ - 1) <= of.asked.last;
    bool const l1s = of.asked.operation == range_operation::invalidate_l1s;
    line_action wanted = line_action::l1s;
    if (of.asked.operation == range_operation::write_back) wanted = line_action::write_back;
    if (of.asked.operation == range_operation::flush) wanted = line_action::flush;
    if (of.asked.operation == range_operation::invalidate)
      wanted = inside && !coherent_ ? line_action::drop : line_action::flush;
    bool const right = one.action == wanted && one.address == of.next && (!l1s || one.last == of.asked.last);
    of.complete = l1s || begin >= of.asked.last / line_bytes_ * line_bytes_;
    of.next = begin + line_bytes_;
    if (of.complete) queue_.pop_front();
    return right;
  }

  dice choose_;
  std::uint64_t line_bytes_;
  std::vector<command> commands_;    ///< By tag.
  std::deque<std::uint32_t> queue_;  ///< Tags of those whose lines have not all been visited.
  std::vector<line> lines_;          ///< Visited, and not done.
  bool coherent_ = false;
  std::uint64_t longest_ = 0;
  std::uint64_t command_rate_ = 0, line_rate_ = 0, done_rate_ = 0, result_rate_ = 0;
  bool took_command_ = true;
};

}  // namespace
}  // namespace tess::machine

int main(int count, char** words) {
  using namespace tess::machine;  // NOLINT
  range_engine::parameters made;
  return lockstep_main<lockstep_bench<range_engine, range_machine, toy_caches>>({words, words + count}, made,
                                                                                {{"QUEUE_ENTRIES", &made.queue_entries},
                                                                                 {"LINE_CYCLES", &made.line_cycles},
                                                                                 {"LINE_BYTES", &made.line_bytes},
                                                                                 {"SLOTS", &made.slots},
                                                                                 {"UNDER_WAY", &made.under_way}});
}
