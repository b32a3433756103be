// command: the help layout and the parsing that all subcommands share.
#include "cli/command/command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
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
  } catch (CLI::CallForVersion const& asked) {
    // Not by CLI11, which would lose the reason of a failed write.
    fmt::print("{}\n", asked.what());
    return 0;
  } catch (CLI::Success const& asked_for_help) {
    return exit(asked_for_help);
  } catch (CLI::ParseError const& wrong) {
    throw usage_error{wrong.what()};
  }
}

CLI::Validator writable_file() {
  auto check = [](std::string& text) -> std::string {
    namespace fs = std::filesystem;
    fs::path const folder = fs::absolute(text).parent_path();
    if (text.empty()) return "the name is empty; give a file to write";
    if (fs::is_directory(text)) return fmt::format("{} is a folder; give a file to write", text);
    if (!fs::is_directory(folder)) return fmt::format("there is no folder {0}; mkdir -p {0}", folder.string());
    // A regular file is replaced by one that is made beside it; what a link leads to is found out when it is written.
    bool const made_here = !fs::exists(text) || fs::is_regular_file(text);
    if (made_here && !fs::is_symlink(text) && ::access(folder.c_str(), W_OK) != 0)
      return fmt::format("{}: no file can be made in {}: {}", text, folder.string(), std::strerror(errno));
    return {};
  };
  return {check, ""};
}

}  // namespace tess::cli
