// flat_machine: `--timing off`: harts on one coherent memory, one instruction per cycle, taking turns.
//
//   Every runnable hart gets the same number of cycles per turn, in order of hart numbers, so a program always gives
//   the same result. When all harts wait, the clock jumps to the first wake-up.
//
//   A machine with time can go on from where this one pauses (timed_machine::take_over). If it is given to the
//   constructor, its caches and branch predictors are followed on the way (warm_caches), unless follow() says
//   otherwise: an engine of its own does that, with blocks of its own, which are not translated.
//
// Units     cycles of 1 ns.
// Errors    elf_error, std::system_error from the constructor. Errors of the program are in the outcome.
// Threads   none.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "machine/flat/flat_memory.hpp"
#include "machine/flat/warm_caches.hpp"
#include "machine/hart/code_cache.hpp"
#include "machine/hart/hart.hpp"
#include "machine/linux/program.hpp"
#include "machine/linux/run_limit.hpp"
#include "machine/regions/region_log.hpp"
#include "machine/translate/translator.hpp"

namespace tess::machine {

struct flat_options {
  std::uint64_t memory_bytes = std::uint64_t{4} << 30U;
  std::uint32_t harts = 4;
  std::uint64_t turn_cycles = 20'000;
  bool translates = true;  // blocks of instructions into the host's, where that is possible; the results are the same
};

struct machine_outcome {
  int exit_code = 0;
  std::string trouble;  // a trap, a signal or a deadlock, with its report; empty if the program ended by itself
  std::uint64_t instructions = 0;
  std::uint64_t simulated_ns = 0;
};

// A tile of a machine with time, on which the program shall go on.
struct tile_to_warm {
  machine_description const& description;
  local_window window;
};

// Where a run without time pauses: before the program marks the begin or the end of its measured part, when a hart has
// come into a region, or after so many instructions of all harts together.
struct flat_pause {
  enum class mark : std::uint8_t { none, begin, end };
  mark at = mark::none;
  std::string region = {};  // empty: none
  std::uint64_t instructions = run_limit::never;
};

class flat_machine final : private machine_host, private user_memory {
 public:
  enum class state : std::uint8_t { idle, runnable, sleeping, reserved };  // reserved: waits for a word, by wrs.nto
  struct flat_hart {
    hart context;
    state is = state::idle;
    std::uint64_t attends_at = threads::never;  // the cycle of an interruption
  };

  flat_machine(elf_image const& image, flat_options options, program_options of_program,
               std::optional<tile_to_warm> const& warmed = {});

  // If there is a machine with time to warm: what of it is followed from here on; all, at first. Lines alone are
  // followed by translated blocks, as long as the program has one thread.
  enum class followed : std::uint8_t { nothing, lines, all };
  void follow(followed what);

  // Before the run, which they must outlive: one for each hart, by its number.
  void set_commits(std::span<commit_log> logs);
  // The same: what the program marks is counted there.
  void set_regions(region_log& log);
  // Runs to the end of the program, or to the limit: at the end of a turn.
  machine_outcome run(run_limit const& limit = {});
  // The same, but it pauses there: then true.
  [[nodiscard]] bool run_to(flat_pause const& pause, run_limit const& limit);
  // What became of a run that has ended.
  [[nodiscard]] machine_outcome const& outcome() const noexcept { return outcome_; }
  [[nodiscard]] std::uint64_t instructions() const;
  // How many had been executed when the program marked the begin and the end of its measured part.
  [[nodiscard]] std::optional<std::uint64_t> begun_at() const noexcept { return begun_at_; }
  [[nodiscard]] std::optional<std::uint64_t> ended_at() const noexcept { return ended_at_; }
  // What followed caches have counted until now, and between these.
  [[nodiscard]] followed_counts counted() const noexcept { return warm_ ? warm_->counted() : followed_counts{}; }
  [[nodiscard]] followed_counts counted_measured() const noexcept;
  // Whether there are branch predictors to follow.
  [[nodiscard]] bool learns() const noexcept { return warm_ && followed_code_->rules().learns; }
  // No hart has run in these.
  [[nodiscard]] std::uint64_t idle_cycles() const noexcept { return idle_cycles_; }

  // For one that goes on from here.
  [[nodiscard]] std::vector<flat_hart> const& harts() const noexcept { return harts_; }
  [[nodiscard]] flat_memory& memory() noexcept { return memory_; }
  [[nodiscard]] program& linux_program() noexcept { return program_; }
  [[nodiscard]] warm_tile* warmed() noexcept { return warm_ ? &*warm_ : nullptr; }
  // The latest cycle of all of its clocks.
  [[nodiscard]] std::uint64_t last_cycle() const;
  // Lines about files that the program was not allowed to access; empty: none.
  [[nodiscard]] std::string refused(bool failed) const { return program_.files().refused(failed); }

 private:
  // machine_host
  [[nodiscard]] std::uint64_t now_ns() const override;
  hart* free_hart() override;
  void start(hart& h) override;
  void release(hart& h) override;
  void wake(hart& h) override;
  void interrupt(hart& h, std::uint64_t cycles) override;
  void code_changed() override;
  [[nodiscard]] std::uint32_t harts_count() const override { return static_cast<std::uint32_t>(harts_.size()); }
  // user_memory
  bool read(std::uint64_t address, std::span<std::byte> into) override;
  bool write(std::uint64_t address, std::span<std::byte const> from) override;
  void place(std::uint64_t address, std::span<std::byte const> from) override;
  void set_rights(std::uint64_t begin, std::uint64_t end, std::uint8_t rights) override;
  [[nodiscard]] bool allows(std::uint64_t address, std::uint8_t right) const override {
    return !memory_.bytes(address, 1, right).empty();
  }
  void clear(std::uint64_t begin, std::uint64_t end) override;

  [[nodiscard]] std::string text_at(std::uint64_t address);
  // Harts that have something to do now, but at least one.
  [[nodiscard]] std::uint64_t busy_harts() const;
  void take_turn(flat_hart& s);
  // If the hart stopped to mark the measured part, marks it, or pauses before it.
  enum class marking : std::uint8_t { none, marked, paused };
  marking serve_mark(hart& h);
  bool serve_trap(hart& h);
  // Handles the reason for which the hart stopped; true if it continues in this turn.
  bool serve(flat_hart& s);
  bool serve_call(flat_hart& s);
  void serve_counter(hart& h) const;
  // Gives the harts the blocks of what is followed.
  void choose_blocks();
  // Whether the word that a hart waits for has changed.
  [[nodiscard]] bool reservation_lost(hart const& h) const;
  // No hart can run: the clock jumps, or it is a deadlock.
  void pass_idle_time(run_limit const& limit);
  /// A hint for the report of a program that needs a machine with tiles.
  [[nodiscard]] static std::string hint_of(hart const& h);
  void end(int exit_code, std::string trouble);
  void end_by_signal(hart const& h);
  void end_at_limit(std::string reason);

  elf_image const& image_;
  flat_options options_;
  flat_memory memory_;
  std::optional<warm_tile> warm_;
  std::unique_ptr<block_translator> translator_;  // null: none
  code_cache code_;
  std::optional<code_cache> followed_code_;  // of the engine that follows caches,
  std::unique_ptr<block_translator> lines_translator_;
  std::optional<code_cache> lines_code_;  // and the same, translated, for the first hart
  followed follows_ = followed::nothing;
  bool is_alone_ = true;  // no other hart than the first has run
  std::vector<flat_hart> harts_;
  parked_regions parked_regions_;
  std::deque<hart_regions> regions_;
  region_log* log_ = nullptr;
  std::uint64_t turn_end_ = 0;     // cycles
  hart const* running_ = nullptr;  // its clock is the current time during a turn
  program program_;
  bool ended_ = false;
  bool paused_ = false;
  flat_pause::mark awaited_ = flat_pause::mark::none;
  std::optional<std::uint64_t> begun_at_;
  std::optional<std::uint64_t> ended_at_;
  followed_counts counted_at_begin_{};
  followed_counts counted_at_end_{};
  std::uint64_t idle_cycles_ = 0;
  machine_outcome outcome_;
};

}  // namespace tess::machine
