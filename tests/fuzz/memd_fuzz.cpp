// memd_fuzz: no client message makes a memory server crash, or read or change a region without a right; and every
// journal that can be replayed gives a store that can be journaled and replayed again.
//
//   An input begins with a letter. `r`: changes follow, each preceded by its length in two bytes. Anything else: steps
//   of four clients. A step is a byte with the client (bits 0-1) and the kind (bits 2-3), then its operands:
//     0 raw: a length, and that many bytes    1 a message: see message_of()
//     2 send a length times 64 bytes of answers    3 a length times 256 bytes of data
//   libFuzzer calls the entry below; fuzz_replay.cpp calls it for each file of the corpus.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rmem/server/session.hpp"
#include "rmem/store/store.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t size);

namespace {

using namespace tess::memd;
using wire::operation;

constexpr std::uint64_t memory_bytes = 64 * page_allocator::page_bytes;
constexpr std::string_view secret = "nobody else may see this, byte by byte";
constexpr std::uint64_t secret_bytes = 6000;

void require(bool promise) {
  if (!promise) std::abort();
}

class input {
 public:
  explicit input(std::span<std::byte const> bytes) : left_(bytes) {}
  [[nodiscard]] bool empty() const { return left_.empty(); }
  std::uint8_t byte() { return number<std::uint8_t>(); }
  template <class T>
  T number() {
    std::array<std::byte, sizeof(T)> whole{};
    auto const have = take(sizeof(T));
    std::ranges::copy(have, whole.begin());
    return wire::load<T>(whole.data());
  }
  std::span<std::byte const> take(std::size_t n) {
    auto const first = left_.first(std::min(n, left_.size()));
    left_ = left_.subspan(first.size());
    return first;
  }

 private:
  std::span<std::byte const> left_;
};

/// Four clients of one server: two users, one of them with a second connection, and a remote one.
struct server {
  page_allocator memory{memory_bytes};
  store regions{memory, 0, 1000};
  counters counted;
  service_state now;
  std::array<std::unique_ptr<session>, 4> clients;
  std::uint64_t kept = 0;
  std::uint64_t open = 0;

  server() {
    caller const owner{.user = 1000, .operates = true, .tokens = {}};
    regions.set_lent_max(2);
    open = regions.create(owner, 5000, "open", right_read | right_write, 0)->made->base;
    kept = regions.create(owner, secret_bytes, "kept", 0, 0)->made->base;
    for (std::uint64_t at = 0; at < secret_bytes; ++at) *byte_at(at) = expected(at);
    for (unsigned i = 0; i < clients.size(); ++i) begin(i);
  }
  void begin(unsigned i) {
    caller who;
    if (i != 3) who.user = 1001 + i / 2;
    clients[i] = std::make_unique<session>(regions, counted, now, who);
  }
  static std::byte expected(std::uint64_t at) { return static_cast<std::byte>(secret[at % secret.size()]); }
  std::byte* byte_at(std::uint64_t at) { return regions.find(kept)->memory.bytes(at, 1).data(); }

  /// A client that is disconnected connects again.
  void feed(unsigned i, std::span<std::byte const> bytes) {
    while (!bytes.empty()) {
      auto const to = clients[i]->receive_buffer();
      if (to.empty()) return;
      std::size_t const n = std::min(to.size(), bytes.size());
      std::memcpy(to.data(), bytes.data(), n);
      bytes = bytes.subspan(n);
      if (!clients[i]->received(n, 5)) return begin(i);
    }
  }
  void take(unsigned i, std::size_t bytes) {
    std::string seen;
    while (seen.size() < bytes) {
      auto const out = clients[i]->next_output();
      if (out.bytes.empty()) break;
      std::size_t const n = std::min(out.bytes.size(), bytes - seen.size());
      seen.append(reinterpret_cast<char const*>(out.bytes.data()), n);
      clients[i]->sent(n);
    }
    require(seen.find(secret) == std::string::npos);
  }
  void check() {
    require(regions.find(kept) != nullptr);
    for (std::uint64_t at = 0; at < secret_bytes; ++at) require(*byte_at(at) == expected(at));
  }
};

/// A value close to an existing one, so that more than refusals is covered.
wire::message message_of(input& in, server const& s) {
  wire::message m;
  m.what = static_cast<operation>(in.byte());
  m.id = in.byte() % 8;
  auto const place = in.byte();
  m.address = (place % 4 == 0   ? s.open
               : place % 4 == 1 ? s.kept
               : place % 4 == 2 ? s.kept + 3 * page_allocator::page_bytes
                                : 0) +
              in.number<std::uint16_t>();
  m.size = in.number<std::uint16_t>();
  m.argument = in.byte();
  m.rights = in.byte();
  m.argument2 = in.byte() % 4 == 0 ? 1001 : in.byte();
  if (place >= 128) m.size <<= 48;
  if ((place & 64) != 0) m.argument <<= 48;
  return m;
}

void check_protocol(input in) {
  server s;
  while (!in.empty()) {
    auto const step = in.byte();
    unsigned const who = step & 3;
    switch ((step >> 2) & 3) {
      case 0:
        s.feed(who, in.take(in.byte()));
        break;
      case 1: {
        auto m = message_of(in, s);
        auto const payload = in.take(in.byte());
        m.payload = static_cast<std::uint32_t>(payload.size());
        if ((step & 16) != 0) m.size = m.payload;
        if (m.what == operation::data) m.payload = static_cast<std::uint32_t>(m.size);
        s.feed(who, wire::encode(m));
        s.feed(who, payload);
        break;
      }
      case 2:
        s.take(who, std::size_t{64} * in.byte());
        break;
      default: {
        std::vector<std::byte> const data(std::size_t{256} * in.byte(), std::byte{'x'});
        s.feed(who, data);
      }
    }
  }
  for (unsigned i = 0; i < s.clients.size(); ++i) s.take(i, 1 << 20);
  s.check();
}

std::vector<std::vector<std::byte>> encoded(store const& s) {
  std::vector<std::vector<std::byte>> all;
  for (auto const& c : s.snapshot()) all.push_back(encode(c));
  return all;
}

void check_record(input in) {
  page_allocator memory(memory_bytes);
  store first(memory, 0, 1000);
  while (!in.empty()) {
    auto const c = decode(in.take(in.number<std::uint16_t>()));
    if (c) static_cast<void>(first.replay(*c));
  }
  auto const all = encoded(first);
  page_allocator again(memory_bytes);
  store second(again, 0, 1000);
  for (auto const& bytes : all) {
    auto const c = decode(bytes);
    require(c && second.replay(*c));
  }
  require(encoded(second) == all);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t size) {
  if (size == 0) return 0;
  input in(std::as_bytes(std::span(bytes, size)));
  if (in.byte() == 'r')
    check_record(in);
  else
    check_protocol(in);
  return 0;
}
