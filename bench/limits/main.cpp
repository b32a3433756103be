// main: measures every limit of this computer that the benchmarks are compared with, as a table.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "harness/huge_pages.hpp"
#include "harness/pin.hpp"
#include "harness/suite.hpp"
#include "limits/between_cores.hpp"
#include "limits/raw_gups.hpp"
#include "limits/raw_words.hpp"
#include "limits/switch_and_spawn.hpp"

namespace {

using bench::word_op;

constexpr std::size_t random_bytes = std::size_t{256} << 20U;
constexpr std::size_t gups_bytes = std::size_t{128} << 20U;
constexpr std::uint32_t hot_lines = 64;      // 4 KiB, far below any L1
constexpr std::uint32_t stolen_lines = 256;  // 16 KiB: stays in the L1 of the core that writes it

constexpr struct {
  word_op op;
  char const* name;
} word_ops[] = {{word_op::get, "get"}, {word_op::put, "put"}, {word_op::fetch_add, "fetch_add"}};

void tasks(bench::suite& limits) {
  for (std::uint32_t const count : {16U, 64U, 1024U}) {
    limits.alone("switch, " + std::to_string(count) + " tasks", 1, "ns/op",
                 [&] { return bench::on_cpu(0, [&] { return bench::bare_switch(count); }); });
  }
  limits.alone("spawn and finish", 1, "ns/op",
               [] { return bench::on_cpu(0, [] { return bench::bare_spawn(1'000'000); }); });
  limits.alone("spawn through an array", 1, "ns/op",
               [] { return bench::on_cpu(0, [] { return bench::bare_spawn_unshared(1'000'000); }); });
  limits.alone("stealable spawn and finish", 1, "ns/op",
               [] { return bench::on_cpu(0, [] { return bench::bare_spawn_stealable(1'000'000); }); });
}

void hot_and_random_words(bench::suite& limits, word_op op, std::string const& name) {
  if (!limits.wants("word hot " + name) && !limits.wants("word random " + name)) return;
  bench::huge_array<std::uint64_t> const memory(random_bytes / sizeof(std::uint64_t));
  limits.alone("word hot " + name, 1, "ns/op",
               [&] { return bench::raw_word_hot(op, memory.data(), hot_lines, 20'000'000); });
  auto const lines = static_cast<std::uint32_t>(random_bytes / bench::line_bytes);
  bench::write_chain(memory.data(), bench::random_cycle(lines, 1));
  limits.alone("word random " + name, 1, "ns/op", [&] { return bench::raw_word_random(op, memory.data(), 2'000'000); });
}

void words(bench::suite& limits) {
  bench::huge_array<std::uint64_t> const stolen(stolen_lines * bench::words_per_line);
  for (auto const& [op, name] : word_ops) {
    hot_and_random_words(limits, op, name);
    limits.alone(std::string("word stolen ") + name, 2, "ns/op",
                 [&] { return bench::raw_word_stolen(op, stolen.data(), stolen_lines, 1000); });
  }
}

void updates(bench::suite& limits) {
  if (!limits.wants("gups")) return;
  bench::huge_array<std::uint64_t> const table(gups_bytes / sizeof(std::uint64_t));
  for (int const threads : {1, 2}) {
    limits.alone("gups", threads, "M/s",
                 [&] { return bench::raw_gups(table.data(), table.size(), 10'000'000, threads); });
  }
}

void two_cores(bench::suite& limits) {
  limits.alone("ping-pong", 2, "ns", [] { return bench::ping_pong(200'000); });
  limits.alone("flag exchange", 2, "ns", [] { return bench::flag_exchange(200'000); });
  for (int const threads : {2, 4}) {
    limits.alone("std::barrier", threads, "ns", [&] { return bench::std_barrier(threads, 20'000); });
  }
  limits.alone("ring stream, 8 B arguments", 2, "M/s",
               [] { return bench::ring_stream(20'000'000, bench::ring_record::bytes_16); });
  limits.alone("ring stream, 16 B arguments", 2, "M/s",
               [] { return bench::ring_stream(20'000'000, bench::ring_record::bytes_24); });
  for (std::size_t const kib : {4U, 64U, 1024U, 16384U}) {
    limits.alone("memcpy " + std::to_string(kib) + " KiB", 1, "GB/s", [&] { return bench::memcpy_rate(kib * 1024); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("What this machine can do: the limits that the benchmarks are compared with.");
  bench::options chosen;
  bench::declare(app, chosen);
  if (auto const code = bench::parse(app, argc, argv)) return *code;

  bench::suite limits("limits", chosen);
  tasks(limits);
  words(limits);
  updates(limits);
  two_cores(limits);
  return limits.finish();
}
