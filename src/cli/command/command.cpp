// command: the help layout and the parsing that all subcommands share.
#include "cli/command/command.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace tess::cli {
namespace {

class usage_first : public CLI::Formatter {
 public:
  explicit usage_first(std::string usage) : usage_{std::move(usage)} {}
  std::string make_usage(CLI::App const*, std::string) const override { return "Usage: " + usage_ + "\n"; }

 private:
  std::string usage_;
};

}  // namespace

command_line::command_line(std::string const& usage, std::string const& description, std::string const& example)
    : CLI::App{description} {
  auto formatter = std::make_shared<usage_first>(usage);
  formatter->column_width(28);
  this->formatter(formatter);
  set_help_flag("-h,--help", "print this and end");
  footer(example);
}

std::optional<int> command_line::finish_early(words const& given) {
  try {
    parse(words{given.rbegin(), given.rend()});  // CLI11 takes the words last first.
    return std::nullopt;
  } catch (CLI::Success const& asked_for_help) {
    return exit(asked_for_help);
  } catch (CLI::ParseError const& wrong) {
    throw usage_error{wrong.what()};
  }
}

}  // namespace tess::cli
