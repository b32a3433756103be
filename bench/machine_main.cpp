// machine_main: `tess bench machine`: simulated instructions per second, beside qemu-riscv64 in the same run.
//
//   Each round runs the same RISC-V program under both; instructions are the machine's own count, and times are of the
//   whole process, loading included.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/clock.hpp"
#include "harness/suite.hpp"

extern char** environ;

namespace {

namespace fs = std::filesystem;

struct timed_run {
  double seconds;
  std::string error;  // what it wrote to standard error
};

/// Standard output is dropped.
timed_run run(std::vector<std::string> words) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("machine: no pipe");
  posix_spawn_file_actions_t streams;
  ::posix_spawn_file_actions_init(&streams);
  ::posix_spawn_file_actions_addopen(&streams, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&streams, ends[1], STDERR_FILENO);
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  double const begin = bench::timestamp();
  int const failed = ::posix_spawnp(&child, words[0].c_str(), &streams, nullptr, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&streams);
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> chunk{};
  for (ssize_t got = 0; failed == 0 && (got = ::read(ends[0], chunk.data(), chunk.size())) > 0;)
    text.append(chunk.data(), static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  if (failed != 0 || ::waitpid(child, &status, 0) < 0 || status != 0)
    throw std::runtime_error("machine: " + words[0] + " did not run to its end: " + text);
  return {bench::timestamp() - begin, text};
}

/// "..., 724815434 instructions, ..." in the machine's last line.
double instructions_of(std::string const& report) {
  std::size_t const end = report.rfind(" instructions, ");
  std::size_t const begin = end == std::string::npos ? end : report.find_last_not_of("0123456789", end - 1);
  double count = 0;
  if (begin == std::string::npos ||
      std::from_chars(report.data() + begin + 1, report.data() + end, count).ec != std::errc{})
    throw std::runtime_error("machine: no count of instructions in: " + report);
  return count;
}

bool installed(std::string const& program) {
  try {
    (void)run({program, "--version"});
    return true;
  } catch (std::runtime_error const&) {
    return false;
  }
}

void isa_bench(bench::suite& suite, fs::path const& folder) {
  constexpr double spike = 450;  // million instructions/s of Spike, the fastest of several runs on such a host
  std::string const machine = (folder / "tess-machine").string();
  std::string const program = (folder / "isa_bench").string();
  bool const qemu = installed("qemu-riscv64");
  std::vector<bench::round> alone;
  std::vector<bench::round> beside;
  for (int k = 0; k < suite.runs(); ++k) {
    timed_run const ours = run({machine, "--timing", "off", "--", program, "20"});
    double const millions = instructions_of(ours.error) / 1e6;
    alone.push_back({spike, millions / ours.seconds});
    if (qemu) beside.push_back({millions / run({"qemu-riscv64", program, "20"}).seconds, millions / ours.seconds});
  }
  suite.record("isa_bench, timing off, against Spike", 1, "M/s", alone);
  if (qemu) suite.record("isa_bench, timing off, against qemu", 1, "M/s", beside);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("simulated instructions per second of the machine's harts");
  bench::options chosen;
  chosen.runs = 5;
  bench::declare(app, chosen);
  if (auto const code = bench::parse(app, argc, argv)) return *code;
  bench::suite suite("machine", chosen);
  fs::path const folder = fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "machine";
  if (!fs::exists(folder / "isa_bench")) {
    std::fprintf(stderr, "machine: no RISC-V program to run; ./tess setup riscv, then build again\n");
    return 2;
  }
  try {
    isa_bench(suite, folder);
  } catch (std::exception const& failed) {
    std::fprintf(stderr, "%s\n", failed.what());
    return 1;
  }
  return suite.finish();
}
