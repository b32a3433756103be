// programs_test: whole C and C++ programs have the output and exit codes that they have under qemu-riscv64.
// Method: each is cross-compiled statically and run by both; where both must fail, only our messages are compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "child.hpp"

namespace tess::machine {
namespace {

namespace fs = std::filesystem;

std::string const programs = TESS_MACHINE_PROGRAMS;
std::string const machine = TESS_MACHINE " --quiet ";

class whole_programs : public testing::Test {
 protected:
  void expect_equal(std::string const& name, std::string const& arguments = "", std::string const& options = "",
                    std::string const& input = "/dev/null") const {
    outcome const reference = folder_.run("qemu-riscv64 '" + programs + "/" + name + "' " + arguments + " <" + input);
    outcome const ours =
        folder_.run(machine + options + " -- '" + programs + "/" + name + "' " + arguments + " <" + input);
    EXPECT_EQ(ours.output, reference.output) << name;
    EXPECT_EQ(ours.code, reference.code) << name;
    EXPECT_EQ(ours.error, reference.error) << name;
    EXPECT_FALSE(reference.output.empty()) << name;
  }

  work_folder folder_;
};

TEST_F(whole_programs, of_integers_end_as_under_qemu) {
  for (char const* name : {"sort", "hash", "integers", "containers", "regex"}) expect_equal(name);
}
TEST_F(whole_programs, of_numbers_end_as_under_qemu) {
  for (char const* name : {"float_kernels", "matmul"}) expect_equal(name);
}
TEST_F(whole_programs, in_c_get_their_words) {
  expect_equal("plain", "'a word'");
}
TEST_F(whole_programs, throw_and_catch) {
  expect_equal("exceptions");
}
TEST_F(whole_programs, read_and_write_streams) {
  expect_equal("streams", "", "", programs + "/streams");
}
TEST_F(whole_programs, have_threads) {
  expect_equal("threads");
}
TEST_F(whole_programs, suspend_coroutines) {
  expect_equal("coroutines");
}
TEST_F(whole_programs, map_memory) {
  expect_equal("memory");
}

TEST_F(whole_programs, read_files_and_folders) {
  fs::path const root = folder_.path() / "root";
  fs::create_directories(root / "folder/inner");
  std::ofstream{root / "text"} << "one two\nthree\n\nfour";
  std::ofstream{root / "folder/inner/x"} << 1;
  fs::create_symlink("text", root / "link");
  expect_equal("files", "root");
  expect_equal("files", "'" + root.string() + "'", "--allow-read '" + root.string() + "'");
}

TEST_F(whole_programs, write_below_the_allowed_folder) {
  fs::create_directories(folder_.path() / "root");
  expect_equal("writing", "root", "--allow-write root");
}

TEST_F(whole_programs, make_folders_and_links_below_each_other) {
  // The two must begin alike, and each makes its own.
  for (char const* name : {"first", "second"}) fs::create_directories(folder_.path() / name / "root");
  outcome const reference = folder_.run("cd first && qemu-riscv64 '" + programs + "/folders' root");
  outcome const ours = folder_.run("cd second && " + machine + "--allow-write root -- '" + programs + "/folders' root");
  EXPECT_EQ(ours.output, reference.output) << ours.error;
  EXPECT_EQ(text_of(folder_.path() / "second/root/one/two/file"), "some text\n");
  EXPECT_TRUE(fs::is_directory(folder_.path() / "second/root/a/b/c"));
  EXPECT_TRUE(fs::is_directory(folder_.path() / "second/root/one/two/three"));
}

TEST_F(whole_programs, lock_files) {
  fs::create_directories(folder_.path() / "root");
  expect_equal("locking", "root/file", "--allow-write root");
}

TEST_F(whole_programs, share_pages_with_files) {
  std::array<std::string, 3> const runs{machine + "--timing off", machine + "--machine nemesys-2x2",
                                        machine + "--machine sifive-u74-mmu"};
  outcome const reference = folder_.run("qemu-riscv64 '" + programs + "/shared_file' reference");
  std::string const contents = text_of(folder_.path() / "reference");
  EXPECT_EQ(contents.size(), 6U * 4096);
  EXPECT_EQ(contents.substr(4 * 4096, 11), "stored last");
  for (std::string const& run : runs) {
    fs::create_directories(folder_.path() / "root");
    outcome const ours = folder_.run(run + " --allow-write root -- '" + programs + "/shared_file' root/file");
    EXPECT_EQ(ours.output, reference.output) << run << ours.error;
    EXPECT_EQ(ours.error, "") << run;
    EXPECT_TRUE(text_of(folder_.path() / "root/file") == contents) << run;
  }
}

TEST_F(whole_programs, leave_what_they_stored_to_a_file_when_they_are_stopped) {
  fs::create_directories(folder_.path() / "root");
  for (std::string const where : {"--timing off", "--machine nemesys-2x2"}) {
    for (std::string const way : {"loop --max-instructions 2000000", "trap", "alias"}) {
      std::string const options = way.substr(std::min(way.find(' '), way.size()));
      outcome const ours = folder_.run(machine + where + options + " --allow-write root -- '" + programs +
                                       "/shared_end' " + way.substr(0, way.find(' ')) + " root/file");
      EXPECT_EQ(text_of(folder_.path() / "root/file").substr(0, 6), way.substr(0, 4) + "ed") << way << ours.error;
      EXPECT_EQ(ours.code, way == "alias" ? 0 : 1) << way << ours.error;
      bool const named = ours.error.find("bytes of a file at two addresses") != std::string::npos;
      EXPECT_EQ(named, way == "alias") << ours.error;
    }
  }
}

TEST_F(whole_programs, let_in_signals_while_they_wait) {
  outcome reference = folder_.run("qemu-riscv64 '" + programs + "/masks'");
  // qemu delivers what was kept out one call later than Linux.
  for (auto const& [late, usual] :
       {std::pair{"came 3, blocked 0", "came 4, blocked 0"}, std::pair{"came 9, blocked 0", "came 10, blocked 0"},
        std::pair{"came 14, blocked 0", "came 15, blocked 0"}})
    if (auto const at = reference.output.find(late); at != std::string::npos)
      reference.output.replace(at, std::string_view(late).size(), usual);
  EXPECT_NE(reference.output.find("at last: 0, came 17"), std::string::npos);
  for (char const* where : {"--timing off", "--timing off --harts 1", "--machine nemesys-2x2"})
    EXPECT_EQ(folder_.run("timeout 60 " + machine + where + " -- '" + programs + "/masks'").output, reference.output)
        << where;
}

TEST_F(whole_programs, have_threads_with_small_stacks) {
  for (std::string const where : {"--timing off", "--machine nemesys-2x2"}) {
    expect_equal("small_stacks", "", where);
    outcome const full = folder_.run(machine + where + " -- '" + programs + "/small_stacks' full");
    EXPECT_EQ(full.code, 1) << where;
    EXPECT_NE(full.error.find("the stack of thread 1"), std::string::npos) << full.error;
    EXPECT_NE(full.error.find("16384 bytes"), std::string::npos) << full.error;
  }
}

TEST_F(whole_programs, handle_signals) {
  outcome reference = folder_.run("qemu-riscv64 '" + programs + "/signals'");
  // qemu runs the handler that its own one blocks; Linux does not.
  std::size_t const nested = reference.output.find("nested: 0");
  if (nested != std::string::npos) reference.output.replace(nested, 9, "nested: 1");
  EXPECT_NE(reference.output.find("for ever: 1"), std::string::npos);
  for (char const* where : {"--timing off", "--machine nemesys-2x2", "--machine mppa-256"}) {
    outcome const ours = folder_.run("timeout 60 " + machine + where + " -- '" + programs + "/signals'");
    EXPECT_EQ(ours.output, reference.output) << where << ours.error;
    EXPECT_EQ(ours.code, 138) << where;
    EXPECT_NE(ours.error.find("ended itself by signal 10"), std::string::npos) << where << ours.error;
  }
}

TEST_F(whole_programs, cancel_threads) {
  for (char const* where : {"--timing off", "--timing off --harts 1", "--machine nemesys-2x2"})
    expect_equal("cancelling", "", where);
}

TEST_F(whole_programs, wait_for_signals_and_give_them_values) {
  for (char const* where : {"--timing off", "--timing off --harts 1", "--machine nemesys-2x2"})
    expect_equal("queued_signals", "", where);
}

// qemu has no robust mutexes.
TEST_F(whole_programs, learn_that_the_owner_of_a_mutex_is_dead) {
  std::string const expected =
      "list: 0, 24 bytes\nits owner is dead: 1\nagain: 0\nwhile it waits: 1\nnot repaired: 1, then 1\nof several: 1 1 "
      "1\n";
  for (char const* where : {"--timing off", "--timing off --harts 1", "--machine nemesys-2x2"}) {
    outcome const ours = folder_.run("timeout 60 " + machine + where + " -- '" + programs + "/robust_mutexes'");
    EXPECT_EQ(ours.output, expected) << where << ours.error;
    EXPECT_EQ(ours.code, 0) << where;
  }
}

TEST_F(whole_programs, are_told_how_to_have_named_semaphores) {
  for (char const* name : {"/dev/shm/sem.mine", "/dev/tty"}) {
    outcome const ours = folder_.run(machine + "-- '" + programs + "/named_semaphore' " + name);
    EXPECT_EQ(ours.output, "refused: 1\n") << name;
    bool const told = ours.error.find("wanted to write /dev/shm/sem.mine; files are read-only") != std::string::npos;
    EXPECT_EQ(told, name == std::string_view("/dev/shm/sem.mine")) << ours.error;
  }
}

TEST_F(whole_programs, execute_code_on_a_stack_that_may_be_executed) {
  for (char const* where : {"--timing off", "--machine nemesys-2x2", "--machine sifive-u74-mmu"})
    expect_equal("stack_code", "", where);
}

TEST_F(whole_programs, have_timers_that_send_signals) {
  for (char const* where : {"--timing off", "--timing off --harts 1", "--machine nemesys-2x2"})
    expect_equal("timers", "", where);
}

TEST_F(whole_programs, talk_by_pipes_and_wait_for_several) {
  for (char const* where : {"--timing off", "--machine nemesys-2x2"}) expect_equal("pipes", "", where);
}

TEST_F(whole_programs, have_more_threads_than_harts) {
  for (char const* where : {"--timing off", "--timing off --harts 1", "--machine mppa-256"})
    expect_equal("crowd", "23", where);
  // The stacks of more would not fit into the memory of a tile.
  for (char const* where : {"--machine nemesys-2x2", "--machine nemesys-2x2 --slice 5000"})
    expect_equal("crowd", "9", where);
  std::string const line =
      TESS_MACHINE " --machine nemesys-2x2 -- '" + programs + "/crowd' 9 2>&1 | grep 'machine: simulated time'";
  std::string const first = folder_.run(line).output;
  EXPECT_NE(first.find("cycles"), std::string::npos);
  EXPECT_EQ(folder_.run(line).output, first);
}

TEST_F(whole_programs, find_themselves_in_proc) {
  expect_equal("own_files", "one 'two words'");
}

TEST_F(whole_programs, get_the_variables_that_are_given) {
  EXPECT_EQ(folder_
                .run("ONE=host " + machine + "--env ONE=1 --env 'TWO=a = b' --env ONE=2 -- '" + programs +
                     "/variables' ONE TWO THREE PATH")
                .output,
            "2\na = b\nnone\nnone\n");
  for (char const* wrong : {"ONE", "=1", "''"})
    EXPECT_EQ(folder_.run(machine + "--env " + wrong + " -- '" + programs + "/variables'").code, 2) << wrong;
}

TEST_F(whole_programs, begin_elsewhere_in_each_layout_and_compute_the_same) {
  auto const of = [&](int number, std::string const& where) {
    return folder_.run(machine + where + " --layout " + std::to_string(number) + " -- '" + programs + "/layouts'")
        .output;
  };
  for (std::string const where :
       {"--timing off", "--machine nemesys-2x2 --timing on", "--machine mppa-256 --timing on"}) {
    std::set<std::string> stacks, heaps, mappings;
    std::string sum;
    for (int number = 0; number < 6; ++number) {
      std::istringstream words{of(number, where)};
      std::string stack, heap, mapping, computed;
      ASSERT_TRUE(words >> stack >> heap >> mapping >> computed) << where << ", layout " << number;
      EXPECT_TRUE(sum.empty() || sum == computed) << where << ", layout " << number;
      sum = computed;
      stacks.insert(stack), heaps.insert(heap), mappings.insert(mapping);
    }
    EXPECT_EQ(stacks.size(), 6U) << where;
    EXPECT_EQ(heaps.size(), 6U) << where;
    EXPECT_GE(mappings.size(), 3U) << where;  // by whole pages: some may agree
    EXPECT_EQ(of(3, where), of(3, where)) << where;
    EXPECT_EQ(of(0, where), folder_.run(machine + where + " -- '" + programs + "/layouts'").output) << where;
  }
}

std::uint64_t cycles_of(outcome const& run) {
  std::smatch found;
  std::string digits;
  if (std::regex_search(run.error, found, std::regex("([0-9 ]+) cycles"))) digits = found[1].str();
  std::erase(digits, ' ');
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

// The names themselves are read at the start, which takes some cycles; the stack stays where it is.
TEST_F(whole_programs, take_the_same_time_wherever_their_file_is_and_whatever_the_variables_are) {
  std::string const far = (folder_.path() / std::string(100, 'f')).string();
  std::string const at = TESS_MACHINE " --machine nemesys-2x2 ";
  outcome const usual = folder_.run(at + "-- '" + programs + "/matmul'");
  outcome const moved = folder_.run("mkdir " + far + " && cp '" + programs + "/matmul' " + far + " && " + at +
                                    "--env A=1 --env LONGER=" + std::string(500, 'x') + " -- " + far + "/matmul");
  ASSERT_EQ(usual.code, 0) << usual.error;
  ASSERT_EQ(moved.code, 0) << moved.error;
  std::uint64_t const cycles = cycles_of(usual);
  EXPECT_GT(cycles, 100'000U) << usual.error;
  EXPECT_NEAR(static_cast<double>(cycles_of(moved)) / static_cast<double>(cycles), 1, 0.001);
  // Where ./tess is, and how it builds, is nothing to the program.
  EXPECT_EQ(cycles_of(folder_.run("TESS_COMMAND=/a/tess TESS_PYTHON=/a/python TESS_JOBS=1 " + at + "-- '" + programs +
                                  "/matmul'")),
            cycles);
}

TEST_F(whole_programs, run_alike_each_time) {
  std::string const line = TESS_MACHINE " -- '" + programs + "/threads' 2>&1 | grep 'machine: instructions'";
  std::string const first = folder_.run(line).output;
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(folder_.run(line).output, first);
}

}  // namespace
}  // namespace tess::machine
