// vertex_table: the rows of a place as text, the names that only place 0 has, and the program's own output.
#include "command_line/vertex_table.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "command_line/vertex_arrays.hpp"
#include "command_line/vertex_parquet.hpp"
#include "command_line/vertex_parts.hpp"
#include "graph/export.hpp"

namespace command_line {

namespace {

using format = std::string (*)(table_part const& part);

// The shortest text that is the same number when it is read.
void append_cell(std::string& line, table_part const& part, part_column const& column, std::uint64_t row,
                 char separator) {
  if (auto const* const integers = std::get_if<1>(&column.cells)) {
    if ((*integers)[row] != no_number) fmt::format_to(std::back_inserter(line), "{}", (*integers)[row]);
  } else if (auto const* const doubles = std::get_if<2>(&column.cells)) {
    if (!std::isinf((*doubles)[row])) fmt::format_to(std::back_inserter(line), "{}", (*doubles)[row]);
  } else if (auto const* const texts = std::get_if<3>(&column.cells)) {
    graph::append_field(line, (*texts)[row], separator);
  } else if (auto const* const names = std::get_if<4>(&column.cells)) {
    if ((*names)[row] != no_integer) fmt::format_to(std::back_inserter(line), "{}", (*names)[row]);
  } else {
    fmt::format_to(std::back_inserter(line), "{}", part.first + row);
  }
}

template <char Separator>
std::string as_text(table_part const& part) {
  std::string lines;
  // The header is place 0's.
  if (tess::here() == 0)
    for (std::size_t c = 0; c < part.columns.size(); ++c) {
      graph::append_field(lines, part.columns[c].name, Separator);
      lines += c + 1 == part.columns.size() ? '\n' : Separator;
    }
  for (std::uint64_t row = 0; row < part.rows; ++row)
    for (std::size_t c = 0; c < part.columns.size(); ++c) {
      append_cell(lines, part, part.columns[c], row, Separator);
      lines += c + 1 == part.columns.size() ? '\n' : Separator;
    }
  return lines;
}

bool is_stream(std::string const& path) {
  struct stat about{};
  return path == "-" || (stat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode));
}

bool is_arrays(std::string const& path) {
  return path.ends_with(".npz") && !is_stream(path);
}

bool is_parquet(std::string const& path) {
  return path.ends_with(".parquet") && !is_stream(path);
}

// By the name's ending; standard output, devices and pipes get what .csv does.
std::optional<format> format_of(std::string const& path) {
  if (path.ends_with(".csv")) return &as_text<','>;
  if (path.ends_with(".tsv")) return &as_text<'\t'>;
  if (is_stream(path)) return &as_text<','>;
  return {};
}

std::string wrong_output(std::string const& path) {
  if (!format_of(path) && !is_arrays(path) && !is_parquet(path))
    return path + " is no table's name; expected one that ends with .csv, .tsv, .parquet or .npz, or -";
  if (is_stream(path)) return "";
  auto const slash = path.rfind('/');
  std::string const folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (access(folder.c_str(), W_OK) != 0)
    return path + " cannot be created; expected a name in a folder that exists and may be written";
  return "";
}

using parts_name = tess::place_local<table_part>;

// Sends every place the names of these vertices, which are in blocks like the graph's.
template <class VertexAt>
tess::task<void> send_names(parts_name parts, loaded_graph const& loaded, std::string const& name, VertexAt vertex_at) {
  co_await tess::finish([&] {
    for (unsigned p = 0; p < tess::places(); ++p) {
      auto const place = static_cast<tess::place_id>(p);
      std::vector<std::string> texts;
      std::vector<std::int64_t> integers;
      for (std::uint64_t v = loaded.graph.begin_at(place); v < loaded.graph.end_at(place); ++v) {
        graph::vertex const named = vertex_at(v);
        if (loaded.names->are_integers())
          integers.push_back(named == no_number ? no_integer : loaded.names->integers()[named]);
        else
          texts.emplace_back(named == no_number ? "" : loaded.label(named));
      }
      if (loaded.names->are_integers())
        tess::at_async(
            place,
            [](parts_name part, std::string column_name, std::vector<std::int64_t> cells) {
              part->columns.push_back({std::move(column_name), std::move(cells)});
            },
            parts, name, std::move(integers));
      else
        tess::at_async(
            place,
            [](parts_name part, std::string column_name, std::vector<std::string> cells) {
              part->columns.push_back({std::move(column_name), std::move(cells)});
            },
            parts, name, std::move(texts));
    }
  });
}

tess::task<void> add_vertices(parts_name parts, loaded_graph const& loaded) {
  graph::distributed_graph const& g = loaded.graph;
  co_await tess::on_all_places(
      [](parts_name part, graph::distributed_graph all) {
        part->first = all.begin_at(tess::here());
        part->rows = all.end_at(tess::here()) - part->first;
        part->columns.push_back({"vertex", own_vertices{}});
      },
      parts, g);
  if (!loaded.names) co_return;
  co_await tess::on_all_places([](parts_name part) { part->columns.clear(); }, parts);
  co_await send_names(parts, loaded, "vertex", [](std::uint64_t v) { return static_cast<graph::vertex>(v); });
}

tess::task<void> add_column(parts_name parts, loaded_graph const& loaded, column const& c) {
  auto const* const integers = std::get_if<0>(&c.values);
  if (c.are_vertices && loaded.names) {
    std::vector<std::uint32_t> all(loaded.graph.vertices());
    tess::counter done;
    for (unsigned p = 0; p < tess::places(); ++p) {
      auto const place = static_cast<tess::place_id>(p);
      std::uint64_t const begin = loaded.graph.begin_at(place), end = loaded.graph.end_at(place);
      if (begin != end) tess::get((*integers)[begin], std::span(all).subspan(begin, end - begin), done);
    }
    co_await done;
    co_await send_names(parts, loaded, c.name, [&all](std::uint64_t v) { return all[v]; });
    co_return;
  }
  if (integers != nullptr)
    co_await tess::on_all_places(
        [](parts_name part, std::string name, tess::global_array<std::uint32_t> array) {
          part->columns.push_back({std::move(name), std::span<std::uint32_t const>(array.local()).first(part->rows)});
        },
        parts, c.name, *integers);
  else
    co_await tess::on_all_places(
        [](parts_name part, std::string name, tess::global_array<double> array) {
          part->columns.push_back({std::move(name), std::span<double const>(array.local()).first(part->rows)});
        },
        parts, c.name, std::get<1>(c.values));
}

tess::task<void> write_part(parts_name parts, std::string path) {
  tess::file out = co_await tess::file::open(path, tess::file_mode::write);
  std::string text;
  try {
    text = (*format_of(path))(*parts);
  } catch (std::runtime_error const& e) {
    throw tess::error(e.what());
  }
  co_await out.write_ordered(text);
  co_await out.close();
}

}  // namespace

void declare_output(parser& app, std::string& into) {
  app.add_option("--output", into,
                 "write a row for each vertex to this file (.csv, .tsv, .parquet, or arrays of numpy as .npz; - is "
                 "standard output)")
      .check(wrong_output, "FILE.csv, FILE.tsv, FILE.parquet, FILE.npz or -");
}

tess::task<bool> write_table(std::string path, loaded_graph const& loaded, std::vector<column> columns) {
  auto const parts = co_await parts_name::make();
  std::string failure;
  try {
    co_await add_vertices(parts, loaded);
    for (column const& c : columns) co_await add_column(parts, loaded, c);
    if (is_arrays(path))
      co_await write_arrays(parts, path);
    else if (is_parquet(path))
      co_await write_parquet(parts, path);
    else
      co_await tess::on_all_places([](parts_name part, std::string name) { return write_part(part, name); }, parts,
                                   path);
  } catch (tess::error const& e) {
    failure = e.what();
  }
  co_await parts_name::release(parts);
  if (failure.empty()) co_return true;
  std::fflush(stdout);
  std::fputs(("--output: " + failure + '\n').c_str(), stderr);
  co_return false;
}

reports::reports(std::string const& output) {
  if (output != "-") return;
  std::fflush(stdout);
  kept_ = dup(STDOUT_FILENO);
  if (kept_ >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
}

void reports::end() {
  if (kept_ < 0) return;
  std::fflush(stdout);
  dup2(kept_, STDOUT_FILENO);
  close(std::exchange(kept_, -1));
}

}  // namespace command_line
