// table_part: one thread's part of a table, as numbers of a table of names of its own.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "graph/error.hpp"
#include "graph/name_table.hpp"
#include "graph/table_layout.hpp"

namespace graph {

// A part of the text: the rows that begin in [begin, end).
struct part_range {
  std::uint64_t begin = 0;
  std::uint64_t end = ~std::uint64_t{0};
  bool begins_quoted = false;  // the byte before `begin` lies between quotes
  std::uint64_t first_row = 0;
  std::uint64_t rows_max = 0;
};

// Thrown at the first end of an edge that is not an integer, where integers are read.
struct not_integers {};

inline void to_name(std::string_view text, std::int64_t& name) {
  auto const integer = plain_integer(text);
  if (!integer) throw not_integers();
  name = *integer;
}
inline void to_name(std::string_view text, std::string_view& name) {
  name = text;
}

template <class Table>
class part_reader {
 public:
  part_reader(table_text const& text, table_layout const& layout, part_range const& range, edge_table& into,
              std::atomic<bool> const& stop)
      : text_(text),
        layout_(layout),
        range_(range),
        into_(into),
        stop_(stop),
        window_(text.open(first_byte(layout, range)), first_byte(layout, range)),
        at_(window_.begin()),
        row_(range.first_row) {}

  // Returns how many rows there are.
  std::uint64_t read(Table& table) {
    if (range_.begin != layout_.data_offset) skip_to_row();
    while (window_.offset_of(at_) < range_.end) {
      if (at_ == window_.end() && window_.is_last()) break;
      if (at_ != window_.end() && take_row()) {
        if (batched_ == batch_.size()) flush(table);
        continue;
      }
      flush(table);
      if (stop_.load(std::memory_order_relaxed)) break;
      window_.refill(at_);
      at_ = window_.begin();
    }
    flush(table);
    return row_ - range_.first_row;
  }

 private:
  static std::uint64_t first_byte(table_layout const& layout, part_range const& range) {
    return range.begin == layout.data_offset ? range.begin : range.begin - 1;
  }

  void skip_to_row() {
    for (bool quoted = range_.begins_quoted;;) {
      for (; at_ != window_.end(); ++at_) {
        if (layout_.rules.quotes && *at_ == '"') quoted = !quoted;
        if (*at_ == '\n' && !quoted) {
          ++at_;
          return;
        }
      }
      if (window_.is_last() || window_.offset_of(at_) >= range_.end) return;
      window_.refill(at_);
      at_ = window_.begin();
    }
  }

  // False if the row goes on beyond what was read.
  bool take_row() {
    field_scanner fields(layout_.rules, window_, at_);
    std::string_view source;
    std::string_view target;
    double weight = 1;
    std::size_t const kept = unquoted_.size();
    for (std::size_t column = 0;; ++column) {
      field const next = fields.next();
      if (next.end == field_end::cut) {
        unquoted_.resize(kept);
        return false;
      }
      bool const is_blank = column == 0 && next.end == field_end::line && next.text.empty() && !next.quoted;
      if (is_blank) {
        at_ = fields.at();
        return true;
      }
      if (column == layout_.uses.size()) throw_wrong_fields(column + 1);
      switch (layout_.uses[column]) {
        case column_use::none:
          break;
        case column_use::source:
          source = end_of_edge(next, column);
          break;
        case column_use::target:
          target = end_of_edge(next, column);
          break;
        case column_use::weight:
          weight = weight_of(next, column);
          break;
      }
      if (next.end != field_end::line) continue;
      if (column + 1 != layout_.uses.size()) throw_wrong_fields(column + 1);
      break;
    }
    to_name(source, batch_[batched_]);
    to_name(target, batch_[batched_ + 1]);
    weights_[batched_ / 2] = weight;
    batched_ += 2;
    at_ = fields.at();
    return true;
  }

  std::string_view end_of_edge(field from, std::size_t column) {
    if (layout_.blanks_before[column] != 0 && !from.quoted)
      from.text.remove_prefix(std::min(from.text.find_first_not_of(' '), from.text.size()));
    if (from.text.empty()) {
      throw table_error{window_.offset_of(from.text.data()),
                        fmt::format("nothing in column {}", graph::quoted(layout_.names[column])),
                        "the name of a vertex"};
    }
    if (!window_.is_ascii() && !is_utf8(from.text)) {
      throw table_error{window_.offset_of(from.text.data()),
                        fmt::format("{} in column {}", graph::quoted(from.text), graph::quoted(layout_.names[column])),
                        "UTF-8"};
    }
    if (!from.has_quotes) return from.text;
    return unquoted_.emplace_back(without_doubled_quotes(from.text));
  }

  double weight_of(field const& from, std::size_t column) const {
    if (auto const weight = finite_number(from.text)) return *weight;
    throw table_error{window_.offset_of(from.text.data()),
                      fmt::format("{} in column {}", graph::quoted(from.text), graph::quoted(layout_.names[column])),
                      "a finite number as a weight"};
  }

  [[noreturn]] void throw_wrong_fields(std::size_t fields) const {
    throw table_error{window_.offset_of(at_),
                      fmt::format("a row of {}{} fields", fields > layout_.uses.size() ? "at least " : "", fields),
                      fmt::format("{}, as the header has", layout_.uses.size())};
  }

  void flush(Table& table) {
    std::array<std::uint32_t, names_batch> numbers;
    std::uint64_t const count = batched_ / 2;
    make_room(count);
    table.add(std::span<typename Table::name const>(batch_).first(batched_), numbers.data());
    for (std::uint64_t i = 0; i < count; ++i) {
      into_.ends.sources[row_ + i] = numbers[2 * i];
      into_.ends.targets[row_ + i] = numbers[2 * i + 1];
      if (layout_.weighted) into_.weights[row_ + i] = weights_[i];
    }
    row_ += count;
    batched_ = 0;
    unquoted_.clear();
  }

  void make_room(std::uint64_t rows) {
    if (text_.size_bytes) {
      if (row_ + rows > range_.first_row + range_.rows_max) throw_changed(text_.name);
      return;
    }
    if (row_ + rows <= into_.ends.sources.size()) return;
    std::uint64_t const room = std::max<std::uint64_t>(2 * into_.ends.sources.size(), 1 << 14);
    into_.ends.sources.resize(room);
    into_.ends.targets.resize(room);
    if (layout_.weighted) into_.weights.resize(room);
  }

  table_text const& text_;
  table_layout const& layout_;
  part_range range_;
  edge_table& into_;
  std::atomic<bool> const& stop_;
  text_window window_;
  char const* at_;
  std::uint64_t row_;
  std::array<typename Table::name, names_batch> batch_{};
  std::array<double, names_batch / 2> weights_{};
  std::size_t batched_ = 0;
  std::deque<std::string> unquoted_;  // what names of the batch are, if they have quotes
};

}  // namespace graph
