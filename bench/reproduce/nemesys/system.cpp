// system: calls with a graph of one object, one after another, for the work that the system's harts have with each.
//
//     tess run --machine nemesys-4x4 --places 4 --system kernel --stats s.json nemesys-system 3 graph
//
//   Place 0 calls the place that the first argument names; `graph`: with one object, `nothing`: with no graph. The
//   measured part has the calls only, once all code is in the caches, so `measured.system_cycles` of the statistics is
//   what the systems' harts of all tiles worked for them. Prints {"calls": how many}. The last of the first four places
//   of nemesys-4x4 has another memory than the first.
//
// Source    NEMESYS (MEMSYS 2019), section 5.2: 22 µs of a call with one object are the operating system's.
#include <charconv>
#include <cstdio>
#include <string_view>

#include "tess/tess.hpp"

namespace {

constexpr int calls = 64;

struct object {
  std::int64_t words[4];
};

tess::task<> call(tess::place_id there, object* with, int times) {
  for (int i = 0; i < times; ++i) {
    if (with != nullptr)
      co_await tess::at(there, tess::copier::nemesys, [](object*) {}, with);
    else
      co_await tess::at(there, [] {});
  }
}

tess::task<int> app(tess::args args) {
  unsigned there = 0;
  if (args.size() != 2 || std::from_chars(args[0].data(), args[0].data() + args[0].size(), there).ec != std::errc() ||
      there >= tess::places() || (args[1] != "graph" && args[1] != "nothing")) {
    std::fprintf(stderr, "nemesys-system: PLACE graph|nothing\n");
    co_return 2;
  }
  object* const with = args[1] == "graph" ? tess::make<object>() : nullptr;
  auto const place = static_cast<tess::place_id>(there);
  co_await call(place, with, calls);
  tess::begin_measured_part();
  co_await call(place, with, calls);
  tess::end_measured_part();
  std::printf("{\"calls\": %d}\n", calls);
  co_return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return tess::run(argc, argv, app);
}
