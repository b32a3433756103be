// graph_fuzz: no bytes make the graph readers crash, and splitting a text into chunks does not change its edges.
//
//   An input is one letter that selects a reader, one byte that sets the chunk size, and the text for the reader:
//     m e w c g   text named .mtx .el .wel .csv .gr        M E W C G   the same, gzipped
//     n N         a names file, plain and gzipped          s           a generator's specification
//     t           a table with a header, .csv              b           the same, .tsv
//     i           a METIS file                             z           a matrix of scipy, .npz
//     r           a saved graph, .tgr, whose header gets the checksum that it should have
//   libFuzzer calls the entry below; fuzz_replay.cpp calls it for each file of the corpus.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/error.hpp"
#include "graph/generate.hpp"
#include "graph/gunzip.hpp"
#include "graph/metis.hpp"
#include "graph/name_table.hpp"
#include "graph/names.hpp"
#include "graph/npz.hpp"
#include "graph/parse.hpp"
#include "graph/saved.hpp"
#include "graph/table.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t size);

namespace {

// Longer texts add no new case. From 4096 bytes gzip, which expands a thousandfold, cannot exceed this size.
constexpr std::uint64_t text_bytes_max = 1 << 23;
constexpr std::size_t large_chunk_bytes = 1 << 14;  // four times the usual input
constexpr std::uint64_t names_count = 3;

void require(bool promise) {
  if (!promise) std::abort();
}

struct outcome {
  std::string error;
  std::vector<graph::edge> edges;
  std::uint64_t vertices_count = 0;

  friend bool operator==(outcome const&, outcome const&) = default;
};

struct fuzz_input {
  std::string name;
  bool compressed = false;
  std::string_view bytes;
};

graph::text_source open(fuzz_input const& input, std::size_t chunk_bytes) {
  std::unique_ptr<graph::byte_stream> stream = std::make_unique<graph::memory_stream>(input.bytes);
  if (input.compressed) stream = graph::gunzip(std::move(stream), input.name);
  return {std::move(stream), input.name, chunk_bytes};
}

void parse_data(fuzz_input const& input, graph::file_format const& format, std::size_t chunk_bytes, outcome& result) {
  graph::chunk_parser parser(input.name, format, graph::weight_rule::nonnegative);
  graph::text_source text = open(input, chunk_bytes);
  while (auto chunk = text.next()) {
    if (chunk->offset > text_bytes_max) break;
    if (chunk->offset + chunk->text.size() <= format.data_offset) continue;
    if (chunk->offset < format.data_offset) {
      chunk->text.remove_prefix(format.data_offset - chunk->offset);
      *chunk = {.text = chunk->text, .offset = format.data_offset, .first_line = format.data_line};
    }
    parser.parse(*chunk, result.edges);
  }
  require(parser.entries_count() == result.edges.size());
  result.vertices_count = parser.vertices_count();
}

outcome read_graph(fuzz_input const& input, std::size_t chunk_bytes) {
  outcome result;
  try {
    graph::text_source header = open(input, chunk_bytes);
    parse_data(input, graph::recognise(header), chunk_bytes, result);
  } catch (graph::input_error const& error) {
    // The order of edges delivered from the chunk with the error is unspecified.
    return {.error = error.what(), .edges = {}};
  }
  for (graph::edge const& each : result.edges) {
    require(each.source < result.vertices_count && each.target < result.vertices_count && each.weight >= 0);
  }
  return result;
}

void check_graph(fuzz_input const& input, std::size_t chunk_bytes) {
  require(read_graph(input, chunk_bytes) == read_graph(input, large_chunk_bytes));
}

void check_names(fuzz_input const& input, std::size_t chunk_bytes) {
  try {
    graph::text_source text = open(input, chunk_bytes);
    graph::vertex_names const names(text, names_count);
    for (std::uint32_t vertex = 0; vertex < names_count; ++vertex) require(names.vertex(names.name(vertex)) == vertex);
  } catch (graph::input_error const&) {
    // Wrong names are refused, as intended.
  }
}

void check_generator(std::string_view spec) {
  try {
    graph::generator const from = graph::parse_generator(spec);
    std::vector<graph::edge> edges(std::min<std::uint64_t>(from.edges_count, 100));
    for (std::uint64_t const first : {std::uint64_t{0}, from.edges_count - edges.size()}) {
      graph::generate(from, first, edges);
      for (graph::edge const& each : edges) {
        require(each.source < from.vertices_count && each.target < from.vertices_count);
      }
    }
  } catch (graph::input_error const&) {
    // Wrong specifications are refused, as intended.
  }
}

void check_table(fuzz_input const& input, unsigned parts) {
  graph::table_text const text{.name = input.name,
                               .open = [&](std::uint64_t offset) -> std::unique_ptr<graph::byte_stream> {
                                 return std::make_unique<graph::memory_stream>(input.bytes.substr(offset));
                               },
                               .size_bytes = input.bytes.size()};
  auto const read = [&](unsigned threads) {
    outcome result;
    try {
      graph::edge_table const table = graph::read_table(text, {}, threads, 1);
      graph::encoded_ends const& ends = table.ends;
      require(ends.sources.size() == ends.targets.size());
      require(table.weights.empty() || table.weights.size() == ends.sources.size());
      for (std::size_t i = 0; i < ends.sources.size(); ++i) {
        require(std::max(ends.sources[i], ends.targets[i]) < ends.names.size());
        result.edges.push_back({ends.sources[i], ends.targets[i], table.weights.empty() ? 1 : table.weights[i]});
      }
      result.vertices_count = ends.names.size();
    } catch (graph::input_error const& error) {
      result = {.error = error.what(), .edges = {}};
    }
    return result;
  };
  require(read(1) == read(parts));
}

// Rows as promised: sorted, within the graph, and with the names that are said.
void check_rows(graph::csr const& g) {
  std::uint64_t const vertices = g.vertices();
  require(g.names == nullptr || g.names->size() == vertices);
  for (std::uint32_t v = 0; v < vertices; ++v) {
    std::span<std::uint32_t const> const row = g.out.neighbours(v);
    require(std::ranges::adjacent_find(row, std::greater_equal<>()) == row.end());
    require(row.empty() || row.back() < vertices);
    if (g.names) require(!g.names->label(v).empty() || g.names->text().size() < (1U << 20U));
  }
}

void check_edges(graph::edge_columns const& edges) {
  require(edges.sources.size() == edges.targets.size());
  require(edges.weights.empty() || edges.weights.size() == edges.sources.size());
  for (std::size_t i = 0; i < edges.sources.size(); ++i)
    require(std::max(edges.sources[i], edges.targets[i]) < edges.vertices);
}

void check_metis(std::string_view bytes) {
  try {
    check_edges(graph::read_metis(std::make_unique<graph::memory_stream>(bytes), "x.metis"));
  } catch (graph::input_error const&) {
    // Wrong files are refused, as intended.
  }
}

void check_matrix(std::string_view bytes) {
  try {
    graph::zip_reader const zip("x.npz", bytes.size(), [bytes](std::uint64_t offset) {
      return std::make_unique<graph::memory_stream>(bytes.substr(offset));
    });
    check_edges(graph::read_npz(zip, "x.npz"));
  } catch (graph::input_error const&) {
    // Wrong files are refused, as intended.
  }
}

// The file is one in memory. With a valid checksum, the header's other fields are looked at.
void check_saved_graph(std::string_view bytes) {
  constexpr std::size_t page = 4096;
  constexpr std::size_t at = page - sizeof(std::uint64_t);
  std::string file(bytes);
  if (file.size() >= page) {
    std::uint64_t const sum =
        graph::detail::hash(std::string_view(file).substr(0, at), {0x9e3779b97f4a7c15U, 0xbf58476d1ce4e5b9U});
    std::memcpy(file.data() + at, &sum, sizeof sum);
  }
  int const descriptor = ::memfd_create("fuzz", MFD_CLOEXEC);
  require(descriptor >= 0);
  require(::write(descriptor, file.data(), file.size()) == static_cast<ssize_t>(file.size()));
  std::string const path = "/proc/self/fd/" + std::to_string(descriptor);
  try {
    check_rows(graph::open_saved(path, 2));
    check_rows(graph::check_saved(path, 2));
  } catch (graph::input_error const&) {
    // Wrong files are refused, as intended.
  }
  ::close(descriptor);
}

void check(std::string_view input) {
  if (input.size() < 2) return;
  char const kind = input[0];
  std::size_t const chunk_bytes = std::size_t{1} + static_cast<unsigned char>(input[1]);
  std::string_view const rest = input.substr(2);
  bool const compressed = kind >= 'A' && kind <= 'Z';
  switch (compressed ? kind - 'A' + 'a' : kind) {
    case 'm':
      return check_graph({"x.mtx", compressed, rest}, chunk_bytes);
    case 'e':
      return check_graph({"x.el", compressed, rest}, chunk_bytes);
    case 'w':
      return check_graph({"x.wel", compressed, rest}, chunk_bytes);
    case 'c':
      return check_graph({"x.csv", compressed, rest}, chunk_bytes);
    case 'g':
      return check_graph({"x.gr", compressed, rest}, chunk_bytes);
    case 'n':
      return check_names({"x.names", compressed, rest}, chunk_bytes);
    case 's':
      return check_generator(rest);
    case 't':
      return check_table({"x.csv", false, rest}, 1U + static_cast<unsigned char>(input[1]) % 7U);
    case 'b':
      return check_table({"x.tsv", false, rest}, 1U + static_cast<unsigned char>(input[1]) % 7U);
    case 'i':
      return check_metis(rest);
    case 'z':
      return check_matrix(rest);
    case 'r':
      return check_saved_graph(rest);
    default:
      return;
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t size) {
  check({reinterpret_cast<char const*>(bytes), size});
  return 0;
}
