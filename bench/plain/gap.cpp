// gap: files in the suite's forms, and its programs' times.
#include "plain/gap.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "harness/process.hpp"
#include "harness/suite.hpp"

namespace plain {

namespace {

std::runtime_error wrong(std::string const& where, std::string const& what, std::string const& needed) {
  return std::runtime_error(where + ": " + what + "; needed: " + needed);
}

// This thread, and what it starts, may use these processors for a while.
class on_processors {
 public:
  explicit on_processors(cpu_set_t const& wanted) {
    ::sched_getaffinity(0, sizeof before_, &before_);
    ::sched_setaffinity(0, sizeof wanted, &wanted);
  }
  ~on_processors() { ::sched_setaffinity(0, sizeof before_, &before_); }
  on_processors(on_processors const&) = delete;
  on_processors& operator=(on_processors const&) = delete;

 private:
  cpu_set_t before_{};
};

// The first trial of a process takes its memory from the system.
constexpr int trials = 3;
// That of triangles takes seconds, and hardly any memory.
constexpr int trials_of_triangles = 1;

template <class Target>
void write_serialized(std::string const& path, std::uint32_t n, std::uint64_t const* offsets, Target const* targets) {
  std::ofstream out(path, std::ios::binary);
  auto const put = [&](void const* from, std::uint64_t bytes) {
    out.write(static_cast<char const*>(from), static_cast<std::streamsize>(bytes));
  };
  bool const directed = false;
  std::array<std::int64_t, 2> const sizes{static_cast<std::int64_t>(offsets[n]), n};
  put(&directed, sizeof directed);
  put(sizes.data(), sizeof sizes);
  put(offsets, (std::uint64_t{n} + 1) * sizeof *offsets);
  put(targets, offsets[n] * sizeof *targets);
  out.close();
  if (!out) throw wrong(path, "the graph could not be written", "a disk with room for it (TMPDIR)");
}

}  // namespace

gap_programs::gap_programs(std::filesystem::path programs, csr_view undirected) : programs_(std::move(programs)) {
  for (char const* const name : {"bfs", "pr", "cc", "sssp", "bc", "tc"})
    if (::access((programs_ / name).c_str(), X_OK) != 0)
      throw wrong((programs_ / name).string(), "there is no such program",
                  "the folder of the GAP benchmark suite, after `make` there");
  ::sched_getaffinity(0, sizeof processors_, &processors_);
  std::string made = (std::filesystem::temp_directory_path() / "tess-gap-XXXXXX").string();
  if (::mkdtemp(made.data()) == nullptr)
    throw wrong(made, "no folder could be made", "a folder for temporary files that can be written (TMPDIR)");
  folder_ = made;
  write_serialized(graph_file(), undirected.n, undirected.offsets, undirected.targets);
}

gap_programs::~gap_programs() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void gap_programs::write_weights(weighted_view undirected) {
  write_serialized(weighted_file(), undirected.n, undirected.offsets, undirected.targets);
}

double gap_programs::run(std::string const& program, words given, int threads, int times) const {
  words command{(programs_ / program).string()};
  std::ranges::move(given, std::back_inserter(command));
  command.insert(command.end(), {"-n", std::to_string(times)});
  std::string said;
  {
    on_processors const all(processors_);
    said = bench::output_of(command, bench::output::everything,
                            {"GLIBC_TUNABLES=glibc.malloc.hugetlb=1", "OMP_NUM_THREADS=" + std::to_string(threads)});
  }
  std::vector<double> seconds;
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);)
    if (double one = 0; std::sscanf(line.c_str(), "Trial Time: %lf", &one) == 1) seconds.push_back(one);
  if (std::cmp_not_equal(seconds.size(), times))
    throw wrong(command[0], "it said: " + said, std::to_string(times) + " lines \"Trial Time: SECONDS\"");
  return bench::median(std::move(seconds));
}

double gap_programs::bfs(vertex source, int threads) const {
  return run("bfs", {"-f", graph_file(), "-r", std::to_string(source)}, threads, trials);
}

double gap_programs::pagerank(double tolerance, int iterations_max, int threads) const {
  std::array<char, 32> decimal{};
  std::snprintf(decimal.data(), decimal.size(), "%g", tolerance);
  words const until{"-f", graph_file(), "-t", decimal.data(), "-i", std::to_string(iterations_max)};
  return run("pr", until, threads, trials);
}

double gap_programs::components(int threads) const {
  return run("cc", {"-f", graph_file()}, threads, trials);
}

double gap_programs::sssp(vertex source, std::uint32_t delta, int threads) const {
  words const from{"-f", weighted_file(), "-r", std::to_string(source), "-d", std::to_string(delta)};
  return run("sssp", from, threads, trials);
}

double gap_programs::bc(int sources, int threads) const {
  return run("bc", {"-f", graph_file(), "-i", std::to_string(sources)}, threads, trials);
}

double gap_programs::triangles(int threads) const {
  return run("tc", {"-f", graph_file()}, threads, trials_of_triangles);
}

}  // namespace plain
