// values: strings, containers and what they are nested in travel by value to and from other places, of any size.
// Method: every kind there and back at every place of every layout, below and above the size of a message; the bytes
// cut at every length, and with impossible counts.
#include <complex>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "runtime/job/job.hpp"
#include "runtime/run_job.hpp"
#include "runtime/segment_left.hpp"

namespace tess::test {
namespace {
struct wave {
  std::complex<double> amplitude;
  int mode = 0;
};
}  // namespace
}  // namespace tess::test
template <>
inline constexpr bool tess::plain_data<tess::test::wave> = true;
namespace tess::test {
namespace {

class values : public on_layouts {};

struct link {
  int value = 0;
  std::unique_ptr<link> next;
  bool operator==(link const& other) const {
    return value == other.value && static_cast<bool>(next) == static_cast<bool>(other.next) &&
           (!next || *next == *other.next);
  }
};
struct record {
  std::string name;
  double weight = 0;
  std::vector<std::pair<int, std::string>> notes;
  std::optional<std::string> comment;
  bool operator==(record const&) const = default;
};
struct no_default {
  explicit no_default(int v) : value(v) {}
  int value;
  bool operator==(no_default const&) const = default;
};

std::string long_text() {
  return std::string(20, 'x') + " a text that does not fit into the string itself";
}
record a_record() {
  return {"name", 2.5, {{1, "one"}, {2, long_text()}}, long_text()};
}

template <class T>
task<void> there_and_back(place_id p, T const& value) {
  T const returned = co_await at(p, [](T v) { return v; }, value);
  EXPECT_EQ(returned, value);
  T const from_task = co_await at(
      p,
      [](T v) -> task<T> {
        co_await yield();
        co_return v;
      },
      value);
  EXPECT_EQ(from_task, value);
}

TEST_P(values, of_every_kind_go_there_and_back) {
  run_here([]() -> task<void> {
    for (unsigned i = 0; i < places(); ++i) {
      auto const p = static_cast<place_id>(i);
      co_await there_and_back(p, std::string());
      co_await there_and_back(p, long_text());
      co_await there_and_back(p, std::vector{1, 2, 3});
      co_await there_and_back(p, std::vector{true, false, true});
      co_await there_and_back(p, std::vector{no_default(7)});
      co_await there_and_back(p, std::vector<std::vector<std::string>>{{"a"}, {}, {"b", long_text()}});
      co_await there_and_back(p, std::array<std::string, 3>{"1", "2", "3"});
      co_await there_and_back(p, std::optional<std::string>());
      co_await there_and_back(p, std::optional(long_text()));
      co_await there_and_back(p, std::pair(1, long_text()));
      co_await there_and_back(p, std::pair(1, 2.0));
      co_await there_and_back(p, std::tuple(1, std::string("2"), std::tuple(3.0, std::vector{4})));
      co_await there_and_back(p, std::map<std::string, std::vector<int>>{{"a", {1}}, {"b", {}}});
      co_await there_and_back(p, std::multimap<int, int>{{1, 2}, {1, 3}});
      co_await there_and_back(p, std::unordered_map<int, std::string>{{1, "a"}, {2, "b"}});
      co_await there_and_back(p, std::set<std::string>{"b", "a"});
      co_await there_and_back(p, std::unordered_set<int>{1, 2});
      co_await there_and_back(p, std::deque<std::string>{"a", "b"});
      co_await there_and_back(p, std::list<int>{1, 2});
      co_await there_and_back(p, std::variant<int, std::string>("text"));
      co_await there_and_back(p, a_record());
    }
  });
}

TEST_P(values, may_be_complex_numbers) {
  using number = std::complex<double>;
  run_here([]() -> task<void> {
    auto const p = static_cast<place_id>(places() - 1);
    number const z(1, -2);
    EXPECT_EQ(co_await at(p, [](number x) { return x * x; }, z), z * z);
    std::complex<float> const small(3, 4);
    EXPECT_EQ(co_await at(p, [](std::complex<float> x) { return x; }, small), small);
    std::vector<number> const many{z, -z};
    EXPECT_EQ(co_await at(p, [](std::vector<number> v) { return v; }, many), many);
    std::array<number, 2> const two{z, 2. * z};
    EXPECT_EQ(co_await at(p, [](std::array<number, 2> a) { return a[1]; }, two), 2. * z);
    EXPECT_EQ(co_await at(p, [](wave w) { return w.amplitude; }, wave{z, 1}), z);
    EXPECT_EQ(co_await at(p, unchecked([z] { return z; })), z);
    auto const all = co_await global_array<number>::make(places());
    co_await on_all_places(
        [](global_array<number> a, number x) -> task<void> {
          number const sum = co_await all_reduce(x);
          EXPECT_EQ(sum, x * static_cast<double>(places()));
          EXPECT_EQ(co_await broadcast(here() == 0 ? x : number(9, 9)), x);
          co_await forall(a, [](std::uint64_t i, number& element) { element = {static_cast<double>(i), 1}; });
        },
        all, z);
    number element;
    co_await get(all[places() - 1], std::span(&element, 1));
    EXPECT_EQ(element, number(places() - 1., 1));
    co_await global_array<number>::release(all);
  });
}

TEST_P(values, move_into_the_call_and_out_of_the_answer) {
  run_here([]() -> task<void> {
    for (unsigned i = 0; i < places(); ++i) {
      auto const p = static_cast<place_id>(i);
      auto chain = std::make_unique<link>(1, std::make_unique<link>(2));
      std::unique_ptr<link> const longer = co_await at(
          p,
          [](std::unique_ptr<link> head, int v, std::unique_ptr<link> null) {
            EXPECT_FALSE(null);
            return std::make_unique<link>(v, std::move(head));
          },
          std::move(chain), 0, std::unique_ptr<link>());
      EXPECT_EQ(longer->next->next->value, 2);
      // Plain arguments with a result that owns memory, and the reverse.
      std::string const text = co_await at(p, [](int n) { return std::to_string(n); }, 42);
      EXPECT_EQ(text, "42");
      EXPECT_EQ(co_await at(p, [](std::string s) { return s.size(); }, long_text()), long_text().size());
      co_await at(
          p,
          [](std::string s) -> task<void> {
            co_await yield();
            EXPECT_EQ(s, long_text());
          },
          long_text());
      EXPECT_EQ(co_await at(p, [p](std::string) { return here() == p; }, std::string("captures are bytes")), true);
    }
  });
}

TEST_P(values, larger_than_a_message_are_sent_ahead) {
  run_here([]() -> task<void> {
    for (unsigned i = 0; i < places(); ++i) {
      auto const p = static_cast<place_id>(i);
      for (std::size_t const bytes : {1900U, 1990U, 2030U, 2100U, 5000U, 300'000U}) {
        co_await there_and_back(p, std::string(bytes, 'a'));
        co_await there_and_back(p, std::vector<std::string>(bytes / 50, long_text()));
      }
    }
  });
}

TEST_P(values, reach_async_calls_and_all_places) {
  run_here([]() -> task<void> {
    auto const sum = allocate<std::uint64_t>();
    co_await put(sum, 0);
    std::uint64_t expected = 0;
    co_await finish([&] {
      for (std::size_t const bytes : {0U, 10U, 1000U, 3000U, 100'000U})
        for (unsigned p = 0; p < places(); ++p)
          for (int k = 0; k < 10; ++k) {
            expected += 2 * bytes;
            at_async(
                static_cast<place_id>(p),
                [](global_ptr<std::uint64_t> s, std::string text) -> task<void> {
                  co_await yield();
                  co_await fetch_add(s, text.size());
                },
                sum, std::string(bytes, 'b'));
            at_async(
                static_cast<place_id>(p),
                [](global_ptr<std::uint64_t> s, std::vector<char> text) {
                  at_async(
                      s.place(),
                      [](global_ptr<std::uint64_t> t, std::uint64_t n) -> task<void> { co_await fetch_add(t, n); }, s,
                      std::uint64_t{text.size()});
                },
                sum, std::vector<char>(bytes));
          }
    });
    EXPECT_EQ(co_await get(sum), expected);
    co_await put(sum, 0);
    co_await on_all_places(
        [](global_ptr<std::uint64_t> s, std::map<std::string, std::string> m) -> task<void> {
          co_await fetch_add(s, m.at("key").size());
        },
        sum, std::map<std::string, std::string>{{"key", long_text()}});
    EXPECT_EQ(co_await get(sum), places() * long_text().size());
    deallocate(sum);
  });
}

TEST_P(values, come_back_as_exceptions_of_the_body) {
  run_here([]() -> task<void> {
    for (unsigned i = 0; i < places(); ++i) {
      auto const p = static_cast<place_id>(i);
      for (std::size_t const bytes : {10U, 10'000U}) {
        EXPECT_THROW(static_cast<void>(co_await at(
                         p, [](std::string s) -> std::string { throw error("w", s, "e"); }, std::string(bytes, 'c'))),
                     error);
        EXPECT_THROW(static_cast<void>(co_await at(
                         p,
                         [](std::string s) -> task<std::string> {
                           co_await yield();
                           throw error("w", s, "e");
                         },
                         std::string(bytes, 'c'))),
                     error);
        EXPECT_THROW(co_await finish([&] {
                       at_async(p, [](std::string s) { throw error("w", s, "e"); }, std::string(bytes, 'c'));
                     }),
                     error);
      }
      EXPECT_THROW(static_cast<void>(at(static_cast<place_id>(places()), [](std::string) {}, std::string())), error);
    }
  });
}

TEST_P(values, of_calls_that_are_abandoned_are_freed) {
  run_here([]() -> task<void> {
    auto const once = []() -> task<void> {
      co_await finish([] {
        for (unsigned p = 0; p < places(); ++p)
          for (std::size_t const bytes : {10U, 10'000U})
            at(static_cast<place_id>(p), [](std::string s) { return s; }, std::string(bytes, 'd')).abandon();
      });
      for (unsigned p = 0; p < places(); ++p) co_await there_and_back(static_cast<place_id>(p), std::string(9000, 'e'));
    };
    co_await once();
    std::uint64_t const left = segment_left_bytes();
    for (int i = 0; i < 20; ++i) co_await once();
#if !(defined(TESS_CHECKED) && TESS_CHECKED)
    // Checked builds keep ended regions for a while.
    if (detail::job.workers == 1) EXPECT_EQ(segment_left_bytes(), left);
#else
    static_cast<void>(left);
#endif
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, values, testing::ValuesIn(all_layouts()), name_of);

// ── the bytes ───────────────────────────────────────────────────────────────────────────────────────────────────────

template <class T>
T read_back(std::byte const* bytes, std::size_t count) {
  detail::wire_reader r(bytes, count);
  T value = detail::wire_take<T>(r);
  r.expect_end();
  return value;
}

template <class T>
void refuses_every_other_length(T const& value) {
  auto const bytes = detail::to_value_bytes(value);
  EXPECT_EQ(read_back<T>(bytes.data.get(), bytes.bytes), value);
  for (std::size_t n = 0; n < bytes.bytes; ++n) {
    // In memory of that size, so that AddressSanitizer sees a read beyond it.
    auto const part = std::make_unique<std::byte[]>(n);
    std::copy_n(bytes.data.get(), n, part.get());
    EXPECT_THROW(read_back<T>(part.get(), n), error) << n;
  }
  auto const more = std::make_unique<std::byte[]>(bytes.bytes + 1);
  std::copy_n(bytes.data.get(), bytes.bytes, more.get());
  EXPECT_THROW(read_back<T>(more.get(), bytes.bytes + 1), error);
}

TEST(value_bytes, of_another_length_are_refused) {
  refuses_every_other_length(long_text());
  refuses_every_other_length(a_record());
  refuses_every_other_length(std::map<int, std::string>{{1, "a"}, {2, ""}});
  refuses_every_other_length(std::variant<int, std::string>("text"));
  refuses_every_other_length(std::tuple(std::vector{1, 2}, std::optional(3.0), std::vector{no_default(1)}));
}

TEST(value_bytes, that_cannot_be_are_refused_before_memory_is_allocated) {
  std::array<std::byte, 24> bytes;
  bytes.fill(std::byte{0xff});
  EXPECT_THROW(read_back<std::string>(bytes.data(), bytes.size()), error);
  EXPECT_THROW(read_back<std::vector<double>>(bytes.data(), bytes.size()), error);
  EXPECT_THROW((read_back<std::map<int, int>>(bytes.data(), bytes.size())), error);
  EXPECT_THROW(read_back<std::optional<std::string>>(bytes.data(), bytes.size()), error);
  EXPECT_THROW((read_back<std::variant<int, std::string>>(bytes.data(), bytes.size())), error);
}

TEST(value_bytes, of_long_chains_are_refused_at_both_ends) {
  auto const chain = [](unsigned links) {
    std::unique_ptr<link> head;
    for (unsigned i = 0; i < links; ++i) head = std::make_unique<link>(0, std::move(head));
    return head;
  };
  auto const longest = detail::to_value_bytes(chain(detail::wire_depth_max));
  EXPECT_TRUE(read_back<std::unique_ptr<link>>(longest.data.get(), longest.bytes));
  EXPECT_THROW(detail::to_value_bytes(chain(detail::wire_depth_max + 1)), error);
  // A byte that says "one more" and the value of a link, repeated.
  std::vector<std::byte> endless(5 * (detail::wire_depth_max + 100), std::byte{1});
  EXPECT_THROW(read_back<std::unique_ptr<link>>(endless.data(), endless.size()), error);
}

}  // namespace
}  // namespace tess::test
