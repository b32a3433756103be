// tile_ways: words of other tiles by the runtime, by each value of TESS_WORDS. Run by tess-machine:
//
//   tile_ways sums        every place adds to words of all others, by several operations at once: "sums: right", or 1
//   tile_ways begun       operations that begin at their call: their results, more of them than tickets, and some that
//                         nobody awaits; where words go by instructions, 32 of them hide latency
//   tile_ways costs       instructions and cycles of an operation, at requester and target (docs/machine/rae.md)
//   tile_ways misaligned  an access that the machine refuses; outside: beyond the segment
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tess/machine/xbgas.hpp"
#include "tess/tess.hpp"

namespace {

namespace registers = tess::machine::registers;
namespace xbgas = tess::machine::xbgas;
using word = tess::global_ptr<std::uint64_t>;

bool has_xbgas() {
  std::uint64_t const units =
      *reinterpret_cast<std::uint64_t volatile*>(registers::own_devices + registers::information::units);
  return (units >> static_cast<unsigned>(registers::unit::extended) & 1U) != 0;
}
/// The owner's address, which is valid with the object at all places; null where the program has no windows.
std::byte* address_of(word w) {
  std::uint64_t const window = tess::detail::job.atomic_window[w.place()];
  return window == tess::detail::no_window ? nullptr : tess::detail::bytes_of_window(window) + w.offset();
}

// ── sums ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/// A place's words: sums by fetch_add and by compare-and-swap, a maximum, a double with halves, and two words of 4
/// bytes, to one of which all add.
using tally = std::array<std::uint64_t, 5>;
constexpr unsigned additions = 24;

tess::task<> add_by_runtime(word const t) {
  co_await tess::fetch_add(t, 1);
  for (std::uint64_t old = co_await tess::get(t + 1);;) {
    std::uint64_t const before = co_await tess::compare_swap(t + 1, old, old + 1);
    if (before == old) break;
    old = before;
  }
  co_await tess::fetch_max(t + 2, tess::here() + std::uint64_t{1});
  co_await tess::fetch_add((t + 3).as<double>(), 0.5);
  co_await tess::fetch_add((t + 4).as<std::uint32_t>(), 1U);
}
/// The number of its additions.
unsigned add_by_others(word w) {
  std::byte* const at = address_of(w);
  if (at == nullptr) return 0;
  auto* const address = reinterpret_cast<std::uint64_t*>(at);
  std::atomic_ref(*address).fetch_add(1);  // the owner's own, or a flat one
  if (!has_xbgas()) return 1;
  xbgas::fetch_add(w.place() + 1U, address, 1);
  return 2;
}

/// The fabric uses it with instructions only.
void fill_lookaside() {
  std::uint64_t const table = registers::own_devices + registers::information::table;
  for (std::uint64_t p = 0, tile = 0; has_xbgas() && p < tess::places(); ++tile) {
    auto const program = *reinterpret_cast<std::uint64_t volatile*>(table + tile * registers::information::row_bytes +
                                                                    registers::information::row_program);
    if (program != 0) ++p, xbgas::fill(program, tile);
  }
}

tess::task<int> sums() {
  auto const tallies = co_await tess::place_local<tally>::make();
  word const others = tess::allocate<std::uint64_t>();
  *others.local() = 0;
  co_await tess::on_all_places(
      [](tess::place_local<tally> all, word counted) -> tess::task<> {
        fill_lookaside();
        co_await tess::barrier();
        for (unsigned i = 0; i < additions * tess::places(); ++i) {
          word const t = all.of(static_cast<tess::place_id>(i % tess::places())).as<std::uint64_t>();
          co_await add_by_runtime(t);
          co_await tess::fetch_add(counted, add_by_others(t));
        }
      },
      tallies, others);
  std::uint64_t const each = std::uint64_t{additions} * tess::places();
  std::uint64_t all = 0;
  bool right = true;
  for (unsigned p = 0; p < tess::places(); ++p) {
    word const t = tallies.of(static_cast<tess::place_id>(p)).as<std::uint64_t>();
    all += co_await tess::get(t);
    right = right && co_await tess::get(t + 1) == each;
    right = right && co_await tess::get(t + 2) == tess::places();
    right = right && co_await tess::get((t + 3).as<double>()) == static_cast<double>(each) / 2;
    right = right && co_await tess::get(t + 4) == each;
  }
  right = right && all == each * tess::places() + co_await tess::get(others);
  std::printf("sums: %s\n", right ? "right" : "WRONG");
  co_return right ? 0 : 1;
}

// ── counters ────────────────────────────────────────────────────────────────────────────────────────────────────────

struct counts {
  std::uint64_t instructions = 0, cycles = 0;
};
[[gnu::noinline]] counts count() {
  counts now;
  asm volatile("rdinstret %0\n rdcycle %1" : "=r"(now.instructions), "=r"(now.cycles));
  return now;
}
constexpr unsigned rounds = 256;

// ── begun ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/// Words of a place that one other place works on.
using row = std::array<std::uint64_t, 8>;
constexpr std::uint64_t begun_count = 1024;
constexpr std::uint64_t begun_tasks = 4;  // of 32 operations each: twice as many as a hart has tickets

/// Tasks of several harts add to them.
struct begun_sums {
  std::atomic<std::uint64_t> all = 0, squares = 0;
};

tess::task<bool> results_are_those_of_one_order(word w, begun_sums* sums) {
  co_await tess::forall_chunks(0, begun_count, begun_count / begun_tasks, [=](std::uint64_t begin, std::uint64_t end) {
    return tess::overlap<32>(
        begin, end, [=](std::uint64_t) { return tess::fetch_add(w, 1); },
        [=](std::uint64_t, std::uint64_t old) {
          sums->all.fetch_add(old);
          sums->squares.fetch_add(old * old);
        });
  });
  constexpr std::uint64_t n = begun_count;
  co_return sums->all == n*(n - 1) / 2 && sums->squares == (n - 1) * n * (2 * n - 1) / 6 && co_await tess::get(w) == n;
}

tess::task<bool> every_operation(word w) {
  std::array<std::uint64_t, 8> old{};
  auto const take = [&old](std::uint64_t k, std::uint64_t value) { old[k] = value; };
  auto const at = [w](std::uint64_t k) { return w + static_cast<std::int64_t>(k); };
  co_await tess::overlap<8>(0, 8, [=](std::uint64_t k) { return tess::put(at(k), 100 + k); });
  co_await tess::overlap<8>(0, 8, [=](std::uint64_t k) { return tess::get(at(k)); }, take);
  bool right = old[0] == 100 && old[7] == 107;
  // Half of them find what they expect.
  co_await tess::overlap<8>(0, 8, [=](std::uint64_t k) { return tess::compare_swap(at(k), 100 + k / 2 * 2, k); }, take);
  right = right && old[2] == 102 && old[3] == 103;
  co_await tess::overlap<8>(0, 8, [=](std::uint64_t k) { return tess::exchange(at(k), 0xf0 + k); }, take);
  right = right && old[2] == 2 && old[3] == 103;
  auto xors = tess::fetch_xor(at(0), 0xff);
  auto ands = tess::fetch_and(at(1), 0x0f);
  auto ors = tess::fetch_or(at(2), 0x100);
  auto subtraction = tess::fetch_sub(at(3), 1);
  right =
      right && co_await ors == 0xf2 && co_await xors == 0xf0 && co_await subtraction == 0xf3 && co_await ands == 0xf1;
  right = right && co_await tess::get(at(0)) == 0x0f && co_await tess::get(at(1)) == 1;
  right = right && co_await tess::get(at(2)) == 0x1f2 && co_await tess::get(at(3)) == 0xf2;
  // 4 bytes with a sign, a float, and a pointer.
  auto const small = at(4).as<std::int32_t>();
  co_await tess::put(small, -5);
  auto least = tess::fetch_min(small, -7);
  right = right && co_await least == -5 && co_await tess::get(small) == -7;
  right = right && co_await tess::fetch_max(small, -6) == -7 && co_await tess::get(small) == -6;
  auto const real = at(5).as<double>();
  co_await tess::put(real, 1.5);
  auto half = tess::fetch_add(real, 0.5);
  right = right && co_await half == 1.5 && co_await tess::get(real) == 2;
  auto const pointer = at(6).as<word>();
  co_await tess::put(pointer, w);
  auto pointed = tess::exchange(pointer, at(1));
  right = right && (co_await pointed).bits() == w.bits() && (co_await tess::get(pointer)).bits() == at(1).bits();
  // More than tickets: each destructor gives its ticket back.
  for (unsigned i = 0; i < 200; ++i) tess::fetch_add(at(7), 1).abandon();
  co_return right;
}

tess::task<> give_way(unsigned times) {
  for (unsigned i = 0; i < times; ++i) co_await tess::yield();
}

tess::task<int> begun() {
  auto const rows = co_await tess::place_local<row>::make();
  auto const wrong = co_await tess::place_local<std::uint64_t>::make();
  co_await tess::on_all_places(
      [](tess::place_local<row> all, tess::place_local<std::uint64_t> failed) -> tess::task<> {
        *all = row{};
        co_await tess::barrier();
        auto const next = static_cast<tess::place_id>((tess::here() + 1) % tess::places());
        auto const w = all.of(next).as<std::uint64_t>();
        begun_sums sums;
        *failed = co_await results_are_those_of_one_order(w, &sums) ? 0 : 1;
        // With another task, operations begin at their call.
        bool right = false;
        co_await tess::finish([&]() -> tess::task<> {
          tess::spawn(give_way(300));
          right = co_await every_operation(w);
        });
        *failed += right ? 0 : 2;
        counts const first = count();
        for (unsigned i = 0; i < rounds; ++i) co_await tess::fetch_add(w, 1);
        counts const second = count();
        co_await tess::overlap<32>(0, rounds, [=](std::uint64_t) { return tess::fetch_add(w, 1); });
        std::uint64_t const waiting = second.cycles - first.cycles;
        std::uint64_t const together = count().cycles - second.cycles;
        char const* const words = std::getenv("TESS_WORDS");
        // On nemesys-2x2, whose tiles are near, 0.79 to 0.85: of 141 cycles an operation alone waits for 87, and one of
        // 32 has 34 instructions more.
        bool const instructions = words != nullptr && std::string_view(words) == "instructions";
        *failed += instructions && 10 * together > 9 * waiting ? 4 : 0;
      },
      rows, wrong);
  std::uint64_t sum = 0;
  for (unsigned p = 0; p < tess::places(); ++p)
    sum = sum * 8 + co_await tess::get(wrong.of(static_cast<tess::place_id>(p)).as<std::uint64_t>());
  std::printf("begun: %s %llo\n", sum == 0 ? "right" : "WRONG", static_cast<unsigned long long>(sum));
  co_return sum == 0 ? 0 : 1;
}

// ── costs ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/// In sequence, with no other work at either place. At the other place: its hart 0, which waits for requests.
template <class Operation>
tess::task<> measure(char const* what, tess::place_id there, Operation operation) {
  auto const asked = [&]() { return tess::at(there, [] { return count(); }); };
  for (unsigned i = 0; i < rounds / 4; ++i) co_await operation();
  // The cost of the measurement itself there.
  counts const first = co_await asked(), before = co_await asked();
  counts const begin = count();
  for (unsigned i = 0; i < rounds; ++i) co_await operation();
  counts const end = count();
  counts const after = co_await asked();
  std::uint64_t const own = before.instructions - first.instructions;
  std::uint64_t const theirs = after.instructions - before.instructions;
  std::printf("%-14s %6llu %6llu %6llu\n", what,
              static_cast<unsigned long long>((end.instructions - begin.instructions) / rounds),
              static_cast<unsigned long long>((theirs < own ? 0 : theirs - own) / rounds),
              static_cast<unsigned long long>((end.cycles - begin.cycles) / rounds));
}

tess::task<int> costs() {
  auto const there = static_cast<tess::place_id>(tess::places() - 1);
  word const w = co_await tess::at(there, [] { return tess::allocate<std::uint64_t>(); });
  std::puts("operation      instructions here, there; cycles");
  co_await measure("get", there, [&] { return tess::get(w); });
  co_await measure("put", there, [&] { return tess::put(w, 1); });
  co_await measure("fetch_add", there, [&] { return tess::fetch_add(w, 1); });
  co_await measure("fetch_min", there, [&] { return tess::fetch_min(w, 1); });
  co_await measure("compare_swap", there, [&] { return tess::compare_swap(w, 1, 2); });
  counts const begin = count();
  co_await tess::overlap<32>(0, rounds * 4, [&](std::uint64_t) { return tess::fetch_add(w, 1); });
  counts const end = count();
  std::printf("%-14s %6llu %6s %6llu\n", "32 fetch_adds",
              static_cast<unsigned long long>((end.instructions - begin.instructions) / rounds / 4), "",
              static_cast<unsigned long long>((end.cycles - begin.cycles) / rounds / 4));
  co_return 0;
}

tess::task<int> wrong(std::int64_t offset) {
  auto const last = static_cast<tess::place_id>(tess::places() - 1);
  co_await tess::fetch_add(word(last, static_cast<std::uint64_t>(offset)), 1);
  co_return 3;
}

}  // namespace

int main(int argc, char** argv) {
  return tess::run(argc, argv, [](tess::args words) -> tess::task<int> {
    std::string_view const what = words.empty() ? "sums" : std::string_view(words.front());
    if (what == "begun") return begun();
    if (what == "costs") return costs();
    if (what == "misaligned") return wrong(4100);
    if (what == "outside") return wrong(std::int64_t{1} << 40);
    return sums();
  });
}
