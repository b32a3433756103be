// cycle_profile: where the cycles of all harts of a run went: by call path, function and source line, and what for.
//
//   The tree's nodes are functions, those that the compiler inlined among them; the ones below a function are what it
//   calls, and the lines on which its own cycles went. A coroutine that was suspended and resumed has a node for each
//   line from which it calls, so a task shows at which co_await it was.
//
// Units     cycles of the tiles' clock.
// Threads   none.
#pragma once

#include <array>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "machine/profile/call_profile.hpp"
#include "machine/profile/source_lines.hpp"
#include "machine/timed/timed_machine.hpp"

namespace tess::machine {

/// What was spent in one node of the tree.
struct profile_node {
  std::string label;  ///< Empty: a line that is unknown.
  std::uint32_t parent = 0;
  bool is_line = false;   ///< A line of the function above it.
  spent_cycles cycles{};  ///< In a line only.
  std::vector<std::uint32_t> children;
  std::uint64_t total = 0;  ///< With all below.
};

/// The first node is the root; each stands behind its parent.
using profile_tree = std::vector<profile_node>;

class cycle_profile {
 public:
  /// Before the run, which it must outlive. The files are those of the program, and of the system if its harts run one.
  cycle_profile(timed_machine& of, std::string program, std::string system);
  cycle_profile(cycle_profile const&) = delete;
  cycle_profile& operator=(cycle_profile const&) = delete;
  /// After the run.
  void finish();

  struct line_total {
    std::string function;
    std::string file;
    std::uint32_t line = 0;
    std::uint64_t instructions = 0;
    spent_cycles cycles{};
    [[nodiscard]] std::uint64_t all() const noexcept;
  };
  /// All harts, most cycles first.
  [[nodiscard]] std::vector<line_total> by_line() const { return totals(true); }
  /// The same by function alone; file and line are those of its line with the lowest number.
  [[nodiscard]] std::vector<line_total> by_function() const { return totals(false); }
  [[nodiscard]] profile_tree tree() const { return tree_of(all_counted()); }
  /// Cycles of harts that had no thread.
  [[nodiscard]] std::uint64_t idle_cycles() const noexcept;
  [[nodiscard]] bool has_lines() const noexcept { return has_lines_; }

  /// A file for `suffix`: .json (speedscope), .folded, .svg (a flame graph), .csv (lines) or .harts. Empty: none of
  /// these.
  [[nodiscard]] std::string file(std::string_view suffix) const;
  [[nodiscard]] static bool knows(std::string_view suffix) noexcept;
  /// Lines for people: what cycles were spent on, and the functions that took most.
  [[nodiscard]] std::string summary() const;

 private:
  /// A hart, and the program that it runs.
  struct profiled_hart {
    timed_hart* hart;
    std::size_t image;
    std::uint64_t moved_by;  ///< A copy of the image that was moved.
    std::string name;
    std::unique_ptr<call_profile> cycles;
  };
  /// Counts with addresses of the file.
  struct counted {
    std::size_t image;
    call_profile const* cycles;
  };
  struct profiled_image {
    std::string file;
    function_table functions;
    std::unordered_map<std::uint64_t, std::vector<source_frame>> frames;  ///< By pc, outermost first.
    block_shapes shapes;
    thread_paths threads;
    std::unique_ptr<call_profile> all_harts;
  };
  void add(timed_hart& hart, std::size_t image, std::uint64_t moved_by, block_shapes& shapes, std::string name);
  void find_lines(profiled_image& image, std::vector<std::uint64_t> addresses);
  [[nodiscard]] std::vector<line_total> totals(bool each_line) const;
  [[nodiscard]] std::vector<counted> all_counted() const;
  [[nodiscard]] profile_tree tree_of(std::vector<counted> const& wanted) const;
  [[nodiscard]] std::string folded() const;
  [[nodiscard]] std::string speedscope() const;
  [[nodiscard]] std::string csv() const;
  [[nodiscard]] std::string by_hart() const;

  timed_machine& of_;
  std::deque<function_table> tables_;            ///< The programs' own, as they were moved.
  std::deque<thread_paths> threads_;             ///< By program.
  std::map<std::uint64_t, block_shapes> moved_;  ///< By moved_by; of copies that were moved.
  std::deque<profiled_image> images_;
  std::deque<profiled_hart> harts_;
  bool has_lines_ = false;
};

/// As SVG, the root at the bottom; `title` is the headline.
[[nodiscard]] std::string flame_graph(profile_tree const& tree, std::string const& title);

}  // namespace tess::machine
