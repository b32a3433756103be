// footprint: the cost of a place for its process: memory, files and mappings, before and after it has communicated with
// all others.
//
//   Prints the largest values of all places. docs/use/scale.md has its results for 2 to 64 processes.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "tess/tess.hpp"

namespace {

struct footprint {
  std::uint64_t own_kib = 0;     ///< memory of this process alone
  std::uint64_t shared_kib = 0;  ///< present pages of segments, its own and others'
  std::uint64_t files = 0;
  std::uint64_t sockets = 0;
  std::uint64_t mappings = 0;
};

std::uint64_t number_in(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::uint64_t kib_of(std::string const& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key + ":")) return number_in(line.substr(key.size() + 1));
  return 0;
}

footprint footprint_here() {
  footprint f{kib_of("RssAnon"), kib_of("RssShmem"), 0, 0, 0};
  for (auto const& file : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code closed;
    ++f.files;
    if (std::filesystem::read_symlink(file, closed).string().starts_with("socket:")) ++f.sockets;
  }
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) ++f.mappings;
  return f;
}

tess::task<void> print(char const* when) {
  footprint most;
  for (unsigned p = 0; p < tess::places(); ++p) {
    footprint const f = co_await tess::at(static_cast<tess::place_id>(p), [] { return footprint_here(); });
    most = {std::max(most.own_kib, f.own_kib), std::max(most.shared_kib, f.shared_kib), std::max(most.files, f.files),
            std::max(most.sockets, f.sockets), std::max(most.mappings, f.mappings)};
  }
  std::printf("%s: places %u own_kib %lu shared_kib %lu files %lu sockets %lu mappings %lu\n", when,
              unsigned{tess::places()}, most.own_kib, most.shared_kib, most.files, most.sockets, most.mappings);
}

tess::task<int> measure() {
  co_await print("started");
  co_await tess::on_all_places([]() -> tess::task<void> {
    for (unsigned p = 0; p < tess::places(); ++p) co_await tess::at(static_cast<tess::place_id>(p), [] {});
  });
  co_await print("talked");
  co_return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return tess::run(argc, argv, [](tess::args) { return measure(); });
}
