// imsuite_input: the program that writes an input of IMSuite, identical to the output of the suite's generators.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iostream>

#include "command_line/command_line.hpp"
#include "graph/error.hpp"
#include "imsuite/names.hpp"
#include "imsuite/options.hpp"

namespace {

int write(std::string const& text, std::string const& file) {
  if (file.empty()) {
    std::cout << text << std::flush;
    return std::cout ? 0 : 1;
  }
  std::ofstream out(file, std::ios::binary);
  out << text << std::flush;
  if (out) return 0;
  fmt::print(stderr, "{}: cannot be written, expected a file in a folder that exists\n", file);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  command_line::parser app("Writes the input that the paper used for a kernel of IMSuite, or another one.",
                           "imsuite-input");
  imsuite::kernel which{};
  imsuite::input_options given;
  std::string file;
  command_line::choices<imsuite::kernel> codes;
  for (auto const& name : imsuite::kernel_names) codes.emplace_back(name.code, name.which);
  app.add_choice("kernel", which, codes, "bf, dst, by, dr, ds, kc, dp, hs, lcr, mis, mst or vc")
      .required()
      .shown_as("KERNEL");
  imsuite::declare_generation(app, given);
  app.add_option("--output", file, "the file to write (default: standard output)");
  if (auto const code = app.parse(argc, argv)) return *code;
  try {
    return write(imsuite::format(which, imsuite::load(which, given)), file);
  } catch (graph::input_error const& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 2;
  }
}
