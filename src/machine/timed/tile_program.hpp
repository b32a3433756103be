// tile_program: the copy of the program that one tile runs: its memory as Linux sees it, its harts, and how it ended.
//
// Threads   one.
#pragma once

#include <deque>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "machine/flat/flat_machine.hpp"
#include "machine/linux/program.hpp"
#include "machine/timed/program_host.hpp"

namespace tess::machine {

/// The program on one tile.
class tile_program final : private machine_host, private user_memory, public program_host {
 public:
  /// `share`: which of the copies in the tile; the image is the one that was moved there.
  tile_program(grid& g, std::uint32_t tile_number, std::uint32_t share, elf_image const& image, program_options options,
               std::function<void(tile_program&)> ended);

  [[nodiscard]] bool ended() const noexcept { return ended_; }
  [[nodiscard]] int exit_code() const noexcept { return exit_code_; }
  [[nodiscard]] std::uint64_t instructions() const;
  [[nodiscard]] hart_memory::statistics counted() const;
  /// Lines about files that the program was not allowed to access; empty: none.
  [[nodiscard]] std::string refused(bool failed) const { return program_.files().refused(failed); }
  void leave_files() { program_.leave_files(); }
  [[nodiscard]] file_calls& open_files() noexcept { return program_.open_files(); }
  /// The same program goes on here; memory has been copied. Its harts must be held there, and idle here.
  void take_over(tile_program& from);
  /// The same of a machine without time, whose memory is gone then. If it has followed the caches, they are warm.
  void take_over(flat_machine& from);
  /// From now on nothing of the host changes by it, and what would change or be read there stops the clock instead.
  void leave_host_alone();
  [[nodiscard]] bool wanted_host() const noexcept { return wanted_host_; }
  /// A hart of the tile that runs something else; its events can be observed here.
  void add_neighbour(timed_hart const& other) { neighbours_.push_back(&other); }
  [[nodiscard]] std::deque<timed_hart>& harts() noexcept { return harts_; }
  [[nodiscard]] std::deque<timed_hart> const& harts() const noexcept { return harts_; }
  /// What each thread waits for, when no event is left.
  [[nodiscard]] std::string waiting();
  /// Where its harts are, those that run something.
  [[nodiscard]] std::string places() const;

  [[nodiscard]] std::string text_at(std::uint64_t address) override {
    return text_in(*this, address, hart_regions::name_max);
  }

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
  // user_memory: through the L2 if it has the line; the L1s are snooped.
  bool read(std::uint64_t address, std::span<std::byte> into) override;
  bool write(std::uint64_t address, std::span<std::byte const> from) override;
  void place(std::uint64_t address, std::span<std::byte const> from) override;
  void set_rights(std::uint64_t begin, std::uint64_t end, std::uint8_t rights) override;
  [[nodiscard]] bool allows(std::uint64_t address, std::uint8_t right) const override {
    return rights_.allow(address, static_cast<access_right>(right));
  }
  void clear(std::uint64_t begin, std::uint64_t end) override;
  // hart_environment
  after system_call(timed_hart& of) override;
  void trapped(timed_hart& of) override;
  bool handles(timed_hart& of) override;
  void attend(timed_hart& of) override;
  [[nodiscard]] std::uint64_t horizon(timed_hart const& of) const override;

  struct alarm : event {
    explicit alarm(tile_program& owner_)
        : event([](event& self) { static_cast<alarm&>(self).owner.expired(static_cast<alarm&>(self)); }),
          owner(owner_) {}
    tile_program& owner;
  };
  void make_harts(grid& g, std::uint32_t tile_number, std::uint32_t share);
  [[nodiscard]] timed_hart& of(hart const& h) { return harts_[h.number - harts_.front().context.number]; }
  void set_alarm();
  void add_alarm(std::uint64_t at_ns);
  void end_by_signal(hart const& h);
  void expired(alarm& one);
  void end(int code, std::string trouble);
  [[nodiscard]] std::string segment_hint(access_request const& of) const;
  /// With translation: gives the pages of these bytes memory; false: there is none left.
  bool provide(std::uint64_t address, std::size_t bytes);
  /// What a program is told that has taken all of the tile's memory.
  [[nodiscard]] std::string exhausted() const;
  [[nodiscard]] bool whole(std::uint64_t address, std::size_t bytes, access_right wanted) const;

  std::deque<timed_hart> harts_;
  std::vector<timed_hart const*> neighbours_;
  program program_;
  std::function<void(tile_program&)> on_end_;
  std::deque<alarm> alarms_;
  std::vector<alarm*> spare_alarms_;
  std::set<std::uint64_t> deadlines_;       ///< When alarms for threads that wait are due.
  std::uint64_t tick_ns_ = threads::never;  ///< When the alarm for timers is due.
  /// The least number of cycles from the issue of an operation to its arrival at another tile.
  picoseconds reach_ps_;
  hart const* calling_ = nullptr;
  std::uint64_t provided_ = 0;  ///< Pages that the system has touched, in the call that is done.
  bool ended_ = false;
  bool is_alone_ = false;
  bool wanted_host_ = false;
  int exit_code_ = 0;
};

}  // namespace tess::machine
