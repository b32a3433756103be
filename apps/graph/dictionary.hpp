// dictionary: the names of a graph's vertices, integers or texts, in the order of the vertices.
//
//   Vertex i is the i-th name to appear among the edges' ends: the source of the first edge, its target, the source of
//   the second … So the numbers do not depend on how many threads encode. A value: copies share the names.
//
// Shapes    integers [size], or text bytes with offsets [size + 1]: the layouts of Arrow's int64 and large_utf8.
// Threads   a dictionary does not change once it is made; encoders use `threads` of their own.
// Cost      the names, and 24 to 48 bytes each for find(), from the first find() of any copy on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/large_memory.hpp"

namespace graph {

class dictionary {
 public:
  dictionary() = default;
  // Distinct names; throws input_error (`origin`, the line being the name's number from 1) for a repeated one.
  dictionary(std::vector<std::int64_t> integers, std::string const& origin);
  dictionary(std::vector<char> text, std::vector<std::int64_t> ends_from_zero, std::string const& origin);
  // Names in memory that `keeps` holds, as files of graphs do. Nothing is read here: see check().
  dictionary(std::span<std::int64_t const> integers, std::shared_ptr<void const> keeps);
  dictionary(std::span<char const> text, std::span<std::int64_t const> ends_from_zero,
             std::shared_ptr<void const> keeps);

  // Throws input_error as the constructors for vectors do, for a repeated name, or for ends that are not in order.
  void check(std::string const& origin) const;

  [[nodiscard]] std::uint64_t size() const noexcept {
    if (texts_) return offsets_.empty() ? 0 : offsets_.size() - 1;
    return integers_.size();
  }
  [[nodiscard]] bool are_integers() const noexcept { return !texts_; }

  [[nodiscard]] std::span<std::int64_t const> integers() const noexcept { return integers_; }
  [[nodiscard]] std::span<char const> text() const noexcept { return text_; }
  [[nodiscard]] std::span<std::int64_t const> offsets() const noexcept { return offsets_; }

  // A name as text, whatever it is.
  [[nodiscard]] std::string label(std::uint32_t vertex) const;
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const;
  [[nodiscard]] std::optional<std::uint32_t> find(std::int64_t name) const;

 private:
  friend class dictionary_maker;
  struct contents;

  [[nodiscard]] std::string_view text_of(std::uint32_t vertex) const noexcept;

  bool texts_ = false;
  std::span<std::int64_t const> integers_;
  std::span<char const> text_;
  std::span<std::int64_t const> offsets_;
  std::shared_ptr<contents const> contents_;
};

// A column of texts where they lie: text i is bytes [offsets[i], offsets[i + 1]).
struct text_column {
  std::span<char const> bytes;
  std::span<std::int64_t const> offsets;
};

struct encoded_ends {
  large_vector<std::uint32_t> sources;
  large_vector<std::uint32_t> targets;
  dictionary names;
};

// The two columns have the same length. Throws input_error (`origin`) if there are more than 2^32 - 1 names.
[[nodiscard]] encoded_ends encode(std::span<std::int64_t const> sources, std::span<std::int64_t const> targets,
                                  std::string const& origin, unsigned threads = 0);
[[nodiscard]] encoded_ends encode(text_column const& sources, text_column const& targets, std::string const& origin,
                                  unsigned threads = 0);

}  // namespace graph
