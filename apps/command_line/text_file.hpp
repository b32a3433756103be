// text_file: the file of --output for results that are no table of vertices: lines that place 0 has.
//
//   As vertex_table, it replaces an old file when all of it is on the disk.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "command_line/command_line.hpp"

namespace command_line {

// Lines of cells, quoted where they need it; a tab between them if the file's name ends with .tsv, else a comma.
class text_line {
 public:
  explicit text_line(std::string const& path) : separator_(path.ends_with(".tsv") ? '\t' : ',') {}
  [[nodiscard]] std::string of(std::vector<std::string> const& cells) const;

 private:
  char separator_;
};

// --output FILE, which gets `what`.
void declare_text_output(parser& app, std::string& into, std::string const& what);

// Prints an error and is false if it cannot.
[[nodiscard]] tess::task<bool> write_text(std::string path, std::string text);

}  // namespace command_line
