// export: lines are made by threads, blocks of vertices at a time, and written in their order.
#include "graph/export.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

#include "graph/names.hpp"
#include "graph/new_file.hpp"
#include "graph/npy.hpp"
#include "graph/parallel.hpp"
#include "graph/parquet.hpp"
#include "graph/saved.hpp"
#include "graph/zip.hpp"

namespace graph {

namespace {

constexpr std::uint64_t entries_at_once = 1 << 16;

std::string_view ending_of(std::string_view path) {
  std::size_t const dot = path.find_last_of("./");
  return dot == std::string_view::npos || path[dot] == '/' ? std::string_view() : path.substr(dot);
}

// Ends of blocks of vertices with about so many entries.
std::vector<std::uint32_t> blocks_of(csr_rows const& rows) {
  std::vector<std::uint32_t> ends;
  std::uint64_t begin = 0;
  for (std::uint64_t v = 0; v < rows.vertices(); ++v)
    if (rows.offsets[v + 1] - rows.offsets[begin] >= entries_at_once || v - begin == entries_at_once) {
      ends.push_back(static_cast<std::uint32_t>(v + 1));
      begin = v + 1;
    }
  if (begin < rows.vertices()) ends.push_back(static_cast<std::uint32_t>(rows.vertices()));
  return ends;
}

// Appends what format(text, v) makes of each vertex.
template <class Format>
void append_vertices(new_file& file, csr_rows const& rows, unsigned threads, Format const& format) {
  std::vector<std::uint32_t> const ends = blocks_of(rows);
  std::vector<std::string> texts(threads);
  for (std::size_t first = 0; first < ends.size(); first += threads) {
    auto const count = static_cast<unsigned>(std::min<std::size_t>(threads, ends.size() - first));
    on_threads(count, [&](unsigned t) {
      texts[t].clear();
      std::uint32_t const begin = first + t == 0 ? 0 : ends[first + t - 1];
      for (std::uint32_t v = begin; v < ends[first + t]; ++v) format(texts[t], v);
    });
    for (unsigned t = 0; t < count; ++t) file.append(texts[t]);
  }
}

// f(target, entry) for the edges that a list has of row v.
template <class F>
void for_listed_edges(csr const& graph, std::uint32_t v, F const& f) {
  for (std::uint64_t e = graph.out.offsets[v]; e < graph.out.offsets[v + std::uint64_t{1}]; ++e)
    if (graph.directed || graph.out.targets[e] >= v) f(graph.out.targets[e], e);
}

void append_weight(std::string& text, csr const& graph, std::uint64_t entry, char separator) {
  if (!graph.weighted()) return;
  text += separator;
  fmt::format_to(std::back_inserter(text), "{}", graph.out.weights[entry]);
}

void write_edge_table(csr const& graph, std::string const& path, char separator, unsigned threads) {
  new_file file(path);
  std::string header = "source";
  header += separator;
  header += "target";
  if (graph.weighted()) header += std::string(1, separator) + "weight";
  file.append(header + "\n");
  auto const append_end = [&](std::string& text, std::uint32_t v) {
    if (graph.names)
      append_field(text, graph.names->label(v), separator);
    else
      fmt::format_to(std::back_inserter(text), "{}", v);
  };
  append_vertices(file, graph.out, threads, [&](std::string& text, std::uint32_t v) {
    for_listed_edges(graph, v, [&](std::uint32_t target, std::uint64_t entry) {
      append_end(text, v);
      text += separator;
      append_end(text, target);
      append_weight(text, graph, entry, separator);
      text += '\n';
    });
  });
  file.finish();
}

// A names file of an earlier output would name the vertices of this one.
void forget_names(std::string const& path) {
  std::filesystem::remove(path + ".names");
  if (auto const other = find_names_file(path))
    throw std::runtime_error(fmt::format(
        "{} would name the vertices of {}, which have no names; remove it, or choose another output", *other, path));
}

// Line i is the name of vertex i.
void write_names(csr const& graph, std::string const& path, unsigned threads) {
  if (!graph.names) {
    forget_names(path);
    return;
  }
  new_file file(path + ".names");
  append_vertices(file, graph.out, threads, [&](std::string& text, std::uint32_t v) {
    std::string const label = graph.names->label(v);
    bool const has_control = std::ranges::any_of(label, [](char c) { return static_cast<unsigned char>(c) < ' '; });
    if (has_control)
      throw std::runtime_error(
          fmt::format("{}.names cannot have the name of vertex {}, which has a "
                      "control character; expected an output as .csv or .tgr",
                      path, v));
    text += label;
    text += '\n';
  });
  file.finish();
}

// A group of rows for each block of vertices with many edges.
void write_parquet(csr const& graph, std::string const& path) {
  constexpr std::uint64_t group_rows = 1 << 20;
  bool const texts = graph.names && !graph.names->are_integers();
  parquet_type const type = texts ? parquet_type::text : parquet_type::integer;
  std::vector<parquet_column> columns{{"source", type}, {"target", type}};
  if (graph.weighted()) columns.push_back({"weight", parquet_type::real});
  new_file file(path);
  file.append(parquet_begin());
  std::vector<parquet_chunk> chunks(columns.begin(), columns.end());
  std::vector<parquet_group> groups;
  std::uint64_t rows = 0;
  auto const add_end = [&](parquet_chunk& chunk, std::uint32_t v) {
    if (texts)
      chunk.add(std::string_view(graph.names->label(v)));
    else
      chunk.add(graph.names ? graph.names->integers()[v] : std::int64_t{v});
  };
  for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
    for_listed_edges(graph, v, [&](std::uint32_t target, std::uint64_t entry) {
      add_end(chunks[0], v);
      add_end(chunks[1], target);
      if (graph.weighted()) chunks[2].add(graph.out.weights[entry]);
      ++rows;
    });
    if (rows == 0 || (rows < group_rows && v + std::uint64_t{1} != graph.vertices())) continue;
    groups.push_back({std::exchange(rows, 0), {}});
    for (parquet_chunk& chunk : chunks) {
      std::string const bytes = chunk.take();
      groups.back().chunk_bytes.push_back(bytes.size());
      file.append(bytes);
    }
  }
  file.append(parquet_end(columns, groups));
  file.finish();
}

void write_numbers(csr const& graph, std::string const& path, std::string const& head, std::uint32_t from, bool turned,
                   unsigned threads) {
  new_file file(path);
  file.append(head);
  append_vertices(file, graph.out, threads, [&](std::string& text, std::uint32_t v) {
    for_listed_edges(graph, v, [&](std::uint32_t target, std::uint64_t entry) {
      std::uint64_t const a = (turned ? target : v) + std::uint64_t{from};
      std::uint64_t const b = (turned ? v : target) + std::uint64_t{from};
      fmt::format_to(std::back_inserter(text), "{} {}", a, b);
      append_weight(text, graph, entry, ' ');
      text += '\n';
    });
  });
  write_names(graph, path, threads);
  file.finish();
}

void write_edge_list(csr const& graph, std::string const& path, unsigned threads) {
  if (graph.weighted() && path.ends_with(".el"))
    throw std::runtime_error(fmt::format("{} has no weights; expected a name that ends with .wel", path));
  if (!graph.weighted() && path.ends_with(".wel"))
    throw std::runtime_error(
        fmt::format("{} has weights, and the graph has none; expected a name that ends with .el", path));
  write_numbers(graph, path, "", 0, false, threads);
}

// The lower half of a symmetric matrix is listed.
void write_matrix_market(csr const& graph, std::string const& path, unsigned threads) {
  std::string const head =
      fmt::format("%%MatrixMarket matrix coordinate {} {}\n{} {} {}\n", graph.weighted() ? "real" : "pattern",
                  graph.directed ? "general" : "symmetric", graph.vertices(), graph.vertices(), graph.edges());
  write_numbers(graph, path, head, 1, !graph.directed, threads);
}

// A member whose bytes are there already.
struct matrix_member {
  std::string name;
  std::string begin;  // of the array
  std::string_view bytes;
};

void write_members(std::string const& path, std::vector<matrix_member> const& members, unsigned threads) {
  new_file file(path);
  std::vector<zip_entry> entries;
  for (matrix_member const& member : members) {
    std::vector<std::uint32_t> sums(threads);
    auto const piece = [&](unsigned t) {
      std::uint64_t const begin = part_begin(member.bytes.size(), t, threads);
      return member.bytes.substr(begin, part_begin(member.bytes.size(), t + 1, threads) - begin);
    };
    on_threads(threads, [&](unsigned t) { sums[t] = crc32_of(piece(t)); });
    std::uint32_t sum = crc32_of(member.begin);
    for (unsigned t = 0; t < threads; ++t) sum = crc32_joined(sum, sums[t], piece(t).size());
    entries.push_back({member.name + ".npy", sum, member.begin.size() + member.bytes.size()});
    file.append(zip_member_begin(entries.back()));
    file.append(member.begin);
    file.append(member.bytes);
  }
  file.append(zip_end(entries));
  file.finish();
}

template <class T>
std::string_view raw_bytes(T const& values) {
  return {reinterpret_cast<char const*>(values.data()), values.size() * sizeof(values[0])};
}

void write_matrix_of_scipy(csr const& graph, std::string const& path, unsigned threads) {
  // scipy has signed indices, of 64 bits where 32 are too few.
  std::uint64_t const entries = graph.out.entries();
  bool const wide = std::max(entries, graph.vertices()) > 0x7fffffffU;
  std::vector<std::int64_t> wide_targets;
  std::vector<std::int32_t> narrow_offsets;
  if (wide)
    wide_targets.assign(graph.out.targets.begin(), graph.out.targets.end());
  else
    for (std::uint64_t const offset : graph.out.offsets) narrow_offsets.push_back(static_cast<std::int32_t>(offset));
  std::vector<double> const ones(graph.weighted() ? 0 : entries, 1.0);
  std::array<std::uint64_t, 2> const shape{graph.vertices(), graph.vertices()};
  std::string_view const type = wide ? "<i8" : "<i4";
  std::string names;
  std::size_t width = 1;
  if (graph.names && !graph.names->are_integers()) {
    for (std::uint32_t v = 0; v < graph.vertices(); ++v) width = std::max(width, characters_of(graph.names->label(v)));
    for (std::uint32_t v = 0; v < graph.vertices(); ++v) append_utf32(names, graph.names->label(v), width);
  }
  std::vector<matrix_member> members{
      {"indices", npy_begin(type, entries), wide ? raw_bytes(wide_targets) : raw_bytes(graph.out.targets)},
      {"indptr", npy_begin(type, graph.out.offsets.size()),
       wide ? raw_bytes(graph.out.offsets) : raw_bytes(narrow_offsets)},
      {"format", npy_begin("|S3", 1), "csr"},
      {"shape", npy_begin("<i8", 2), raw_bytes(shape)},
      {"data", npy_begin("<f8", entries), graph.weighted() ? raw_bytes(graph.out.weights) : raw_bytes(ones)}};
  if (graph.names && graph.names->are_integers())
    members.push_back({"names", npy_begin("<i8", graph.vertices()), raw_bytes(graph.names->integers())});
  else if (graph.names)
    members.push_back({"names", npy_begin(fmt::format("<U{}", width), graph.vertices()), names});
  write_members(path, members, threads);
}

}  // namespace

void append_field(std::string& line, std::string_view text, char separator) {
  if (separator == '\t') {
    if (text.find_first_of("\t\n\r") != std::string_view::npos)
      throw std::runtime_error("a name has a tab or a line end, which no .tsv file can have; expected a .csv file");
    line += text;
    return;
  }
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) {
    line += text;
    return;
  }
  line += '"';
  for (char const c : text) line.append(c == '"' ? 2 : 1, c);
  line += '"';
}

std::size_t characters_of(std::string_view utf8) noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(utf8, [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U; }));
}

void append_utf32(std::string& to, std::string_view utf8, std::size_t width) {
  std::size_t const end = to.size() + 4 * width;
  for (std::size_t i = 0; i < utf8.size();) {
    std::uint32_t const lead = static_cast<unsigned char>(utf8[i++]);
    std::uint32_t character = lead < 0x80 ? lead : lead >= 0xf0 ? lead & 7U : lead >= 0xe0 ? lead & 15U : lead & 31U;
    for (; i < utf8.size() && (static_cast<unsigned char>(utf8[i]) & 0xc0U) == 0x80U; ++i)
      character = character << 6U | (static_cast<unsigned char>(utf8[i]) & 0x3fU);
    for (unsigned shift = 0; shift < 32; shift += 8) to += static_cast<char>(character >> shift & 0xffU);
  }
  to.resize(end);
}

std::string wrong_export_name(std::string_view path) {
  constexpr std::array<std::string_view, 8> endings{".tgr", ".csv", ".tsv", ".parquet", ".el", ".wel", ".mtx", ".npz"};
  if (std::ranges::find(endings, ending_of(path)) != endings.end()) return "";
  return fmt::format("{} is no graph's name; expected one that ends with one of {}", path, fmt::join(endings, " "));
}

void export_graph(csr const& graph, std::string const& path, unsigned wanted) {
  unsigned const threads = threads_for(wanted);
  std::string_view const ending = ending_of(path);
  if (ending == ".tgr") return save(graph, path, threads);
  if (ending == ".csv") return write_edge_table(graph, path, ',', threads);
  if (ending == ".tsv") return write_edge_table(graph, path, '\t', threads);
  if (ending == ".parquet") return write_parquet(graph, path);
  if (ending == ".el" || ending == ".wel") return write_edge_list(graph, path, threads);
  if (ending == ".mtx") return write_matrix_market(graph, path, threads);
  if (ending == ".npz") return write_matrix_of_scipy(graph, path, threads);
  throw std::runtime_error(wrong_export_name(path));
}

}  // namespace graph
