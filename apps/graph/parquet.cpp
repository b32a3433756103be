// parquet: structures of Thrift's compact protocol, and values as PLAIN has them.
#include "graph/parquet.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace graph {

namespace {

// A page is the unit of what readers hold in memory; its sizes are integers of 31 bits.
constexpr std::uint32_t page_rows_max = 1 << 20;
constexpr std::size_t page_bytes_max = std::size_t{8} << 20U;

enum class wire : std::uint8_t { i32 = 5, i64 = 6, binary = 8, list = 9, structure = 12 };

// A structure as Thrift's compact protocol writes it: each field as its distance from the one before, and its type.
class thrift {
 public:
  thrift& i32(unsigned field, std::int32_t value) {
    begin(field, wire::i32);
    append_signed(value);
    return *this;
  }
  thrift& i64(unsigned field, std::uint64_t value) {
    begin(field, wire::i64);
    append_signed(static_cast<std::int64_t>(value));
    return *this;
  }
  thrift& text(unsigned field, std::string_view value) {
    begin(field, wire::binary);
    append_text(value);
    return *this;
  }
  thrift& structure(unsigned field, thrift const& value) {
    begin(field, wire::structure);
    append(value);
    return *this;
  }
  template <class Values, class Append>
  thrift& list(unsigned field, wire type, Values const& values, Append const& append_one) {
    begin(field, wire::list);
    std::size_t const count = values.size();
    bytes_ += static_cast<char>((count < 15 ? count : 15) << 4U | std::to_underlying(type));
    if (count >= 15) append_varint(count);
    for (auto const& value : values) append_one(*this, value);
    return *this;
  }

  // Elements of lists.
  void append(thrift const& value) {
    bytes_ += value.bytes_;
    bytes_ += '\0';
  }
  void append_text(std::string_view value) {
    append_varint(value.size());
    bytes_ += value;
  }
  void append_signed(std::int64_t value) {
    append_varint(static_cast<std::uint64_t>(value) << 1U ^ static_cast<std::uint64_t>(value >> 63));
  }

  [[nodiscard]] std::string take() {
    bytes_ += '\0';
    return std::move(bytes_);
  }

 private:
  void begin(unsigned field, wire type) {
    bytes_ += static_cast<char>((field - std::exchange(last_, field)) << 4U | std::to_underlying(type));
  }
  void append_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_ += static_cast<char>(value | 0x80U);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
  unsigned last_ = 0;
};

template <class Word>
void append_word(std::string& bytes, Word word) {
  static_assert(std::endian::native == std::endian::little);
  char raw[sizeof word];
  std::memcpy(raw, &word, sizeof word);
  bytes.append(raw, sizeof word);
}

constexpr std::int32_t plain = 0, run_lengths = 3, utf8 = 0;  // numbers of the format

thrift element_of(parquet_column const& column) {
  thrift element;
  element.i32(1, std::to_underlying(column.type)).i32(3, column.optional ? 1 : 0).text(4, column.name);
  if (column.type == parquet_type::text) element.i32(6, utf8);
  return element;
}

thrift chunk_of(parquet_column const& column, std::uint64_t rows, std::uint64_t begin, std::uint64_t bytes) {
  thrift about;
  about.i32(1, std::to_underlying(column.type))
      .list(2, wire::i32, std::array{plain, run_lengths}, [](thrift& to, std::int32_t e) { to.append_signed(e); })
      .list(3, wire::binary, std::array{column.name}, [](thrift& to, std::string const& s) { to.append_text(s); })
      .i32(4, 0)  // no compression
      .i64(5, rows)
      .i64(6, bytes)
      .i64(7, bytes)
      .i64(9, begin);
  thrift chunk;
  chunk.i64(2, begin).structure(3, about);
  return chunk;
}

}  // namespace

void parquet_chunk::count(bool present) {
  if (optional_) {
    if (rows_ % 8 == 0) present_ += '\0';
    if (present) present_.back() = static_cast<char>(static_cast<unsigned char>(present_.back()) | 1U << rows_ % 8);
  }
  if (++rows_ == page_rows_max || values_.size() >= page_bytes_max) end_page();
}

void parquet_chunk::add(std::int64_t value) {
  append_word(values_, value);
  count(true);
}

void parquet_chunk::add(double value) {
  append_word(values_, value);
  count(true);
}

void parquet_chunk::add(std::string_view value) {
  append_word(values_, static_cast<std::uint32_t>(value.size()));
  values_ += value;
  count(true);
}

void parquet_chunk::add_nothing() {
  count(false);
}

void parquet_chunk::end_page() {
  std::string levels;
  if (optional_) {
    // One run of bits, in groups of 8.
    std::string run;
    for (std::uint64_t head = present_.size() << 1U | 1U;; head >>= 7U) {
      run += static_cast<char>(head < 0x80 ? head : head | 0x80U);
      if (head < 0x80) break;
    }
    run += present_;
    append_word(levels, static_cast<std::uint32_t>(run.size()));
    levels += run;
  }
  thrift data;
  data.i32(1, static_cast<std::int32_t>(rows_)).i32(2, plain).i32(3, run_lengths).i32(4, run_lengths);
  auto const bytes = static_cast<std::int32_t>(levels.size() + values_.size());
  pages_ += thrift().i32(1, 0).i32(2, bytes).i32(3, bytes).structure(5, data).take();
  pages_ += levels;
  pages_ += values_;
  values_.clear();
  present_.clear();
  rows_ = 0;
}

std::string parquet_chunk::take() {
  if (rows_ != 0) end_page();
  return std::exchange(pages_, {});
}

std::string_view parquet_begin() noexcept {
  return "PAR1";
}

std::string parquet_end(std::span<parquet_column const> columns, std::span<parquet_group const> groups) {
  std::vector<thrift> schema(1);
  schema[0].text(4, "schema").i32(5, static_cast<std::int32_t>(columns.size()));
  for (parquet_column const& column : columns) schema.push_back(element_of(column));
  std::vector<thrift> made;
  std::uint64_t at = parquet_begin().size(), rows = 0;
  for (parquet_group const& group : groups) {
    if (group.rows == 0) continue;
    std::uint64_t const begin = at;
    std::vector<thrift> chunks;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      chunks.push_back(chunk_of(columns[c], group.rows, at, group.chunk_bytes[c]));
      at += group.chunk_bytes[c];
    }
    thrift one;
    one.list(1, wire::structure, chunks, [](thrift& to, thrift const& chunk) { to.append(chunk); });
    made.push_back(one.i64(2, at - begin).i64(3, group.rows));
    rows += group.rows;
  }
  auto const append = [](thrift& to, thrift const& value) { to.append(value); };
  thrift file;
  file.i32(1, 1).list(2, wire::structure, schema, append).i64(3, rows).list(4, wire::structure, made, append);
  std::string end = file.text(6, "tessera").take();
  append_word(end, static_cast<std::uint32_t>(end.size()));
  return end += parquet_begin();
}

}  // namespace graph
