// table: where parts of the text begin, and what they become together.
#include "graph/table.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "graph/dictionary_maker.hpp"
#include "graph/encoding.hpp"
#include "graph/error.hpp"
#include "graph/gunzip.hpp"
#include "graph/table_part.hpp"
#include "graph/text_source.hpp"

namespace graph {

namespace {

constexpr std::uint64_t part_bytes_default = 1 << 20;

[[noreturn]] void throw_at_line(table_text const& text, table_error const& error) {
  std::unique_ptr<byte_stream> const bytes = text.open(0);
  std::vector<char> buffer(1 << 16);
  std::uint64_t line = 1;
  for (std::uint64_t rest = error.offset; rest != 0;) {
    std::size_t const count = bytes->read(std::span(buffer).first(std::min<std::uint64_t>(rest, buffer.size())));
    if (count == 0) break;
    line += static_cast<std::uint64_t>(std::ranges::count(std::span(buffer).first(count), '\n'));
    rest -= count;
  }
  throw input_error(text.name, line, error.what, error.expected);
}

// Line ends and quotes in the bytes before those where a part's rows may begin.
struct counted_bytes {
  std::array<std::uint64_t, 2> lines{};  // after an even and an odd number of quotes
  bool odd = false;

  void add(std::string_view bytes, bool quotes) noexcept {
    if (!quotes || bytes.find('"') == std::string_view::npos) {
      lines[odd ? 1 : 0] += static_cast<std::uint64_t>(std::ranges::count(bytes, '\n'));
      return;
    }
    for (char const byte : bytes) {
      if (byte == '"') odd = !odd;
      if (byte == '\n') ++lines[odd ? 1 : 0];
    }
  }
};

counted_bytes count_between(table_text const& text, std::uint64_t begin, std::uint64_t end, bool quotes) {
  counted_bytes counted;
  if (begin >= end) return counted;
  std::unique_ptr<byte_stream> const bytes = text.open(begin);
  std::vector<char> buffer(1 << 18);
  for (std::uint64_t rest = end - begin; rest != 0;) {
    std::size_t const count = bytes->read(std::span(buffer).first(std::min<std::uint64_t>(rest, buffer.size())));
    if (count == 0) throw_changed(text.name);
    counted.add({buffer.data(), count}, quotes);
    rest -= count;
  }
  return counted;
}

// A row begins where the byte before it is a line end outside of quotes, and where the data begin.
std::vector<part_range> find_parts(table_text const& text, table_layout const& layout, unsigned threads,
                                   std::uint64_t part_bytes_min) {
  if (!text.size_bytes) return {{.begin = layout.data_offset}};
  if (*text.size_bytes < layout.data_offset) throw_changed(text.name);
  std::uint64_t const bytes = *text.size_bytes - layout.data_offset;
  std::uint64_t const count = std::min<std::uint64_t>(threads, 1 + bytes / part_bytes_min);
  std::vector<part_range> parts(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    parts[i].begin = layout.data_offset + part_begin(bytes, i, count);
    parts[i].end = layout.data_offset + part_begin(bytes, i + 1, count);
  }
  std::vector<counted_bytes> counted(count);
  on_threads(static_cast<unsigned>(count), [&](unsigned i) {
    std::uint64_t const begin = i == 0 ? parts[i].begin : parts[i].begin - 1;
    std::uint64_t const end = std::max(parts[i].end, begin + 1) - 1;
    counted[i] = count_between(text, begin, end, layout.rules.quotes);
  });
  bool odd = false;
  std::uint64_t rows = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    parts[i].begins_quoted = odd;
    parts[i].first_row = rows;
    parts[i].rows_max = counted[i].lines[odd ? 1 : 0] + (i == 0 ? 1 : 0);
    rows += parts[i].rows_max;
    odd = odd != counted[i].odd;
  }
  return parts;
}

// Blank lines leave room at the end of a part.
template <class T>
void close_gaps(large_vector<T>& values, std::vector<part_range> const& parts, std::vector<std::uint64_t> const& rows) {
  if (values.empty()) return;
  auto to = values.begin();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto const from = values.begin() + static_cast<std::ptrdiff_t>(parts[i].first_row);
    auto const end = from + static_cast<std::ptrdiff_t>(rows[i]);
    to = to == from ? end : std::move(from, end, to);
  }
  values.erase(to, values.end());
}

template <class Table>
edge_table read_rows(table_text const& text, table_layout const& layout, std::vector<part_range> const& parts) try {
  edge_table made;
  std::uint64_t const room = parts.back().first_row + parts.back().rows_max;
  made.ends.sources.resize(room);
  made.ends.targets.resize(room);
  if (layout.weighted) made.weights.resize(room);
  std::vector<Table> tables(parts.size());
  std::vector<std::uint64_t> rows(parts.size());
  std::atomic<bool> stop{false};
  auto const threads = static_cast<unsigned>(parts.size());
  on_threads(threads, [&](unsigned i) {
    try {
      rows[i] = part_reader<Table>(text, layout, parts[i], made, stop).read(tables[i]);
    } catch (not_integers const&) {
      stop.store(true, std::memory_order_relaxed);
      throw;
    }
  });
  std::vector<renumbering> const changes = join(tables);
  on_threads(threads, [&](unsigned i) {
    renumber(std::span(made.ends.sources).subspan(parts[i].first_row, rows[i]), changes[i]);
    renumber(std::span(made.ends.targets).subspan(parts[i].first_row, rows[i]), changes[i]);
  });
  close_gaps(made.ends.sources, parts, rows);
  close_gaps(made.ends.targets, parts, rows);
  close_gaps(made.weights, parts, rows);
  made.ends.names = dictionary_maker::from(std::move(tables[0]));
  return made;
} catch (too_many_names const&) {
  throw_too_many_names(text.name);
}

}  // namespace

edge_table read_table(table_text const& text, table_columns const& columns, unsigned threads,
                      std::uint64_t part_bytes_min) try {
  table_layout const layout = read_layout(text, columns);
  std::vector<part_range> const parts = find_parts(text, layout, threads, part_bytes_min);
  try {
    return read_rows<name_table<integer_names>>(text, layout, parts);
  } catch (not_integers const&) {
    return read_rows<name_table<text_names>>(text, layout, parts);
  }
} catch (table_error const& error) {
  throw_at_line(text, error);
}

edge_table read_table(std::string const& path, table_columns const& columns, unsigned threads) {
  file_status const status = status_of(path);
  table_text text;
  text.name = path;
  text.open = [path, status](std::uint64_t offset) -> std::unique_ptr<byte_stream> {
    auto file = std::make_unique<file_stream>(path, status.compressed ? 0 : offset, status.version);
    if (!status.compressed) return file;
    std::unique_ptr<byte_stream> bytes = gunzip(std::move(file), path);
    std::vector<char> skipped(1 << 16);
    while (offset != 0) {
      std::size_t const count = bytes->read(std::span(skipped).first(std::min<std::uint64_t>(offset, skipped.size())));
      if (count == 0) break;
      offset -= count;
    }
    return bytes;
  };
  if (!status.compressed) text.size_bytes = status.version.size_bytes;
  return read_table(text, columns, threads_for(threads), part_bytes_default);
}

}  // namespace graph
