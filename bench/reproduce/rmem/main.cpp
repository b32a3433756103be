// main: measures remote memory on a machine with clusters: compute clusters write to the DDR of an I/O cluster, or read
// from it, by the RMem protocol or by bare portals.
//
//   A copy runs on every cluster (`--copies 20`). The first I/O cluster serves; the first PEERS compute clusters are
//   its clients. Each prints a line for each of its transfers: cluster, number, and the cycles of its begin and end.
//   The transferred data are compared word by word at the destination. With `four`, a client has four transfers by the
//   protocol under way at once; with `unaligned`, source and destination begin at different offsets in a line.
//
// Errors    exit code 1: a request was refused, or data are wrong; 2: wrong arguments.
#include <charconv>
#include <string>
#include <string_view>

#include "bare_portal.hpp"
#include "check.hpp"
#include "client.hpp"
#include "requests.hpp"
#include "server.hpp"

namespace mppa {
namespace {

namespace cluster = tess::machine::cluster;
namespace registers = tess::machine::registers;

constexpr std::uint64_t bytes_max = std::uint64_t{1} << 20U;
constexpr std::uint64_t transfers_max = 256;
constexpr std::uint64_t peers_max = 16;
// With `unaligned`: offsets in a line at the client and at the server.
constexpr std::uint64_t ragged_here = 40;
constexpr std::uint64_t ragged_there = 24;
alignas(receive_window::line_bytes) std::uint64_t buffer[(bytes_max + receive_window::line_bytes) / 8];
std::uint64_t begun[transfers_max];
std::uint64_t ended[transfers_max];

struct chosen {
  std::string way;  // rmem, four, unaligned, bare or overlapped
  bool writes = false;
  std::uint64_t bytes = 0;
  std::uint64_t peers = 0;
  std::uint64_t transfers = 0;  // by each peer
  [[nodiscard]] bool by_protocol() const { return way == "rmem" || way == "four" || way == "unaligned"; }
  [[nodiscard]] bool ragged() const { return way == "unaligned"; }
  /// What a client's part of the server's memory must hold.
  [[nodiscard]] std::uint64_t region_bytes() const { return bytes + (ragged() ? receive_window::line_bytes : 0); }
};

std::uint64_t pattern(std::uint64_t client, std::uint64_t index) {
  return (client << 32U | index) * 0x9e3779b97f4a7c15U;
}
void fill(std::uint64_t volatile* words, std::uint64_t client, std::uint64_t bytes) {
  for (std::uint64_t i = 0; i < bytes / 8; ++i) words[i] = pattern(client, i);
}
std::uint64_t wrong_words(std::uint64_t const volatile* words, std::uint64_t client, std::uint64_t bytes) {
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < bytes / 8; ++i) wrong += words[i] != pattern(client, i) ? 1 : 0;
  return wrong;
}
/// Portals access the DDR behind the caches, so the server flushes its own accesses.
bool flush_range(std::uint64_t address, std::uint64_t bytes) {
  namespace of = registers::ranges;
  std::uint64_t const window = cluster::window(registers::unit::ranges);
  cluster::word(window + of::operation) = of::flush;
  cluster::word(window + of::address) = address;
  cluster::word(window + of::bytes) = bytes;
  cluster::counter completion;
  cluster::word(window + of::counter) = reinterpret_cast<std::uint64_t>(&completion);
  cluster::word(window + of::trigger) = 0;
  cluster::fence();
  cluster::word(window + of::doorbell) = 1;
  return cluster::word(window + of::doorbell) != of::wrong && completion.wait();
}
std::uint64_t volatile* in_memory(std::uint64_t address) {
  return reinterpret_cast<std::uint64_t volatile*>(address);
}
bool fail(std::uint64_t at, char const* what) {
  std::fprintf(stderr, "mppa-rmem: cluster %lu: %s\n", static_cast<unsigned long>(at), what);
  return false;
}

std::string name_of(std::uint64_t client) {
  return "part" + std::to_string(client);
}

/// The server, until every client has left. Parts of the DDR are in the order of the clusters' numbers.
bool serve(chosen const& of, std::uint64_t own) {
  mailbox mail;
  rmem_server regions;
  bare_server bare(of.bytes);
  std::uint64_t present = 0;
  std::uint64_t left = 0;
  std::uint64_t clients[peers_max];
  std::uint64_t parts[peers_max];  // addresses of the clients' data, as reported; only compared
  bool good = true;
  while (left < of.peers) {  // each arrives once and leaves once
    mail.wait_until(bare.windows(), [&] { return !mail.empty() || bare.has_work(); });
    bare.work();
    auto const came = mail.try_receive();
    if (!came || regions.serve(*came) || bare.serve(*came)) continue;
    if (static_cast<operation>(came->said[0]) == operation::leave) {
      ++left;
      continue;
    }
    if (static_cast<operation>(came->said[0]) != operation::arrive || present == of.peers) {
      good = fail(came->source, "a message that makes no sense");
      continue;
    }
    clients[present] = came->source;
    parts[present] = came->said[1];
    if (!of.writes) {
      fill(in_memory(came->said[1]), came->source, of.bytes);
      if (!flush_range(came->said[1] - (of.ragged() ? ragged_there : 0), of.region_bytes()))
        good = fail(own, "its memory could not be flushed");
    }
    if (++present < of.peers) continue;
    for (std::uint64_t i = 0; i < of.peers; ++i) mailbox::send(clients[i], {static_cast<std::uint64_t>(status::ok)});
  }
  // Only now, since other clients would have to wait for it.
  for (std::uint64_t i = 0; of.writes && i < present; ++i) {
    if (wrong_words(in_memory(parts[i]), clients[i], of.bytes) != 0)
      good = fail(clients[i], "what it wrote is not in memory");
  }
  if (!bare.finish()) good = fail(own, "a client's window refused data");
  if (regions.lost() != 0) good = fail(own, "a client did not take what it had asked for");
  return good;
}

/// A client's memory and what it transfers.
struct client_side {
  chosen const& of;
  rmem_client remote;
  bare_client bare;
  rmem_requests several;
  std::uint64_t address = 0;  // remote
  std::uint64_t* local = buffer;
};

bool transfer(client_side& by) {
  chosen const& of = by.of;
  if (!of.by_protocol()) return of.writes ? by.bare.write(by.local, of.bytes) : by.bare.read(by.local, of.bytes);
  status const how =
      of.writes ? by.remote.write(by.address, by.local, of.bytes) : by.remote.read(by.local, by.address, of.bytes);
  return how == status::ok;
}

/// One after the other, or four at once; all have the same source and destination.
bool transfer_all(client_side& by, std::uint64_t transfers) {
  chosen const& of = by.of;
  constexpr std::uint64_t most = rmem_requests::requests_max;
  std::uint64_t const at_once = of.way == "four" ? std::min(most, transfers) : 0;
  auto const finish = [&](std::uint64_t i) {
    if (by.several.finish(i % most) != status::ok) return false;
    ended[i] = cluster::cycle();
    return true;
  };
  for (std::uint64_t i = 0; i < transfers; ++i) {
    if (at_once != 0 && i >= at_once && !finish(i - at_once)) return false;
    begun[i] = cluster::cycle();
    if (at_once == 0) {
      if (!transfer(by)) return false;
      ended[i] = cluster::cycle();
    } else if (of.writes) {
      by.several.begin_write(i % most, by.address, by.local, of.bytes);
    } else if (!by.several.begin_read(i % most, by.local, by.address, of.bytes)) {
      return false;
    }
  }
  for (std::uint64_t i = transfers - at_once; i < transfers; ++i)
    if (!finish(i)) return false;
  return true;
}

/// Waits for the start. Messages about opened windows of bare writes, which have an address, may come first.
void wait_for_all(mailbox& mail, bare_client& bare) {
  for (;;) {
    std::uint64_t const where = mail.receive().said[1];
    if (where == 0) return;
    bare.allowed(where);
  }
}

bool run_client(chosen const& of, std::uint64_t own) {
  mailbox mail;
  std::uint64_t const server = server_cluster(0);
  std::uint64_t const memory = cluster::row(server, registers::information::row_partition);
  client_side by{of, rmem_client(mail), bare_client(mail, server, of.way == "overlapped"), rmem_requests(mail)};
  std::uint64_t where = memory + own * of.bytes;
  if (of.by_protocol()) {
    rmem_client::opened const region = by.remote.create(0, name_of(own), of.region_bytes());
    if (region.how != status::ok) return fail(own, text_of(region.how).data());
    by.address = region.address + (of.ragged() ? ragged_there : 0);
    where = memory + (by.address & offset_mask);
  }
  if (of.ragged()) by.local += ragged_here / 8;
  if (of.writes) fill(by.local, own, of.bytes);
  // Warm-up transfers are not measured; their number is even, for two windows.
  std::uint64_t const unmeasured = 1 + (of.transfers + 1) % 2;
  if (of.writes && !of.by_protocol()) by.bare.announce_writes(of.bytes, unmeasured + of.transfers);
  if (!transfer_all(by, unmeasured)) return fail(own, "a transfer was refused");
  mailbox::send(server, {static_cast<std::uint64_t>(operation::arrive), where});
  wait_for_all(mail, by.bare);
  if (!transfer_all(by, of.transfers)) return fail(own, "a transfer was refused");
  mailbox::send(server, {static_cast<std::uint64_t>(operation::leave), where});
  mailbox::flush();
  for (std::uint64_t i = 0; i < of.transfers; ++i)
    std::printf("%lu %lu %lu %lu\n", static_cast<unsigned long>(own), static_cast<unsigned long>(i),
                static_cast<unsigned long>(begun[i]), static_cast<unsigned long>(ended[i]));
  if (!of.writes && wrong_words(by.local, own, of.bytes) != 0)
    return fail(own, "what it read is not what is in memory");
  return true;
}

/// 0 if the text is not a number.
std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? value : 0;
}

bool understood(int count, char** words, chosen& of) {
  if (count != 6) return false;
  of.way = words[1];
  std::string const direction = words[2];
  of.writes = direction == "write";
  of.bytes = number(words[3]);
  of.peers = number(words[4]);
  of.transfers = number(words[5]);
  bool const way = of.by_protocol() || of.way == "bare" || of.way == "overlapped";
  return way && (of.writes || direction == "read") && of.bytes >= 64 && of.bytes <= bytes_max && of.bytes % 64 == 0 &&
         of.peers >= 1 && of.peers <= peers_max && of.transfers >= 1 && of.transfers <= transfers_max;
}

}  // namespace
}  // namespace mppa

int main(int count, char** words) {
  namespace cluster = tess::machine::cluster;
  mppa::chosen of;
  if (count == 2 && std::string(words[1]) == "check") return mppa::check();
  if (!mppa::understood(count, words, of)) {
    std::fputs(
        "usage: mppa-rmem rmem|four|unaligned|bare|overlapped write|read BYTES PEERS TRANSFERS, or mppa-rmem check\n"
        "  BYTES 64 to 1048576, whole lines of 64; PEERS 1 to 16; TRANSFERS 1 to 256\n",
        stderr);
    return 2;
  }
  std::uint64_t const own = cluster::own_number();
  if (mppa::server_cluster(0) == own) return mppa::serve(of, own) ? 0 : 1;
  std::uint64_t before = 0;  // compute clusters
  for (std::uint64_t number = 0; number < own; ++number) before += cluster::has_memory(number) ? 0 : 1;
  if (cluster::has_memory(own) || before >= of.peers) return 0;
  return mppa::run_client(of, own) ? 0 : 1;
}
