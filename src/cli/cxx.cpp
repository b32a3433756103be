// cxx: `tess c++` and `tess cc` become clang-19 with the options of a Tessera program, found beside this executable.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <string_view>

#include "cli/command/command.hpp"
#include "cli/process/process.hpp"
#include "cli/tree.hpp"

namespace tess::cli {
namespace {

using nlohmann::json;

constexpr std::string_view compiler = "clang++-19";
constexpr std::string_view c_compiler = "clang-19";
std::string const movable_mark = "-DTESS_PES_PER_TILE=";

// The options under one key of build.json, with `${prefix}` replaced by the tree's present location.
words options_of(json const& build, std::string const& key, tree const& here) {
  constexpr std::string_view mark = "${prefix}";
  words options;
  // A tree without OpenSHMEM has no options for it.
  for (std::string option : build.value(key, json::array())) {
    if (auto const at = option.find(mark); at != std::string::npos) {
      option.replace(at, mark.size(), here.prefix.string());
    }
    options.push_back(option);
  }
  return options;
}

bool only_compiles(words const& given) {
  return std::ranges::any_of(given, [](std::string const& word) {
    return word == "-c" || word == "-S" || word == "-E" || word == "-fsyntax-only" || word == "-M" || word == "-MM";
  });
}

// Quoted so that the printed command can be pasted into a shell.
std::string quoted(std::string const& word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=+-,:@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (char const c : word) text += c == '\'' ? std::string{R"('\'')"} : std::string{c};
  return text + "'";
}

// The name under which programs will look for a shared object: that of the file.
words name_inside(words const& given) {
  auto const output = std::ranges::find(given, "-o");
  if (output == given.end() || output + 1 == given.end()) return {};
  return {"-Wl,-soname," + std::filesystem::path{output[1]}.filename().string()};
}

// Removes `--machine NAME` or `--machine=NAME` from the arguments: returns the machine to compile for, or nothing.
std::string take_machine(words& given) {
  constexpr std::string_view option = "--machine";
  auto const found = std::ranges::find_if(
      given, [&](std::string const& word) { return word == option || word.starts_with(std::string{option} + "="); });
  if (found == given.end()) return {};
  bool const next = *found == option;
  if (next && found + 1 == given.end()) throw usage_error{"c++: --machine needs a name, such as nemesys-4x4"};
  std::string const name = next ? found[1] : found->substr(option.size() + 1);
  given.erase(found, found + (next ? 2 : 1));
  return name;
}

// Removes `--pes-per-tile N` from the arguments. With more than one PE in a tile, a program's image is moved: it is
// compiled with -DTESS_PES_PER_TILE.
void take_pes_per_tile(words& given, bool for_machine) {
  constexpr std::string_view option = "--pes-per-tile";
  auto const found = std::ranges::find_if(
      given, [&](std::string const& word) { return word == option || word.starts_with(std::string{option} + "="); });
  if (found == given.end()) return;
  bool const next = *found == option;
  bool const has_value = !next || found + 1 != given.end();
  std::string const text = !has_value ? "" : next ? found[1] : found->substr(option.size() + 1);
  static std::regex const number{"[1-9]|[1-5][0-9]|6[0-4]"};
  if (!std::regex_match(text, number))
    throw usage_error{fmt::format("{} {}: give a number of PEs from 1 to 64", option, text)};
  if (!for_machine) throw usage_error{fmt::format("{} is for tiles; give --machine NAME, too", option)};
  given.erase(found, found + (next ? 2 : 1));
  if (text != "1") given.insert(given.begin(), {"-fPIE", movable_mark + text});
}

bool is_movable(words const& given) {
  return std::ranges::any_of(given, [](std::string const& word) { return word.starts_with(movable_mark); });
}

// All machines have the same instructions; a wrong name is reported here rather than when the program is run.
void check_machine(std::string const& name, tree const& here) {
  namespace fs = std::filesystem;
  if (name.ends_with(".toml") ? fs::is_regular_file(name) : fs::exists(here.share() / "machines" / (name + ".toml")))
    return;
  throw usage_error{fmt::format("c++: no machine \"{}\"; `tess machines` lists them, or give FILE.toml", name)};
}

// Source text that includes a header of the runtime, or an object file that refers to its names. The headers of
// tess/machine need no runtime.
bool uses_runtime(std::string const& file) {
  std::error_code unreadable;
  if (file.starts_with('-') || !std::filesystem::is_regular_file(file, unreadable)) return false;
  std::ifstream stream{file, std::ios::binary};
  std::string const text{std::istreambuf_iterator<char>{stream}, {}};
  if (text.starts_with("\177ELF") || text.starts_with("!<arch>")) return text.contains("_ZN4tess");
  static std::regex const include{R"((^|\n)[ \t]*#[ \t]*include[ \t]*[<"]tess/(?!machine/))"};
  return std::regex_search(text, include);
}

// Source text that includes OpenSHMEM's header, or an object file that starts it.
bool uses_openshmem(std::string const& file) {
  std::error_code unreadable;
  if (file.starts_with('-') || !std::filesystem::is_regular_file(file, unreadable)) return false;
  std::ifstream stream{file, std::ios::binary};
  std::string const text{std::istreambuf_iterator<char>{stream}, {}};
  if (text.starts_with("\177ELF") || text.starts_with("!<arch>")) return text.contains("shmem_init");
  static std::regex const include{R"((^|\n)[ \t]*#[ \t]*include[ \t]*[<"](mpp/)?shmemx?\.h[">])"};
  return std::regex_search(text, include);
}

// A program of PEs, without tasks. What the output's name had before does not count.
bool is_only_openshmem(words given) {
  auto const output = std::ranges::find(given, "-o");
  if (output != given.end() && output + 1 != given.end()) given.erase(output, output + 2);
  return std::ranges::any_of(given, uses_openshmem) && std::ranges::none_of(given, uses_runtime);
}

// The runtime for the tiles of a machine, if the program needs it.
words runtime_for_machine(words const& given, json const& build, tree const& here) {
  // What is to be written may be there from before, with the runtime inside.
  auto const output = std::ranges::find(given, "-o");
  words inputs(given.begin(), output);
  if (given.end() - output > 2) inputs.insert(inputs.end(), output + 2, given.end());
  if (std::ranges::none_of(inputs, uses_runtime)) return {};
  words all = options_of(build, "runtime_machine", here);
  if (!std::filesystem::exists(all.front()))
    throw usage_error{fmt::format(
        "c++: there is no {}, the runtime for simulated machines; `./tess c++ --machine NAME ...` in the source tree "
        "builds it",
        all.front())};
  words const more = options_of(build, "link_runtime_machine", here);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// Parts of a program that were compiled without it have no edges between their tasks, and other objects.
void check_parts_of_races(words const& given) {
  for (std::string const& file : given) {
    std::error_code unreadable;
    if (!file.ends_with(".o") || !std::filesystem::is_regular_file(file, unreadable)) continue;
    std::ifstream stream{file, std::ios::binary};
    std::string const text{std::istreambuf_iterator<char>{stream}, {}};
    if (text.contains("_ZN4tess") && !text.contains("__tsan_init"))
      throw usage_error{fmt::format("c++: {} was compiled without --races, which all parts of a program need", file)};
  }
}

// OpenSHMEM's library; a program that uses none of its names does not need it.
words link_openshmem(words const& given, json const& build, tree const& here) {
  words options = options_of(build, "link_shmem", here);
  bool const is_static =
      std::ranges::any_of(given, [](std::string const& word) { return word == "-static" || word == "-static-pie"; });
  if (is_static) {
    // A static program looks for no libraries; one with a path for them does not even start (-static-pie).
    std::erase_if(options, [](std::string const& word) { return word.starts_with("-Wl,-rpath"); });
    // The library is in C++.
    options.insert(options.end(), {"-lstdc++", "-lm", "-pthread"});
  }
  std::error_code unreadable;
  return std::filesystem::exists(here.prefix / "lib" / "libshmem.so", unreadable) ? options : words{};
}

// The same for tiles; static, so that only what is used is linked.
words link_openshmem_for_machine(json const& build, tree const& here) {
  words const options = options_of(build, "link_shmem_machine", here);
  std::error_code unreadable;
  return !options.empty() && std::filesystem::exists(options.front(), unreadable) ? options : words{};
}

void add_links_for_machine(words& all, words const& given, json const& build, tree const& here) {
  auto const add = [&](words const& more) { all.insert(all.end(), more.begin(), more.end()); };
  bool const movable = is_movable(given);
  if (movable) add(options_of(build, "link_movable_begin", here));
  add(link_openshmem_for_machine(build, here));
  add(options_of(build, "link_machine", here));
  if (movable) add(options_of(build, "link_movable_end", here));
}

json read_build(tree const& here, std::string_view command) {
  std::ifstream stream{here.build_json()};
  json build = json::parse(stream, nullptr, false);
  if (build.is_discarded())
    throw usage_error{
        fmt::format("{}: cannot read {}; build or install Tessera first", command, here.build_json().string())};
  return build;
}

// Our options first, so that the caller's override them; the library last, so that it resolves the objects before it. A
// shared object has no library of its own: it uses the program's.
words command_for(words const& given, bool shared, bool races, bool for_machine, tree const& here) {
  json const build = read_build(here, "c++");
  words all{"-std=c++23", "-O3"};
  auto const add = [&all](words const& more) { all.insert(all.end(), more.begin(), more.end()); };
  bool const links = !only_compiles(given);
  if (for_machine) {
    add(options_of(build, "compile_machine", here));
    add(given);
    if (links) {
      words const runtime = runtime_for_machine(given, build, here);
      add(runtime);
      add_links_for_machine(all, given, build, here);
    }
    return all;
  }
  add(options_of(build, "compile", here));
  if (shared) add(options_of(build, "compile_shared", here));
  // What is checked are accesses of symmetric memory, when the program is run.
  bool const races_of_pes = races && is_only_openshmem(given);
  if (races_of_pes) {
    add(options_of(build, "compile_shmem_races", here));
    races = false;
  }
  if (races) add(options_of(build, "compile_races", here));
  if (shared && links) {
    add(options_of(build, "link_shared", here));
    add(name_inside(given));
  }
  add(given);
  if (races_of_pes && links) add(options_of(build, "link_shmem_races", here));
  if (!races && !shared && links) {
    add(options_of(build, "link", here));
    add(link_openshmem(given, build, here));
  }
  if (races && links) {
    words const more = options_of(build, "link_races", here);
    if (!std::filesystem::exists(more.front()))
      throw usage_error{fmt::format(
          "c++: there is no {}, the runtime that looks for races; build it: ninja -C build/release tess_races",
          more.front())};
    check_parts_of_races(given);
    add(more);
  }
  return all;
}

// What a makefile may ask for, as it does of other wrappers: `-show`, `--showme`, and parts of it as `--showme:link`.
constexpr std::string_view show_names[] = {"-showme", "--showme", "-show", "--show"};

// Removes such a question from the arguments and returns its part; `all` is the whole command, empty: none was asked.
std::string take_question(words& given) {
  std::string asked;
  std::erase_if(given, [&](std::string const& word) {
    auto const name = std::ranges::find_if(
        show_names, [&](std::string_view one) { return word == one || word.starts_with(std::string{one} + ":"); });
    if (word == "--print") asked = "all";
    if (name == std::end(show_names)) return word == "--print";
    asked = word == *name ? "all" : word.substr(name->size() + 1);
    return true;
  });
  return asked;
}

// The same for the tiles of a machine.
words command_for_tiles(words const& given, std::string_view command, json const& build, tree const& here) {
  words all{"-O3"};
  auto const add = [&all](words const& more) { all.insert(all.end(), more.begin(), more.end()); };
  add(options_of(build, "compile_machine", here));
  add(given);
  if (only_compiles(given)) return all;
  if (link_openshmem_for_machine(build, here).empty())
    throw usage_error{fmt::format(
        "{}: there is no {}/lib/libshmem-riscv64.a; apt-get install python3-minimal g++-riscv64-linux-gnu, and build "
        "again",
        command, here.prefix.string())};
  add_links_for_machine(all, given, build, here);
  return all;
}

// A program of OpenSHMEM without the runtime, in C or C++. A compiler that is asked only for its version links nothing.
words command_for_openshmem(words const& given, std::string const& asked, std::string_view command, bool races,
                            tree const& here) {
  json const build = read_build(here, command);
  words const library = link_openshmem(given, build, here);
  if (library.empty())
    throw usage_error{
        fmt::format("{}: there is no {}/lib/libshmem.so; apt-get install python3-minimal, and build again", command,
                    here.prefix.string())};
  words all{"-O3"};
  auto const add = [&all](words const& more) { all.insert(all.end(), more.begin(), more.end()); };
  words const compile = options_of(build, "compile", here);
  if (asked == "compile") return compile;
  if (asked == "link") return library;
  add(compile);
  if (races) add(options_of(build, "compile_shmem_races", here));
  add(given);
  bool const names_files = std::ranges::any_of(given, [](std::string const& word) { return !word.starts_with('-'); });
  if (asked.empty() ? names_files && !only_compiles(given) : !only_compiles(given)) {
    if (races) add(options_of(build, "link_shmem_races", here));
    add(library);
  }
  return all;
}

void print_words(words const& command) {
  std::string text;
  for (auto const& word : command) text += (text.empty() ? "" : " ") + quoted(word);
  fmt::print("{}\n", text);
}

int print_or_become(std::string_view program, words command, bool print, std::string_view packages) {
  if (print) {
    command.insert(command.begin(), std::string{program});
    print_words(command);
    return exit_fine;
  }
  try {
    become(program, command);
  } catch (usage_error const& error) {
    throw usage_error{fmt::format("{}; apt-get install {}", error.what(), packages)};
  }
}

int compile_openshmem(words const& given, std::string_view program, std::string_view command) {
  words passed = given;
  std::string const asked = take_question(passed);
  if (asked == "command") {
    print_words({std::string{program}});
    return exit_fine;
  }
  if (!asked.empty() && asked != "all" && asked != "compile" && asked != "link")
    throw usage_error{
        fmt::format("{}: --showme:{} is unknown; give --showme, or with :command, :compile or :link", command, asked)};
  std::string const machine = take_machine(passed);
  if (!machine.empty()) check_machine(machine, own_tree());
  take_pes_per_tile(passed, !machine.empty());
  bool const races = std::erase(passed, "--races") != 0;
  if (races && !machine.empty())
    throw usage_error{
        fmt::format("{}: races of PEs are looked for on this host; leave out --races or --machine", command)};
  words const made = machine.empty() ? command_for_openshmem(passed, asked, command, races, own_tree())
                                     : command_for_tiles(passed, command, read_build(own_tree(), command), own_tree());
  if (asked == "compile" || asked == "link") {
    print_words(made);
    return exit_fine;
  }
  return print_or_become(
      program, made, !asked.empty(),
      machine.empty() ? "clang-19 lld-19 libstdc++-12-dev" : "clang-19 lld-19 libstdc++-12-dev g++-riscv64-linux-gnu");
}

}  // namespace

int cc(words const& given) {
  if (given.empty() || given[0] == "--help" || given[0] == "-h") {
    fmt::print(
        "Usage: tess cc [--print] [--races] ARGUMENTS...\n\n"
        "Compile and link a program in C with {}, -O3, and OpenSHMEM: <shmem.h> and libshmem of this tree. ARGUMENTS\n"
        "are the compiler's own and win over ours. C++ programs: tess c++. Also called oshcc, and for C++ without the\n"
        "runtime oshc++, for makefiles of others: make CC=oshcc CXX=oshc++.\n\n"
        "  --machine NAME  for the tiles of a simulated machine instead: a static RV64GC Linux program with a PE on "
        "each\n"
        "  --pes-per-tile N  with --machine: the program is for N PEs on each tile, which share its harts and memory\n"
        "  --races    the program's own loads and stores are checked, too, when it is run by `tess run --fabric "
        "checked`\n"
        "  --print    print the command instead of running it; also -show and --showme, which may say :command,\n"
        "             :compile or :link for a part of it\n\n"
        "Examples: tess cc ring.c -o ring && tess run -n 4 ./ring\n"
        "          tess cc --machine nemesys-2x2 ring.c -o ring && tess run --machine nemesys-2x2 ./ring\n",
        c_compiler);
    return given.empty() ? exit_misuse : exit_fine;
  }
  return compile_openshmem(given, c_compiler, "cc");
}

int oshcxx(words const& given) {
  if (given.empty() || given[0] == "--help") return cc(given);
  return compile_openshmem(given, compiler, "oshc++");
}

int cxx(words const& given) {
  if (given.empty() || given[0] == "--help" || given[0] == "-h") {
    fmt::print(
        "Usage: tess c++ [--print] ARGUMENTS...\n\n"
        "Compile and link with {}: C++23, -O3, the headers and the library of this tree, and OpenSHMEM's where it\n"
        "is used. ARGUMENTS are the compiler's own and win over ours.\n\n"
        "  --machine NAME  for a simulated machine instead: a static RV64GC Linux program for `tess run --machine`,\n"
        "             with the runtime if a file includes <tess/...>; without it, <tess/machine/registers.hpp> has\n"
        "             what a tile has\n"
        "  --pes-per-tile N  with --machine, for OpenSHMEM: N PEs on each tile, which share its harts and memory\n"
        "  --print    print the command instead of running it\n"
        "  --races    the program looks for races: accesses of tasks and handlers to the same memory, in one process,\n"
        "             that nothing orders; it prints both lines at its end, and its exit code is 1. In a program of "
        "OpenSHMEM\n"
        "             the loads and stores of PEs are checked when it is run by `tess run --fabric checked`\n"
        "  --shared   make a shared object whose functions may use `at` (also to compile its parts with -c); it uses "
        "the\n"
        "             runtime of the program that loads it, which must happen before tess::run\n\n"
        "Examples: tess c++ hello.cpp -o hello && tess run ./hello -n 4\n"
        "          tess c++ --races hello.cpp -o hello && tess run ./hello -n 4\n"
        "          tess c++ --shared sums.cpp -o libsums.so\n"
        "          tess c++ --machine nemesys-4x4 hello.cpp -o hello && tess run --machine nemesys-4x4 ./hello\n"
        "          tess c++ main.cpp -L. -lsums '-Wl,-rpath,$ORIGIN' -o main\n",
        compiler);
    return given.empty() ? exit_misuse : exit_fine;
  }
  auto const has = [&given](std::string_view word) { return std::ranges::find(given, word) != given.end(); };
  bool const print = has("--print");
  if (has("-shared")) {
    throw usage_error{
        "c++: -shared alone would give the library a runtime of its own; write --shared, also where its parts are "
        "compiled (`tess c++ --shared foo.cpp -o libfoo.so`)"};
  }
  words passed;
  std::ranges::copy_if(given, std::back_inserter(passed), [](std::string const& word) {
    return word != "--print" && word != "--shared" && word != "--races";
  });
  std::string const machine = take_machine(passed);
  if (!machine.empty()) {
    if (has("--shared")) throw usage_error{"c++: programs of a machine are static; leave out --shared or --machine"};
    if (has("--races"))
      throw usage_error{
          "c++: races are looked for in one process of this computer; leave out --races or --machine (a program that "
          "is "
          "right there is right on a machine, too)"};
    check_machine(machine, own_tree());
  }
  take_pes_per_tile(passed, !machine.empty());
  if (has("--races") && has("--shared"))
    throw usage_error{"c++: a program that looks for races has its parts inside; leave out --races or --shared"};
  words const command = command_for(passed, has("--shared"), has("--races"), !machine.empty(), own_tree());
  return print_or_become(
      compiler, command, print,
      machine.empty() ? "clang-19 lld-19 libstdc++-12-dev" : "clang-19 lld-19 libstdc++-12-dev g++-riscv64-linux-gnu");
}

}  // namespace tess::cli
