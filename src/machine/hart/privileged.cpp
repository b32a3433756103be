// privileged: registers of machine mode, and what traps do to them.
#include "machine/hart/privileged.hpp"

#include <algorithm>

namespace tess::machine {
namespace {

// Numbers of the registers (table 2.5).
constexpr std::uint64_t mstatus = 0x300, misa = 0x301, mie = 0x304, mtvec = 0x305, mcounteren = 0x306, menvcfg = 0x30a,
                        mcountinhibit = 0x320, mhpmevent3 = 0x323, mhpmevent31 = 0x33f, mscratch = 0x340, mepc = 0x341,
                        mcause = 0x342, mtval = 0x343, mip = 0x344, mcycle = 0xb00, minstret = 0xb02,
                        mhpmcounter3 = 0xb03, mhpmcounter31 = 0xb1f, cycle = 0xc00, instret = 0xc02, mvendorid = 0xf11,
                        marchid = 0xf12, mimpid = 0xf13, mhartid = 0xf14, mconfigptr = 0xf15;

// Fields of mstatus (section 3.1.6).
constexpr std::uint64_t status_mie = 1U << 3U, status_mpie = 1U << 7U, status_mprv = 1U << 17U;
constexpr unsigned status_mpp = 11;
// Floating point is always on, and its registers always count as changed: FS and SD are read-only.
constexpr std::uint64_t status_fs_dirty = 3U << 13U;
constexpr std::uint64_t status_sd = std::uint64_t{1} << 63U;
constexpr std::uint64_t status_uxl_64 = std::uint64_t{2} << 32U;

// MXL = 64 bits, and A, C, D, F, I, M, U.
constexpr std::uint64_t extension(char letter) {
  return std::uint64_t{1} << static_cast<unsigned>(letter - 'A');
}
constexpr std::uint64_t isa = std::uint64_t{2} << 62U | extension('A') | extension('C') | extension('D') |
                              extension('F') | extension('I') | extension('M') | extension('U');

constexpr std::uint64_t bit(interrupt_cause of) {
  return std::uint64_t{1} << static_cast<unsigned>(of);
}
constexpr std::uint64_t all_lines =
    bit(interrupt_cause::software) | bit(interrupt_cause::timer) | bit(interrupt_cause::external);
constexpr std::uint64_t cause_is_interrupt = std::uint64_t{1} << 63U;

}  // namespace

std::uint64_t privileged_state::status() const noexcept {
  return (enabled_ ? status_mie : 0) | (enabled_before_ ? status_mpie : 0) |
         static_cast<std::uint64_t>(mode_before_) << status_mpp | (loads_as_before_ ? status_mprv : 0) |
         status_fs_dirty | status_sd | status_uxl_64;
}

std::optional<std::uint64_t> privileged_state::counter(std::uint64_t number) const noexcept {
  if (number == mcycle || number == minstret) {
    if (mode_ != privilege::machine) return std::nullopt;
    return number - mcycle + cycle;
  }
  if (number < cycle || number > instret) return std::nullopt;
  bool const allowed = mode_ == privilege::machine || (mcounteren_ >> (number - cycle) & 1U) != 0;
  return allowed ? std::optional(number) : std::nullopt;
}

std::uint64_t privileged_state::counted(std::uint64_t number, std::uint64_t count) const noexcept {
  return count + offsets_[*counter(number) - cycle];
}

bool privileged_state::write_counter(std::uint64_t number, std::uint64_t count, std::uint64_t value) noexcept {
  if (mode_ != privilege::machine || (number != mcycle && number != minstret)) return false;
  offsets_[number - mcycle] = value - count;
  return true;
}

std::optional<std::uint64_t> privileged_state::read(std::uint64_t number, std::uint64_t now) const noexcept {
  if (mode_ != privilege::machine) return std::nullopt;
  if ((number >= mhpmcounter3 && number <= mhpmcounter31) || (number >= mhpmevent3 && number <= mhpmevent31)) return 0;
  switch (number) {
    case mstatus:
      return status();
    case misa:
      return isa;
    case mie:
      return mie_;
    case mtvec:
      return mtvec_;
    case mcounteren:
      return mcounteren_;
    case mscratch:
      return mscratch_;
    case mepc:
      return mepc_;
    case mcause:
      return mcause_;
    case mtval:
      return mtval_;
    case mip:
      return lines(now);
    case mhartid:
      return hart_number_;
    case menvcfg:
    case mcountinhibit:
    case mvendorid:
    case marchid:
    case mimpid:
    case mconfigptr:
      return 0;
    default:
      return std::nullopt;
  }
}

bool privileged_state::write(std::uint64_t number, std::uint64_t value) noexcept {
  constexpr unsigned read_only = 3;  // the two highest bits of such a number
  if (mode_ != privilege::machine || number >> 10U == read_only) return false;
  switch (number) {
    case mstatus: {
      enabled_ = (value & status_mie) != 0;
      enabled_before_ = (value & status_mpie) != 0;
      loads_as_before_ = (value & status_mprv) != 0;
      // MPP holds implemented modes only; another value leaves it as it is.
      auto const before = static_cast<privilege>(value >> status_mpp & 3U);
      if (before == privilege::user || before == privilege::machine) mode_before_ = before;
      return true;
    }
    case mie:
      mie_ = value & all_lines;
      return true;
    case mtvec:
      mtvec_ = value & ~std::uint64_t{2};  // modes 0, direct, and 1, vectored
      return true;
    case mcounteren:
      mcounteren_ = value & 7U;
      return true;
    case mscratch:
      mscratch_ = value;
      return true;
    case mepc:
      mepc_ = value & ~std::uint64_t{1};
      return true;
    case mcause:
      mcause_ = value;
      return true;
    case mtval:
      mtval_ = value;
      return true;
    default:
      // misa, mip, menvcfg, and the counters for events and their choice: nothing in them can be changed.
      return read(number, 0).has_value();
  }
}

void privileged_state::set_line(interrupt_cause which, bool level, std::uint64_t from) noexcept {
  line& changed = lines_[static_cast<std::size_t>(std::ranges::find(by_priority, which) - by_priority.begin())];
  if (changed.from != from) changed.before = changed.level;
  changed.level = level;
  changed.from = from;
}

std::uint64_t privileged_state::lines(std::uint64_t now) const noexcept {
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < by_priority.size(); ++k)
    if (lines_[k].at(now)) bits |= bit(by_priority[k]);
  return bits;
}

std::optional<interrupt_cause> privileged_state::pending(std::uint64_t now) const noexcept {
  if (mode_ == privilege::machine && !enabled_) return std::nullopt;
  std::uint64_t const bits = lines(now) & mie_;
  for (interrupt_cause const one : by_priority)
    if ((bits & bit(one)) != 0) return one;
  return std::nullopt;
}

std::uint64_t privileged_state::changes_from(std::uint64_t now) const noexcept {
  std::uint64_t first = never;
  for (line const& one : lines_)
    if (one.from > now) first = std::min(first, one.from);
  return first;
}

std::uint64_t privileged_state::wakes_from(std::uint64_t now) const noexcept {
  std::uint64_t first = never;
  for (std::size_t k = 0; k < by_priority.size(); ++k) {
    if ((mie_ & bit(by_priority[k])) == 0) continue;
    if (lines_[k].at(now)) return now;
    if (lines_[k].level) first = std::min(first, lines_[k].from);
  }
  return first;
}

std::uint64_t privileged_state::enter(std::uint64_t pc, std::uint64_t cause, std::uint64_t value) noexcept {
  mepc_ = pc;
  mcause_ = cause;
  mtval_ = value;
  mode_before_ = mode_;
  enabled_before_ = enabled_;
  enabled_ = false;
  mode_ = privilege::machine;
  return handler();
}

std::uint64_t privileged_state::enter(interrupt_cause why, std::uint64_t pc) noexcept {
  ++interrupts_;
  auto const number = static_cast<std::uint64_t>(why);
  bool const vectored = (mtvec_ & 1U) != 0;
  return enter(pc, cause_is_interrupt | number, 0) + (vectored ? 4 * number : 0);
}

std::uint64_t privileged_state::enter(exception_cause why, std::uint64_t pc, std::uint64_t value) noexcept {
  ++exceptions_;
  return enter(pc, static_cast<std::uint64_t>(why), value);
}

std::uint64_t privileged_state::leave() noexcept {
  mode_ = mode_before_;
  enabled_ = enabled_before_;
  enabled_before_ = true;
  mode_before_ = privilege::user;
  if (mode_ != privilege::machine) loads_as_before_ = false;
  return mepc_;
}

}  // namespace tess::machine
