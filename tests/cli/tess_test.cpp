// tess_test: the command as a whole: exit codes, the arguments that reach the program, error messages.
// Method: a separate tree in a temporary folder, with a copy of `tess` and scripts as programs and benchmarks.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "cli/process/process.hpp"

namespace tess::cli {
namespace {

namespace fs = std::filesystem;

struct outcome {
  int code;
  std::string said;   // standard output
  std::string error;  // standard error
};

std::string text_of(fs::path const& file) {
  std::ostringstream text;
  text << std::ifstream{file}.rdbuf();
  return text.str();
}

class tess_command : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("tess-command-" + std::to_string(::getpid()));
    fs::create_directories(root_ / "bin");
    fs::create_directories(root_ / "libexec/tessera/bench");
    fs::copy_file(TESS_EXECUTABLE, root_ / "bin/tess");
  }
  void TearDown() override { fs::remove_all(root_); }

  void write_script(std::string const& name, std::string const& body) const {
    fs::path const file = root_ / "libexec/tessera" / name;
    std::ofstream{file} << "#!/bin/sh\n" << body << '\n';
    fs::permissions(file, fs::perms::owner_all);
  }

  // A shell command line, run in the tree's root.
  [[nodiscard]] outcome tess(std::string const& typed, std::string const& settings = "") const {
    std::string const line = "cd '" + root_.string() + "' && " + settings + "bin/tess " + typed + " >said 2>error";
    int const code = run_to_end("/bin/sh", {"-c", line});
    return {code, text_of(root_ / "said"), text_of(root_ / "error")};
  }

  fs::path root_;
};

TEST_F(tess_command, becomes_the_machine_that_is_asked_for) {
  fs::create_directories(root_ / "libexec/tessera/machine");
  write_script("machine/tess-machine", R"(printf '<%s>' "$@"; echo " $TESS_SEED")");
  write_script("guest", "exit 7");
  outcome const run = tess(
      "run --machine single-tile --allow-write . --allow-write bin --timing off --seed 3 libexec/tessera/guest -x "
      "--seed 4 -- --timing");
  EXPECT_EQ(run.code, 0) << run.error;
  EXPECT_EQ(run.said.substr(run.said.find("<--><")), "<--><libexec/tessera/guest><-x><--seed><4><--><--timing> 3\n")
      << "words behind the program are its own";
  for (char const* words : {"<--machine><single-tile>", "<--timing><off>", "<--allow-write><.><--allow-write><bin>"})
    EXPECT_NE(run.said.find(words), std::string::npos) << run.said;
}

TEST_F(tess_command, passes_output_options_to_the_machine_and_not_to_the_program) {
  fs::create_directories(root_ / "libexec/tessera/machine");
  write_script("machine/tess-machine", R"(printf '<%s>' "$@"; echo " ${TESS_STATS-none} ${TESS_TRACE-none}")");
  write_script("guest", "exit 7");
  outcome const run = tess("run --machine nemesys-4x4 --stats s.json --picture p.svg --copies 2 libexec/tessera/guest",
                           "TESS_TRACE=t.json ");
  EXPECT_EQ(run.code, 0) << run.error;
  for (char const* words :
       {"<--stats><s.json>", "<--trace><t.json>", "<--picture><p.svg>", "<--copies><2>", "> none none"})
    EXPECT_NE(run.said.find(words), std::string::npos) << run.said;
  EXPECT_EQ(tess("machines").said, "<--list> none none\n");
  EXPECT_EQ(tess("machines nemesys-2x2").said, "<--explain><nemesys-2x2> none none\n");
  EXPECT_EQ(tess("machines show a.toml").said, "<--show><a.toml> none none\n");
  EXPECT_EQ(tess("machines diff a.toml b --json").said, "<--differences><a.toml><b><--json> none none\n");
  EXPECT_EQ(tess("machines diff a.toml").code, 2);
  EXPECT_EQ(tess("machines show").code, 2);
}

TEST_F(tess_command, prints_a_compiler_command_for_programs_of_a_machine) {
  fs::create_directories(root_ / "share/tessera/machines");
  std::ofstream{root_ / "share/tessera/machines/small.toml"} << "name = \"small\"\n";
  std::ofstream{root_ / "share/tessera/build.json"}
      << R"({"compile_machine": ["--target=x", "-I${prefix}/include"], "link_machine": ["-static"]})";
  std::string const prefix = root_.string();
  std::string const begin = "clang++-19 -std=c++23 -O3 --target=x -I" + prefix + "/include ";
  EXPECT_EQ(tess("c++ --print --machine small a.cpp -o a").said, begin + "a.cpp -o a -static\n");
  EXPECT_EQ(tess("c++ --print -c a.cpp --machine=small").said, begin + "-c a.cpp\n");
  for (auto const* const typed : {"c++ --machine smal a.cpp", "c++ a.cpp --machine",
                                  "c++ --machine=small --shared a.cpp", "c++ --machine none.toml a.cpp"})
    EXPECT_EQ(tess(typed).code, 2) << typed;
  EXPECT_NE(tess("c++ --machine smal a.cpp").error.find("tess machines"), std::string::npos);
}

TEST_F(tess_command, refuses_options_of_a_machine_without_one) {
  write_script("guest", "exit 7");
  outcome const run = tess("run --allow-write . libexec/tessera/guest");
  EXPECT_EQ(run.code, 2);
  EXPECT_NE(run.error.find("--machine"), std::string::npos) << run.error;
  EXPECT_EQ(tess("run --machine single-tile guest").code, 2) << "the program of this name is the host's";
}

TEST_F(tess_command, passes_arguments_to_the_program_and_options_to_the_runtime) {
  write_script("show", R"(printf '<%s>' "$@"; echo " $TESS_PLACES $TESS_FABRIC $TESS_SEED")");
  outcome const run = tess("run --fabric checked show 'a b' --flag -n 4 '' --seed=7 -- -n 5");
  EXPECT_EQ(run.said, "<a b><--flag><><-n><5> 4 checked 7\n");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.code, 0);
}

TEST_F(tess_command, ends_as_the_program_ends) {
  write_script("fail", "exit 7");
  EXPECT_EQ(tess("run fail").code, 7);
}

TEST_F(tess_command, names_the_bundled_programs_when_it_does_not_know_one) {
  write_script("gups", "");
  outcome const run = tess("run gpus -n 2");
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(run.error.substr(0, run.error.find("\nyour own")),
            "tess: run: unknown program gpus, did you mean gups?\nbundled programs: gups");
}

TEST_F(tess_command, refuses_invalid_values_and_names_valid_ones) {
  for (auto const* const typed :
       {"-n 0", "-n 65536", "-n x", "--pin all", "--numa far", "--workers 0", "--workers hart", "--threads -1",
        "--fabric smq", "--seed -1", "--stats missing/file", "--trace bin", "--stall-timeout soon",
        "--stall-timeout -1", "--hosts=-x", "--hosts a,,b", "--failure-timeout 0"}) {
    outcome const run = tess(std::string{"run "} + typed + " true");
    EXPECT_EQ(run.code, 2) << typed;
    EXPECT_NE(run.error.find(';'), std::string::npos) << typed << ": " << run.error;
  }
}

TEST_F(tess_command, refuses_hosts_without_the_fabric_that_reaches_them) {
  write_script("show", "echo started");
  for (auto const* const typed : {"--hosts a,b", "--launcher mpirun", "--fabric smp --hosts a,b"}) {
    outcome const run = tess(std::string{"run "} + typed + " -n 2 show");
    EXPECT_EQ(run.code, 2) << typed;
    EXPECT_NE(run.error.find(" is an option of the fabric ucx; give --fabric ucx, too"), std::string::npos)
        << run.error;
    EXPECT_EQ(run.said, "");
  }
}

TEST_F(tess_command, names_the_package_of_a_launcher_of_several_hosts_when_there_is_none) {
  write_script("show", "echo started");
  outcome const run = tess("run --fabric ucx --hosts a,b -n 2 show", "PATH=/nonexistent ");
  EXPECT_EQ(run.code, 2);
  EXPECT_NE(run.error.find("openmpi-bin"), std::string::npos) << run.error;
  EXPECT_EQ(run.said, "");
}

TEST_F(tess_command, does_not_hand_a_file_of_no_known_kind_to_a_shell) {
  std::ofstream{root_ / "odd"} << "echo started\n";
  fs::permissions(root_ / "odd", fs::perms::owner_all);
  outcome const run = tess("run ./odd");
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(run.said, "");
}

TEST_F(tess_command, continues_after_a_failed_benchmark) {
  write_script("bench/bad", "exit 3");
  write_script("bench/good", R"(echo '[{"bench": "good", "case": "x", "places": 2, "value": 1, "unit": "s"}]' >"$2")");
  outcome const run = tess("bench --json all.json");
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.error.find("failed: bad"), std::string::npos) << run.error;
  EXPECT_NE(run.said.find("good"), std::string::npos) << run.said;
  EXPECT_EQ(nlohmann::json::parse(text_of(root_ / "all.json")).size(), 1U);
  EXPECT_EQ(tess("bench good --runs 2").code, 0);
  EXPECT_EQ(tess("bench --list").said, "bad\ngood\n");
  EXPECT_EQ(tess("bench goood").code, 2);
}

TEST_F(tess_command, prints_a_compiler_command_that_finds_this_tree) {
  fs::create_directories(root_ / "share/tessera");
  std::ofstream{root_ / "share/tessera/build.json"}
      << R"({"compile": ["-I${prefix}/include"], "link": ["${prefix}/lib/libtessera.a"],
             "compile_shared": ["-fPIC"], "link_shared": ["-shared"]})";
  std::string const prefix = root_.string();
  EXPECT_EQ(tess("c++ --print 'a b.cpp' -O1").said,
            "clang++-19 -std=c++23 -O3 -I" + prefix + "/include 'a b.cpp' -O1 " + prefix + "/lib/libtessera.a\n");
  EXPECT_EQ(tess("c++ --print -c a.cpp").said, "clang++-19 -std=c++23 -O3 -I" + prefix + "/include -c a.cpp\n");
  EXPECT_EQ(
      tess("c++ --print --shared a.cpp -o out/liba.so").said,
      "clang++-19 -std=c++23 -O3 -I" + prefix + "/include -fPIC -shared -Wl,-soname,liba.so a.cpp -o out/liba.so\n");
  EXPECT_EQ(tess("c++ --print --shared -c a.cpp").said,
            "clang++-19 -std=c++23 -O3 -I" + prefix + "/include -fPIC -c a.cpp\n");
  outcome const unmarked = tess("c++ -shared a.cpp -o liba.so");
  EXPECT_EQ(unmarked.code, 2);
  EXPECT_NE(unmarked.error.find("tess c++ --shared"), std::string::npos) << unmarked.error;
}

TEST_F(tess_command, ends_with_2_on_wrong_use) {
  for (auto const* const typed : {"", "rnu", "run", "run --place 2 x", "bench --runs 0", "doctor now", "--what"}) {
    outcome const run = tess(typed);
    EXPECT_EQ(run.code, 2) << typed;
    EXPECT_NE(run.error, "") << typed;
  }
  for (auto const* const typed :
       {"--help", "--version", "run --help", "bench --help", "doctor --help", "c++ --help", "machines --help"}) {
    outcome const run = tess(typed);
    EXPECT_EQ(run.code, 0) << typed;
    EXPECT_NE(run.said, "") << typed;
  }
}

}  // namespace
}  // namespace tess::cli
