// parquet: the parts of a file of Apache Parquet: pages of columns, not compressed, and the footer that finds them.
//
//   A file is parquet_begin(), groups of rows, and parquet_end(). A group of rows has a chunk for each column, one
//   after another; so places or threads can make groups at the same time.
//
// Shapes    integers of 64 bits, doubles, and texts in UTF-8; a value may be absent where the column is optional.
// Cost      a chunk in memory.
// Source    the specification of Apache Parquet (pages, PLAIN and RLE encodings), and of Thrift's compact protocol.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graph {

enum class parquet_type : std::uint8_t { integer = 2, real = 5, text = 6 };  // numbers of the format

struct parquet_column {
  std::string name;
  parquet_type type = parquet_type::integer;
  bool optional = false;
};

// The bytes of one column of one group of rows after another, each of at least one row.
class parquet_chunk {
 public:
  explicit parquet_chunk(parquet_column const& column) : optional_(column.optional) {}

  void add(std::int64_t value);
  void add(double value);
  void add(std::string_view value);
  void add_nothing();

  [[nodiscard]] std::string take();

 private:
  void count(bool present);
  void end_page();

  bool optional_;
  std::string pages_;
  std::string values_;   // of the page that grows
  std::string present_;  // a bit for each of its rows
  std::uint32_t rows_ = 0;
};

struct parquet_group {
  std::uint64_t rows = 0;
  std::vector<std::uint64_t> chunk_bytes;
};

[[nodiscard]] std::string_view parquet_begin() noexcept;
// Groups are in the order of the file, from the end of parquet_begin() on.
[[nodiscard]] std::string parquet_end(std::span<parquet_column const> columns, std::span<parquet_group const> groups);

}  // namespace graph
