// latencies: parameters of the machine, measured by a program on a node, as JSON: caches, memory, words of other nodes
// by xBGAS instructions, and copies.
//
//     tess run --machine rae-6 --copies 6 rae-latencies
//
//   PE 0 measures; the others sleep in a barrier. Loads are dependent, over memory of a size that fits the measured
//   level. Words of other nodes: repeated access to one word, which is in the interface cache; first access to words of
//   lines that are only in memory, or that are in the owner's caches, since the owner has written them.
//
// Units     cycles of the tile's clock; bytes per microsecond for copies.
// Source    RAE, Table I.
#include <shmem.h>

#include <cstdint>
#include <cstdio>
#include <tess/machine/cni.hpp>
#include <tess/machine/xbgas.hpp>

namespace {

namespace xbgas = tess::machine::xbgas;
namespace device = tess::machine::cni;  // words of devices
namespace registers = tess::machine::registers;
namespace info = registers::information;
namespace adapter = registers::adapter;

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t line = 64;
constexpr std::uint64_t big = 12 * 1024 * kib;  // larger than the L2
constexpr std::uint64_t loads_min = 16384;
constexpr std::uint64_t times = 256;  // lines, or operations

std::uint64_t cycle() {
  std::uint64_t count;
  asm volatile("csrr %0, cycle" : "=r"(count)::"memory");
  return count;
}
std::uint64_t information(std::uint64_t field) {
  return device::information(field);
}
std::uint64_t tile_of(int pe) {
  std::uint64_t tile = 0;
  while (device::row(tile, info::row_program) != static_cast<std::uint64_t>(pe) + 1) ++tile;
  return tile;
}
std::uint64_t row(int pe, std::uint64_t field) {
  return device::row(tile_of(pe), field);
}
/// The begin of a PE's partition, which programs do not use: a global address.
std::uint64_t* untouched(int pe, std::uint64_t from_bytes) {
  return reinterpret_cast<std::uint64_t*>(row(pe, info::row_partition) + from_bytes);
}

/// Cycles per load after the first pass over a ring of lines; steps of about half the ring rarely hit an open row.
double load_cycles(char* base, std::uint64_t bytes) {
  std::uint64_t const lines = bytes / line;
  for (std::uint64_t i = 0; i < lines; ++i)
    *reinterpret_cast<void**>(base + i * line) = base + (i + lines / 2 + 1) % lines * line;
  void* at = base;
  auto const follow = [&](std::uint64_t loads) {
    for (std::uint64_t i = 0; i < loads; i += 64) asm volatile(".rept 64\n ld %0, 0(%0)\n .endr" : "+r"(at)::"memory");
  };
  follow(lines);
  std::uint64_t const loads = lines < loads_min ? loads_min : lines;
  std::uint64_t const begun = cycle();
  follow(loads);
  return static_cast<double>(cycle() - begun) / static_cast<double>(loads);
}

/// Cycles per call of f(0), f(1), f(2) ..., without the loop around it.
template <class Operation>
double each(Operation operation) {
  std::uint64_t const idle = cycle();
  for (std::uint64_t i = 0; i < times; ++i) asm volatile("" ::: "memory");
  std::uint64_t const begun = cycle();
  for (std::uint64_t i = 0; i < times; ++i) operation(i);
  return static_cast<double>(cycle() - begun - (begun - idle)) / times;
}

/// Copies whole lines by DMA to this node's memory or to another one.
double copy_bytes_per_us(std::uint64_t const* from, std::uint64_t* to, std::uint64_t bytes) {
  struct acknowledged {
    std::uint64_t value = 1, error = 0, notify = 0, cookie = 0;
  };
  alignas(64) acknowledged counter;
  std::uint64_t const window = registers::own_devices +
                               registers::unit_bytes * static_cast<std::uint64_t>(registers::unit::adapter) +
                               registers::window_bytes * information(info::hart);
  auto const set = [&](std::uint64_t field, std::uint64_t value) { device::word(window + field) = value; };
  auto const done = reinterpret_cast<std::uint64_t>(&counter.value);
  std::uint64_t const begun = cycle();
  set(adapter::operation, adapter::copy);
  set(adapter::address, reinterpret_cast<std::uint64_t>(from));
  set(adapter::bytes, bytes);
  set(adapter::operand, reinterpret_cast<std::uint64_t>(to));
  set(adapter::counter, done);
  set(adapter::doorbell, 1);
  device::sleep_while(done, [](std::uint64_t value) { return value != 0; });
  double const ps = static_cast<double>((cycle() - begun) * information(info::clock_ps));
  if (*const_cast<std::uint64_t volatile*>(&counter.error) != 0) return 0;
  return static_cast<double>(bytes) / (ps * 1e-6);
}

unsigned hops(int pe) {
  auto const width = static_cast<unsigned>(information(info::width));
  auto const from = static_cast<unsigned>(tile_of(0));
  auto const to = static_cast<unsigned>(tile_of(pe));
  auto const apart = [](unsigned a, unsigned b) { return a > b ? a - b : b - a; };
  return apart(from % width, to % width) + apart(from / width, to / width);
}

void print_words(std::uint64_t* written) {
  std::printf(" \"words\": [\n");
  for (int pe = 1; pe < shmem_n_pes(); ++pe) {
    auto const object = static_cast<std::uint64_t>(pe) + 1;
    std::uint64_t* const word = untouched(pe, 0);
    (void)xbgas::fetch_add(object, word, 1);
    double const load = each([&](std::uint64_t) { (void)xbgas::get(object, word); });
    double const store = each([&](std::uint64_t) { xbgas::put(object, word, 1); });
    double const add = each([&](std::uint64_t) { (void)xbgas::fetch_add(object, word, 1); });
    double const swap = each([&](std::uint64_t) { (void)xbgas::compare_swap(object, word, 1, 2); });
    std::uint64_t* const lines = untouched(pe, kib * kib);
    double const memory = each([&](std::uint64_t i) { (void)xbgas::fetch_add(object, lines + i * 8, 1); });
    double const cached = each([&](std::uint64_t i) { (void)xbgas::fetch_add(object, written + i * 8, 1); });
    std::printf(
        "  {\"pe\": %d, \"hops\": %u, \"load\": %.2f, \"store\": %.2f, \"add\": %.2f, \"compare_swap\": %.2f, "
        "\"add_from_memory\": %.2f, \"add_from_caches\": %.2f}%s\n",
        pe, hops(pe), load, store, add, swap, memory, cached, pe + 1 < shmem_n_pes() ? "," : "],");
  }
}

void print_all(char* ring, std::uint64_t* written) {
  double const l1 = load_cycles(ring, 8 * kib);
  double const l2 = load_cycles(ring, 256 * kib);
  double const memory = load_cycles(ring, big);
  std::uint64_t volatile sum = 0;
  double const stream = each([&](std::uint64_t i) { sum = *reinterpret_cast<std::uint64_t*>(ring + i * line); });
  std::uint64_t own = 0;
  double const atomic = each([&](std::uint64_t) { __atomic_fetch_add(&own, 1, __ATOMIC_RELAXED); });
  auto const clock_ps = static_cast<unsigned long>(information(info::clock_ps));
  std::printf("{\"clock_ps\": %lu, \"nodes\": %d, \"partition_bytes\": %lu,\n", clock_ps, shmem_n_pes(),
              row(0, info::row_partition_bytes));
  std::printf(
      " \"l1_load\": %.2f, \"l2_load\": %.2f, \"memory_load\": %.2f, \"stream_load\": %.2f, \"own_add\": %.2f,\n", l1,
      l2, memory, stream, atomic);
  print_words(written);
  std::uint64_t const bytes = 1024 * kib;
  double const within = copy_bytes_per_us(untouched(0, 4 * bytes), untouched(0, 8 * bytes), bytes);
  double const link = copy_bytes_per_us(untouched(1, 4 * bytes), untouched(0, 8 * bytes), bytes);
  std::printf(" \"copy_within_bytes_per_us\": %.1f, \"copy_neighbour_bytes_per_us\": %.1f}\n", within, link);
}

}  // namespace

int main(int count, char**) {
  if (count != 1) return std::fputs("rae-latencies: takes no argument\n", stderr), 2;
  shmem_init();
  auto* const ring = static_cast<char*>(shmem_malloc(big));
  auto* const written = static_cast<std::uint64_t*>(shmem_malloc(times * line));
  for (std::uint64_t i = 0; i < times * 8; ++i) written[i] = i;
  shmem_barrier_all();
  if (shmem_my_pe() == 0) print_all(ring, written);
  shmem_barrier_all();
  shmem_finalize();
}
