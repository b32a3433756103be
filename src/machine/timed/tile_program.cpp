// tile_program: system calls of its harts, memory as Linux sees it, timers, and reports of what waits.
#include "machine/timed/tile_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "machine/linux/run_limit.hpp"
#include "machine/linux/trap_report.hpp"
#include "machine/timed/cluster_memory.hpp"
#include "machine/unit/object_lookaside.hpp"

namespace tess::machine {
namespace {

/// Where the addresses end that a program may have as memory. `options` are told how much of it there is.
std::uint64_t end_of_memory(grid const& g, std::uint32_t share, elf_image const& image, program_options& options) {
  machine_description const& description = g.description;
  if (g.copies.in_tile > 1) return description.share_bytes(g.copies.in_tile) * (share + 1);
  std::uint64_t const bytes = program_memory_bytes(description, image, options.arguments.front());
  if (!description.mmu) return bytes;
  options.memory_bytes = bytes;
  return sv39::user_end;
}

}  // namespace

tile_program::tile_program(grid& g, std::uint32_t tile_number, std::uint32_t share, elf_image const& image,
                           program_options options, std::function<void(tile_program&)> ended)
    : program_host(g, tile_number, image, g.description.window(tile_number).program_bytes(), rules_of(g.description),
                   g.description.mmu.has_value()),
      program_{(make_harts(g, tile_number, share), *this), end_of_memory(g, share, image, options), *this, image,
               std::move(options)},
      on_end_(std::move(ended)),
      reach_ps_(g.description.packet_reach_ps()) {
  program_.start(harts_.front().context);
  if (tables_ && tables_->is_exhausted()) throw elf_error(exhausted());
  provided_ = 0;
}

void tile_program::make_harts(grid& g, std::uint32_t tile_number, std::uint32_t share) {
  std::uint32_t const application = g.description.harts_of(tile_number) - g.description.harts.system;
  std::uint32_t const harts = application == 0 ? g.description.harts.system : application / g.copies.in_tile;
  for (std::uint32_t i = share * harts; i < (share + 1) * harts; ++i) {
    timed_hart& added = harts_.emplace_back(g.clock, g.description, tile_, window_, rights_, tables_.get(), *this, i);
    added.context.code = &code_;
  }
}

std::uint64_t tile_program::now_ns() const {
  picoseconds const now = calling_ == nullptr ? grid_.clock.now() : calling_->now() * grid_.description.tile_clock_ps;
  return now / 1000;
}

hart* tile_program::free_hart() {
  auto const free = std::ranges::find(harts_, timed_hart::state::idle, &timed_hart::is);
  return free == harts_.end() ? nullptr : &free->context;
}
void tile_program::start(hart& h) {
  wake(h);
}
void tile_program::release(hart& h) {
  of(h).is = timed_hart::state::idle;
}
void tile_program::wake(hart& h) {
  of(h).wake(now_ns() * 1000 / grid_.description.tile_clock_ps);
}
void tile_program::interrupt(hart& h, std::uint64_t cycles) {
  picoseconds const clock_ps = grid_.description.tile_clock_ps;
  std::uint64_t const cycle = now_ns() * 1000 / clock_ps + std::max(cycles, grid_.description.beyond_quantum_cycles());
  of(h).interrupt(cycle);
  add_alarm((cycle * clock_ps + 999) / 1000);  // it may sleep then
}
void tile_program::code_changed() {
  code_.clear();
  for (timed_hart& one : harts_) one.memory().forget_code();
}

bool tile_program::whole(std::uint64_t address, std::size_t bytes, access_right wanted) const {
  std::uint64_t const page = std::uint64_t{1} << page_rights::page_shift;
  for (std::uint64_t at = address / page * page; at < address + bytes; at += page) {
    std::uint64_t const inside = std::max(at, address);
    if (!rights_.allow(inside, wanted)) return false;
    if (tables_ && inside < sv39::user_end) continue;
    auto const name = window_.global(inside);
    if (!name) return false;
    tile::place const where = tile_.place_of(*name);
    if (where != tile::place::tlm && where != tile::place::l2) return false;
  }
  return address + bytes >= address;
}

bool tile_program::read(std::uint64_t address, std::span<std::byte> into) {
  if (!whole(address, into.size(), right_read)) return false;
  for (std::size_t done = 0; done < into.size();) {
    std::uint64_t const at = address + done;
    std::size_t const piece = std::min<std::size_t>(into.size() - done, 8 - at % 8);
    if (auto const name = global(at)) {
      std::memcpy(into.data() + done, tile_.peek(*name), piece);
    } else {
      std::ranges::fill(into.subspan(done, piece), std::byte{0});  // a page that was never touched
    }
    done += piece;
  }
  return true;
}

bool tile_program::write(std::uint64_t address, std::span<std::byte const> from) {
  if (!whole(address, from.size(), right_write)) return false;
  place(address, from);
  return true;
}

bool tile_program::provide(std::uint64_t address, std::size_t bytes) {
  if (!tables_ || bytes == 0) return true;
  for (std::uint64_t page = page_down(address); page < address + bytes; page += user_page_bytes) {
    if (tables_->physical(page)) continue;
    if (!tables_->provide(page, rights_.of(page))) return false;
    ++provided_;
  }
  return true;
}

std::string tile_program::exhausted() const {
  return fmt::format("the program has touched all {} bytes of its tile's memory; give it more by tile.local_tail_bytes",
                     tables_->memory_bytes());
}

void tile_program::place(std::uint64_t address, std::span<std::byte const> from) {
  if (!provide(address, from.size())) return;
  for (std::size_t done = 0; done < from.size();) {
    std::uint64_t const at = address + done;
    std::uint64_t const name = *global(at);
    std::size_t const unit = grid_.description.l2.line_bytes;
    std::size_t const piece = std::min<std::size_t>(from.size() - done, unit - at % unit);
    tile_.poke(name, from.subspan(done, piece));
    tile_.snoop(name, piece, nullptr, grid_.clock.now() / grid_.description.tile_clock_ps + 1);
    done += piece;
  }
}

void tile_program::set_rights(std::uint64_t begin, std::uint64_t end, std::uint8_t rights) {
  bool const had_code = rights_.have_code(begin, end);
  // The tables in front of the L1s must not serve pages that lose a right. What harts have guessed had it still.
  for (timed_hart& one : harts_) one.memory().forget_range(begin, end);
  rights_.set(begin, end, rights);
  if (tables_) tables_->set_rights(begin, end, rights);
  if (had_code || (rights & right_execute) != 0) code_changed();
}

void tile_program::clear(std::uint64_t begin, std::uint64_t end) {
  if (tables_) {
    tables_->release(begin, end);
    for (timed_hart& one : harts_) one.memory().forget_range(begin, end);
    return;
  }
  while (begin < end) {
    std::uint64_t const piece = window_.together(begin, end - begin);
    tile_.discard(*window_.global(begin), piece);
    begin += piece;
  }
}

void tile_program::take_over(tile_program& from) {
  rights_ = from.rights_;
  code_changed();
  program_.take_over(from.program_, [&](std::uint32_t number) -> hart* {
    auto const same = std::ranges::find(harts_, number, [](timed_hart const& one) { return one.context.number; });
    return same == harts_.end() ? nullptr : &same->context;
  });
  for (std::size_t i = 0; i < harts_.size(); ++i) harts_[i].take_over(from.harts_[i]);
  ended_ = from.ended_;
  exit_code_ = from.exit_code_;
  trouble_ = from.trouble_;
  set_alarm();
}

void tile_program::take_over(flat_machine& from) {
  flat_memory& memory = from.memory();
  rights_.take(memory.all_rights());
  for (std::uint64_t at = 0; at < memory.size_bytes();) {
    std::uint64_t const bytes = window_.together(at, memory.size_bytes() - at);
    region const& in = *grid_.map.find(*window_.global(at));
    std::uint64_t const offset = *window_.global(at) - in.base;
    memory.give(at, bytes,
                in.kind == region_kind::tlm
                    ? tile_.local_memory().at(offset)
                    : grid_.tiles[in.memory_tile]->memory()->bytes().at(in.memory_offset + offset));
    at += bytes;
  }
  code_changed();
  program_.take_over(from.linux_program(), [&](std::uint32_t number) { return &harts_[number].context; });
  warm_tile* const warm = from.warmed();
  if (warm != nullptr) tile_.l2().warm(warm->l2(), [this](std::uint64_t name) { return tile_.peek(name); });
  for (std::uint32_t i = 0; i < harts_.size(); ++i) {
    auto const& [other, state, attends_at] = from.harts()[i];
    harts_[i].take_over(other, static_cast<timed_hart::state>(state), attends_at != threads::never);
    if (warm != nullptr) harts_[i].warm(warm->of_hart(i));
  }
  set_alarm();
}

void tile_program::leave_host_alone() {
  is_alone_ = true;
  program_.open_files().discard_output();
}

hart_environment::after tile_program::system_call(timed_hart& of) {
  if (is_alone_ && !program_.is_within(of.context)) {
    wanted_host_ = true;
    grid_.clock.stop();
    return after::sleeps;
  }
  calling_ = &of.context;
  program::after_call const next = program_.system_call(of.context);
  calling_ = nullptr;
  if (tables_ && tables_->is_exhausted() && !ended_) {
    end(1, "machine: " + exhausted() + "\n");
    return after::sleeps;
  }
  // The system's own page faults.
  if (std::uint64_t const pages = std::exchange(provided_, 0); pages != 0)
    of.memory().system_touched(of.context, pages);
  set_alarm();
  if (caught_signal() != 0) grid_.clock.stop();  // it may have ended the call early
  if (next == program::after_call::goes_on) return after::goes_on;
  if (next == program::after_call::program_ended) {
    if (program_.killed_by()) {
      end_by_signal(of.context);
    } else {
      end(program_.exit_code(), {});
    }
  }
  return after::sleeps;
}

std::string tile_program::segment_hint(access_request const& of) const {
  // Only programs of the runtime have segments: object place + 1, at the front of the place's partition.
  if (!image_.spreads || of.fault == extended_fault::none || of.object == 0) return {};
  auto const number = tile_.objects()->tile_of(of.object);
  if (!number) return fmt::format("machine: there is no place {}\n", of.object - 1);
  region const* const cached = grid_.map.of(region_kind::partition, *number);
  region const* const uncached = grid_.map.of(region_kind::partition_uncached, *number);
  region const* const in = uncached != nullptr && of.address >= uncached->base ? uncached : cached;
  if (cached == nullptr || in == nullptr) return {};
  std::uint64_t const bytes = grid_.description.window(*number).tail_base - cached->base;
  return fmt::format("machine: that is place {}, offset {} in its segment of {} bytes\n", of.object - 1,
                     static_cast<std::int64_t>(of.address - in->base), bytes);
}

void tile_program::trapped(timed_hart& of) {
  hart const& h = of.context;
  std::string const where = h.stopped == stop::access ? segment_hint(h.request) : std::string();
  std::string const full = tables_ && tables_->is_exhausted() ? "machine: " + exhausted() + "\n" : std::string();
  end(1, full + trap_report(h, *this, image_, tile_.number()) + program_.stack_hint(h) + where);
}

void tile_program::end(int code, std::string trouble) {
  if (ended_) return;
  ended_ = true;
  exit_code_ = code;
  trouble_ = std::move(trouble);
  for (timed_hart& one : harts_) {
    one.take_back_stores();
    one.is = timed_hart::state::idle;
  }
  on_end_(*this);
}

bool tile_program::handles(timed_hart& of) {
  if (tables_ && tables_->is_exhausted()) return false;
  calling_ = &of.context;
  bool const goes_on = program_.handle_trap(of.context);
  calling_ = nullptr;
  return goes_on;
}

void tile_program::attend(timed_hart& of) {
  calling_ = &of.context;
  bool const goes_on = program_.attend(of.context);
  calling_ = nullptr;
  if (!goes_on) end_by_signal(of.context);
}

void tile_program::end_by_signal(hart const& h) {
  end(program_.exit_code(), signal_report(*program_.killed_by(), h, *this, image_, tile_.number()));
}

void tile_program::set_alarm() {
  // An alarm stays when the wait that it was for is over. Until the first one has expired, later deadlines need none.
  std::uint64_t const next = program_.tasks().next_deadline_ns();
  if (next != threads::never && (deadlines_.empty() || next < *deadlines_.begin())) {
    deadlines_.insert(next);
    add_alarm(next);
  }
  // Timers go on without calls, so there must not be one more alarm for each.
  std::uint64_t const tick = program_.next_tick_ns();
  if (tick >= tick_ns_) return;
  tick_ns_ = tick;
  add_alarm(tick);
}

void tile_program::add_alarm(std::uint64_t at_ns) {
  if (spare_alarms_.empty()) spare_alarms_.push_back(&alarms_.emplace_back(*this));
  alarm& one = *spare_alarms_.back();
  spare_alarms_.pop_back();
  grid_.clock.at(std::max(at_ns * 1000, grid_.clock.now()), one);
}

void tile_program::expired(alarm& one) {
  spare_alarms_.push_back(&one);
  if (ended_) return;
  for (timed_hart& each : harts_) each.wake_to_attend();
  auto const later = deadlines_.upper_bound(now_ns());
  bool const was_first = later != deadlines_.begin();
  deadlines_.erase(deadlines_.begin(), later);
  if (!program_.pass_time(now_ns())) return end_by_signal(harts_.front().context);
  if (was_first) set_alarm();
  if (tick_ns_ > now_ns()) return;
  tick_ns_ = threads::never;
  if (program_.next_tick_ns() != threads::never) set_alarm();
}

std::uint64_t tile_program::horizon(timed_hart const& of) const {
  kernel const& clock = grid_.clock;
  if (clock.idle()) return ~std::uint64_t{0};
  // The harts of other copies of the program in this tile are among all events.
  if (grid_.copies.in_tile > 1) return cycles_.count(clock.next_due());
  picoseconds horizon = clock.next_due_at(network::site_of(tile_.number()), reach_ps_);
  // A hart that is not in the calendar waits for a device of the tile, or for a packet.
  auto const lower = [&](timed_hart const& other) {
    if (&other != &of && other.is == timed_hart::state::runnable && other.due_ps() >= clock.now())
      horizon = std::min(horizon, other.due_ps());
  };
  for (timed_hart const& other : harts_) lower(other);
  for (timed_hart const* const other : neighbours_) lower(*other);
  return cycles_.count(horizon);
}

std::uint64_t tile_program::instructions() const {
  std::uint64_t sum = 0;
  for (timed_hart const& one : harts_) sum += one.retired();
  return sum;
}

hart_memory::statistics tile_program::counted() const {
  hart_memory::statistics sum;
  for (timed_hart const& one : harts_) {
    hart_memory::statistics const& each = one.memory().counted();
    sum.loads += each.loads;
    sum.stores += each.stores;
    sum.load_misses += each.load_misses;
    sum.fetch_misses += each.fetch_misses;
    sum.store_wait_cycles += each.store_wait_cycles;
    sum.in_place += each.in_place + each.stores_in_place;
  }
  return sum;
}

std::string tile_program::places() const {
  std::string report;
  for (timed_hart const& one : harts_)
    if (one.is != timed_hart::state::idle) report += place_report(one.context, image_, tile_.number());
  return report;
}

std::string tile_program::waiting() {
  std::string report;
  for (std::string const& line : program_.tasks().waiting()) {
    report += "  tile " + std::to_string(tile_.number()) + ": " + line + "\n";
  }
  std::map<std::uint64_t, std::string> sleepers;  // by pc
  for (timed_hart const& one : harts_) {
    if (one.is != timed_hart::state::reserved) continue;
    std::string& numbers = sleepers[one.context.pc];
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(one.context.number);
  }
  for (auto const& [pc, numbers] : sleepers) {
    report += fmt::format("  tile {}: hart {}: until a word is written (wrs.nto), at pc {:#x} in {}\n", tile_.number(),
                          numbers, pc, symbol_of(image_, pc));
  }
  return report;
}

}  // namespace tess::machine
