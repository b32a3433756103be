// coherent_interfaces: on all tiles of a machine with cache-integrated interfaces and directories: copies and messages
// between memories, whose bytes are in caches before and are read by plain loads afterwards, without any care for them.
// Prints how many bytes were right, of how many. Where nothing keeps caches coherent, many are not.
// Usage: coherent_interfaces [ROUNDS]
#include <charconv>
#include <cstdio>
#include <string_view>
#include <tess/machine/cni.hpp>

#include "tile.hpp"

namespace {

namespace cni = tess::machine::cni;
namespace info = tess::machine::registers::information;

constexpr std::uint64_t room = 1536;
constexpr std::uint64_t most = 1000;  // bytes of a copy
constexpr std::uint64_t message_bytes = 40;

std::uint64_t me;
std::uint64_t copies;

std::uint64_t partition(std::uint64_t copy) {
  return cni::row(tile::of_program(copy), info::row_partition);
}
unsigned char volatile* bytes_at(std::uint64_t address) {
  return reinterpret_cast<unsigned char volatile*>(address);
}
unsigned char volatile* source_of(std::uint64_t copy) {
  return bytes_at(partition(copy) + 0x10000);
}
unsigned char volatile* target_of(std::uint64_t copy) {
  return bytes_at(partition(copy) + 0x20000);
}
std::uint64_t mail_of(std::uint64_t copy) {
  return partition(copy) + 0x30000;
}

unsigned char sent(std::uint64_t copy, std::uint64_t round, std::uint64_t i) {
  return static_cast<unsigned char>(copy * 31 + round * 101 + i * 7 + 1);
}
unsigned char own(std::uint64_t round, std::uint64_t i) {
  return static_cast<unsigned char>(round * 3 + i * 5 + 2);
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

struct piece {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::uint64_t bytes = 0;
};
/// The same in all tiles, of any alignment.
piece of_round(std::uint64_t round) {
  return {.from = round * 13 % 97, .to = 1 + round * 29 % 113, .bytes = 1 + round * 397 % most};
}
std::uint64_t mail_offset(std::uint64_t round) {
  return 64 * (round % 8) + 24 + round * 8 % 40;
}

std::uint64_t right = 0;
std::uint64_t asked = 0;
void expect(std::uint64_t is, std::uint64_t wanted) {
  ++asked;
  if (is == wanted) ++right;
}

}  // namespace

int main(int count, char** arguments) {
  if (!cni::open()) return 1;
  std::uint64_t const rounds = count > 1 ? number(arguments[1]) : 12;
  me = cni::information(info::program);
  copies = cni::information(info::programs);
  std::uint64_t const next = (me + 1) % copies;
  std::uint64_t const before = (me + copies - 1) % copies;
  cni::counter const acknowledged(cni::events(cni::own_tile(), 0));
  (void)acknowledged.configure();
  cni::command_buffer const commands(cni::events(cni::own_tile(), 1));
  (void)commands.configure();
  tile::meeting all(cni::row(tile::of_program(0), info::row_uncached));
  all.wait();
  for (std::uint64_t round = 0; round < rounds; ++round) {
    piece const moved = of_round(round);
    std::uint64_t const mail = mail_offset(round);
    // Here: the source is dirty, the target too, and the next tile's target is shared.
    for (std::uint64_t i = 0; i < room; ++i) source_of(me)[i] = sent(me, round, i);
    for (std::uint64_t i = 0; i < room; ++i) target_of(me)[i] = own(round, i);
    for (std::uint64_t i = 0; i < message_bytes; i += 8) cni::word(mail_of(me) + mail + i) = i;
    all.wait();
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < room; i += 64) sum += target_of(next)[i] + target_of(before)[i];
    expect(sum != 0, 1);
    all.wait();
    acknowledged.set(~(moved.bytes + message_bytes) + 1);
    commands.copy(partition(next) + 0x20000 + moved.to, partition(me) + 0x10000 + moved.from, moved.bytes,
                  acknowledged.address());
    commands.message(mail_of(next) + mail, acknowledged.address(), me + 1, round + 2, me + 3, round + 4, me + 5);
    // Stores beside what comes, in the same lines, are not lost.
    for (std::uint64_t i = 0; i < 64; ++i) {
      target_of(me)[0] = static_cast<unsigned char>(i);
      target_of(me)[moved.to + moved.bytes] = static_cast<unsigned char>(i + 1);
    }
    cni::wait_while(acknowledged.address(), [](std::uint64_t value) { return value != 0; });
    all.wait();
    expect(target_of(me)[0], 63);
    expect(target_of(me)[moved.to + moved.bytes], 64);
    for (std::uint64_t i = 1; i < room; ++i) {
      bool const came = i >= moved.to && i < moved.to + moved.bytes;
      if (i == moved.to + moved.bytes) continue;
      expect(target_of(me)[i], came ? sent(before, round, i - moved.to + moved.from) : own(round, i));
    }
    std::uint64_t const words[] = {before + 1, round + 2, before + 3, round + 4, before + 5};
    for (std::uint64_t i = 0; i < 5; ++i) expect(cni::word(mail_of(me) + mail + 8 * i), words[i]);
    all.wait();
  }
  std::printf("%llu of %llu\n", static_cast<unsigned long long>(right), static_cast<unsigned long long>(asked));
  return cni::faults() == 0 ? 0 : 1;
}
