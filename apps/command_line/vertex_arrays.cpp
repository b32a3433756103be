// vertex_arrays: bytes and checksums at all places, the heads of arrays at place 0, then one column after another.
#include "command_line/vertex_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "command_line/vertex_table.hpp"
#include "graph/export.hpp"
#include "graph/npy.hpp"
#include "graph/zip.hpp"

namespace command_line {

namespace {

enum class element : std::uint8_t { integer, real, text };

// One column of one place.
struct array_part {
  std::string bytes;
  std::string head;  // at place 0: of the zip file's member, and of the array
};
struct arrays {
  std::vector<array_part> columns;
  std::string end;  // at place 0: of the zip file
};
using arrays_everywhere = tess::place_local<arrays>;
using parts_everywhere = tess::place_local<table_part>;

struct column_facts {
  element kind;
  std::uint64_t width;  // of the longest text, in characters
};

column_facts look_at(part_column const& column) {
  if (std::holds_alternative<std::span<double const>>(column.cells)) return {element::real, 0};
  auto const* const texts = std::get_if<std::vector<std::string>>(&column.cells);
  if (texts == nullptr) return {element::integer, 0};
  std::size_t width = 1;
  for (std::string const& text : *texts) width = std::max(width, graph::characters_of(text));
  return {element::text, width};
}

void append_integer(std::string& bytes, std::int64_t value) {
  char word[sizeof value];
  std::memcpy(word, &value, sizeof value);
  bytes.append(word, sizeof value);
}

std::string bytes_of_column(table_part const& part, part_column const& column, std::uint64_t width) {
  std::string bytes;
  if (auto const* const reals = std::get_if<std::span<double const>>(&column.cells)) {
    bytes.assign(reinterpret_cast<char const*>(reals->data()), part.rows * sizeof(double));
  } else if (auto const* const texts = std::get_if<std::vector<std::string>>(&column.cells)) {
    bytes.reserve(part.rows * width * 4);
    for (std::string const& text : *texts) graph::append_utf32(bytes, text, width);
  } else if (auto const* const names = std::get_if<std::vector<std::int64_t>>(&column.cells)) {
    for (std::int64_t const name : *names) append_integer(bytes, name);
  } else if (auto const* const numbers = std::get_if<std::span<std::uint32_t const>>(&column.cells)) {
    for (std::uint32_t const number : numbers->first(part.rows))
      append_integer(bytes, number == no_number ? -1 : std::int64_t{number});
  } else {
    for (std::uint64_t row = 0; row < part.rows; ++row)
      append_integer(bytes, static_cast<std::int64_t>(part.first + row));
  }
  return bytes;
}

struct made_bytes {
  std::uint32_t checksum;
  std::uint64_t bytes;
};

made_bytes make_column(arrays_everywhere made, parts_everywhere parts, std::uint64_t c, std::uint64_t width) {
  std::string bytes = bytes_of_column(*parts, parts->columns[c], width);
  made_bytes const result{graph::crc32_of(bytes), bytes.size()};
  made->columns.push_back({std::move(bytes), {}});
  return result;
}

// Makes column c everywhere, and its head here; returns its entry in the zip file's directory.
tess::task<graph::zip_entry> make_everywhere(arrays_everywhere made, parts_everywhere parts, std::uint64_t c) {
  column_facts facts = look_at(parts->columns[c]);
  std::uint64_t rows = 0;
  for (unsigned p = 0; p < tess::places(); ++p) {
    struct facts_of_place {
      std::uint64_t width, rows;
    };
    auto const there = co_await tess::at(
        static_cast<tess::place_id>(p),
        [](parts_everywhere all, std::uint64_t column) {
          return facts_of_place{look_at(all->columns[column]).width, all->rows};
        },
        parts, c);
    facts.width = std::max(facts.width, there.width);
    rows += there.rows;
  }
  std::string const descr = facts.kind == element::text   ? fmt::format("<U{}", facts.width)
                            : facts.kind == element::real ? "<f8"
                                                          : "<i8";
  std::string const begin = graph::npy_begin(descr, rows);
  graph::zip_entry entry{parts->columns[c].name + ".npy", graph::crc32_of(begin), begin.size()};
  for (unsigned p = 0; p < tess::places(); ++p) {
    made_bytes const there = co_await tess::at(
        static_cast<tess::place_id>(p),
        [](arrays_everywhere all, parts_everywhere of, std::uint64_t column, std::uint64_t width) {
          return make_column(all, of, column, width);
        },
        made, parts, c, facts.width);
    entry.crc = graph::crc32_joined(entry.crc, there.checksum, there.bytes);
    entry.bytes += there.bytes;
  }
  made->columns[c].head = graph::zip_member_begin(entry) + begin;
  co_return entry;
}

tess::task<void> write_part(arrays_everywhere made, std::string path) {
  tess::file out = co_await tess::file::open(path, tess::file_mode::write);
  for (array_part const& column : made->columns) {
    co_await out.write_ordered(column.head);
    co_await out.write_ordered(column.bytes);
  }
  co_await out.write_ordered(made->end);
  co_await out.close();
}

}  // namespace

tess::task<void> write_arrays(parts_everywhere parts, std::string path) {
  auto const made = co_await arrays_everywhere::make();
  std::exception_ptr failed;
  try {
    std::vector<graph::zip_entry> entries;
    for (std::uint64_t c = 0; c < parts->columns.size(); ++c)
      entries.push_back(co_await make_everywhere(made, parts, c));
    made->end = graph::zip_end(entries);
    co_await tess::on_all_places([](arrays_everywhere all, std::string name) { return write_part(all, name); }, made,
                                 path);
  } catch (...) {
    failed = std::current_exception();
  }
  co_await arrays_everywhere::release(made);
  if (failed) std::rethrow_exception(failed);
}

}  // namespace command_line
