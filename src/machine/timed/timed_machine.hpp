// timed_machine: programs on the harts of a described machine, with time: a copy of the program on each chosen tile.
//
//   Each copy has its own local window, code and harts (the tile's application harts); its threads run on harts of its
//   tile. All copies share the network, the memories and one clock.
//
// Errors    elf_error, config_error from the constructor. Errors of a program are in its outcome.
// Threads   none.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine/flat/flat_machine.hpp"
#include "machine/linux/run_limit.hpp"
#include "machine/timed/energy.hpp"
#include "machine/timed/machine_counts.hpp"
#include "machine/timed/system_program.hpp"
#include "machine/timed/tile_program.hpp"

namespace tess::machine {

/// Where a run stands still, for a look at it or a copy of it, without any effect on it.
class run_pauses {
 public:
  enum class mark : std::uint8_t { none, begin, end };  ///< Begin or end of the part that the program measures.
  struct place {
    picoseconds time = 0;  ///< All events up to here have happened; for none of the marks.
    mark at = mark::none;
  };
  std::vector<place> places;
  std::function<void(place const&)> reached;
};

class timed_machine {
 public:
  /// At most `copies` of the program, so many in each tile with application harts, from `first_tile` on; the first tile
  /// itself may have only the system's hart. Several in a tile share its memory and harts equally; the image moves.
  timed_machine(machine_description const& described, elf_image const& image,
                std::function<program_options()> const& options, std::uint32_t first_tile, std::uint32_t copies,
                std::uint32_t copies_in_tile = 1);
  /// Before run(): the image runs in machine mode on the system's hart of every tile that the programs leave it in.
  void start_system(elf_image const& image);
  /// Before run(): the function is called at each multiple of this time, when all events before it have happened; not
  /// at those before which nothing has happened since the last one.
  void sample_every(picoseconds interval_ps, std::function<void()> take);
  /// From now on at multiples of this.
  void change_samples(picoseconds interval_ps) noexcept;
  /// What the programs have marked.
  [[nodiscard]] region_log& regions() noexcept { return regions_; }
  [[nodiscard]] region_log const& regions() const noexcept { return regions_; }
  /// Before run(), of a machine with the same tiles and addresses: the programs of the other machine go on here, from
  /// where they are when nothing is under way. Caches, network and units of this one begin empty.
  /// Throws config_error if a program could notice, or if what it has begun does not end.
  void take_over(timed_machine& from);
  /// The same of a machine without time that has paused: memory moves here, so that one has ended. For one tile.
  void take_over(flat_machine& from);
  /// Throws config_error if it could not take over such a machine.
  void check_takes_over_flat() const;
  /// The tile, harts and memory that a machine without time must have for that.
  [[nodiscard]] tile_to_warm tile_of_flat() const;
  [[nodiscard]] std::uint32_t harts_of_flat() const {
    return static_cast<std::uint32_t>(programs_.front()->harts().size());
  }
  /// A part of a run in a copy of this process, whose results nobody wants: after `warmup` instructions, `counted` more
  /// are counted. It ends before, if the program does, or if it calls the system for what a copy must not do.
  struct window {
    std::uint64_t instructions = 0;
    std::uint64_t cycles = 0;
    bool ended = false;  ///< Before all were counted.
  };
  [[nodiscard]] window run_window(std::uint64_t warmup, std::uint64_t counted);
  /// Where its own time began, after what it took over of another machine.
  struct origin {
    std::uint64_t instructions = 0;  ///< All before.
    std::uint64_t untimed = 0;       ///< Those of them that took no time.
    picoseconds time = 0;
  };
  [[nodiscard]] origin const& began() const noexcept { return began_; }
  /// Energy up to there, by tile; empty: none.
  [[nodiscard]] std::vector<energy_counts> const& began_energy() const noexcept { return began_energy_; }
  /// Runs to the end, or to the limit. `each` is called after every `interval_ps` of simulated time with events, or
  /// earlier; it cannot change the run. Places that are reached are taken out of `pauses`.
  machine_outcome run(picoseconds interval_ps, std::function<void()> const& each, run_limit const& limit,
                      run_pauses& pauses);
  machine_outcome run(picoseconds interval_ps, std::function<void()> const& each, run_limit const& limit = {}) {
    run_pauses none;
    return run(interval_ps, each, limit, none);
  }
  [[nodiscard]] grid const& hardware() const noexcept { return grid_; }
  [[nodiscard]] std::vector<std::unique_ptr<tile_program>> const& programs() const noexcept { return programs_; }
  /// By tile; empty if the system's harts run nothing. Null: that tile's runs the program.
  [[nodiscard]] std::vector<std::unique_ptr<system_program>> const& systems() const noexcept { return systems_; }
  /// Lines about files that a program was not allowed to access; empty: none.
  [[nodiscard]] std::string refused(bool failed) const;
  /// Counters of the part of the run that the program marked as measured; of the whole run if there is none.
  [[nodiscard]] machine_counts measured() const;
  /// Its energy by unit, of all tiles.
  [[nodiscard]] energy_counts measured_energy() const;
  [[nodiscard]] bool has_measured_part() const noexcept { return measured_begin_.has_value(); }
  /// From now on blocks of all programs tell the profiles of their harts when they are entered.
  void tell_profiles();

 private:
  /// Tiles that run the same code decode it once.
  void share_code();
  /// The program has marked the begin or the end of its measured part. Harts of other tiles may be ahead of that by one
  /// reach; so the counters are read one reach later, when all of them have come to that time and none is beyond it.
  struct marked : event {
    marked(timed_machine& of, bool is_begin);
    timed_machine& owner;
    bool begins;
  };
  /// What it has counted and what has passed until now is left out.
  void count_from(origin const& at);
  /// Has a hart or a unit begun something that is not complete?
  [[nodiscard]] bool is_under_way() const;
  /// No hart begins an instruction any more, and all that was begun has ended; the programs go on as far as that needs.
  void settle();
  void mark(bool begins);
  /// What harts do up to the mark is counted by themselves, later by more than they may run ahead.
  void mark_harts(timed_hart::measured_part which);
  void read_counters(marked& at);
  [[nodiscard]] std::uint64_t instructions() const;
  /// Until so many more instructions have been executed since it began; false: the program ended before.
  bool advance_to(std::uint64_t instructions_done);
  /// The latest cycle of a hart that runs something.
  [[nodiscard]] std::uint64_t latest_cycle() const;
  /// Until no event is left, or the limit; says why it stopped there.
  std::string run_to_end(picoseconds interval_ps, std::function<void()> const& each, run_limit const& limit,
                         run_pauses& pauses);
  /// Pauses where the run has come to.
  void pause(run_pauses& pauses);
  /// Some copies of the program have not ended, and no event is pending.
  [[nodiscard]] bool stalled() const;
  void notify_stalled();

  struct sampler : event {
    sampler(timed_machine& of, picoseconds every, std::function<void()> takes);
    void come_again();
    timed_machine& owner;
    picoseconds interval_ps;
    std::function<void()> take;
  };
  void follow(program_host& host, timed_hart& one);

  grid grid_;
  region_log regions_;
  std::deque<hart_regions> of_harts_;
  std::unique_ptr<sampler> sampler_;
  std::deque<elf_image> images_;  ///< of the copies in a tile
  bool has_images_ = false;       ///< tiles without a copy of the program have its image, too
  std::optional<int> end_code_;   ///< a program has ended the run
  origin began_;
  machine_counts began_counts_;
  std::vector<energy_counts> began_energy_;
  std::optional<machine_counts> measured_begin_;
  std::optional<machine_counts> measured_end_;
  energy_counts energy_begin_;  ///< The units have taken it at the marks.
  energy_counts energy_end_;
  picoseconds reach_ps_;
  run_pauses::mark last_mark_ = run_pauses::mark::none;  ///< Since the last pause().
  bool pauses_at_marks_ = false;
  bool begin_is_marked_ = false;
  std::deque<marked> marks_;
  std::vector<marked*> spare_marks_;
  std::vector<std::unique_ptr<tile_program>> programs_;
  std::vector<std::unique_ptr<system_program>> systems_;  ///< By tile; null: its system hart runs none.
};

}  // namespace tess::machine
