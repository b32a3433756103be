// graph_fuzz: no bytes make the graph readers crash, and splitting a text into chunks does not change its edges.
//
//   An input is one letter that selects a reader, one byte that sets the chunk size, and the text for the reader:
//     m e w c g   text named .mtx .el .wel .csv .gr        M E W C G   the same, gzipped
//     n N         a names file, plain and gzipped          s           a generator's specification
//   libFuzzer calls the entry below; fuzz_replay.cpp calls it for each file of the corpus.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graph/error.hpp"
#include "graph/generate.hpp"
#include "graph/gunzip.hpp"
#include "graph/names.hpp"
#include "graph/parse.hpp"

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
    default:
      return;
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t size) {
  check({reinterpret_cast<char const*>(bytes), size});
  return 0;
}
