// text_source: ranges and chunks deliver each line once, with its number. Method: split a small text at every byte.
#include "graph/text_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "test_file.hpp"

namespace {

using graph::line_bytes_max;
using graph::text_source;
using graph_test::error_of;
using graph_test::test_directory;

std::string const text = "one\n\ntwo\r\nthree\n\n\nlast";

std::string all_of(text_source& source) {
  std::string result;
  while (auto const chunk = source.next()) result += chunk->text;
  return result;
}

text_source in_memory(std::string_view bytes, std::size_t chunk_bytes) {
  return {std::make_unique<graph::memory_stream>(bytes), "memory", chunk_bytes};
}

TEST(text_source, delivers_whole_lines_for_every_chunk_size) {
  for (std::size_t chunk_bytes = 1; chunk_bytes <= text.size() + 1; ++chunk_bytes) {
    text_source source = in_memory(text, chunk_bytes);
    std::string seen;
    while (auto const chunk = source.next()) {
      ASSERT_FALSE(chunk->text.empty());
      EXPECT_EQ(chunk->offset, seen.size());
      EXPECT_EQ(chunk->first_line, 1 + static_cast<std::uint64_t>(std::ranges::count(seen, '\n')));
      seen += chunk->text;
      EXPECT_TRUE(seen.ends_with('\n') || seen == text) << "chunk of " << chunk_bytes << " bytes";
    }
    EXPECT_EQ(seen, text);
  }
}

TEST(text_source, ranges_that_tile_a_file_deliver_it_once_wherever_they_cut) {
  test_directory const directory;
  std::string const path = directory.write("x.txt", text);
  for (std::uint64_t a = 0; a <= text.size(); ++a) {
    for (std::uint64_t b = a; b <= text.size(); ++b) {
      for (std::size_t const chunk_bytes : std::initializer_list<std::size_t>{1, 3, 100}) {
        std::string seen;
        for (auto const range : {graph::byte_range{0, a}, {a, b}, {b, text.size()}}) {
          text_source source(path, range, chunk_bytes);
          seen += all_of(source);
        }
        ASSERT_EQ(seen, text) << "cut at " << a << " and " << b << ", chunk of " << chunk_bytes << " bytes";
      }
    }
  }
}

TEST(text_source, a_line_belongs_to_the_range_in_which_it_begins) {
  test_directory const directory;
  std::string const path = directory.write("x.txt", text);
  text_source source(path, {.begin = 2, .end = 6});
  auto const chunk = source.next();
  ASSERT_TRUE(chunk);
  EXPECT_EQ(chunk->text, "\ntwo\r\n");
  EXPECT_EQ(chunk->offset, 4);
  EXPECT_EQ(chunk->first_line, 0);
  EXPECT_EQ(graph::line_at(path, chunk->offset), 2);
  EXPECT_FALSE(source.next());
}

TEST(text_source, lines_lose_their_ends) {
  text_source source = in_memory(text, 4);
  graph::line_reader lines(source);
  std::string seen;
  while (auto const line = lines.next()) {
    seen += std::to_string(line->number) + "=" + std::string(line->text) + " ";
    EXPECT_EQ(line->text, text.substr(line->offset, line->text.size()));
  }
  EXPECT_EQ(seen, "1=one 2= 3=two 4=three 5= 6= 7=last ");
  EXPECT_EQ(lines.lines_count(), 7);
}

TEST(text_source, refuses_a_line_without_end_in_bounded_memory) {
  std::string const longest = "a\n" + std::string(line_bytes_max, 'b');
  text_source fits = in_memory(longest, 1000);
  EXPECT_TRUE(all_of(fits) == longest);
  std::string const too_long = longest + "b";
  text_source refused = in_memory(too_long, 1000);
  EXPECT_EQ(error_of([&] { (void)all_of(refused); }),
            "memory:2: line of more than 65536 bytes, expected a text file of short lines");
}

TEST(text_source, says_why_a_file_cannot_be_read) {
  test_directory const directory;
  EXPECT_EQ(error_of([&] { text_source(directory.path("none.txt")); }),
            "none.txt: No such file or directory, expected a file that can be read");
  std::filesystem::create_directory(directory.path("folder.txt"));
  EXPECT_EQ(error_of([&] { text_source(directory.path("folder.txt")); }),
            "folder.txt: not a regular file, expected a file that can be read more than once");
}

}  // namespace
