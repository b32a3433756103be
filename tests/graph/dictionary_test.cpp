// dictionary: names get numbers in the order in which they first come. Method: a map of the standard library gives the
// same numbers, for any number of threads, for few and many names, integers close together and far apart.
#include "graph/dictionary.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <unordered_map>

#include "graph/encoding.hpp"
#include "test_file.hpp"

namespace {

using graph_test::error_of;

struct columns {
  std::vector<std::string> sources;
  std::vector<std::string> targets;
};

struct packed {
  std::vector<char> bytes;
  std::vector<std::int64_t> offsets{0};
  explicit packed(std::vector<std::string> const& texts) {
    for (std::string const& text : texts) {
      bytes.insert(bytes.end(), text.begin(), text.end());
      offsets.push_back(static_cast<std::int64_t>(bytes.size()));
    }
  }
  [[nodiscard]] graph::text_column column() const { return {bytes, offsets}; }
};

template <class Name>
struct expected_numbers {
  graph::large_vector<std::uint32_t> sources;
  graph::large_vector<std::uint32_t> targets;
  std::vector<Name> names;
};

template <class Name>
expected_numbers<Name> by_map(std::vector<Name> const& sources, std::vector<Name> const& targets) {
  expected_numbers<Name> made;
  std::unordered_map<Name, std::uint32_t> known;
  auto const number = [&](Name const& name) {
    auto const [at, fresh] = known.emplace(name, static_cast<std::uint32_t>(known.size()));
    if (fresh) made.names.push_back(name);
    return at->second;
  };
  for (std::size_t i = 0; i < sources.size(); ++i) {
    made.sources.push_back(number(sources[i]));
    made.targets.push_back(number(targets[i]));
  }
  return made;
}

void check_texts(std::vector<std::string> const& sources, std::vector<std::string> const& targets) {
  expected_numbers<std::string> const expected = by_map(sources, targets);
  for (unsigned const threads : {1U, 2U, 3U, 8U}) {
    packed const from(sources), to(targets);
    graph::encoded_ends const made = graph::encode(from.column(), to.column(), "x", threads);
    ASSERT_EQ(made.sources, expected.sources) << threads;
    ASSERT_EQ(made.targets, expected.targets) << threads;
    ASSERT_EQ(made.names.size(), expected.names.size());
    EXPECT_FALSE(made.names.are_integers());
    for (std::uint32_t v = 0; v < expected.names.size(); ++v) {
      ASSERT_EQ(made.names.label(v), expected.names[v]);
      ASSERT_EQ(made.names.find(expected.names[v]), v);
    }
  }
}

void check_integers(std::vector<std::int64_t> const& sources, std::vector<std::int64_t> const& targets) {
  expected_numbers<std::int64_t> const expected = by_map(sources, targets);
  for (unsigned const threads : {1U, 2U, 3U, 8U}) {
    graph::encoded_ends const made = graph::encode(sources, targets, "x", threads);
    ASSERT_EQ(made.sources, expected.sources) << threads;
    ASSERT_EQ(made.targets, expected.targets) << threads;
    EXPECT_TRUE(made.names.are_integers());
    ASSERT_TRUE(std::ranges::equal(made.names.integers(), expected.names));
    for (std::uint32_t v = 0; v < expected.names.size(); ++v) ASSERT_EQ(made.names.find(expected.names[v]), v);
  }
}

TEST(dictionary, numbers_texts_as_they_come) {
  check_texts({"b", "a", "b"}, {"a", "c", "b"});
  check_texts({""}, {""});
  check_texts({}, {});
}

TEST(dictionary, numbers_many_texts_of_all_lengths) {
  std::mt19937_64 random(1);
  for (std::uint64_t const different : {3ULL, 1000ULL, 200'000ULL}) {
    std::vector<std::string> ends[2];
    for (std::size_t i = 0; i < 150'000; ++i)
      for (auto& column : ends) {
        std::uint64_t const name = random() % different;
        column.push_back(std::string(name % 37, static_cast<char>('a' + name % 26)) + std::to_string(name));
      }
    check_texts(ends[0], ends[1]);
  }
}

TEST(dictionary, numbers_integers_close_together_and_far_apart) {
  std::mt19937_64 random(1);
  auto const column = [&](std::uint64_t range, std::int64_t least) {
    std::vector<std::int64_t> made(100'000);
    for (std::int64_t& each : made)
      each = static_cast<std::int64_t>(static_cast<std::uint64_t>(least) + random() % range);
    return made;
  };
  check_integers(column(5000, -2500), column(5000, -2500));
  check_integers(column(1'000'000'000'000, -7), column(9, 1'000'000'000));
  check_integers(column(~std::uint64_t{0}, std::numeric_limits<std::int64_t>::min()), column(1, 0));
  check_integers({std::numeric_limits<std::int64_t>::min()}, {std::numeric_limits<std::int64_t>::max()});
  check_integers({}, {});
}

// Short texts are compared as words, longer ones by their hashes first.
TEST(dictionary, tells_texts_apart_at_every_length_and_byte) {
  std::vector<std::string> texts{""};
  for (std::size_t length = 1; length <= 40; ++length) {
    std::string const same(length, 'x');
    texts.push_back(same);
    texts.emplace_back(length, '\0');
    for (std::size_t at = 0; at < length; ++at)
      for (char const other : {'y', '\0', '\x80', '\xff'}) {
        texts.push_back(same);
        texts.back()[at] = other;
      }
  }
  std::vector<std::string> again(texts.rbegin(), texts.rend());
  check_texts(texts, again);
}

TEST(dictionary, joins_parts_in_their_order) {
  for (std::size_t parts = 1; parts <= 9; ++parts) {
    std::vector<graph::name_table<graph::integer_names>> tables(parts);
    std::vector<std::vector<std::uint32_t>> numbers(parts);
    std::vector<std::int64_t> all, known;
    for (std::size_t part = 0; part < parts; ++part) {
      std::vector<std::int64_t> const names{static_cast<std::int64_t>(part), 100, static_cast<std::int64_t>(part) - 2};
      numbers[part].resize(names.size());
      tables[part].add(names, numbers[part].data());
      all.insert(all.end(), names.begin(), names.end());
    }
    for (std::int64_t const name : all)
      if (std::ranges::find(known, name) == known.end()) known.push_back(name);
    auto const changes = graph::join(tables);
    EXPECT_TRUE(std::ranges::equal(tables[0].names().integers, known));
    for (std::size_t part = 0; part < parts; ++part) {
      graph::renumber(numbers[part], changes[part]);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(known[numbers[part][i]], all[3 * part + i]);
    }
  }
}

TEST(dictionary, finds_what_is_there) {
  graph::dictionary const texts({'a', 'b', 'c', '4'}, {0, 1, 3, 4}, "x");
  EXPECT_EQ(texts.size(), 3);
  EXPECT_EQ(texts.find("bc"), 1);
  EXPECT_EQ(texts.find("b"), std::nullopt);
  EXPECT_EQ(texts.find(std::int64_t{4}), 2);
  graph::dictionary const integers({5, -3}, "x");
  graph::dictionary const copy = integers;
  EXPECT_EQ(copy.find("-3"), 1);
  EXPECT_EQ(copy.find("-3x"), std::nullopt);
  EXPECT_EQ(copy.find(std::int64_t{7}), std::nullopt);
  EXPECT_EQ(copy.label(0), "5");
  EXPECT_EQ(graph::dictionary().find("a"), std::nullopt);
  EXPECT_EQ(graph::dictionary().size(), 0);
}

TEST(dictionary, refuses_repeated_names) {
  EXPECT_EQ(error_of([] { graph::dictionary({1, 2, 1}, "x.names"); }),
            "x.names:3: \"1\" is also name 1, expected each name once");
  EXPECT_EQ(error_of([] { graph::dictionary({'a', 'a'}, {0, 1, 2}, "x.names"); }),
            "x.names:2: \"a\" is also name 1, expected each name once");
  EXPECT_EQ(error_of([] { graph::dictionary({'a', 'a'}, {0, 2, 1}, "x.names"); }),
            "x.names:2: the end of a name is out of order, expected ends that grow from 0 to the text's size");
}

TEST(dictionary, looks_at_names_of_others_when_it_must) {
  auto const memory = std::make_shared<std::vector<std::int64_t>>(std::vector<std::int64_t>{4, 9});
  graph::dictionary const names(std::span<std::int64_t const>(*memory), memory);
  EXPECT_EQ(names.integers().data(), memory->data());
  EXPECT_EQ(names.find(std::int64_t{9}), 1);
}

}  // namespace
