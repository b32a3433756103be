// gunzip: damaged data is refused where the damage is. Method: truncate and change a good file at every byte.
#include "graph/gunzip.hpp"

#include <gtest/gtest.h>

#include "graph/text_source.hpp"
#include "test_file.hpp"

namespace {

using graph_test::error_of;
using graph_test::gzip;
using graph_test::test_directory;

std::string const text = "0 1\n1 2\n2 0\n";

// Reads `count` bytes at a time.
std::string gunzip_all(std::string_view compressed, std::size_t count) {
  auto const stream = graph::gunzip(std::make_unique<graph::memory_stream>(compressed), "x.gz");
  std::string result;
  std::string part(count, '\0');
  while (std::size_t const size = stream->read(part)) result += part.substr(0, size);
  return result;
}

TEST(gunzip, gives_the_text_back_for_every_size_of_read) {
  std::string long_text;
  for (int i = 0; i < 20'000; ++i) long_text += std::to_string(i) + "\n";
  for (std::size_t const count : std::initializer_list<std::size_t>{1, 7, 4096, 1 << 20}) {
    EXPECT_EQ(gunzip_all(gzip(text), count), text);
    EXPECT_EQ(gunzip_all(gzip(long_text), count), long_text);
  }
}

TEST(gunzip, members_in_a_row_are_one_text) {
  EXPECT_EQ(gunzip_all(gzip(text) + gzip("") + gzip("3 4\n"), 5), text + "3 4\n");
}

TEST(gunzip, truncation_is_an_error_at_every_length) {
  std::string const whole = gzip(text);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(error_of([&] { (void)gunzip_all(whole.substr(0, size), 100); }),
              "x.gz: gzip data is truncated, expected a complete .gz file (copy or download it again)")
        << size << " of " << whole.size() << " bytes";
  }
}

// How many bytes come out before the error, reading `count` at a time.
std::size_t delivered_bytes(std::string_view damaged, std::size_t count) {
  auto const stream = graph::gunzip(std::make_unique<graph::memory_stream>(damaged), "x.gz");
  std::string part(count, '\0');
  std::size_t delivered = 0;
  EXPECT_NE(error_of([&] {
              while (std::size_t const size = stream->read(part)) delivered += size;
            }),
            "no error");
  return delivered;
}

// One byte of a repetitive text's gzip expands to hundreds, for which a small read has no room.
TEST(gunzip, all_text_before_a_truncation_is_delivered_for_every_size_of_read) {
  std::string const whole = gzip(std::string(100'000, 'x'));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::string const cut = whole.substr(0, size);
    EXPECT_EQ(delivered_bytes(cut, 7), delivered_bytes(cut, 1 << 20)) << size << " of " << whole.size() << " bytes";
  }
}

TEST(gunzip, a_changed_check_sum_is_an_error) {
  std::string damaged = gzip(text);
  damaged[damaged.size() - 6] ^= 1;
  EXPECT_EQ(error_of([&] { (void)gunzip_all(damaged, 100); }),
            "x.gz: gzip data is corrupt (incorrect data check), expected data written by gzip");
}

TEST(gunzip, junk_behind_a_member_is_an_error) {
  EXPECT_EQ(error_of([&] { (void)gunzip_all(gzip(text) + "junk", 100); }),
            "x.gz: gzip data is corrupt (incorrect header check), expected data written by gzip");
}

TEST(gunzip, is_chosen_by_content_and_demanded_by_name) {
  test_directory const directory;
  graph::text_source disguised(directory.write("x.el", gzip(text)));
  EXPECT_EQ(disguised.next()->text, text);
  EXPECT_EQ(error_of([&] { graph::text_source(directory.write("y.el.gz", text)); }),
            "y.el.gz: not gzip data, expected a file that begins with the bytes 1f 8b, or a name without .gz");
}

}  // namespace
