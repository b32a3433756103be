// pairs: measures every pair of places: the time of a word, of a call, and the rate of a block.
//
//   `tess doctor --fabric ucx` runs it. Places measure one after another, each alone.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "command_line/command_line.hpp"
#include "tess/tess.hpp"

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;

/// The measurements from the caller to place `to`.
struct figures {
  double get_us = 0;
  double call_us = 0;
  double put_gb_per_s = 0;
};

/// The least of several rounds, in seconds each: other load on the machine only adds time.
template <class Operation>
tess::task<double> least_seconds(unsigned rounds, unsigned each, Operation operation) {
  double least = 1e9;
  for (unsigned round = 0; round < rounds; ++round) {
    command_line::stopwatch const watch;
    for (unsigned i = 0; i < each; ++i) co_await operation();
    least = std::min(least, watch.seconds() / each);
  }
  co_return least;
}

tess::task<figures> measure(tess::global_ptr<std::byte> there) {
  auto const word = tess::global_ptr<std::uint64_t>::from_bits(there.bits());
  std::vector<std::byte> const block(block_bytes);
  figures f;
  auto const get = [word]() -> tess::task<void> { static_cast<void>(co_await tess::get(word)); };
  auto const call = [to = there.place()]() -> tess::task<void> { co_await tess::at(to, [] {}); };
  auto const put = [&]() -> tess::task<void> { co_await tess::put(block, there); };
  f.get_us = co_await least_seconds(5, 50, get) * 1e6;
  f.call_us = co_await least_seconds(5, 50, call) * 1e6;
  f.put_gb_per_s = block_bytes / co_await least_seconds(5, 4, put) / 1e9;
  co_return f;
}

using host_name = std::array<char, 64>;

host_name host_here() {
  host_name name{};
  static_cast<void>(::gethostname(name.data(), name.size() - 1));
  return name;
}

tess::task<int> measure_all() {
  std::string rows;
  fmt::print("{:>5} {:>5}  {:<20} {:<20} {:>10} {:>10} {:>10}\n", "from", "to", "host", "to host", "get us", "call us",
             "put GB/s");
  for (unsigned i = 0; i < tess::places(); ++i) {
    auto const from = static_cast<tess::place_id>(i);
    for (unsigned k = 0; k < tess::places(); ++k) {
      auto const to = static_cast<tess::place_id>(k);
      if (from == to) continue;
      auto const there = co_await tess::at(to, [] { return tess::allocate<std::byte>(block_bytes); });
      figures const f = co_await tess::at(from, [](tess::global_ptr<std::byte> p) { return measure(p); }, there);
      co_await tess::at(to, [](tess::global_ptr<std::byte> p) { tess::deallocate(p); }, there);
      host_name const a = co_await tess::at(from, [] { return host_here(); });
      host_name const b = co_await tess::at(to, [] { return host_here(); });
      fmt::print("{:>5} {:>5}  {:<20} {:<20} {:>10.3f} {:>10.3f} {:>10.2f}\n", i, k, a.data(), b.data(), f.get_us,
                 f.call_us, f.put_gb_per_s);
      rows += fmt::format(R"({}{{"from":{},"to":{},"get_us":{:.4f},"call_us":{:.4f},"put_gb_per_s":{:.4f}}})",
                          rows.empty() ? "" : ",", i, k, f.get_us, f.call_us, f.put_gb_per_s);
    }
  }
  tess::report_result("pairs", "[" + rows + "]");
  co_return 0;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app(
      "the time of a word and of a call, and the rate of blocks of 1 MiB, from every place to every other", "pairs");
  if (auto const code = app.parse(argc, argv)) return *code;
  return tess::run(argc, argv, [](tess::args) { return measure_all(); });
}
