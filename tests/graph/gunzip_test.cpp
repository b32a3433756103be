// gunzip: damaged data is refused where the damage is. Method: truncate and change a good file at every byte.
#include "graph/gunzip.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

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

// A file is read in pieces, which end anywhere in a header.
class pieces final : public graph::byte_stream {
 public:
  pieces(std::string_view first, std::string_view second) : parts_{first, second} {}
  [[nodiscard]] std::size_t read(std::span<char> to) override {
    if (parts_[0].empty()) std::swap(parts_[0], parts_[1]);
    std::size_t const count = parts_[0].copy(to.data(), to.size());
    parts_[0].remove_prefix(count);
    return count;
  }

 private:
  std::string_view parts_[2];
};

// What follows the ten bytes of a header for each flag: a checksum of it is that of all bytes before.
std::string with_fields(std::string member, unsigned flags) {
  std::string fields;
  if ((flags & 4U) != 0) fields += std::string("\x05\x00", 2) + "extra";
  if ((flags & 8U) != 0) fields += std::string("a name", 7);
  if ((flags & 16U) != 0) fields += std::string("a comment", 10);
  member[3] = static_cast<char>(flags);
  member.insert(10, fields);
  if ((flags & 2U) != 0) {
    unsigned long const sum = crc32_z(0, reinterpret_cast<Bytef const*>(member.data()), 10 + fields.size()) & 0xffffU;
    member.insert(10 + fields.size(), {static_cast<char>(sum & 0xffU), static_cast<char>(sum >> 8U)});
  }
  return member;
}

TEST(gunzip, headers_with_optional_fields_may_lie_in_two_pieces) {
  for (unsigned flags = 0; flags < 32; flags += 2) {
    std::string const whole = gzip(text) + with_fields(gzip("3 4\n"), flags);
    for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
      std::string_view const all = whole;
      auto const stream = graph::gunzip(std::make_unique<pieces>(all.substr(0, cut), all.substr(cut)), "x.gz");
      std::string result, part(100, '\0');
      while (std::size_t const size = stream->read(part)) result += part.substr(0, size);
      ASSERT_EQ(result, text + "3 4\n") << "flags " << flags << ", cut at " << cut;
    }
  }
}

TEST(gunzip, reserved_flags_of_a_header_are_an_error) {
  std::string member = gzip(text);
  member[3] = '\x20';
  EXPECT_EQ(error_of([&] { (void)gunzip_all(member, 100); }),
            "x.gz: gzip data is corrupt (incorrect header check), expected data written by gzip");
}

TEST(gunzip, nothing_is_read_into_no_memory) {
  std::string const whole = gzip(text);
  auto const stream = graph::gunzip(std::make_unique<graph::memory_stream>(whole), "x.gz");
  EXPECT_EQ(stream->read({}), 0U);
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

// A stored block, then one with fixed codes: a match of 258 bytes at distance 32768, or with distance code 31.
TEST(gunzip, a_match_of_nothing_delivers_nothing) {
  for (char const distance : {'\xbd', '\xfd'}) {
    std::string damaged = gzip(text).substr(0, 10) + std::string("\x00\x0c\x00\xf3\xff", 5) + text + '\x1b';
    damaged += distance + std::string(40, '\xff');
    for (std::size_t const count : std::initializer_list<std::size_t>{7, 1 << 20})
      EXPECT_LE(delivered_bytes(damaged, count), text.size());
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
