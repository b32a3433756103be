// check: an owner and another client take turns; every response is compared with the expected one.
#include "check.hpp"

#include <cstring>

#include "client.hpp"
#include "requests.hpp"
#include "server.hpp"

namespace mppa {
namespace {

namespace cluster = tess::machine::cluster;
namespace registers = tess::machine::registers;

constexpr std::uint64_t region_bytes = 4096;
constexpr std::uint64_t part_bytes = 256;
alignas(receive_window::line_bytes) std::uint64_t sent[region_bytes / 8];
alignas(receive_window::line_bytes) std::uint64_t received[region_bytes / 8];
alignas(receive_window::line_bytes) std::uint64_t zeros[region_bytes / 8];
int wrong;

void expect(char const* what, status is, status must_be) {
  if (is == must_be) return;
  ++wrong;
  std::printf("%s: %.60s; must be: %.60s\n", what, text_of(is).data(), text_of(must_be).data());
}
bool holds(std::uint64_t word) {
  for (std::uint64_t i = 0; i < part_bytes / 8; ++i)
    if (received[i] != word) return false;
  return true;
}
void expect_received(char const* what, std::uint64_t word) {
  if (holds(word)) return;
  ++wrong;
  std::printf("%s: the data are not what they must be\n", what);
}
void put(std::uint64_t (&words)[region_bytes / 8], std::uint64_t word) {
  for (std::uint64_t& one : words) one = word;
}
/// Reads and writes of any bytes, against a copy of the region.
void use_any_bytes(rmem_client& remote, std::uint64_t address) {
  static unsigned char model[region_bytes];
  static unsigned char local[region_bytes];
  expect("write all", remote.write(address, model, region_bytes), status::ok);
  std::uint64_t random = 1;
  auto const below = [&](std::uint64_t limit) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    return (random >> 33U) % limit;
  };
  for (int k = 0; k < 40; ++k) {
    std::uint64_t const at = below(region_bytes);
    std::uint64_t const bytes = below(std::min<std::uint64_t>(region_bytes - at, k % 2 == 0 ? 100 : 2000) + 1);
    // Sometimes at the same offset in a line on both sides.
    std::uint64_t const here = k % 3 == 0 ? at % 64 : below(64);
    unsigned char* const bytes_here = local + here;
    if (bytes + here > region_bytes) continue;
    if (below(2) == 0) {
      for (std::uint64_t i = 0; i < bytes; ++i) model[at + i] = bytes_here[i] = static_cast<unsigned char>(below(256));
      expect("write any bytes", remote.write(address + at, bytes_here, bytes), status::ok);
    } else {
      expect("read any bytes", remote.read(bytes_here, address + at, bytes), status::ok);
      if (std::memcmp(bytes_here, model + at, bytes) != 0) expect("any bytes", status::lost, status::ok);
    }
  }
  expect("read all", remote.read(received, address, region_bytes), status::ok);
  if (std::memcmp(received, model, region_bytes) != 0) expect("all bytes", status::lost, status::ok);
}

/// Four writes, then four reads, under way at once; one of each is refused.
void use_several(mailbox& mail, std::uint64_t address) {
  rmem_requests several(mail);
  constexpr std::uint64_t each = 512;
  put(sent, 3);
  for (std::uint64_t k = 0; k < 4; ++k) sent[k * each / 8] = k;
  for (std::uint64_t k = 0; k < 4; ++k)
    several.begin_write(k, address + k * each + (k == 2 ? region_bytes : 0), sent + k * each / 8, each);
  for (std::uint64_t const k : {3UL, 0UL, 2UL, 1UL})
    expect("several writes", several.finish(k), k == 2 ? status::no_region : status::ok);
  put(received, 1);
  for (std::uint64_t k = 0; k < 4; ++k)
    if (!several.begin_read(k, received + k * each / 8, address + k * each + (k == 1 ? region_bytes : 0), each))
      expect("several windows", status::lost, status::ok);
  for (std::uint64_t const k : {2UL, 1UL, 3UL, 0UL})
    expect("several reads", several.finish(k), k == 1 ? status::no_region : status::ok);
  for (std::uint64_t const k : {0UL, 3UL})
    if (received[k * each / 8] != k || received[k * each / 8 + 1] != 3)
      expect("data of several", status::lost, status::ok);
  if (received[each / 8] != 1) expect("data of a refused read", status::lost, status::ok);
}

/// The other client's turn, identified by its number.
void pass_turn(mailbox& mail, std::uint64_t to) {
  mailbox::send(to, {});
  (void)mail.receive();
}

void own(mailbox& mail, std::uint64_t other) {
  rmem_client remote(mail);
  put(sent, 7);
  auto const region = remote.create(0, "region", region_bytes);
  expect("create", region.how, status::ok);
  expect("create once more", remote.create(0, "region", 64).how, status::in_use);
  expect("create too much", remote.create(0, "much", std::uint64_t{1} << 60U).how, status::full);
  expect("create ragged", remote.create(0, "ragged", 65).how, status::not_lines);
  auto const behind = remote.create(0, "behind", region_bytes);
  expect("write", remote.write(region.address, sent, part_bytes), status::ok);
  expect("read", remote.read(received, region.address, part_bytes), status::ok);
  expect_received("read", 7);
  put(received, 1);
  expect("read over the end", remote.read(received, region.address + region_bytes - 64, 128), status::out_of_bounds);
  expect("write over the end", remote.write(region.address + region_bytes - 64, sent, 128), status::out_of_bounds);
  expect("read so much that it wraps", remote.read(received, region.address + 64, ~std::uint64_t{63}),
         status::not_lines);  // not a possible window
  expect("write so much that it wraps", remote.write(region.address + 64, sent, ~std::uint64_t{63}),
         status::out_of_bounds);
  expect("write ragged over the end", remote.write(region.address + region_bytes - 60, sent, 61),
         status::out_of_bounds);
  expect("read ragged over the end", remote.read(received, region.address + region_bytes - 60, 61),
         status::out_of_bounds);
  expect("write nowhere", remote.write(behind.address + region_bytes, sent, 64), status::no_region);
  expect("open nobody's", remote.open(0, "nobody").how, status::no_region);
  expect_received("after refusals", 1);
  pass_turn(mail, other);  // without rights
  expect("grant more than there is", remote.grant(region.address, other, 64), status::not_permitted);
  expect("grant", remote.grant(region.address, other, tess::memd::right_read), status::ok);
  pass_turn(mail, other);  // with the right to read
  expect("read at the end", remote.read(received, region.address, part_bytes), status::ok);
  expect_received("read at the end", 7);
}

void visit(mailbox& mail, std::uint64_t owner) {
  rmem_client remote(mail);
  put(sent, 9);
  put(received, 1);
  (void)mail.receive();
  auto const region = remote.open(0, "region");
  expect("open", region.how, status::ok);
  if (region.bytes != region_bytes) expect("size", status::no_region, status::ok);
  expect("read without right", remote.read(received, region.address, part_bytes), status::not_permitted);
  expect("write without right", remote.write(region.address, sent, part_bytes), status::not_permitted);
  expect("grant without right", remote.grant(region.address, cluster::own_number(), 1), status::not_permitted);
  expect_received("read without right", 1);
  pass_turn(mail, owner);
  expect("read", remote.read(received, region.address, part_bytes), status::ok);
  expect_received("read", 7);
  // Readable data, into another cluster's memory.
  mailbox::send(server_cluster(0), {static_cast<std::uint64_t>(operation::read), region.address, part_bytes,
                                    cluster::row(owner, registers::information::row_tlm) + 0x100000});
  expect("read for another", static_cast<status>(mail.receive().said[0]), status::not_own);
  expect("write with the right to read", remote.write(region.address, sent, part_bytes), status::not_permitted);
  // No window was opened in the memory of another server or of the owner.
  portal_sender portal;
  if (portal.send(reinterpret_cast<std::uint64_t>(sent), 64,
                  cluster::row(server_cluster(0), registers::information::row_partition)))
    expect("data without a header", status::ok, status::lost);
  mailbox::send(owner, {});
  mailbox::flush();
}

/// The address alone is enough to access a region of another server.
void use_another_server(mailbox& mail) {
  rmem_client remote(mail);
  auto const near = remote.create(0, "near", region_bytes);
  use_any_bytes(remote, near.address);
  expect("write zeros", remote.write(near.address, zeros, region_bytes), status::ok);
  auto const far = remote.create(1, "far", region_bytes);
  expect("create at the second server", far.how, status::ok);
  if (near.address >> server_shift != 0 || far.address >> server_shift != 1)
    expect("the address names its server", status::no_region, status::ok);
  put(sent, 5);
  expect("write to the second server", remote.write(far.address, sent, part_bytes), status::ok);
  put(received, 1);
  expect("read from the first", remote.read(received, near.address, part_bytes), status::ok);
  expect_received("read from the first", 0);
  expect("read from the second", remote.read(received, far.address, part_bytes), status::ok);
  expect_received("read from the second", 5);
  use_several(mail, far.address);
}

void serve() {
  mailbox mail;
  rmem_server regions;
  while (regions.serve(mail.receive())) {
  }
}

}  // namespace

int check() {
  std::uint64_t const self = cluster::own_number();
  bool const serves = self == server_cluster(0) || self == server_cluster(1);
  if (serves) serve();
  if (self > 1) return 0;
  mailbox mail;
  if (self == 1) {
    visit(mail, 0);
  } else {
    own(mail, 1);
    use_another_server(mail);
    for (std::uint64_t server : {0UL, 1UL})
      mailbox::send(server_cluster(server), {static_cast<std::uint64_t>(operation::leave)});
    mailbox::flush();
  }
  std::printf("cluster %lu: %d wrong\n", static_cast<unsigned long>(self), wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace mppa
