// interface: configuration of lines, commands, and the queue of ended transfers.
#include "fabric/tile/interface.hpp"

#include <algorithm>
#include <bit>

#include "fabric/tile/addresses.hpp"
#include "fabric/tile/sleepers.hpp"
#include "tess/assert.hpp"

namespace tess::detail {

namespace hw = tile_registers;
namespace cni = machine::registers::cni;
namespace layout = tile_layout;
using machine::registers::unit;

namespace {

/// Commands of one transfer under way at once: a longer one does not hold up others.
constexpr unsigned commands_max = 4;
/// The item of the queue when all places have arrived at the barrier; counters on the way down count to it.
constexpr std::uint64_t barrier_item = layout::transfers_max;
/// Children of a place in the barrier's tree: one of a counter's four notifications is for the place itself.
constexpr unsigned children_max = 3;

void enter_region(std::uint64_t entry, std::uint64_t match, std::uint64_t mask, cni::region_code code) {
  std::uint64_t const at = hw::unit(unit::cni) + cni::regions + entry * cni::region_bytes;
  hw::store(at + cni::region_match, match & mask);
  hw::store(at + cni::region_mask, mask);
  hw::store(at + cni::region_kind, code);
  hw::store(at + cni::region_way, 0);
  hw::store(at + cni::region_enable, 1);
  TESS_ASSERT(hw::load(at + cni::region_enable) == 1);
}

/// The mask of the smallest aligned block that contains both.
std::uint64_t mask_of(std::uint64_t first, std::uint64_t last) {
  return first == last ? ~std::uint64_t{0} : ~((std::bit_floor(first ^ last) << 1U) - 1);
}

}  // namespace

tile_interface::tile_interface(tile_places const& places, bool wanted) : places_(places) {
  bool const has_one = wanted && hw::has_unit(unit::cni);
  std::uint64_t const of_unit = hw::unit(unit::cni);
  if (!has_one || hw::load(of_unit + cni::way_bytes) < layout::end * cni::line_bytes) return;
  first_ = hw::load(of_unit + cni::scratchpad_base);
  stride_ = hw::load(of_unit + cni::scratchpad_stride);
  base_ = first_ + hw::information_field(hw::information::tile) * stride_;
  open();
}

void tile_interface::configure(std::uint64_t address, std::uint64_t lines, cni::line_code code) {
  std::uint64_t const window = hw::own_window(unit::cni);
  hw::store(window + cni::operation, cni::configure);
  hw::store(window + cni::address, address);
  hw::store(window + cni::bytes, lines * cni::line_bytes);
  hw::store(window + cni::value, code);
  hw::store(window + cni::doorbell, 1);
  TESS_ASSERT(hw::load(window + cni::doorbell) == static_cast<std::uint64_t>(machine::registers::command_status::idle));
}

void tile_interface::open() {
  std::uint64_t const way_bytes = hw::load(hw::unit(unit::cni) + cni::way_bytes);
  enter_region(0, base_, ~(way_bytes - 1), cni::own_scratchpad);
  // Event lines of other tiles, to which stores are not combined.
  std::uint64_t const tiles =
      hw::information_field(hw::information::width) * hw::information_field(hw::information::height);
  std::uint64_t const scratchpads = mask_of(first_, first_ + stride_ * tiles - 1);
  enter_region(3, first_, scratchpads, cni::remote_events);
  // All tile-local memories, and all segments by their uncached addresses.
  std::uint64_t tlm[2] = {~std::uint64_t{0}, 0};
  std::uint64_t uncached[2] = {~std::uint64_t{0}, 0};
  for (place_id p = 0; p < places_.places(); ++p) {
    tile_places::place const& of = places_.of(p);
    tlm[0] = std::min(tlm[0], of.tlm);
    tlm[1] = std::max(tlm[1], of.tlm + places_.tlm_bytes() - 1);
    uncached[0] = std::min(uncached[0], of.uncached);
    // Tails are no longer than local windows.
    uncached[1] = std::max(uncached[1], address_of(places_.word(p, tile_places::window_end - 1)));
  }
  enter_region(1, tlm[0], mask_of(tlm[0], tlm[1]), cni::memory);
  enter_region(2, uncached[0], mask_of(uncached[0], uncached[1]), cni::memory);

  configure(line(0), layout::plain_lines, cni::scratchpad);
  configure(line(layout::ended), 2, cni::queue);
  configure(line(layout::buffers), tile_memory::harts_max, cni::command_buffer);
  configure(line(layout::counters), layout::transfers_max, cni::counter);
  hw::store(line(layout::ended) + cni::queue_buffer, line(layout::ended_items));
  hw::store(line(layout::ended) + cni::queue_shape, cni::shape_of(layout::log2_items, 0));
  hw::store(line(layout::ended) + cni::queue_notify, address_of(&tile_memory::own().calls));
  for (unsigned i = 0; i < layout::transfers_max; ++i) {
    hw::store(line(layout::counters + i) + cni::counter_preset, i);
    hw::store(line(layout::counters + i) + cni::counter_notify, line(layout::ended) + cni::queue_put);
  }
  open_barrier();
  hw::store(hw::unit(unit::cni) + cni::faults, 0);
  hw::store(hw::unit(unit::cni) + cni::fault_notify, address_of(&tile_memory::own().calls));
}

/// Up: the counter of a place and its children adds to that of its parent. Down: each counter, from the root on,
/// releases its place and adds to those of its children. All counters reload themselves.
void tile_interface::open_barrier() {
  std::uint64_t const me = places_.own();
  std::uint64_t const up = line(layout::arrivals);
  std::uint64_t const down = line(layout::releases);
  configure(up, 2, cni::counter);
  std::uint64_t const first_child = children_max * me + 1;
  std::uint64_t const end = std::min<std::uint64_t>(first_child + children_max, places_.places());
  std::uint64_t const children = end > first_child ? end - first_child : 0;
  std::uint64_t const next_up = me == 0 ? down : line(static_cast<place_id>((me - 1) / children_max), layout::arrivals);
  hw::store(up + cni::counter_reload, ~(children + 1) + 1);
  hw::store(up + cni::counter_preset, me == 0 ? barrier_item : 1);
  hw::store(up + cni::counter_notify, next_up + cni::counter_add);
  hw::store(up + cni::counter_set, ~(children + 1) + 1);
  hw::store(down + cni::counter_reload, ~barrier_item + 1);
  hw::store(down + cni::counter_preset, barrier_item);
  hw::store(down + cni::counter_notify, line(layout::ended) + cni::queue_put);
  for (std::uint64_t i = 0; i < children; ++i)
    hw::store(down + cni::counter_notify + 8 * (i + 1),
              line(static_cast<place_id>(first_child + i), layout::releases) + cni::counter_add);
  hw::store(down + cni::counter_set, ~barrier_item + 1);
}

void tile_interface::arrive(event_units::callback callback, void* context) noexcept {
  at_barrier_ = {.callback = callback, .context = context};
  under_way_.fetch_add(1, std::memory_order_seq_cst);
  // What was done before the barrier is visible to all places after it.
  asm volatile("fence rw, rw" ::: "memory");
  hw::store(line(layout::arrivals) + cni::counter_add, 1);
}

void tile_interface::begin(tile_transfer const& wanted) {
  under_way_.fetch_add(1, std::memory_order_seq_cst);
  if (auto const number = take_number()) return start(wanted, *number);
  std::lock_guard const lock(mutex_);
  // One may have become free before this hart had the lock.
  if (auto const number = take_number()) return start(wanted, *number);
  waiting_.push_back(wanted);
}

std::optional<unsigned> tile_interface::take_number() noexcept {
  for (std::uint64_t free = free_.load(std::memory_order_relaxed); free != 0;) {
    auto const number = static_cast<unsigned>(std::countr_zero(free));
    std::uint64_t const bit = std::uint64_t{1} << number;
    // acquire: its last user is done with it.
    free = free_.fetch_and(~bit, std::memory_order_acquire);
    if ((free & bit) != 0) return number;
  }
  return std::nullopt;
}

void tile_interface::start(tile_transfer const& wanted, unsigned number) {
  running_[number] = {wanted, wanted};
  send_window(number);
}

void tile_interface::send(cni::command_code how, std::uint64_t to, std::uint64_t item,
                          std::uint64_t acknowledgement) const noexcept {
  asm volatile("fence rw, rw" ::: "memory");
  std::uint64_t const buffer = line(layout::buffers + hw::information_field(hw::information::hart));
  hw::store(buffer + cni::command_destination, to);
  hw::store(buffer + cni::command_acknowledgement, acknowledgement);
  hw::store(buffer + cni::command_data, item);
  hw::store(buffer + cni::command_data + 8, 0);
  hw::store(buffer + cni::command_what, cni::what_of(how, layout::answer_bytes));
}

std::uint64_t tile_interface::part_of(tile_transfer const& rest) const noexcept {
  return std::min(places_.together(rest.source, std::min(rest.bytes, cni::copy_bytes_max)),
                  places_.together(rest.target, rest.bytes));
}

void tile_interface::send_window(unsigned number) {
  tile_transfer& rest = running_[number].rest;
  tile_transfer const window = rest;
  std::uint64_t all = 0;
  for (unsigned i = 0; i < commands_max && rest.bytes != 0; ++i) {
    std::uint64_t const part = part_of(rest);
    all += part;
    rest.source += part;
    rest.target += part;
    rest.bytes -= part;
  }
  std::uint64_t const counter = line(layout::counters + number);
  hw::store(counter + cni::counter_set, ~all + 1);
  asm volatile("fence rw, rw" ::: "memory");
  std::uint64_t const buffer = line(layout::buffers + hw::information_field(hw::information::hart));
  // After its last command it may have ended, and be another one.
  tile_transfer next = window;
  while (all != 0) {
    std::uint64_t const part = part_of(next);
    hw::store(buffer + cni::command_destination, address_of(places_.word(next.to, next.target)));
    hw::store(buffer + cni::command_acknowledgement, counter);
    hw::store(buffer + cni::command_source, address_of(places_.word(next.from, next.source)));
    hw::store(buffer + cni::command_what, cni::what_of(cni::copy, part));
    all -= part;
    next.source += part;
    next.target += part;
    next.bytes -= part;
  }
}

bool tile_interface::nothing_ended() const noexcept {
  if (under_way_.load(std::memory_order_seq_cst) == 0) return true;
  return hw::load(line(layout::ended) + cni::queue_tail) == taken_.load(std::memory_order_seq_cst);
}

std::optional<tile_transfer> tile_interface::look() {
  if (nothing_ended() || looking_.exchange(true, std::memory_order_acquire)) {
    // A read of a device register: not with every look.
    if (idle_looks_.fetch_add(1, std::memory_order_relaxed) % 64 == 63)
      TESS_ASSERT(hw::load(hw::unit(unit::cni) + cni::faults) == 0);
    return std::nullopt;
  }
  std::optional<tile_transfer> ended;
  while (!ended && !nothing_ended()) {
    std::uint64_t const taken = taken_.load(std::memory_order_relaxed);
    std::uint64_t const item = hw::load(line(layout::ended_items) + taken % (1U << layout::log2_items) * 8);
    std::uint64_t const next = (taken + 1) & 0xffff'ffffU;
    hw::store(line(layout::ended) + cni::queue_head, next);
    taken_.store(next, std::memory_order_seq_cst);
    if (item == barrier_item) {
      under_way_.fetch_sub(1, std::memory_order_seq_cst);
      ended = at_barrier_;
    } else {
      ended = go_on(static_cast<unsigned>(item));
    }
  }
  looking_.store(false, std::memory_order_release);
  return ended;
}

std::optional<tile_transfer> tile_interface::go_on(unsigned number) {
  if (running_[number].rest.bytes != 0) {
    send_window(number);
    return std::nullopt;
  }
  tile_transfer const ended = running_[number].whole;
  under_way_.fetch_sub(1, std::memory_order_seq_cst);
  std::lock_guard const lock(mutex_);
  if (waiting_.empty()) {
    free_.fetch_or(std::uint64_t{1} << number, std::memory_order_release);
  } else {
    start(waiting_.front(), number);
    waiting_.pop_front();
  }
  return ended;
}

}  // namespace tess::detail
