// unit: `tess unit build` compiles a unit of one's own for simulated machines, one C++ file, into a shared object.
//
//   The object is linked for an address that follows from its compiled content, so that every run that gets the address
//   has the same unit at the same place. It has no allocator of its own: the simulator's is used.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "cli/command/command.hpp"
#include "cli/process/process.hpp"
#include "cli/process/temporary_file.hpp"
#include "cli/tree.hpp"

namespace tess::cli {
namespace {

namespace fs = std::filesystem;

// Where units are: far from programs, shared libraries and what sanitizers take, a GiB for each of 4096.
constexpr std::uint64_t first_address = 0x2a00'0000'0000;
constexpr std::uint64_t address_step = std::uint64_t{1} << 30U;
constexpr std::uint64_t addresses = 4096;

constexpr std::string_view remedy = "apt-get install clang-19 lld-19 libstdc++-12-dev, or set CXX to another compiler";

// The one that CXX names, or the first that is there.
std::string compiler_here() {
  if (std::string const wanted = environment_variable("CXX"); !wanted.empty()) {
    if (output_of(wanted, {"--version"})) return wanted;
    throw usage_error{fmt::format("unit: {}, which CXX names, does not start; {}", wanted, remedy)};
  }
  for (char const* const name : {"clang++-19", "clang++", "g++"})
    if (output_of(name, {"--version"})) return name;
  throw usage_error{fmt::format("unit: there is no clang++-19, clang++ or g++; {}", remedy)};
}

// Options for the folders of headers, as share/tessera/build.json has them.
words header_options(tree const& here) {
  constexpr std::string_view mark = "${prefix}";
  words options;
  std::ifstream stream{here.build_json()};
  auto const build = nlohmann::json::parse(stream, nullptr, false);
  if (!build.is_discarded()) {
    for (std::string option : build.value("compile", nlohmann::json::array())) {
      if (!option.starts_with("-I")) continue;
      if (auto const at = option.find(mark); at != std::string::npos)
        option.replace(at, mark.size(), here.prefix.string());
      options.push_back(option);
    }
  }
  bool const found = std::ranges::any_of(options, [](std::string const& option) {
    return fs::exists(fs::path{option.substr(2)} / "tess/machine/unit.hpp");
  });
  if (!found)
    throw usage_error{fmt::format(
        "unit: there is no tess/machine/unit.hpp of the installation in {}; install libtessera-dev, or build Tessera "
        "from its sources",
        here.prefix.string())};
  return options;
}

// FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/
std::uint64_t hash_of(fs::path const& file) {
  std::ifstream stream{file, std::ios::binary};
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325;
  std::for_each(std::istreambuf_iterator<char>{stream}, {},
                [&](char one) { hash = (hash ^ static_cast<unsigned char>(one)) * 0x100'0000'01b3; });
  return hash;
}

// LLVM's linker and GNU's have different names for the first address.
words link_options(std::string const& with, std::uint64_t address) {
  if (output_of(with, {"-fuse-ld=lld", "-Wl,--version"}))
    return {"-fuse-ld=lld", fmt::format("-Wl,--image-base={:#x}", address)};
  return {fmt::format("-Wl,-Ttext-segment={:#x}", address)};
}

std::string joined(std::string const& program, words const& given) {
  std::string text = program;
  for (std::string const& word : given) text += " " + word;
  return text + "\n";
}

struct wanted {
  std::string source;
  std::string output;
  words options;
  bool print = false;
};

int build_unit(wanted const& given) {
  fs::path const source = given.source;
  if (!fs::is_regular_file(source))
    throw usage_error{fmt::format("unit: there is no file {}; give the C++ file of a unit", given.source)};
  fs::path const output = given.output.empty() ? fs::path{source}.replace_extension(".so") : fs::path{given.output};
  if (output == source) throw usage_error{fmt::format("unit: -o {} is the source itself", given.output)};
  std::string const with = compiler_here();
  temporary_file const object;
  words compile{"-std=c++20", "-O2", "-g", "-Wall", "-Wextra", "-fPIC", "-fvisibility=hidden"};
  words const headers = header_options(own_tree());
  compile.insert(compile.end(), headers.begin(), headers.end());
  compile.insert(compile.end(), given.options.begin(), given.options.end());
  compile.insert(compile.end(), {"-c", source.string(), "-o", object.path().string()});
  if (given.print) fmt::print("{}", joined(with, compile));
  if (run_to_end(with, compile) != 0) return exit_failed;

  std::uint64_t const address = first_address + hash_of(object.path()) % addresses * address_step;
  // Beside the output and renamed: a simulator that runs keeps the object that it has.
  fs::path const part = output.string() + ".part";
  words link{"-shared", object.path().string(), "-o", part.string(), "-Wl,--no-undefined", "-Wl,-z,now"};
  words const place = link_options(with, address);
  link.insert(link.end(), place.begin(), place.end());
  if (given.print) fmt::print("{}", joined(with, link));
  if (run_to_end(with, link) != 0) {
    std::error_code absent;
    fs::remove(part, absent);
    return exit_failed;
  }
  std::error_code failed;
  fs::rename(part, output, failed);
  if (failed) throw usage_error{fmt::format("unit: {} cannot be written: {}", output.string(), failed.message())};
  return exit_fine;
}

}  // namespace

int unit(words const& given) {
  command_line line{
      "tess unit build FILE.cpp [-o FILE.so] [--print] [-- OPTIONS...]",
      "Compile a unit of your own for simulated machines: one C++ file that includes <tess/machine/unit.hpp>. It\n"
      "becomes a shared object, which a machine file places: [[unit]] with file and at. The compiler is the one that\n"
      "CXX names, or clang++-19, clang++ or g++; OPTIONS are for it.",
      "Example: tess unit build checksum.cpp && tess run --machine checksum.toml ./program"};
  wanted of;
  std::string what;
  line.add_option("build", what, "what to do")->required()->check(CLI::IsMember({"build"}))->type_name("");
  line.add_option("file", of.source, "the unit's source")->required()->type_name("FILE.cpp");
  line.add_option("-o", of.output, "the object; default: beside the source, .so instead of .cpp")->type_name("FILE.so");
  line.add_flag("--print", of.print, "print the commands, too");
  auto const split = std::ranges::find(given, "--");
  if (auto const code = line.finish_early(words(given.begin(), split))) return *code;
  of.options.assign(split == given.end() ? split : split + 1, given.end());
  return build_unit(of);
}

}  // namespace tess::cli
