// session_test: the protocol, step by step, as a transport would drive it. Method: a driver moves bytes between
// messages and a session, in steps of any size; random messages show what a session survives.
#include "rmem/server/session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace tess::memd {
namespace {

using wire::operation;
using wire::status;

struct answer {
  wire::message head;
  std::string payload;
};

class driver {
 public:
  driver(store& s, counters& f, caller who) : session_(s, f, service_, std::move(who)) {}

  /// False: the session ended the connection.
  bool send(std::span<std::byte const> bytes, std::size_t step = SIZE_MAX) {
    while (!bytes.empty()) {
      auto const to = session_.receive_buffer();
      if (to.empty()) return true;  // it receives nothing now
      std::size_t const n = std::min({to.size(), bytes.size(), step});
      std::memcpy(to.data(), bytes.data(), n);
      bytes = bytes.subspan(n);
      if (!session_.received(n, 0)) return false;
    }
    return true;
  }
  bool send(wire::message m, std::string const& payload = {}, std::size_t step = SIZE_MAX) {
    if (m.payload == 0) m.payload = static_cast<std::uint32_t>(payload.size());
    return send(wire::encode(m), step) && send(std::as_bytes(std::span(payload)), step);
  }
  /// The next `bytes` that it sends.
  std::string take(std::size_t bytes) {
    std::string text;
    while (text.size() < bytes) {
      auto const out = session_.next_output();
      if (out.bytes.empty()) break;
      std::size_t const n = std::min(out.bytes.size(), bytes - text.size());
      text.append(reinterpret_cast<char const*>(out.bytes.data()), n);
      session_.sent(n);
    }
    return text;
  }
  std::optional<answer> receive() {
    std::string const head = take(wire::message_bytes);
    if (head.size() != wire::message_bytes) return std::nullopt;
    wire::encoded bytes;
    std::memcpy(bytes.data(), head.data(), bytes.size());
    auto const m = wire::decode(bytes);
    EXPECT_TRUE(m);
    return answer{*m, take(m->payload)};
  }
  answer call(wire::message const& m, std::string const& payload = {}) {
    EXPECT_TRUE(send(m, payload));
    auto const a = receive();
    EXPECT_TRUE(a);
    return a.value_or(answer{});
  }

 private:
  service_state service_;
  session session_;
};

class a_session : public testing::Test {
 protected:
  page_allocator memory{1024 * page_allocator::page_bytes};
  store s{memory, 0, 1000};
  counters counted;
  driver owner{s, counted, {.user = 1001, .operates = false, .tokens = {}}};
  driver other{s, counted, {.user = 1002, .operates = false, .tokens = {}}};
  std::uint64_t base = 0;

  static constexpr std::uint64_t size = 300000;
  static std::string pattern() {
    std::string text(size, 0);
    std::mt19937 random(1);
    for (auto& c : text) c = static_cast<char>(random());
    return text;
  }
  void SetUp() override {
    auto const a = owner.call({.what = operation::create, .id = 1, .size = size}, "matrix");
    ASSERT_EQ(a.head.outcome, status::ok) << a.payload;
    base = a.head.address;
  }
};

TEST_F(a_session, writes_in_two_steps_and_reads_back) {
  auto const data = pattern();
  ASSERT_EQ(owner.call({.what = operation::write, .id = 7, .address = base, .size = size}).head.what, operation::go);
  ASSERT_TRUE(owner.send({.what = operation::data, .id = 7}, data, 777));
  auto const done = owner.receive();
  ASSERT_EQ(done->head.what, operation::done);
  EXPECT_EQ(done->head.id, 7U);
  EXPECT_EQ(done->head.outcome, status::ok);
  auto const read = owner.call({.what = operation::read, .id = 8, .address = base, .size = size});
  EXPECT_EQ(read.head.what, operation::data);
  EXPECT_TRUE(read.payload == data);
  EXPECT_EQ(owner.receive()->head.outcome, status::ok);
  EXPECT_EQ(counted.written_bytes, size);
  EXPECT_EQ(counted.read_bytes, size);
}

TEST_F(a_session, small_transfers_take_one_step) {
  EXPECT_EQ(owner.call({.what = operation::write, .id = 1, .address = base + 5, .size = 3}, "abc").head.what,
            operation::done);
  auto const read = owner.call({.what = operation::read, .id = 2, .address = base + 4, .size = 5});
  EXPECT_EQ(read.payload, std::string("\0abc\0", 5));
}

TEST_F(a_session, refuses_before_any_byte_moves) {
  auto const refused = other.call({.what = operation::write, .id = 1, .address = base, .size = 100000});
  EXPECT_EQ(refused.head.outcome, status::no_right);
  EXPECT_EQ(refused.payload, "no right to write region 'matrix' (owner 1001)");
  EXPECT_FALSE(other.send({.what = operation::data, .id = 1}, "x")) << "no portal is open";
  EXPECT_EQ(owner.call({.what = operation::read, .id = 1, .address = base + size - 1, .size = 2}).head.outcome,
            status::out_of_bounds);
}

TEST_F(a_session, a_write_stops_when_its_right_is_revoked) {
  ASSERT_EQ(owner
                .call({.what = operation::grant,
                       .id = 1,
                       .address = base,
                       .argument = static_cast<std::uint64_t>(wire::grantee::user),
                       .rights = right_write,
                       .argument2 = 1002})
                .head.outcome,
            status::ok);
  ASSERT_EQ(other.call({.what = operation::write, .id = 5, .address = base, .size = size}).head.what, operation::go);
  ASSERT_TRUE(other.send({.what = operation::data, .id = 5, .payload = size}, std::string(1000, 'x')));
  ASSERT_EQ(owner
                .call({.what = operation::revoke,
                       .id = 2,
                       .address = base,
                       .argument = static_cast<std::uint64_t>(wire::grantee::user),
                       .argument2 = 1002})
                .head.outcome,
            status::ok);
  std::string const rest(size - 1000, 'y');
  ASSERT_TRUE(other.send(std::as_bytes(std::span(rest))));
  auto const done = other.receive();
  EXPECT_EQ(done->head.outcome, status::revoked);
  EXPECT_EQ(done->payload, "ended in mid-transfer: no right to write region 'matrix' (owner 1001)");
  auto const read = owner.call({.what = operation::read, .id = 3, .address = base, .size = size});
  EXPECT_EQ(read.payload.find('y'), std::string::npos);
}

TEST_F(a_session, a_read_whose_right_is_revoked_shows_zeros_and_fails) {
  std::string const data(size, 'z');
  ASSERT_EQ(owner.call({.what = operation::write, .id = 7, .address = base, .size = size}).head.what, operation::go);
  ASSERT_TRUE(owner.send({.what = operation::data, .id = 7}, data));
  ASSERT_EQ(owner.receive()->head.outcome, status::ok);
  auto const to_other = static_cast<std::uint64_t>(wire::grantee::user);
  static_cast<void>(owner.call({.what = operation::grant,
                                .id = 1,
                                .address = base,
                                .argument = to_other,
                                .rights = right_read,
                                .argument2 = 1002}));
  ASSERT_TRUE(other.send({.what = operation::read, .id = 9, .address = base, .size = size}));
  EXPECT_EQ(other.take(wire::message_bytes + 100).substr(wire::message_bytes), std::string(100, 'z'));
  ASSERT_EQ(owner.call({.what = operation::remove, .id = 2, .address = base}).head.outcome, status::ok);
  auto const rest = other.take(size - 100);
  EXPECT_EQ(rest.size(), size - 100);
  EXPECT_EQ(rest.find('z'), std::string::npos);
  EXPECT_EQ(other.receive()->head.outcome, status::revoked);
}

TEST_F(a_session, a_client_that_never_reads_is_not_listened_to) {
  wire::message const m{.what = operation::read, .id = 1, .address = base, .size = size};
  for (std::size_t i = 0; i < session::answers_max; ++i) ASSERT_TRUE(owner.send(m));
  std::uint64_t const before = counted.reads;
  ASSERT_TRUE(owner.send(m));  // the driver stops when the session does
  EXPECT_EQ(counted.reads, before);
  for (std::size_t i = 0; i < session::answers_max; ++i) {
    auto const data = owner.receive();
    ASSERT_TRUE(data) << i;
    ASSERT_EQ(data->head.what, operation::data);
    auto const done = owner.receive();
    ASSERT_TRUE(done) << i;
    ASSERT_EQ(done->head.what, operation::done);
  }
  EXPECT_FALSE(owner.receive());
}

TEST_F(a_session, a_client_that_violates_the_protocol_is_disconnected) {
  auto const cut = [&](wire::message const& m, std::string const& payload = {}) {
    driver d(s, counted, {.user = 1001, .operates = false, .tokens = {}});
    return !d.send(m, payload);
  };
  EXPECT_TRUE(cut({.what = operation::done}));
  EXPECT_TRUE(cut({.what = operation::go}));
  EXPECT_TRUE(cut({.what = operation::data, .id = 3}));
  EXPECT_TRUE(cut({.what = operation::read, .address = base, .size = 1}, "unasked"));
  EXPECT_TRUE(cut({.what = operation::open, .payload = 256}));
  EXPECT_TRUE(cut({.what = operation::write, .address = base, .size = 5}, "four"));
  EXPECT_TRUE(cut({.what = operation::read, .outcome = status::full}));
  wire::encoded zeros{};
  driver d(s, counted, {});
  EXPECT_FALSE(d.send(zeros));
}

TEST_F(a_session, a_remote_client_without_a_right_sees_neither_regions_nor_counters) {
  // More regions than one list looks at, so that a list of all would say where it goes on.
  for (int i = 0; i < 900; ++i) owner.call({.what = operation::create, .id = 1, .size = 1}, "r" + std::to_string(i));
  auto const of = s.grant_token({.user = 1001, .operates = false, .tokens = {}}, base, right_read);
  ASSERT_TRUE(of);
  driver stranger{s, counted, {.user = std::nullopt, .operates = false, .tokens = std::vector<token::identity>(3)}};
  auto const all = stranger.call({.what = operation::list, .id = 1});
  EXPECT_EQ(all.head.address, 0U) << "the address of a region";
  EXPECT_EQ(all.payload, "");
  driver nobody{s, counted, {.user = std::nullopt, .operates = false, .tokens = {}}};
  EXPECT_EQ(nobody.call({.what = operation::state, .id = 2}).head.outcome, status::no_right);
  auto const bytes = of->bytes();
  std::string const proof(reinterpret_cast<char const*>(bytes.data()), bytes.size());
  ASSERT_EQ(nobody.call({.what = operation::present, .id = 3}, proof).head.outcome, status::ok);
  EXPECT_EQ(nobody.call({.what = operation::state, .id = 4}).head.outcome, status::ok);
  auto const listed = nobody.call({.what = operation::list, .id = 5});
  EXPECT_EQ(listed.head.address, 0U);
  EXPECT_NE(listed.payload.find("matrix"), std::string::npos);
  EXPECT_EQ(listed.payload.find("r5"), std::string::npos);
}

TEST_F(a_session, survives_a_hundred_thousand_random_messages) {
  std::mt19937_64 random(7);
  caller const stranger{.user = 1003, .operates = false, .tokens = {}};
  auto d = std::make_unique<driver>(s, counted, stranger);
  for (int i = 0; i < 100000; ++i) {
    auto const near = [&] { return random() % 3 == 0 ? random() : base + random() % (2 * size); };
    wire::message m{.what = static_cast<operation>(1 + random() % 16),
                    .outcome = random() % 50 == 0 ? status::full : status::ok,
                    .id = random() % 8,
                    .address = near(),
                    .size = random() % 4 == 0 ? near() : random() % 5000,
                    .argument = random() % 4,
                    .rights = static_cast<std::uint32_t>(random() % 32),
                    .argument2 = random() % 2 == 0 ? random() : 1003};
    std::string payload(random() % 3 == 0 ? random() % 300 : 0, static_cast<char>('a' + random() % 26));
    if (random() % 8 == 0) m.size = payload.size();
    if (random() % 64 == 0) m.payload = static_cast<std::uint32_t>(random() % 5000);
    bool const alive = d->send(m, payload, 1 + random() % 400);
    if (random() % 3 == 0) d->take(random() % 20000);
    if (!alive || random() % 200 == 0) d = std::make_unique<driver>(s, counted, stranger);
  }
  // The owner's region is unchanged, and the server works.
  auto const read = owner.call({.what = operation::read, .id = 1, .address = base, .size = size});
  EXPECT_EQ(read.payload, std::string(size, '\0'));
}

}  // namespace
}  // namespace tess::memd
