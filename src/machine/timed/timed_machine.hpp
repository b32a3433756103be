// timed_machine: programs on the harts of a described machine, with time: a copy of the program on each chosen tile.
//
//   Each copy has its own local window, code and harts (the tile's application harts); threads of a copy take harts of
//   its tile. All share the network, the memories and one clock.
//
// Errors    elf_error, config_error from the constructor. What a program does wrong is in its outcome.
// Threads   none.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine/flat_machine.hpp"
#include "machine/linux/program.hpp"
#include "machine/tile/grid.hpp"
#include "machine/timed/machine_counts.hpp"
#include "machine/timed/seat.hpp"

namespace tess::machine {

/// One tile's copy.
class tile_program final : private machine_host, private user_memory, private code_source, public seat_owner {
 public:
  tile_program(grid& g, std::uint32_t tile_number, elf_image const& image, program_options options,
               std::function<void(tile_program&)> ended);

  [[nodiscard]] bool ended() const noexcept { return ended_; }
  [[nodiscard]] int exit_code() const noexcept { return exit_code_; }
  [[nodiscard]] std::string const& trouble() const noexcept { return trouble_; }
  [[nodiscard]] std::uint64_t instructions() const;
  [[nodiscard]] hart_memory::statistics counted() const;
  [[nodiscard]] std::uint32_t tile_number() const noexcept { return tile_.number(); }
  [[nodiscard]] std::string const& refused_write() const noexcept { return program_.files().refused_write(); }
  [[nodiscard]] std::deque<seat>& seats() noexcept { return seats_; }
  [[nodiscard]] std::deque<seat> const& seats() const noexcept { return seats_; }
  /// Who waits for what, when nothing happens any more.
  [[nodiscard]] std::string waiting();

 private:
  // machine_host
  [[nodiscard]] std::uint64_t now_ns() const override;
  hart* free_hart() override;
  void start(hart& h) override;
  void release(hart& h) override;
  void wake(hart& h) override;
  void code_changed() override;
  [[nodiscard]] std::uint32_t harts() const override { return static_cast<std::uint32_t>(seats_.size()); }
  // user_memory: through the L2, where the line is; the L1s are snooped.
  bool read(std::uint64_t address, std::span<std::byte> into) override;
  bool write(std::uint64_t address, std::span<std::byte const> from) override;
  void place(std::uint64_t address, std::span<std::byte const> from) override;
  void set_rights(std::uint64_t begin, std::uint64_t end, std::uint8_t rights) override;
  void clear(std::uint64_t begin, std::uint64_t end) override;
  // code_source
  bool halfword(std::uint64_t pc, std::uint16_t& into) const override;
  // seat_owner
  after system_call(seat& of) override;
  std::uint64_t counter(hart const& h) const override;
  void trapped(seat& of) override;
  [[nodiscard]] std::uint64_t horizon(seat const& of) const override;

  struct alarm : event {
    explicit alarm(tile_program& owner_)
        : event([](event& self) { static_cast<alarm&>(self).owner.rang(static_cast<alarm&>(self)); }), owner(owner_) {}
    tile_program& owner;
  };
  void make_seats(grid& g, std::uint32_t tile_number);
  void set_alarm();
  void rang(alarm& one);
  void end(int code, std::string trouble);
  [[nodiscard]] std::string segment_hint(access_request const& of) const;
  [[nodiscard]] bool whole(std::uint64_t address, std::size_t bytes, access_right wanted) const;

  grid& grid_;
  clock_domain cycles_;
  tile& tile_;
  elf_image const& image_;
  local_window window_;
  page_rights rights_;
  code_cache code_;
  std::deque<seat> seats_;
  program program_;
  std::function<void(tile_program&)> told_;
  std::deque<alarm> alarms_;
  std::vector<alarm*> spare_alarms_;
  std::uint64_t reach_cycles_;  ///< At least so long after it is begun, an operation reaches another tile.
  hart const* calling_ = nullptr;
  bool ended_ = false;
  int exit_code_ = 0;
  std::string trouble_;
};

class timed_machine {
 public:
  /// Copies of the program on `copies` tiles that have application harts, from `first_tile` on; that itself may be one
  /// that has only the system's.
  timed_machine(machine_description const& described, elf_image const& image,
                std::function<program_options()> const& options, std::uint32_t first_tile, std::uint32_t copies);
  /// To the end. After every `interval_ps` of simulated time in which something happened, `each` is called; what it
  /// does cannot change the run.
  machine_outcome run(picoseconds interval_ps, std::function<void()> const& each);
  [[nodiscard]] grid const& inside() const noexcept { return grid_; }
  [[nodiscard]] std::vector<std::unique_ptr<tile_program>> const& programs() const noexcept { return programs_; }
  [[nodiscard]] std::string refused_write() const;
  /// What was counted in the part of the run that the program marked as measured; in all of it if it marked none.
  [[nodiscard]] machine_counts measured() const;
  [[nodiscard]] bool has_measured_part() const noexcept { return measured_begin_.has_value(); }

 private:
  void mark(bool begins);
  /// Copies of the program have not ended, and nothing will happen any more.
  [[nodiscard]] bool stalled() const;
  void tell_stalled();

  grid grid_;
  std::optional<machine_counts> measured_begin_;
  std::optional<machine_counts> measured_end_;
  std::vector<std::unique_ptr<tile_program>> programs_;
};

}  // namespace tess::machine
