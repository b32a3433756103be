// parquet: pages of values, and the footer that says where they are.
#include "machine/report/parquet.hpp"

#include <bit>
#include <cstdint>

namespace tess::machine {
namespace {

/// A struct in Thrift's compact protocol.
class thrift_struct {
 public:
  void add(int field, std::int64_t value, bool is_long = false) {
    begin(field, is_long ? type_i64 : type_i32);
    add_integer(value);
  }
  void add_long(int field, std::int64_t value) { add(field, value, true); }
  void add(int field, std::string const& text) {
    begin(field, type_text);
    add_number(text.size());
    bytes_ += text;
  }
  void add(int field, thrift_struct const& inside) {
    begin(field, type_struct);
    bytes_ += inside.ended();
  }
  void add(int field, std::vector<thrift_struct> const& all) {
    begin_list(field, all.size(), type_struct);
    for (thrift_struct const& one : all) bytes_ += one.ended();
  }
  void add(int field, std::vector<std::string> const& all) {
    begin_list(field, all.size(), type_text);
    for (std::string const& one : all) {
      add_number(one.size());
      bytes_ += one;
    }
  }
  void add(int field, std::vector<std::int64_t> const& all) {
    begin_list(field, all.size(), type_i32);
    for (std::int64_t const one : all) add_integer(one);
  }
  [[nodiscard]] std::string ended() const { return bytes_ + '\0'; }

 private:
  static constexpr unsigned type_i32 = 5, type_i64 = 6, type_text = 8, type_list = 9, type_struct = 12;

  void begin(int field, unsigned type) {
    bytes_ += static_cast<char>(static_cast<unsigned>(field - last_) << 4U | type);
    last_ = field;
  }
  void begin_list(int field, std::size_t size, unsigned type) {
    begin(field, type_list);
    if (size < 15) {
      bytes_ += static_cast<char>(size << 4U | type);
    } else {
      bytes_ += static_cast<char>(0xf0U | type);
      add_number(size);
    }
  }
  void add_integer(std::int64_t value) {
    add_number(static_cast<std::uint64_t>(value) << 1U ^ static_cast<std::uint64_t>(value >> 63U));
  }
  void add_number(std::uint64_t value) {
    for (; value > 127; value >>= 7U) bytes_ += static_cast<char>((value & 127U) | 128U);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
  int last_ = 0;
};

// parquet.thrift: Type, Encoding, FieldRepetitionType, CompressionCodec, PageType.
constexpr std::int64_t type_double = 5, plain = 0, rle = 3, required = 0, uncompressed = 0, data_page = 0;
constexpr char const* magic = "PAR1";

void add_bytes(std::string& into, std::uint64_t value, unsigned count) {
  for (unsigned byte = 0; byte < count; ++byte) into += static_cast<char>(value >> 8U * byte & 0xffU);
}

std::string page_of(std::vector<std::vector<double>> const& rows, std::size_t column) {
  std::string values;
  for (auto const& row : rows) add_bytes(values, std::bit_cast<std::uint64_t>(row[column]), sizeof(double));
  thrift_struct page;
  page.add(1, static_cast<std::int64_t>(rows.size()));
  page.add(2, plain);
  page.add(3, rle);
  page.add(4, rle);
  thrift_struct header;
  header.add(1, data_page);
  header.add(2, static_cast<std::int64_t>(values.size()));
  header.add(3, static_cast<std::int64_t>(values.size()));
  header.add(5, page);
  return header.ended() + values;
}

}  // namespace

std::string parquet_of(std::vector<std::string> const& names, std::vector<std::vector<double>> const& rows) {
  auto const count = static_cast<std::int64_t>(rows.size());
  std::string made = magic;
  std::vector<thrift_struct> schema(1);
  schema.front().add(4, "schema");
  schema.front().add(5, static_cast<std::int64_t>(names.size()));
  std::vector<thrift_struct> chunks;
  std::int64_t bytes = 0;
  for (std::size_t column = 0; column < names.size(); ++column) {
    thrift_struct& element = schema.emplace_back();
    element.add(1, type_double);
    element.add(3, required);
    element.add(4, names[column]);
    std::string const page = page_of(rows, column);
    auto const size = static_cast<std::int64_t>(page.size());
    auto const at = static_cast<std::int64_t>(made.size());
    thrift_struct about;
    about.add(1, type_double);
    about.add(2, std::vector<std::int64_t>{plain, rle});
    about.add(3, std::vector<std::string>{names[column]});
    about.add(4, uncompressed);
    about.add_long(5, count);
    about.add_long(6, size);
    about.add_long(7, size);
    about.add_long(9, at);
    thrift_struct& chunk = chunks.emplace_back();
    chunk.add_long(2, at);
    chunk.add(3, about);
    made += page;
    bytes += size;
  }
  thrift_struct group;
  group.add(1, chunks);
  group.add_long(2, bytes);
  group.add_long(3, count);
  thrift_struct footer;
  footer.add(1, std::int64_t{1});
  footer.add(2, schema);
  footer.add_long(3, count);
  footer.add(4, std::vector<thrift_struct>{group});
  footer.add(6, std::string("tessera"));
  std::string const end = footer.ended();
  made += end;
  add_bytes(made, end.size(), 4);
  return made + magic;
}

}  // namespace tess::machine
