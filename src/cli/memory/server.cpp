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

#include "base/standard_output.hpp"
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

std::string key_of(std::string const& option, std::string const& file) {
  try {
    return file.empty() ? "" : rmem::credentials::read_key(file);
  } catch (std::runtime_error const& wrong) {
    throw usage_error{fmt::format("{} {}", option, wrong.what())};
  }
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
  std::string key;
  std::string witness;
  memd::server::options chosen;
  line.add_option("--size", size, "as in 512M or 8G, or `half` of the machine's memory");
  line.add_option("--name", name, "the name under which programs of this host find it (default: default)")
      ->type_name("NAME");
  auto* const file =
      line.add_option("--file", chosen.file, "keep the regions in this file across restarts (and in FILE.record)")
          ->type_name("FILE");
  line.add_flag("--sync", chosen.sync, "with --file: nothing is acknowledged before the disk itself has it");
  line.add_option("--listen", listen,
                  "and here: unix:PATH or tcp:HOST:PORT; by tcp: encrypted, and only tokens give rights")
      ->type_name("ADDRESS");
  line.add_option("--number", number, "the top 8 bits of its addresses (default: 0)")
      ->type_name("0-255")
      ->check(CLI::Range(0, 255));
  line.add_option("--replicas", replicas, "2: every acknowledged write is on two servers; --peer names the other")
      ->check(CLI::Range(1, 2));
  line.add_option("--peer", peer, "the other of two servers: its name or address")->type_name("ADDRESS");
  line.add_option("--witness-at", witness,
                  "of two servers: a third process, which decides if one cannot reach the other")
      ->type_name("ADDRESS");
  line.add_flag("--witness", chosen.is_witness, "be such a witness, without regions; --file keeps what it has decided");
  line.add_option("--secret", secret, "by tcp: a file with the key by which servers and their witness prove themselves")
      ->type_name("FILE");
  line.add_option("--key", key, "by tcp: a file with the key that clients have (TESS_RMEM_KEY names it to them)")
      ->type_name("FILE");
  line.add_option("--certificate", chosen.proofs.certificate,
                  "by tcp: this server's certificate (TESS_RMEM_AUTHORITY names clients whom they trust)")
      ->type_name("FILE");
  line.add_option("--private-key", chosen.proofs.private_key, "of the certificate")->type_name("FILE");
  line.add_flag("--private", only_own, "serve this user only, and no name")->group("");
  line.add_option("--listen-fd", chosen.inherited_listener)->group("");
  line.add_option("--life-fd", chosen.life_pipe)->group("");
  if (auto const code = line.finish_early(given)) return *code;
  if (only_own) lift_own_limits();
  if (file->count() != 0 && chosen.file.empty()) throw usage_error{"--file: the name of a file is empty"};
  if (size.empty() && !chosen.is_witness) throw usage_error{"how much memory? give --size, as in --size 8G"};
  if (chosen.is_witness && (!size.empty() || !peer.empty() || !witness.empty()))
    throw usage_error{"a witness has no memory, no --peer and no other witness"};
  chosen.size_bytes = chosen.is_witness ? std::uint64_t{1} << 20 : size_of(size);
  chosen.only_own_user = only_own;
  chosen.number = static_cast<std::uint8_t>(number);
  if (!only_own) chosen.listen.push_back(address_to_listen(name));
  for (auto const& where : listen) chosen.listen.push_back(address_to_listen(where));

  if ((replicas == 2) == peer.empty())
    throw usage_error{"each of two servers needs --replicas 2 and --peer with the name or address of the other"};
  if (chosen.sync && (chosen.file.empty() || replicas == 2))
    throw usage_error{"--sync is for one server with a --file; two servers keep each write in two memories instead"};
  if (!peer.empty()) chosen.peer = address_to_listen(peer);
  if (!witness.empty() && peer.empty()) throw usage_error{"--witness-at is for two servers: --replicas 2 --peer"};
  if (!witness.empty()) chosen.witness = address_to_listen(witness);
  if (chosen.proofs.certificate.empty() != chosen.proofs.private_key.empty())
    throw usage_error{"--certificate and --private-key belong together"};
  chosen.proofs.secret = key_of("--secret", secret);
  chosen.proofs.key = key_of("--key", key);
  auto const is_far = [](std::string const& where) { return !where.empty() && !rmem::is_local(where); };
  if ((is_far(chosen.peer) || is_far(chosen.witness)) && chosen.proofs.secret.empty())
    throw usage_error{"--peer and --witness-at by tcp need --secret FILE, the same on all of them"};
  if (std::ranges::any_of(chosen.listen, is_far) && !chosen.proofs.any())
    throw usage_error{"--listen tcp needs --key FILE, which clients have, or --certificate and --private-key"};
  chosen.report = [&](std::string const& what) {
    fmt::print("tess memd: {} {}\n", only_own ? "private" : name, what);
    tess::detail::flush_standard_output();
  };

  memd::server server(chosen);
  serving = &server;
  std::signal(SIGTERM, stop_serving);
  std::signal(SIGINT, stop_serving);
  for (auto const& where : chosen.listen)
    fmt::print("tess memd: {} at {}\n", chosen.is_witness ? "witness" : size_text(chosen.size_bytes), where);
  tess::detail::flush_standard_output();
  server.run();
  return exit_fine;
}

}  // namespace
}  // namespace tess::cli

int main(int argc, char** argv) {
  return tess::cli::run_alone(tess::cli::serve, argc, argv);
}
