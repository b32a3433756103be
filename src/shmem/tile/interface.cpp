// interface: configuration of the lines, commands, and the words that counters write.
#include "shmem/tile/interface.hpp"

#include <algorithm>
#include <bit>

#include "shmem/tile/pes.hpp"
#include "shmem/tile/waiting.hpp"

namespace tess::shmem::interface {

namespace hw = detail::tile_registers;
namespace info = hw::information;
namespace cni = machine::registers::cni;
using machine::registers::unit;

namespace {

constexpr std::uint64_t harts_max = 16;
constexpr unsigned commands_max = 4;  ///< of a copy at once
constexpr std::uint64_t children_max = 3;

// Lines, from the first one on.
constexpr std::uint64_t buffers = 0;
constexpr std::uint64_t counters = buffers + harts_max;
constexpr std::uint64_t arrivals = counters + harts_max;
constexpr std::uint64_t releases = arrivals + 1;
constexpr std::uint64_t lines = releases + 1;

/// What counters write when they are zero: to a word of each hart, and at the barrier. In front of .bss, so in the
/// tile-local memory.
struct words {
  alignas(64) std::uint64_t copied[harts_max];
  alignas(64) std::uint64_t released;
};
[[gnu::section(".data.tess_shmem")]] constinit words told{};

std::uint64_t first_of_all = 0;  ///< first line in the scratchpad of tile 0; 0: not open
std::uint64_t stride = 0;

std::uint64_t line_of(std::uint64_t tile, std::uint64_t number) {
  return first_of_all + tile * stride + number * cni::line_bytes;
}
std::uint64_t own_line(std::uint64_t number) {
  return line_of(all_pes.of(all_pes.own()).tile, number);
}
std::uint64_t global_of(std::uint64_t const& word) {
  return all_pes.global(all_pes.own(), reinterpret_cast<std::uint64_t>(&word));
}

/// The interface alone writes it: nobody has to be served for that.
void wait_for_counter(std::uint64_t volatile& word) {
  for (;;) {
    reserve(const_cast<std::uint64_t const*>(&word));
    if (word != 0) return;
    sleep_reserved();
  }
}

void fence() {
  asm volatile("fence rw, rw" ::: "memory");
}

/// An entry that is there already is the runtime's, which has the same ones.
void enter_region(std::uint64_t entry, std::uint64_t first, std::uint64_t last, cni::region_code code) {
  std::uint64_t const at = hw::unit(unit::cni) + cni::regions + entry * cni::region_bytes;
  std::uint64_t const mask = first == last ? ~std::uint64_t{0} : ~((std::bit_floor(first ^ last) << 1U) - 1);
  if (hw::load(at + cni::region_enable) == 1) return;
  hw::store(at + cni::region_match, first & mask);
  hw::store(at + cni::region_mask, mask);
  hw::store(at + cni::region_kind, code);
  hw::store(at + cni::region_way, 0);
  hw::store(at + cni::region_enable, 1);
}

void configure(std::uint64_t number, std::uint64_t count, cni::line_code code) {
  std::uint64_t const window = hw::own_window(unit::cni);
  hw::store(window + cni::operation, cni::configure);
  hw::store(window + cni::address, own_line(number));
  hw::store(window + cni::bytes, count * cni::line_bytes);
  hw::store(window + cni::value, code);
  hw::store(window + cni::doorbell, 1);
}

void enter_regions(std::uint64_t way_bytes) {
  std::uint64_t const tiles = hw::information_field(info::width) * hw::information_field(info::height);
  std::uint64_t const scratchpads = hw::load(hw::unit(unit::cni) + cni::scratchpad_base);
  std::uint64_t const own_way = scratchpads + all_pes.of(all_pes.own()).tile * stride;
  enter_region(0, own_way, own_way + way_bytes - 1, cni::own_scratchpad);
  std::uint64_t tlm[2] = {~std::uint64_t{0}, 0};
  std::uint64_t tail[2] = {~std::uint64_t{0}, 0};
  // The stack is at the end of the local window.
  constexpr std::uint64_t round = std::uint64_t{1} << 20U;
  std::uint64_t const here = reinterpret_cast<std::uint64_t>(&tlm);
  std::uint64_t const tail_bytes = (here - all_pes.tlm_bytes() + round - 1) / round * round;
  for (int pe = 0; pe < all_pes.count(); ++pe) {
    tlm[0] = std::min(tlm[0], all_pes.of(pe).tlm);
    tlm[1] = std::max(tlm[1], all_pes.of(pe).tlm + all_pes.tlm_bytes() - 1);
    tail[0] = std::min(tail[0], all_pes.of(pe).tail);
    tail[1] = std::max(tail[1], all_pes.of(pe).tail + tail_bytes - 1);
  }
  enter_region(1, tlm[0], tlm[1], cni::memory);
  enter_region(2, tail[0], tail[1], cni::memory);
  enter_region(3, scratchpads, scratchpads + stride * tiles - 1, cni::remote_events);
}

/// Up: the counter of a PE and its children adds to that of its parent. Down: each counter, from the root on, releases
/// its PE and adds to those of its children. All reload themselves.
void open_barrier() {
  auto const me = static_cast<std::uint64_t>(all_pes.own());
  auto const count = static_cast<std::uint64_t>(all_pes.count());
  std::uint64_t const up = own_line(arrivals);
  std::uint64_t const down = own_line(releases);
  auto const line_of_pe = [](std::uint64_t pe, std::uint64_t number) {
    return line_of(all_pes.of(static_cast<int>(pe)).tile, number);
  };
  std::uint64_t const first_child = std::min(count, children_max * me + 1);
  std::uint64_t const children = std::min(count, first_child + children_max) - first_child;
  hw::store(up + cni::counter_reload, ~(children + 1) + 1);
  hw::store(up + cni::counter_preset, 1);
  hw::store(up + cni::counter_notify,
            (me == 0 ? down : line_of_pe((me - 1) / children_max, arrivals)) + cni::counter_add);
  hw::store(up + cni::counter_set, ~(children + 1) + 1);
  hw::store(down + cni::counter_reload, ~std::uint64_t{0});
  hw::store(down + cni::counter_preset, 1);
  hw::store(down + cni::counter_notify, global_of(told.released));
  for (std::uint64_t i = 0; i < children; ++i)
    hw::store(down + cni::counter_notify + 8 * (i + 1), line_of_pe(first_child + i, releases) + cni::counter_add);
  hw::store(down + cni::counter_set, ~std::uint64_t{0});
}

}  // namespace

bool is_open() noexcept {
  return first_of_all != 0;
}

void open() {
  if (is_open() || !hw::has_unit(unit::cni)) return;
  bool const in_tlm = reinterpret_cast<std::uint64_t>(&told + 1) <= all_pes.tlm_bytes();
  std::uint64_t const of_unit = hw::unit(unit::cni);
  std::uint64_t const way_bytes = hw::load(of_unit + cni::way_bytes);
  // The runtime needs the first lines of such ways.
  constexpr std::uint64_t way_bytes_min = std::uint64_t{96} << 10U;
  // The counters of the barrier are a tile's.
  if (all_pes.shares_tile() || !in_tlm || way_bytes < way_bytes_min || hw::information_field(info::harts) > harts_max)
    return;
  stride = hw::load(of_unit + cni::scratchpad_stride);
  enter_regions(way_bytes);
  first_of_all = hw::load(of_unit + cni::scratchpad_base) + way_bytes - lines * cni::line_bytes;
  configure(buffers, harts_max, cni::command_buffer);
  configure(counters, harts_max + 2, cni::counter);
  for (std::uint64_t hart = 0; hart < harts_max; ++hart) {
    hw::store(own_line(counters + hart) + cni::counter_preset, 1);
    hw::store(own_line(counters + hart) + cni::counter_notify, global_of(told.copied[hart]));
  }
  open_barrier();
}

void copy(int from, std::uint64_t source, int to, std::uint64_t target, std::size_t bytes) {
  std::uint64_t const hart = hw::information_field(info::hart);
  std::uint64_t const buffer = own_line(buffers + hart);
  std::uint64_t const counter = own_line(counters + hart);
  std::uint64_t volatile& copied = told.copied[hart];
  auto const part_of = [&](std::uint64_t done) {
    std::uint64_t const left = std::min<std::uint64_t>(bytes - done, cni::copy_bytes_max);
    return std::min(all_pes.together(source + done, left), all_pes.together(target + done, left));
  };
  for (std::uint64_t done = 0; done < bytes;) {
    std::uint64_t end = done;
    for (unsigned i = 0; i < commands_max && end < bytes; ++i) end += part_of(end);
    copied = 0;
    hw::store(counter + cni::counter_set, ~(end - done) + 1);
    fence();
    while (done < end) {
      std::uint64_t const part = part_of(done);
      hw::store(buffer + cni::command_destination, all_pes.global(to, target + done));
      hw::store(buffer + cni::command_acknowledgement, counter + cni::counter_add);
      hw::store(buffer + cni::command_source, all_pes.global(from, source + done));
      hw::store(buffer + cni::command_what, cni::what_of(cni::copy, part));
      done += part;
    }
    wait_for_counter(copied);
  }
}

void meet() {
  std::uint64_t volatile& released = told.released;
  released = 0;
  // What was done before the barrier is visible to all after it.
  fence();
  hw::store(own_line(arrivals) + cni::counter_add, 1);
  wait_for_counter(released);
}

}  // namespace tess::shmem::interface
