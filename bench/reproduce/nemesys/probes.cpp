// probes: parameters of the machine, measured by a program on a tile, as JSON.
//
//     tess run --machine nemesys-4x4 --tile 0 nemesys-probes            # everything
//     tess run --machine nemesys-4x4 --tile 0 nemesys-probes latency    # only the latency of a load beyond the L2
//
//   Latencies: dependent loads over memory of a size that fits the measured level. Capacities: the largest size that
//   can be traversed repeatedly without a longer time per step. Lines: the smallest stride at which each step is a
//   miss. The clock of the tile and the sizes of memories are read from registers: a program without another clock
//   cannot measure them.
//
// Units     cycles of the tile's clock, bytes, MHz.
// Source    NEMESYS (MEMSYS 2019), table 2.
#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <string_view>

#include "units.hpp"

// 65536 instructions of one cycle and four bytes, which can be entered anywhere, followed by a return.
asm(".pushsection .text.probes_sled, \"ax\", @progbits\n"
    ".option push\n.option norvc\n"
    ".p2align 6\n"
    "probes_sled: .rept 65536\n nop\n .endr\n"
    "probes_sled_end: ret\n"
    ".option pop\n.popsection\n");
extern "C" char probes_sled_end[];  // NOLINT: an address only

namespace bench::nemesys {
namespace {

constexpr std::uint64_t loads_max = 16384;

// A ring through `count` addresses, `stride` apart; `jump` and `count` have no common divisor.
void* ring(char* base, std::uint64_t count, std::uint64_t stride, std::uint64_t jump) {
  for (std::uint64_t i = 0; i < count; ++i)
    *reinterpret_cast<void**>(base + i * stride) = base + (i + jump) % count * stride;
  return base;
}

[[gnu::noinline]] void* follow(void* at, std::uint64_t loads) {
  for (; loads != 0; loads -= 64) asm volatile(".rept 64\n ld %0, 0(%0)\n .endr" : "+r"(at)::"memory");
  return at;
}

std::uint64_t cycles_of(void*& at, std::uint64_t loads) {
  std::uint64_t const begun = cycle();
  at = follow(at, loads);
  asm volatile("" ::"r"(at));
  return cycle() - begun;
}

// Cycles per load in the second pass, without the cost of the measurement.
double cycles_of_load(char* base, std::uint64_t bytes, std::uint64_t stride, std::uint64_t jump) {
  std::uint64_t const count = bytes / stride;
  void* at = ring(base, count, stride, jump);
  std::uint64_t const loads = count < loads_max ? count : loads_max;
  (void)cycles_of(at, count);
  std::uint64_t const idle = cycles_of(at, 0);
  return static_cast<double>(cycles_of(at, loads) - idle) / static_cast<double>(loads);
}

// The last size before a step takes 20 % longer.
template <class Time>
std::uint64_t capacity(std::uint64_t least, std::uint64_t most, Time const& time_of) {
  double const small = time_of(least);
  std::uint64_t fits = least;
  for (std::uint64_t size = least; size <= most; size += least) {
    if (time_of(size) > 1.2 * small) break;
    fits = size;
  }
  return fits;
}

// The smallest stride at which a step has its maximum duration.
std::uint64_t line(char* base, std::uint64_t bytes) {
  double const apart = cycles_of_load(base, bytes, 128, 1);
  for (std::uint64_t stride = 8; stride < 128; stride *= 2)
    if (cycles_of_load(base, bytes, stride, 1) > 0.9 * apart) return stride;
  return 128;
}

double cycles_of_code(std::uint64_t bytes) {
  using code = void (*)();
  auto const entry = reinterpret_cast<code>(probes_sled_end - bytes);
  entry();
  std::uint64_t const begun = cycle();
  entry();
  return static_cast<double>(cycle() - begun) / (static_cast<double>(bytes) / 4);
}

char* mapped(std::size_t bytes) {
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at != MAP_FAILED) return static_cast<char*>(at);
  std::fputs("nemesys-probes: the tile's partition is too small\n", stderr);
  std::exit(1);
}

constexpr std::uint64_t kib = 1024;
alignas(4096) char local[256 * kib];

int probe(bool latency_only) {
  // A step of an odd number of lines, about half the ring, visits each line once and rarely an open row.
  auto const half = [](std::uint64_t bytes, std::uint64_t stride) { return bytes / stride / 2 + 1; };
  char* const beyond = mapped(4096 * kib);
  double const miss = cycles_of_load(beyond, 4096 * kib, 64, half(4096 * kib, 64));
  auto const tile = static_cast<unsigned long long>(information(registers::information::tile));
  if (latency_only) return std::printf("{\"tile\": %llu, \"memory_cycles\": %.2f}\n", tile, miss), 0;

  char* const in_l2 = mapped(1024 * kib);
  double const l1 = cycles_of_load(local, 8 * kib, 16, half(8 * kib, 16));
  double const tlm = cycles_of_load(local, 256 * kib, 16, half(256 * kib, 16));
  double const l2 = cycles_of_load(in_l2, 256 * kib, 16, half(256 * kib, 16));
  std::uint64_t const l1_bytes =
      capacity(4 * kib, 128 * kib, [&](std::uint64_t size) { return cycles_of_load(local, size, 16, 1); });
  std::uint64_t const l2_bytes =
      capacity(64 * kib, 1024 * kib, [&](std::uint64_t size) { return cycles_of_load(in_l2, size, 32, 1); });
  std::uint64_t const code_bytes = capacity(4 * kib, 128 * kib, cycles_of_code);
  std::uint64_t const l1_line = line(local, 256 * kib);
  std::uint64_t const l2_line = line(beyond, 2048 * kib);
  double const clock_mhz = 1e6 / static_cast<double>(information(registers::information::clock_ps));
  auto const number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  std::printf("{\"tile\": %llu, \"tile_mhz\": %.1f,\n", tile, clock_mhz);
  std::printf(" \"l1_cycles\": %.2f, \"l2_cycles\": %.2f, \"tlm_cycles\": %.2f, \"memory_cycles\": %.2f,\n", l1, l2,
              tlm, miss);
  std::printf(" \"l1_data_bytes\": %llu, \"l1_data_line_bytes\": %llu, \"l1_instruction_bytes\": %llu,\n",
              number(l1_bytes), number(l1_line), number(code_bytes));
  std::printf(" \"l2_bytes\": %llu, \"l2_line_bytes\": %llu,\n", number(l2_bytes), number(l2_line));
  std::printf(" \"tlm_bytes\": %llu, \"partition_bytes\": %llu}\n",
              number(own_row(registers::information::row_tlm_bytes)),
              number(own_row(registers::information::row_partition_bytes)));
  return 0;
}

}  // namespace
}  // namespace bench::nemesys

int main(int argc, char** argv) {
  bool const latency_only = argc == 2 && std::string_view(argv[1]) == "latency";
  if (argc != 1 && !latency_only) return std::fputs("nemesys-probes: takes no argument but `latency`\n", stderr), 2;
  return bench::nemesys::probe(latency_only);
}
