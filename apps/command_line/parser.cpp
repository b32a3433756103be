// parser: options as CLI11 knows them.
#include "command_line/parser.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <limits>
#include <type_traits>

namespace command_line {

namespace {

// What is wrong with a whole number as typed, which may have a unit; or nothing. CLI11 takes -1 for the largest of an
// unsigned type, and so what is too large.
template <class Number>
std::string wrong_number(std::string const& text, bool may_have_unit) {
  Number number{};
  auto const [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc{} && (may_have_unit || stop == text.data() + text.size())) return {};
  return "\"" + text + "\" will not do; give a whole number from " +
         std::to_string(std::numeric_limits<Number>::min()) + " to " +
         std::to_string(std::numeric_limits<Number>::max());
}

// The same of a number that may have a fraction.
std::string wrong_fraction(std::string const& text) {
  double number = 0;
  bool const is_number = CLI::detail::lexical_cast(text, number);
  return is_number && std::isfinite(number) ? "" : "\"" + text + "\" will not do; give a finite number";
}

std::string shown(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", number);
  return text;
}
std::string shown(std::int64_t number) {
  return std::to_string(number);
}

template <class Number>
CLI::Validator range_of(Number least, Number most) {
  std::string const range = shown(least) + " to " + shown(most);
  auto const wrong = [least, most, range](std::string& text) -> std::string {
    Number number{};
    bool const is_number = CLI::detail::lexical_cast(text, number);
    if (is_number && number >= least && number <= most) return {};
    return "\"" + text + "\" will not do; give a number from " + range;
  };
  return CLI::Validator(wrong, "from " + range);
}

// Before all other checks of the option: CLI11 applies what was added last by transform() first.
template <class Number>
void check_number(CLI::Option& of, bool may_have_unit) {
  auto const wrong = [may_have_unit](std::string& text) { return wrong_number<Number>(text, may_have_unit); };
  of.transform(CLI::Validator(wrong, ""));
}

}  // namespace

option option::shows_default() {
  option_->capture_default_str();
  return *this;
}

option option::required() {
  option_->required();
  return *this;
}

option option::positive() {
  option_->check(
      [](std::string const& text) {
        double number = 0;
        bool const is_number = CLI::detail::lexical_cast(text, number);
        return is_number && number > 0 ? std::string() : "\"" + text + "\" will not do; give a number above 0";
      },
      "above 0");
  return *this;
}

option option::not_negative() {
  option_->check(
      [](std::string const& text) {
        double number = 0;
        bool const is_number = CLI::detail::lexical_cast(text, number);
        return is_number && number >= 0 ? std::string() : "\"" + text + "\" will not do; give a number of at least 0";
      },
      "at least 0");
  return *this;
}

option option::between_integers(std::int64_t least, std::int64_t most) {
  option_->check(range_of(least, most));
  return *this;
}

option option::between(double least, double most) {
  option_->check(range_of(least, most));
  return *this;
}

option option::in_bytes() {
  option_->transform(CLI::AsSizeValue(false));
  check_number<std::uint64_t>(*option_, true);
  return *this;
}

option option::excludes(option other) {
  option_->excludes(other.option_);
  return *this;
}

option option::check(std::function<std::string(std::string const&)> wrong, std::string const& values) {
  option_->check(std::move(wrong), values);
  return *this;
}

option option::shown_as(std::string const& values) {
  option_->option_text(values);
  return *this;
}

parser::parser(std::string const& description, std::string const& program)
    : app_(std::make_unique<CLI::App>(description, program)) {}
parser::~parser() = default;

template <class Value>
option parser::add_option(std::string const& names, Value& into, std::string const& help) {
  CLI::Option* const made = app_->add_option(names, into, help);
  if constexpr (std::integral<Value>) check_number<Value>(*made, false);
  if constexpr (std::is_same_v<Value, std::optional<int>>) check_number<int>(*made, false);
  if constexpr (std::is_same_v<Value, std::optional<std::uint64_t>>) check_number<std::uint64_t>(*made, false);
  if constexpr (std::is_same_v<Value, double> || std::is_same_v<Value, std::optional<double>>)
    made->transform(CLI::Validator([](std::string& text) { return wrong_fraction(text); }, ""));
  return option(made);
}
template option parser::add_option(std::string const&, std::string&, std::string const&);
template option parser::add_option(std::string const&, int&, std::string const&);
template option parser::add_option(std::string const&, unsigned&, std::string const&);
template option parser::add_option(std::string const&, std::int64_t&, std::string const&);
template option parser::add_option(std::string const&, std::uint64_t&, std::string const&);
template option parser::add_option(std::string const&, double&, std::string const&);
template option parser::add_option(std::string const&, std::optional<int>&, std::string const&);
template option parser::add_option(std::string const&, std::optional<std::uint64_t>&, std::string const&);
template option parser::add_option(std::string const&, std::optional<double>&, std::string const&);
template option parser::add_option(std::string const&, std::vector<std::string>&, std::string const&);

template <class Value>
option parser::add_seed(Value& into, std::string const& help) {
  option made = add_option("--seed", into, help);
  made.option_->envname("TESS_SEED");
  return made;
}
template option parser::add_seed(std::int64_t&, std::string const&);
template option parser::add_seed(std::uint64_t&, std::string const&);
template option parser::add_seed(std::optional<std::uint64_t>&, std::string const&);

option parser::add_flag(std::string const& names, bool& into, std::string const& help) {
  return option(app_->add_flag(names, into, help));
}

option parser::add_flag(std::string const& names, std::function<void()> given, std::string const& help) {
  return option(app_->add_flag_callback(names, std::move(given), help));
}

namespace {

// A name becomes its index.
CLI::Validator indices_of(std::vector<std::string> const& names) {
  auto const become = [names](std::string& text) -> std::string {
    auto const found = std::ranges::find(names, text);
    if (found == names.end()) return "\"" + text + "\" will not do; give one of " + CLI::detail::join(names, ", ");
    text = std::to_string(found - names.begin());
    return {};
  };
  return CLI::Validator(become, "");
}

}  // namespace

option parser::add_indices(std::string const& names, std::vector<std::string> const& values, index_setter set,
                           std::string const& help) {
  return option(app_->add_option_function<std::size_t>(names, set, help)
                    ->transform(indices_of(values))
                    ->option_text(CLI::detail::join(values, "|")));
}

option parser::add_index_list(std::string const& names, std::vector<std::string> const& values, index_setter set,
                              std::string const& help) {
  auto const set_all = [set = std::move(set)](std::vector<std::size_t> const& indices) {
    for (std::size_t const index : indices) set(index);
  };
  return option(app_->add_option_function<std::vector<std::size_t>>(names, set_all, help)
                    ->transform(indices_of(values))
                    ->option_text(CLI::detail::join(values, "|") + " ..."));
}

void parser::check_together(std::string const& name, std::function<std::string()> wrong) {
  checks_.emplace_back(name, std::move(wrong));
}

std::optional<int> parser::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
    for (auto const& [name, wrong] : checks_)
      if (std::string const text = wrong(); !text.empty()) throw CLI::ValidationError(name, text);
  } catch (CLI::ParseError const& wrong) {
    if (app_->exit(wrong) != 0) return 2;
    if (std::cout.flush() && std::fflush(stdout) == 0) return 0;
    std::fprintf(stderr, "standard output could not be written: %s\n", std::strerror(errno));
    return 1;
  }
  return std::nullopt;
}

}  // namespace command_line
