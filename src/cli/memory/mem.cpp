// mem: the program that `tess mem` becomes: lists and changes the regions of a memory server, with the user's rights.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/output_file.hpp"
#include "base/standard_output.hpp"
#include "cli/command/command.hpp"
#include "cli/command/dispatch.hpp"
#include "cli/memory/words.hpp"
#include "rmem/client/connection.hpp"
#include "rmem/wire/region_name.hpp"
#include "rmem/wire/sockets.hpp"
#include "tess/rmem.hpp"

namespace tess::cli {

namespace {

constexpr std::size_t step_bytes = std::size_t{8} << 20;

/// The options and operands on the command line.
struct typed {
  std::string server;
  std::string token;
  std::string name;
  std::string size;
  std::string rights;
  std::string file;
  std::string user;
  std::string revoked;
  double seconds = 1;
  unsigned lines = 0;
  bool takes_over = false;
};

/// Its servers, each of which may be a pair: `a,c+b,d`.
std::string where(typed const& t) {
  char const* const said = std::getenv("TESS_RMEM");
  std::string const all = !t.server.empty() ? t.server : said != nullptr && *said != '\0' ? said : "default";
  try {
    for (std::size_t at = 0; at <= all.size();) {
      std::size_t const end = std::min(all.find_first_of(",+", at), all.size());
      static_cast<void>(rmem::full_address(all.substr(at, end - at), false));
      at = end + 1;
    }
  } catch (rmem::bad_address const& wrong) {
    throw usage_error{wrong.what()};
  }
  return all;
}

/// Refuses what is no name of a region.
void check_name(std::string const& name) {
  auto const problem = rmem::problem_of_name(name);
  if (!problem.empty()) throw usage_error{std::string(problem)};
}

int list(rmem::client& c, typed const&) {
  auto all = c.list();
  std::ranges::sort(all, {}, &rmem::client::listed::name);
  fmt::print("{:<24} {:>18} {:>10} {:<6} {:<10} {:>6}\n", "name", "address", "size", "rights", "owner", "grants");
  for (auto const& [name, what, owner, grants, leased] : all)
    fmt::print("{:<24} {:#18x} {:>10} {:<6} {:<10} {:>6}{}\n", name.empty() ? "-" : name, what.base,
               size_text(what.size), rights_text(what.held), owner.substr(0, 22), grants, leased ? "  leased" : "");
  return exit_fine;
}

int stat(rmem::client& c, typed const&) {
  auto const s = c.state();
  fmt::print("size {}\nfree {}\nregions {}\nconnections {}\nreads {} ({})\nwrites {} ({})\nrefused {}\nleases {}\n",
             size_text(s.size), size_text(s.free), s.regions, s.connections, s.reads, size_text(s.read_bytes), s.writes,
             size_text(s.written_bytes), s.refused, s.leases);
  return exit_fine;
}

int top(rmem::client& c, typed const& t) {
  auto const rate = [&](std::uint64_t after, std::uint64_t before) {
    return static_cast<double>(after - before) / t.seconds;
  };
  fmt::print("{:>8} {:>10} {:>12} {:>12} {:>10} {:>10} {:>8}\n", "regions", "free", "read MB/s", "written MB/s",
             "reads/s", "writes/s", "refused");
  auto before = c.state();
  for (unsigned line = 0; t.lines == 0 || line < t.lines; ++line) {
    std::this_thread::sleep_for(std::chrono::duration<double>(t.seconds));
    auto const s = c.state();
    fmt::print("{:>8} {:>10} {:>12.1f} {:>12.1f} {:>10.0f} {:>10.0f} {:>8}\n", s.regions, size_text(s.free),
               rate(s.read_bytes, before.read_bytes) / 1e6, rate(s.written_bytes, before.written_bytes) / 1e6,
               rate(s.reads, before.reads), rate(s.writes, before.writes), s.refused - before.refused);
    tess::detail::flush_standard_output();
    before = s;
  }
  return exit_fine;
}

int create(rmem::client& c, typed const& t) {
  check_name(t.name);
  std::string token;
  auto const r =
      c.create(t.name, bytes_of(t.size), t.rights.empty() ? rmem::rights::none : rights_of(t.rights), &token);
  fmt::print("{:#x}\n", r.base);
  if (!token.empty()) fmt::print("{}\n", token);
  return exit_fine;
}

int remove(rmem::client& c, typed const& t) {
  c.remove(c.open(t.name, rmem::rights::none).base);
  return exit_fine;
}

std::uint32_t user_number(std::string const& text) {
  std::uint32_t number = 0;
  char const* const end = text.data() + text.size();
  auto const [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end)
    throw usage_error{fmt::format("\"{}\" is no user's number, nor `any`", text)};
  return number;
}

/// "." is the server itself.
rmem::address address_of(rmem::client& c, std::string const& name) {
  return name == "." ? 0 : c.open(name, rmem::rights::none).base;
}

int grant(rmem::client& c, typed const& t) {
  auto const rights = rights_of(t.rights);
  auto const of = address_of(c, t.name);
  if (t.user == "any")
    c.grant_any_user(of, rights);
  else if (!t.user.empty())
    c.grant_user(of, rights, user_number(t.user));
  else
    fmt::print("{}\n", c.grant_token(of, rights));
  return exit_fine;
}

int revoke(rmem::client& c, typed const& t) {
  auto const of = address_of(c, t.name);
  if (t.user == "any")
    c.revoke_any_user(of);
  else if (!t.user.empty())
    c.revoke_user(of, user_number(t.user));
  else if (!t.revoked.empty())
    c.revoke_token(of, t.revoked);
  else
    throw usage_error{"no user and no token; give --user NUMBER, --user any or --of-token TOKEN"};
  return exit_fine;
}

/// Not with a client object, which would wait until a server serves.
int take_over(typed const& t) {
  rmem::connection c(rmem::full_address(where(t), false));
  c.call({.what = rmem::wire::operation::take_over});
  return exit_fine;
}

int copy_in(rmem::client& c, typed const& t) {
  check_name(t.name);
  // Only a regular file has a size, and opening a FIFO would wait for its other end.
  if (!std::filesystem::is_regular_file(t.file)) throw usage_error{fmt::format("{} is no regular file", t.file)};
  std::ifstream file(t.file, std::ios::binary | std::ios::ate);
  if (!file) throw usage_error{fmt::format("cannot read {}", t.file)};
  auto const size = static_cast<std::uint64_t>(file.tellg());
  if (size == 0) throw usage_error{fmt::format("{} is empty; a region has at least one byte", t.file)};
  file.seekg(0);
  auto const to = c.create(t.name, size);
  std::vector<char> step(std::min<std::uint64_t>(size, step_bytes));
  for (std::uint64_t at = 0; at < size; at += step.size()) {
    auto const n = std::min<std::uint64_t>(step.size(), size - at);
    if (!file.read(step.data(), static_cast<std::streamsize>(n)))
      throw std::runtime_error(fmt::format("{}: it became shorter while it was read", t.file));
    c.memwrite(to + at, step.data(), n);
  }
  return exit_fine;
}

int copy_out(rmem::client& c, typed const& t) {
  auto const from = c.open(t.name, rmem::rights::read);
  tess::detail::output_file file(t.file);
  std::vector<char> step(std::min<std::uint64_t>(from.size, step_bytes));
  for (std::uint64_t at = 0; at < from.size; at += step.size()) {
    auto const n = std::min<std::uint64_t>(step.size(), from.size - at);
    c.memread(step.data(), from + at, n);
    file.write({step.data(), n});
  }
  file.close();
  return exit_fine;
}

using action = std::function<int(rmem::client&, typed const&)>;

/// The subcommands and their options; the selected one is stored in `chosen`.
void add_subcommands(CLI::App& line, typed& t, action& chosen) {
  auto const add = [&](char const* name, char const* meaning, action does) {
    CLI::App* const s = line.add_subcommand(name, meaning);
    s->callback([&chosen, does] { chosen = does; });
    return s;
  };
  auto const named = [&](CLI::App* s) {
    s->add_option("name", t.name, "the region's name")->required();
    return s;
  };
  add("ls", "list the regions that you have a right to", list);
  add("stat", "the size and the counters of the server", stat);
  auto* const t_top = add("top", "its traffic, a line each second", top);
  t_top->add_option("--seconds", t.seconds, "between two lines")->check(CLI::Range(0.01, 3600.0));
  t_top->add_option("--lines", t.lines, "stop after this many lines");
  auto* const made = named(add("create", "create a region of zeros", create));
  made->add_option("size", t.size, "as in 512M")->required();
  made->add_option("--users", t.rights, "rights of every user of this host: read or read,write");
  named(add("rm", "remove a region; its memory is zeroed", remove));
  auto* const granted = named(add("grant", "grant rights to a user, or print a token for them", grant));
  granted->add_option("rights", t.rights, "some of read,write,grant; of the server, named `.`: allocate")->required();
  granted->add_option("--user", t.user, "a user's number, or any; without it, a token is made");
  auto* const taken = named(add("revoke", "withdraw rights; they have ended when the command returns", revoke));
  taken->add_option("--user", t.user, "a user's number, or any");
  taken->add_option("--of-token", t.revoked, "the token, or its first 32 digits");
  auto* const over =
      line.add_subcommand("take-over", "make --server serve, when the other of two servers is certainly gone");
  over->callback([&t] { t.takes_over = true; });
  auto* const in = add("copy-in", "create a region from a file", copy_in);
  in->add_option("file", t.file, "the file")->required();
  named(in);
  auto* const out = named(add("copy-out", "write a region to a file", copy_out));
  out->add_option("file", t.file, "the file")->required();
}

int execute(words const& given) {
  command_line line{"tess mem [--server WHERE] COMMAND [WORDS...]",
                    "Inspect a memory server (tess memd) and change its regions, with your own rights.",
                    "Example: tess mem create matrix 1G   (docs/use/rmem.md says more)"};
  typed t;
  action chosen;
  line.add_option("--server", t.server, "its name or address (default: TESS_RMEM, or the server named default)")
      ->type_name("WHERE");
  line.add_option("--token", t.token, "present this token first")->type_name("TOKEN");
  line.require_subcommand(1);
  add_subcommands(line, t, chosen);
  if (auto const code = line.finish_early(given)) return *code;
  if (t.takes_over) return take_over(t);
  rmem::client c(where(t), t.token.empty() ? std::vector<std::string>{} : std::vector<std::string>{t.token});
  return chosen(c, t);
}

}  // namespace

}  // namespace tess::cli

int main(int argc, char** argv) {
  return tess::cli::run_alone(tess::cli::execute, argc, argv);
}
