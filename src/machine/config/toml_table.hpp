// toml_table: a table of a machine file, read key by key; unknown keys and missing keys are errors.
//
//   Every query states the valid values; its answer is kept with its line, so that a machine can be explained.
//
// Errors    config_error, `file:line:column: what; expected …`, for the first error. Keys have no defaults.
// Threads   one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tess::machine {

class config_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One answer: for `tess machines NAME`.
struct explained_value {
  std::string path;  ///< `l2.ways`
  std::string value;
  std::string unit;
  std::string source;  ///< The comment on its line.
};

struct number_range {
  std::uint64_t min = 0;
  std::uint64_t max = ~std::uint64_t{0};
};

class toml_document;

class toml_table {
 public:
  [[nodiscard]] std::uint64_t number(std::string_view key, number_range range, std::string_view unit);
  [[nodiscard]] std::uint32_t small_number(std::string_view key, number_range range, std::string_view unit);
  [[nodiscard]] std::uint64_t power_of_two(std::string_view key, number_range range, std::string_view unit);
  [[nodiscard]] bool flag(std::string_view key);
  [[nodiscard]] std::string text(std::string_view key);
  /// The index of a text in `choices`.
  [[nodiscard]] std::size_t choice(std::string_view key, std::span<std::string_view const> choices);
  [[nodiscard]] std::vector<std::size_t> choices(std::string_view key, std::span<std::string_view const> choices);
  /// `[x, y]`
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> coordinates(std::string_view key, std::uint32_t width,
                                                                    std::uint32_t height);
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> coordinate_list(std::string_view key,
                                                                                     std::uint32_t width,
                                                                                     std::uint32_t height);
  [[nodiscard]] toml_table table(std::string_view key);
  /// Is there such a key? For tables that only some machines have.
  [[nodiscard]] bool has(std::string_view key);
  /// Is its value a list?
  [[nodiscard]] bool is_list(std::string_view key);
  /// All keys, in the order of the files.
  [[nodiscard]] std::vector<std::string> keys() const;
  /// `[[key]]`, in order; at least one.
  [[nodiscard]] std::vector<toml_table> tables(std::string_view key);

  /// `file:line:column` of a key; of the table if there is no such key.
  [[nodiscard]] std::string where(std::string_view key) const;
  /// For explanations: what a key that was not queried as a number, or is not there, has.
  void note(std::string_view key, std::string value, std::string_view unit, std::string source) const;
  /// Puts the meaning of the key that was queried last before its comment.
  void explain_more(std::string_view meaning) const;

  /// Called after all queries: a key that was not queried is an error.
  void finish() const;
  /// An error at a key of this table (at the table itself if there is no such key).
  [[noreturn]] void fail(std::string_view key, std::string const& what, std::string const& expected) const;

 private:
  friend class toml_document;
  struct inside;
  explicit toml_table(std::shared_ptr<inside> made) : inside_(std::move(made)) {}
  void explain(std::string_view key, std::string value, std::string_view unit) const;
  std::shared_ptr<inside> inside_;
};

class toml_document {
 public:
  /// `name` is used in messages.
  toml_document(std::string text, std::string name);

  [[nodiscard]] toml_table root() const;
  [[nodiscard]] std::vector<explained_value> const& explained() const;

 private:
  struct inside;
  std::shared_ptr<inside> inside_;
  friend class toml_table;
};

}  // namespace tess::machine
