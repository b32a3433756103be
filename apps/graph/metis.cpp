// metis: reads numbers one after another; lines may be of any length.
#include "graph/metis.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "graph/edge.hpp"
#include "graph/error.hpp"
#include "graph/gunzip.hpp"
#include "graph/table_rows.hpp"
#include "graph/text_source.hpp"

namespace graph {

namespace {

constexpr std::size_t word_bytes_max = 400;

// The words of a text, line by line, without comments.
class word_reader {
 public:
  word_reader(std::unique_ptr<byte_stream> bytes, std::string name)
      : bytes_(std::move(bytes)), name_(std::move(name)), buffer_(1 << 18) {}

  // The next word of this line; none at its end.
  [[nodiscard]] std::optional<std::string_view> next() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\r') ++at_;
    if (peek() == '\n' || peek() == end) return std::nullopt;
    word_.clear();
    for (int byte = peek(); byte != ' ' && byte != '\t' && byte != '\r' && byte != '\n' && byte != end; byte = peek()) {
      if (word_.size() == word_bytes_max) fail(fmt::format("a word of more than {} bytes", word_bytes_max), "a number");
      word_ += static_cast<char>(byte);
      ++at_;
    }
    return word_;
  }
  // Goes to the next line that is no comment; false at the end of the text.
  [[nodiscard]] bool next_line() {
    if (line_ != 0) skip_line();
    for (;;) {
      if (peek() == end) return false;
      ++line_;
      if (peek() != '%') return true;
      skip_line();
    }
  }
  [[noreturn]] void fail(std::string_view what, std::string_view expected) const {
    throw input_error(name_, line_, what, expected);
  }

 private:
  static constexpr int end = -1;

  int peek() {
    if (at_ == filled_) {
      filled_ = bytes_->read(buffer_);
      at_ = 0;
      if (filled_ == 0) return end;
    }
    return static_cast<unsigned char>(buffer_[at_]);
  }
  void skip_line() {
    while (peek() != '\n' && peek() != end) ++at_;
    if (peek() == '\n') ++at_;
  }

  std::unique_ptr<byte_stream> bytes_;
  std::string name_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  std::uint64_t line_ = 0;
  std::string word_;
};

std::uint64_t count_of(word_reader const& words, std::string_view word, std::string_view thing, std::uint64_t max) {
  auto const value = plain_integer(word);
  if (!value || *value < 0) words.fail(fmt::format("{} is not a number of {}", graph::quoted(word), thing), "digits");
  if (static_cast<std::uint64_t>(*value) > max)
    words.fail(fmt::format("{} {}", graph::quoted(word), thing), fmt::format("at most {}", max));
  return static_cast<std::uint64_t>(*value);
}

struct metis_header {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  bool weighted = false;
  std::uint64_t skipped = 0;  // numbers before the neighbours
};

metis_header read_header(word_reader& words) {
  constexpr std::string_view form = "a line \"VERTICES EDGES [FMT [NCON]]\"";
  if (!words.next_line()) words.fail("the file is empty", form);
  auto const needed = [&] {
    auto const word = words.next();
    if (!word) words.fail("the line ends too early", form);
    return *word;
  };
  metis_header header;
  header.vertices = count_of(words, needed(), "vertices", vertices_count_max);
  header.edges = count_of(words, needed(), "edges", edges_count_max);
  if (auto const word = words.next()) {
    std::string const format(*word);
    bool const valid = format.size() <= 3 && format.find_first_not_of("01") == std::string::npos;
    if (!valid) words.fail(fmt::format("{} as FMT", graph::quoted(format)), "up to three digits, each 0 or 1");
    auto const digit = [&](std::size_t from_right) {
      return format.size() > from_right && format[format.size() - 1 - from_right] == '1';
    };
    header.weighted = digit(0);
    auto const weights = words.next();
    std::uint64_t const of_vertex = weights ? count_of(words, *weights, "weights", 1000) : 1;
    header.skipped = (digit(1) ? of_vertex : 0) + (digit(2) ? 1 : 0);
  }
  if (words.next()) words.fail("a fifth word", form);
  return header;
}

// The same for both directions of an edge.
std::uint64_t digest_of_edge(std::uint32_t smaller, std::uint32_t larger, double weight) {
  std::uint64_t x =
      (std::uint64_t{smaller} << 32U | larger) * 0x9e3779b97f4a7c15U + std::bit_cast<std::uint64_t>(weight);
  x = (x ^ x >> 33U) * 0xff51afd7ed558ccdU;
  return x ^ x >> 33U;
}

}  // namespace

edge_columns read_metis(std::unique_ptr<byte_stream> bytes, std::string const& name) {
  word_reader words(std::move(bytes), name);
  metis_header const header = read_header(words);
  edge_columns edges;
  edges.vertices = header.vertices;
  std::uint64_t digest = 0;
  for (std::uint64_t v = 0; v < header.vertices; ++v) {
    if (!words.next_line()) {
      words.fail(fmt::format("the file ends after {} vertices", v),
                 fmt::format("{}, as the header says", header.vertices));
    }
    for (std::uint64_t i = 0; i < header.skipped; ++i)
      if (!words.next()) words.fail("the line ends too early", fmt::format("{} numbers of the vertex", header.skipped));
    while (auto const word = words.next()) {
      auto const neighbour = plain_integer(*word);
      if (!neighbour || *neighbour < 1 || static_cast<std::uint64_t>(*neighbour) > header.vertices)
        words.fail(fmt::format("{} as a neighbour", graph::quoted(*word)), fmt::format("1 to {}", header.vertices));
      double weight = 1;
      if (header.weighted) {
        auto const text = words.next();
        auto const number = text ? finite_number(*text) : std::nullopt;
        if (!number) words.fail(fmt::format("{} as a weight", graph::quoted(text.value_or(""))), "a finite number");
        weight = *number;
        edges.weights.push_back(weight);
      }
      auto const source = static_cast<std::uint32_t>(v);
      auto const target = static_cast<std::uint32_t>(*neighbour - 1);
      if (source == target) words.fail("a self-loop", "neighbours other than the vertex itself");
      edges.sources.push_back(source);
      edges.targets.push_back(target);
      std::uint64_t const part = digest_of_edge(std::min(source, target), std::max(source, target), weight);
      digest += source < target ? part : ~part + 1;
    }
  }
  while (words.next_line())
    if (words.next()) words.fail("a line after the last vertex", fmt::format("{} lines of vertices", header.vertices));
  if (edges.sources.size() != 2 * header.edges) {
    throw input_error(name, 0, fmt::format("{} neighbours in all", edges.sources.size()),
                      fmt::format("{}, two for each of {} edges", 2 * header.edges, header.edges));
  }
  if (digest != 0) {
    throw input_error(name, 0, "an edge is not the same in the lines of both its ends", "each edge in two lines");
  }
  return edges;
}

edge_columns read_metis(std::string const& path) {
  file_status const status = status_of(path);
  std::unique_ptr<byte_stream> bytes = std::make_unique<file_stream>(path, 0, status.version);
  if (status.compressed) bytes = gunzip(std::move(bytes), path);
  return read_metis(std::move(bytes), path);
}

}  // namespace graph
