// parser: a program's command line: its options, each with the variable that it sets and the values that it takes.
//
// CLI11 does the work. Only parser.cpp includes it, because it takes the compiler seconds.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace command_line {

// An option of a parser, which outlives it; each call says more about it.
class option {
 public:
  option shows_default();  // --help shows the variable's value
  option required();
  option positive();
  option not_negative();
  template <std::integral Number>
  option between(Number least, Number most) {
    return between_integers(static_cast<std::int64_t>(least), static_cast<std::int64_t>(most));
  }
  option between(double least, double most);
  option in_bytes();  // 64MiB is 67108864
  option excludes(option other);
  // What is wrong with a value as typed, or nothing; --help shows the values.
  option check(std::function<std::string(std::string const&)> wrong, std::string const& values);
  // What --help shows instead of the values.
  option shown_as(std::string const& values);

 private:
  friend class parser;
  explicit option(CLI::Option* one) noexcept : option_(one) {}
  option between_integers(std::int64_t least, std::int64_t most);

  CLI::Option* option_;
};

// The values of an option that has names for them, in the order of --help.
template <class Value>
using choices = std::vector<std::pair<std::string, Value>>;

class parser {
 public:
  parser(std::string const& description, std::string const& program);
  parser(parser const&) = delete;
  parser& operator=(parser const&) = delete;
  ~parser();

  // Names as "-s,--size", or "size" for a word without a name. Defined for std::string, unsigned, int, 64-bit integers,
  // double, std::optional of int, 64-bit unsigned and double, and std::vector<std::string>.
  template <class Value>
  option add_option(std::string const& names, Value& into, std::string const& help);
  // --seed, which `tess run --seed` gives to the program by TESS_SEED.
  template <class Value>
  option add_seed(Value& into, std::string const& help);
  // Sets true, or false by a name after `!`: "--verify,!--no-verify".
  option add_flag(std::string const& names, bool& into, std::string const& help);
  option add_flag(std::string const& names, std::function<void()> given, std::string const& help);
  template <class Value, class Into>
  option add_choice(std::string const& names, Into& into, choices<Value> const& values, std::string const& help) {
    return add_indices(
        names, names_of(values), [&into, values](std::size_t index) { into = values[index].second; }, help);
  }
  // Several of them.
  template <class Value>
  option add_choices(std::string const& names, std::vector<Value>& into, choices<Value> const& values,
                     std::string const& help) {
    return add_index_list(
        names, names_of(values), [&into, values](std::size_t index) { into.push_back(values[index].second); }, help);
  }
  // After parsing: what is wrong with an option beside the others, or nothing.
  void check_together(std::string const& name, std::function<std::string()> wrong);

  // The exit code if the program ends now: 0 after --help, 2 for wrong use.
  [[nodiscard]] std::optional<int> parse(int argc, char** argv);

 private:
  using index_setter = std::function<void(std::size_t)>;

  template <class Value>
  static std::vector<std::string> names_of(choices<Value> const& values) {
    std::vector<std::string> names;
    for (auto const& [name, value] : values) names.push_back(name);
    return names;
  }
  option add_indices(std::string const& names, std::vector<std::string> const& values, index_setter set,
                     std::string const& help);
  option add_index_list(std::string const& names, std::vector<std::string> const& values, index_setter set,
                        std::string const& help);

  std::unique_ptr<CLI::App> app_;
  std::vector<std::pair<std::string, std::function<std::string()>>> checks_;
};

}  // namespace command_line
