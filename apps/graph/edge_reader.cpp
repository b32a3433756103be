// edge_reader: shares of files and of generators.
#include "graph/edge_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "graph/error.hpp"

namespace graph {

namespace {

constexpr std::uint64_t batch_edges = 1 << 16;

// The start of share `index` of `shares` in 0 .. count; without overflow for any count.
std::uint64_t share_begin(std::uint64_t count, std::uint64_t index, std::uint64_t shares) {
  return count / shares * index + std::min(index, count % shares);
}

class generated_edges final : public edge_stream {
 public:
  generated_edges(generator const& from, reader_share share)
      : from_(from),
        begin_(share_begin(from.edges_count, share.reader, share.readers)),
        end_(share_begin(from.edges_count, share.reader + 1, share.readers)),
        at_(begin_) {}

  [[nodiscard]] bool next(std::vector<edge>& batch) override {
    if (at_ == end_) return false;
    batch.resize(std::min(batch_edges, end_ - at_));
    generate(from_, at_, batch);
    at_ += batch.size();
    return true;
  }
  [[nodiscard]] std::uint64_t entries_count() const override { return at_ - begin_; }
  [[nodiscard]] std::uint64_t vertices_count() const override { return from_.vertices_count; }

 private:
  generator from_;
  std::uint64_t begin_;
  std::uint64_t end_;
  std::uint64_t at_;
};

class file_edges final : public edge_stream {
 public:
  file_edges(file_input const& file, reader_share share, weight_rule rule)
      : text_(open(file, share)), data_offset_(file.format.data_offset), parser_(file.path, file.format, rule) {}

  [[nodiscard]] bool next(std::vector<edge>& batch) override {
    if (!text_) return false;
    auto chunk = text_->next();
    if (!chunk) return false;
    skip_header(*chunk);
    parser_.parse(*chunk, batch);
    return true;
  }
  [[nodiscard]] std::uint64_t entries_count() const override { return parser_.entries_count(); }
  [[nodiscard]] std::uint64_t vertices_count() const override { return parser_.vertices_count(); }

 private:
  static std::optional<text_source> open(file_input const& file, reader_share share) {
    if (file.compressed || share.readers == 1) {
      return share.reader == 0 ? std::optional<text_source>(std::in_place, file.path, file.version) : std::nullopt;
    }
    std::uint64_t const begin = file.format.data_offset;
    std::uint64_t const count = file.version.size_bytes - begin;
    // The first range has the header, behind which its data need not begin a line: that may be a byte order mark.
    std::uint64_t const first = share.reader == 0 ? 0 : begin + share_begin(count, share.reader, share.readers);
    return std::optional<text_source>(
        std::in_place, file.path,
        byte_range{.begin = first, .end = begin + share_begin(count, share.reader + 1, share.readers)}, file.version);
  }

  // A whole file and the first range begin with the header.
  void skip_header(text_chunk& chunk) const {
    if (chunk.offset >= data_offset_) return;
    std::size_t const header_bytes = std::min(data_offset_ - chunk.offset, chunk.text.size());
    std::string_view const header = chunk.text.substr(0, header_bytes);
    chunk.text.remove_prefix(header_bytes);
    chunk.offset += header_bytes;
    if (chunk.first_line != 0) chunk.first_line += static_cast<std::uint64_t>(std::ranges::count(header, '\n'));
  }

  std::optional<text_source> text_;
  std::uint64_t data_offset_;
  chunk_parser parser_;
};

std::unique_ptr<edge_stream> open_stream(graph_input const& graph, reader_share share, weight_rule rule) {
  if (auto const* const from = std::get_if<generator>(&graph.source)) {
    return std::make_unique<generated_edges>(*from, share);
  }
  return std::make_unique<file_edges>(std::get<file_input>(graph.source), share, rule);
}

// The line of data line `index` (from 0) after the header, or of the last line if there are fewer.
std::uint64_t line_of_entry(file_input const& file, std::uint64_t index) {
  text_source text(file.path, file.version);
  line_reader lines(text);
  while (auto const line = lines.next()) {
    bool const is_entry = line->number > file.format.size_line && is_data_line(file.format.kind, line->text);
    if (is_entry && index-- == 0) break;
  }
  return lines.lines_count();
}

}  // namespace

edge_reader::edge_reader(graph_input const& graph, reader_share share, weight_rule rule)
    : stream_(open_stream(graph, share, rule)) {}

bool edge_reader::next(std::vector<edge>& batch) {
  batch.clear();
  return stream_->next(batch);
}

void check_entries(graph_input const& graph, std::uint64_t entries_count) {
  auto const* const file = std::get_if<file_input>(&graph.source);
  if (file == nullptr || !graph.edges_count || entries_count == *graph.edges_count) return;
  std::uint64_t const stated = *graph.edges_count;
  std::string const expected = fmt::format("{} entries (line {})", stated, file->format.size_line);
  std::uint64_t const line = line_of_entry(*file, stated);
  if (entries_count > stated) throw input_error(file->path, line, fmt::format("entry {}", stated + 1), expected);
  throw input_error(file->path, line, fmt::format("the file ends after {} entries", entries_count), expected);
}

void check_vertices(graph_input const& graph, std::uint64_t vertices_count, std::uint64_t entries_count) {
  constexpr std::uint64_t vertices_of_an_edge = 16;
  constexpr std::uint64_t vertices_anyway = 65536;
  if (graph.vertices_count || vertices_count <= vertices_of_an_edge * entries_count + vertices_anyway) return;
  throw input_error(graph.spec, 0, fmt::format("vertex {} in a graph of {} edges", vertices_count - 1, entries_count),
                    "numbers from 0, or a table with a header, which takes any names");
}

}  // namespace graph
