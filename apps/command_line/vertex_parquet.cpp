// vertex_parquet: a group of rows at each place, and the footer at place 0, which wants the sizes of all.
#include "command_line/vertex_parquet.hpp"

#include <cmath>
#include <vector>

#include "command_line/vertex_table.hpp"
#include "graph/parquet.hpp"

namespace command_line {

namespace {

struct made_group {
  graph::parquet_group about;
  std::string bytes;
  std::string end;  // at place 0: of the file
};
using groups_everywhere = tess::place_local<made_group>;
using parts_everywhere = tess::place_local<table_part>;

graph::parquet_column column_of(part_column const& column, bool is_first) {
  bool const real = std::holds_alternative<std::span<double const>>(column.cells);
  bool const text = std::holds_alternative<std::vector<std::string>>(column.cells);
  graph::parquet_type const type = real   ? graph::parquet_type::real
                                   : text ? graph::parquet_type::text
                                          : graph::parquet_type::integer;
  return {column.name, type, !is_first};
}

void add_cell(graph::parquet_chunk& chunk, table_part const& part, part_column const& column, std::uint64_t row,
              bool optional) {
  if (auto const* const reals = std::get_if<std::span<double const>>(&column.cells)) {
    std::isinf((*reals)[row]) ? chunk.add_nothing() : chunk.add((*reals)[row]);
  } else if (auto const* const texts = std::get_if<std::vector<std::string>>(&column.cells)) {
    (*texts)[row].empty() && optional ? chunk.add_nothing() : chunk.add(std::string_view((*texts)[row]));
  } else if (auto const* const names = std::get_if<std::vector<std::int64_t>>(&column.cells)) {
    (*names)[row] == no_integer&& optional ? chunk.add_nothing() : chunk.add((*names)[row]);
  } else if (auto const* const numbers = std::get_if<std::span<std::uint32_t const>>(&column.cells)) {
    (*numbers)[row] == no_number ? chunk.add_nothing() : chunk.add(std::int64_t{(*numbers)[row]});
  } else {
    chunk.add(static_cast<std::int64_t>(part.first + row));
  }
}

void make_group(groups_everywhere groups, parts_everywhere parts) {
  groups->about.rows = parts->rows;
  for (std::size_t c = 0; parts->rows != 0 && c < parts->columns.size(); ++c) {
    graph::parquet_chunk chunk(column_of(parts->columns[c], c == 0));
    for (std::uint64_t row = 0; row < parts->rows; ++row) add_cell(chunk, *parts, parts->columns[c], row, c != 0);
    std::string const bytes = chunk.take();
    groups->about.chunk_bytes.push_back(bytes.size());
    groups->bytes += bytes;
  }
}

tess::task<void> write_group(groups_everywhere groups, std::string path) {
  tess::file out = co_await tess::file::open(path, tess::file_mode::write);
  std::string const begin(tess::here() == 0 ? graph::parquet_begin() : "");
  co_await out.write_ordered(begin);
  co_await out.write_ordered(groups->bytes);
  co_await out.write_ordered(groups->end);
  co_await out.close();
}

}  // namespace

tess::task<void> write_parquet(parts_everywhere parts, std::string path) {
  auto const groups = co_await groups_everywhere::make();
  std::exception_ptr failed;
  try {
    co_await tess::on_all_places([](groups_everywhere all, parts_everywhere of) { make_group(all, of); }, groups,
                                 parts);
    std::vector<graph::parquet_group> made(tess::places());
    for (unsigned p = 0; p < tess::places(); ++p) {
      auto const place = static_cast<tess::place_id>(p);
      made[p].rows = co_await tess::at(place, [](groups_everywhere all) { return all->about.rows; }, groups);
      made[p].chunk_bytes =
          co_await tess::at(place, [](groups_everywhere all) { return all->about.chunk_bytes; }, groups);
    }
    std::vector<graph::parquet_column> columns;
    for (part_column const& each : parts->columns) columns.push_back(column_of(each, columns.empty()));
    groups->end = graph::parquet_end(columns, made);
    co_await tess::on_all_places([](groups_everywhere all, std::string name) { return write_group(all, name); }, groups,
                                 path);
  } catch (...) {
    failed = std::current_exception();
  }
  co_await groups_everywhere::release(groups);
  if (failed) std::rethrow_exception(failed);
}

}  // namespace command_line
