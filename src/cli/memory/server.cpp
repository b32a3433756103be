// server: the program that `tess memd` becomes: serves memory until it is told to stop (docs/use/rmem.md).
#include "rmem/server/server.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "cli/command/command.hpp"
#include "cli/command/dispatch.hpp"
#include "cli/memory/words.hpp"
#include "rmem/wire/sockets.hpp"

namespace tess::cli {

namespace {

/// For the signal handler; a process has one server.
memd::server* serving = nullptr;

void stop_serving(int) {
  serving->stop();
}

std::uint64_t size_of(std::string const& said) {
  std::uint64_t const machine =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::uint64_t const size = said == "half" ? machine / 2 : bytes_of(said);
  if (size > machine) throw usage_error{fmt::format("--size {}: the machine has {}", said, size_text(machine))};
  return size;
}

/// The first line of the file, without its end; a message has room for 32 bytes.
std::string secret_of(std::string const& file) {
  constexpr std::size_t bytes_min = 16;
  constexpr std::size_t bytes_max = 32;
  std::ifstream from(file, std::ios::binary);
  std::string text;
  std::getline(from, text);
  if (text.size() < bytes_min || text.size() > bytes_max)
    throw usage_error{fmt::format("--secret {}: its first line has {} bytes; give {} to {}", file, text.size(),
                                  bytes_min, bytes_max)};
  return text;
}

/// A private server does not inherit the memory limits of the program that started it.
void lift_own_limits() {
  for (auto const resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0) continue;
    limit.rlim_cur = limit.rlim_max;
    static_cast<void>(setrlimit(resource, &limit));
  }
}

std::string address_to_listen(std::string const& said) {
  try {
    return rmem::full_address(said, true);
  } catch (rmem::bad_address const& wrong) {
    throw usage_error{wrong.what()};
  }
}

int serve(words const& given) {
  command_line line{"tess memd --size SIZE [OPTIONS]",
                    "Serve memory: named regions that programs of any user create, read and write.",
                    "Example: tess memd --size 8G --name rack1   (then: TESS_RMEM=rack1 tess run …; tess mem ls)"};
  std::string size;
  std::string name = "default";
  std::vector<std::string> listen;
  bool only_own = false;
  unsigned number = 0;
  unsigned replicas = 1;
  std::string peer;
  std::string secret;
  memd::server::options chosen;
  line.add_option("--size", size, "as in 512M or 8G, or `half` of the machine's memory")->required();
  line.add_option("--name", name, "the name under which programs of this host find it (default: default)")
      ->type_name("NAME");
  auto* const file =
      line.add_option("--file", chosen.file, "keep the regions in this file across restarts (and in FILE.record)")
          ->type_name("FILE");
  line.add_flag("--sync", chosen.sync, "with --file: nothing is acknowledged before the disk itself has it");
  line.add_option("--listen", listen, "and here: unix:PATH or tcp:HOST:PORT; by tcp, only tokens give rights")
      ->type_name("ADDRESS");
  line.add_option("--number", number, "the top 8 bits of its addresses (default: 0)")
      ->type_name("0-255")
      ->check(CLI::Range(0, 255));
  line.add_option("--replicas", replicas, "2: every acknowledged write is on two servers; --peer names the other")
      ->check(CLI::Range(1, 2));
  line.add_option("--peer", peer, "the other of two servers: its name or address")->type_name("ADDRESS");
  line.add_option("--secret", secret,
                  "a file with a shared secret, needed unless both servers belong to one user of one host")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  line.add_flag("--private", only_own, "serve this user only, and no name")->group("");
  line.add_option("--listen-fd", chosen.inherited_listener)->group("");
  line.add_option("--life-fd", chosen.life_pipe)->group("");
  if (auto const code = line.finish_early(given)) return *code;
  if (only_own) lift_own_limits();
  if (file->count() != 0 && chosen.file.empty()) throw usage_error{"--file: the name of a file is empty"};
  chosen.size_bytes = size_of(size);
  chosen.only_own_user = only_own;
  chosen.number = static_cast<std::uint8_t>(number);
  if (!only_own) chosen.listen.push_back(address_to_listen(name));
  for (auto const& where : listen) chosen.listen.push_back(address_to_listen(where));

  if ((replicas == 2) == peer.empty())
    throw usage_error{"each of two servers needs --replicas 2 and --peer with the name or address of the other"};
  if (chosen.sync && (chosen.file.empty() || replicas == 2))
    throw usage_error{"--sync is for one server with a --file; two servers keep each write in two memories instead"};
  if (!peer.empty()) chosen.peer = address_to_listen(peer);
  if (!secret.empty()) chosen.secret = secret_of(secret);
  chosen.report = [&](std::string const& what) {
    fmt::print("tess memd: {} {}\n", only_own ? "private" : name, what);
    std::fflush(stdout);
  };

  memd::server server(chosen);
  serving = &server;
  std::signal(SIGTERM, stop_serving);
  std::signal(SIGINT, stop_serving);
  for (auto const& where : chosen.listen) fmt::print("tess memd: {} at {}\n", size_text(chosen.size_bytes), where);
  std::fflush(stdout);
  server.run();
  return exit_fine;
}

}  // namespace
}  // namespace tess::cli

int main(int argc, char** argv) {
  return tess::cli::run_alone(tess::cli::serve, argc, argv);
}
