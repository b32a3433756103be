// invoking: tiles call functions on each other by remote task invocation. First the first copy calls one function on
// every other, which answers; then every copy starts messages that go from tile to tile, more than the queues hold.
// The first copy prints the answers and how many hops there were.
#include <cstdio>
#include <deque>

#include "tile.hpp"

namespace {

using tile::word;
namespace registers = tile::registers;
namespace invoke = registers::invoke;
namespace tasks = registers::tasks;

struct message {
  std::uint64_t words[invoke::words];
  std::uint64_t source = 0;
};
using handler = void (*)(message const&);

std::uint64_t arrived;  // the queue adds to it
std::uint64_t answers;
std::uint64_t hops;
std::uint64_t ended;
std::deque<std::pair<std::uint64_t, message>> backlog;

void try_to_send() {
  std::uint64_t const window = tile::window(registers::unit::invoke);
  if (backlog.empty() || word(window + invoke::doorbell) != 0) return;
  auto const& [target, sent] = backlog.front();
  for (std::uint64_t i = 0; i < invoke::words; ++i) word(window + 8 * i) = sent.words[i];
  word(window + invoke::target) = target;
  tile::fence();
  word(window + invoke::doorbell) = 1;
  backlog.pop_front();
}

void call(std::uint64_t target, handler what, std::uint64_t a = 0, std::uint64_t b = 0) {
  backlog.push_back({target, {{reinterpret_cast<std::uint64_t>(what), a, b, 0, 0}}});
  try_to_send();
}

void answer(message const& came) {
  answers += came.words[1];
}
void square(message const& came) {
  call(came.source, answer, came.words[1] * came.words[1] + tile::information(tile::info::tile));
}
void count_end(message const&) {
  ++ended;
}
void hop(message const& came) {
  ++hops;
  std::uint64_t const left = came.words[1];
  std::uint64_t const programs = tile::information(tile::info::programs);
  std::uint64_t const own = tile::information(tile::info::program);
  if (left == 0) return call(tile::of_program(0), count_end);
  call(tile::of_program((own + came.words[2]) % programs), hop, left - 1, came.words[2]);
}
std::uint64_t all_hops;
void add_hops(message const& came) {
  all_hops += came.words[1];
  ++ended;
}
bool go_on = true;
void report(message const& came) {
  call(came.source, add_hops, hops);
  go_on = false;
}

bool serve_one() {
  std::uint64_t const window = tile::window(registers::unit::tasks);
  if (word(window + tasks::take) == 0) return false;
  message came{};
  for (std::uint64_t i = 0; i < invoke::words; ++i) came.words[i] = word(window + 8 * i);
  came.source = word(window + tasks::source);
  reinterpret_cast<handler>(came.words[0])(came);
  return true;
}

// Until a message comes: LR, a last look, and wrs.nto.
void sleep_until_message() {
  std::uint64_t seen = 0;
  asm volatile("lr.d %0, (%1)" : "=r"(seen) : "r"(&arrived) : "memory");
  if (word(tile::registers::own_devices + registers::unit_bytes * static_cast<std::uint64_t>(registers::unit::tasks) +
           tasks::waiting) == 0) {
    asm volatile(".4byte 0x00d00073" ::: "memory");  // wrs.nto
  }
}

template <class Condition>
void serve_until(Condition done) {
  while (!done()) {
    try_to_send();
    if (!serve_one() && backlog.empty()) sleep_until_message();
  }
}
bool sent_all() {
  return backlog.empty() && word(tile::window(registers::unit::invoke) + invoke::doorbell) == 0;
}

}  // namespace

int main() {
  constexpr std::uint64_t chains = 12;
  constexpr std::uint64_t length = 20;
  std::uint64_t const programs = tile::information(tile::info::programs);
  std::uint64_t const own = tile::information(tile::info::program);
  word(registers::own_devices + registers::unit_bytes * static_cast<std::uint64_t>(registers::unit::tasks) +
       tasks::notify) = reinterpret_cast<std::uint64_t>(&arrived);
  tile::meeting all(tile::end_of_tlm(tile::of_program(0), 4096));
  all.wait();
  if (own == 0) {
    std::uint64_t expected = 0;
    for (std::uint64_t program = 1; program < programs; ++program) {
      call(tile::of_program(program), square, program + 10);
      expected += (program + 10) * (program + 10) + tile::of_program(program);
      std::uint64_t const before = answers;
      serve_until([&] { return answers != before; });
    }
    std::printf("answers %lu of %lu\n", answers, expected);
  }
  for (std::uint64_t i = 0; i < chains; ++i) call(tile::of_program((own + 1) % programs), hop, length - 1, i + 1);
  if (own != 0) {
    serve_until([] { return !go_on; });
    while (!sent_all()) try_to_send();
    return 0;
  }
  serve_until([&] { return ended == programs * chains; });
  ended = 0;
  all_hops = hops;
  for (std::uint64_t program = 1; program < programs; ++program) call(tile::of_program(program), report);
  serve_until([&] { return ended == programs - 1; });
  std::printf("hops %lu of %lu\n", all_hops, programs * chains * length);
}
