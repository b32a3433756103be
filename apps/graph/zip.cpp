// zip: the directory at the end, members by its offsets, and the same for writing.
#include "graph/zip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "graph/error.hpp"
#include "graph/gunzip.hpp"

namespace graph {

namespace {

constexpr std::uint32_t local_mark = 0x04034b50;
constexpr std::uint32_t entry_mark = 0x02014b50;
constexpr std::uint32_t end_mark = 0x06054b50;
constexpr std::uint32_t end64_mark = 0x06064b50;
constexpr std::uint32_t locator64_mark = 0x07064b50;
constexpr std::size_t end_bytes = 22;
constexpr std::size_t locator64_bytes = 20;
constexpr std::size_t end64_bytes = 56;
constexpr std::size_t entry_bytes = 46;
constexpr std::size_t local_bytes = 30;
constexpr std::size_t comment_bytes_max = 65535;
constexpr std::uint64_t directory_bytes_max = 1 << 24;

// An unsigned integer, least significant byte first; the caller has checked the size.
template <class Number>
Number number_at(std::string_view bytes, std::size_t offset) {
  Number value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i)
    value = static_cast<Number>(value | static_cast<Number>(static_cast<unsigned char>(bytes[offset + i])) << 8U * i);
  return value;
}

template <class Number>
void append_number(std::string& to, Number value) {
  for (std::size_t i = 0; i < sizeof value; ++i) to += static_cast<char>(value >> 8U * i & 0xffU);
}

constexpr std::array<std::array<std::uint32_t, 256>, 8> crc_tables = [] {
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
    tables[0][i] = crc;
  }
  for (std::size_t t = 1; t < 8; ++t)
    for (std::uint32_t i = 0; i < 256; ++i) tables[t][i] = tables[t - 1][i] >> 8U ^ tables[0][tables[t - 1][i] & 0xffU];
  return tables;
}();

// Matrices over bits, a column a word: what a number of zero bytes makes of a checksum.
using bit_matrix = std::array<std::uint32_t, 32>;

std::uint32_t times(bit_matrix const& matrix, std::uint32_t vector) noexcept {
  std::uint32_t sum = 0;
  for (std::size_t bit = 0; vector != 0; ++bit, vector >>= 1U)
    if ((vector & 1U) != 0) sum ^= matrix[bit];
  return sum;
}

bit_matrix squared(bit_matrix const& matrix) noexcept {
  bit_matrix result;
  for (std::size_t bit = 0; bit < 32; ++bit) result[bit] = times(matrix, matrix[bit]);
  return result;
}

}  // namespace

std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before) noexcept {
  std::uint32_t crc = ~before;
  auto const byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])); };
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint32_t const low = crc ^ (byte(i) | byte(i + 1) << 8U | byte(i + 2) << 16U | byte(i + 3) << 24U);
    crc = crc_tables[7][low & 0xffU] ^ crc_tables[6][low >> 8U & 0xffU] ^ crc_tables[5][low >> 16U & 0xffU] ^
          crc_tables[4][low >> 24U] ^ crc_tables[3][byte(i + 4)] ^ crc_tables[2][byte(i + 5)] ^
          crc_tables[1][byte(i + 6)] ^ crc_tables[0][byte(i + 7)];
  }
  for (; i < bytes.size(); ++i) crc = crc >> 8U ^ crc_tables[0][(crc ^ byte(i)) & 0xffU];
  return ~crc;
}

std::uint32_t crc32_joined(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes) noexcept {
  bit_matrix power;  // one zero bit
  power[0] = 0xedb88320U;
  for (std::size_t bit = 1; bit < 32; ++bit) power[bit] = 1U << (bit - 1);
  for (int i = 0; i < 3; ++i) power = squared(power);  // eight: a byte
  for (; second_bytes != 0; second_bytes >>= 1U, power = squared(power))
    if ((second_bytes & 1U) != 0) first = times(power, first);
  return first ^ second;
}

zip_reader::zip_reader(std::string name, std::uint64_t size_bytes, opener open)
    : name_(std::move(name)), size_bytes_(size_bytes), open_(std::move(open)) {
  read_directory();
}

std::string zip_reader::bytes_at(std::uint64_t offset, std::uint64_t count) const {
  if (offset > size_bytes_ || count > size_bytes_ - offset)
    throw input_error(name_, 0, "a part lies beyond its end", "a whole .npz file (copy or download it again)");
  std::string bytes(count, '\0');
  std::unique_ptr<byte_stream> const from = open_(offset);
  if (read_fully(*from, bytes) != count) throw_changed(name_);
  return bytes;
}

void zip_reader::read_directory() {
  std::uint64_t const tail_bytes =
      std::min<std::uint64_t>(size_bytes_, end_bytes + comment_bytes_max + locator64_bytes);
  std::string const tail = bytes_at(size_bytes_ - tail_bytes, tail_bytes);
  std::size_t end = tail.size() < end_bytes ? std::string::npos : tail.rfind("PK\x05\x06", tail.size() - end_bytes);
  if (end == std::string::npos)
    throw input_error(name_, 0, "no directory of a zip file at its end",
                      "a .npz file as scipy.sparse.save_npz writes it");
  std::uint64_t entries = number_at<std::uint16_t>(tail, end + 10);
  std::uint64_t bytes = number_at<std::uint32_t>(tail, end + 12);
  std::uint64_t offset = number_at<std::uint32_t>(tail, end + 16);
  bool const has_64 = end >= locator64_bytes && number_at<std::uint32_t>(tail, end - locator64_bytes) == locator64_mark;
  if (has_64) {
    std::string const end64 = bytes_at(number_at<std::uint64_t>(tail, end - locator64_bytes + 8), end64_bytes);
    if (number_at<std::uint32_t>(end64, 0) != end64_mark)
      throw input_error(name_, 0, "its directory is damaged", "a whole .npz file (copy or download it again)");
    entries = number_at<std::uint64_t>(end64, 32);
    bytes = number_at<std::uint64_t>(end64, 40);
    offset = number_at<std::uint64_t>(end64, 48);
  }
  if (bytes > directory_bytes_max)
    throw input_error(name_, 0, fmt::format("a directory of {} bytes", bytes), "a .npz file of few members");
  std::string const directory = bytes_at(offset, bytes);
  std::string_view rest = directory;
  for (std::uint64_t i = 0; i < entries; ++i) {
    bool const whole = rest.size() >= entry_bytes && number_at<std::uint32_t>(rest, 0) == entry_mark;
    std::size_t const name_bytes = whole ? number_at<std::uint16_t>(rest, 28) : 0;
    std::size_t const extra_bytes = whole ? number_at<std::uint16_t>(rest, 30) : 0;
    std::size_t const all = entry_bytes + name_bytes + extra_bytes + (whole ? number_at<std::uint16_t>(rest, 32) : 0U);
    if (!whole || rest.size() < all)
      throw input_error(name_, 0, "its directory is damaged", "a whole .npz file (copy or download it again)");
    add_member(rest.substr(0, entry_bytes), rest.substr(entry_bytes, name_bytes),
               rest.substr(entry_bytes + name_bytes, extra_bytes));
    rest.remove_prefix(all);
  }
}

void zip_reader::add_member(std::string_view entry, std::string_view name, std::string_view extra) {
  if ((number_at<std::uint16_t>(entry, 8) & 1U) != 0)
    throw input_error(name_, 0, "it is encrypted", "a .npz file as scipy.sparse.save_npz writes it");
  zip_member member;
  member.name = name;
  member.method = number_at<std::uint16_t>(entry, 10);
  member.crc = number_at<std::uint32_t>(entry, 16);
  member.compressed_bytes = number_at<std::uint32_t>(entry, 20);
  member.bytes = number_at<std::uint32_t>(entry, 24);
  member.header_offset = number_at<std::uint32_t>(entry, 42);
  while (extra.size() >= 4) {
    std::size_t const kind = number_at<std::uint16_t>(extra, 0);
    std::string_view field = extra.substr(4, number_at<std::uint16_t>(extra, 2));
    extra.remove_prefix(std::min(extra.size(), 4 + field.size()));
    if (kind != 1) continue;
    // The values that do not fit, in this order.
    for (std::uint64_t* const value : {&member.bytes, &member.compressed_bytes, &member.header_offset}) {
      if (*value != 0xffffffffU || field.size() < 8) continue;
      *value = number_at<std::uint64_t>(field, 0);
      field.remove_prefix(8);
    }
  }
  members_.push_back(std::move(member));
}

zip_member const* zip_reader::find(std::string_view member) const noexcept {
  auto const found = std::ranges::find(members_, member, &zip_member::name);
  return found == members_.end() ? nullptr : &*found;
}

std::string zip_reader::read(zip_member const& member) const {
  std::string const label = name_ + ": " + member.name;
  std::string const local = bytes_at(member.header_offset, local_bytes);
  if (number_at<std::uint32_t>(local, 0) != local_mark)
    throw input_error(label, 0, "it is not where the directory says", "a whole .npz file (copy or download it again)");
  std::uint64_t const begin =
      member.header_offset + local_bytes + number_at<std::uint16_t>(local, 26) + number_at<std::uint16_t>(local, 28);
  std::string bytes = bytes_at(begin, member.compressed_bytes);
  if (member.method == 8) {
    std::unique_ptr<byte_stream> const inflated = inflate(std::make_unique<memory_stream>(bytes), label);
    std::string result;
    constexpr std::size_t piece = 1 << 20;
    for (std::size_t count = 1; count != 0 && result.size() <= member.bytes;) {
      std::size_t const before = result.size();
      result.resize(before + piece);
      count = inflated->read(std::span(result).subspan(before));
      result.resize(before + count);
    }
    bytes = std::move(result);
  } else if (member.method != 0) {
    throw input_error(label, 0, fmt::format("compression method {}", member.method), "stored or deflated");
  }
  if (bytes.size() != member.bytes || crc32_of(bytes) != member.crc)
    throw input_error(label, 0, "its bytes are damaged", "a whole .npz file (copy or download it again)");
  return bytes;
}

namespace {

constexpr std::uint16_t version_64 = 45;
constexpr std::uint16_t date_1980 = 0x21;

// What a member's header and its entry in the directory have in common: version to dates.
void append_common(std::string& to, zip_entry const& entry) {
  append_number(to, version_64);
  append_number<std::uint32_t>(to, 0);  // flags, stored
  append_number<std::uint16_t>(to, 0);
  append_number(to, date_1980);
  append_number(to, entry.crc);
  append_number(to, ~std::uint32_t{0});  // both sizes are in the extra field
  append_number(to, ~std::uint32_t{0});
  append_number(to, static_cast<std::uint16_t>(entry.name.size()));
}

}  // namespace

std::string zip_member_begin(zip_entry const& entry) {
  std::string begin;
  append_number(begin, local_mark);
  append_common(begin, entry);
  append_number<std::uint16_t>(begin, 20);
  begin += entry.name;
  append_number<std::uint16_t>(begin, 1);
  append_number<std::uint16_t>(begin, 16);
  append_number(begin, entry.bytes);
  append_number(begin, entry.bytes);
  return begin;
}

std::string zip_end(std::vector<zip_entry> const& entries) {
  std::string directory;
  std::uint64_t offset = 0;
  for (zip_entry const& entry : entries) {
    append_number(directory, entry_mark);
    append_number(directory, version_64);
    append_common(directory, entry);
    append_number<std::uint16_t>(directory, 28);
    append_number<std::uint16_t>(directory, 0);  // comment
    append_number<std::uint32_t>(directory, 0);  // disk, attributes
    append_number<std::uint32_t>(directory, 0);
    append_number(directory, ~std::uint32_t{0});
    directory += entry.name;
    append_number<std::uint16_t>(directory, 1);
    append_number<std::uint16_t>(directory, 24);
    append_number(directory, entry.bytes);
    append_number(directory, entry.bytes);
    append_number(directory, offset);
    offset += zip_member_begin(entry).size() + entry.bytes;
  }
  std::uint64_t const directory_bytes = directory.size();
  std::uint64_t const count = entries.size();
  append_number(directory, end64_mark);
  append_number<std::uint64_t>(directory, end64_bytes - 12);
  append_number(directory, version_64);
  append_number(directory, version_64);
  append_number<std::uint64_t>(directory, 0);
  append_number(directory, count);
  append_number(directory, count);
  append_number(directory, directory_bytes);
  append_number(directory, offset);
  append_number(directory, locator64_mark);
  append_number<std::uint32_t>(directory, 0);
  append_number(directory, offset + directory_bytes);
  append_number<std::uint32_t>(directory, 1);
  append_number(directory, end_mark);
  append_number<std::uint32_t>(directory, 0);
  append_number(directory, static_cast<std::uint16_t>(count));
  append_number(directory, static_cast<std::uint16_t>(count));
  append_number(directory, ~std::uint32_t{0});
  append_number(directory, ~std::uint32_t{0});
  append_number<std::uint16_t>(directory, 0);
  return directory;
}

}  // namespace graph
