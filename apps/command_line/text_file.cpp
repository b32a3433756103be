// text_file: all places open the file, and place 0 writes.
#include "command_line/text_file.hpp"

#include <unistd.h>

#include <cstdio>

#include "graph/export.hpp"

namespace command_line {

namespace {

std::string wrong_output(std::string const& path) {
  if (path == "-" || path.starts_with("/dev/")) return "";
  if (!path.ends_with(".csv") && !path.ends_with(".tsv"))
    return path + " is no name of a text; expected one that ends with .csv or .tsv, or -";
  auto const slash = path.rfind('/');
  std::string const folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (access(folder.c_str(), W_OK) != 0)
    return path + " cannot be created; expected a name in a folder that exists and may be written";
  return "";
}

}  // namespace

std::string text_line::of(std::vector<std::string> const& cells) const {
  std::string line;
  for (std::string const& cell : cells) {
    graph::append_field(line, cell, separator_);
    line += separator_;
  }
  if (!line.empty()) line.back() = '\n';
  return line;
}

void declare_text_output(parser& app, std::string& into, std::string const& what) {
  app.add_option("--output", into, "write " + what + " to this file (.csv or .tsv; - is standard output)")
      .check(wrong_output, "FILE.csv, FILE.tsv or -");
}

tess::task<bool> write_text(std::string path, std::string text) {
  auto const whole = co_await tess::place_local<std::string>::make();
  *whole = std::move(text);
  std::string failure;
  try {
    co_await tess::on_all_places(
        [](std::string name, tess::place_local<std::string> part) -> tess::task<void> {
          tess::file out = co_await tess::file::open(name, tess::file_mode::write);
          co_await out.write_ordered(*part);
          co_await out.close();
        },
        std::move(path), whole);
  } catch (tess::error const& e) {
    failure = e.what();
  }
  co_await tess::place_local<std::string>::release(whole);
  if (failure.empty()) co_return true;
  std::fflush(stdout);
  std::fputs(("--output: " + failure + '\n').c_str(), stderr);
  co_return false;
}

}  // namespace command_line
