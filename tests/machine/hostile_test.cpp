// hostile_test: a program can access neither the simulator's memory nor files outside its folder; traps name their
// place.
// Method: a program that tries; the parent of the folder that it may write to is checked afterwards.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "child.hpp"

namespace tess::machine {
namespace {

namespace fs = std::filesystem;

class hostile_program : public testing::Test {
 protected:
  hostile_program() {
    fs::create_directories(folder_.path() / "allowed");
    fs::create_directories(folder_.path() / "beyond");
    std::ofstream{folder_.path() / "kept"} << "as it was";
    fs::create_symlink("../beyond", folder_.path() / "allowed/link");
    fs::create_symlink(folder_.path() / "kept", folder_.path() / "allowed/absolute");
  }
  [[nodiscard]] outcome attack(std::string const& words = "") const {
    return folder_.run("timeout 60 " TESS_MACHINE " --quiet --allow-write allowed -- '" TESS_MACHINE_PROGRAMS
                       "/hostile' allowed " +
                       words);
  }
  work_folder folder_;
};

TEST_F(hostile_program, is_refused_everything) {
  outcome const done = attack();
  EXPECT_EQ(done.code, 0) << done.error;
  std::istringstream lines{done.output};
  int attempts = 0;
  for (std::string line; std::getline(lines, line); ++attempts) EXPECT_TRUE(line.starts_with("r ")) << line;
  EXPECT_EQ(attempts, 28);
  EXPECT_TRUE(fs::is_empty(folder_.path() / "beyond"));
  EXPECT_FALSE(fs::exists(folder_.path() / "outside"));
  EXPECT_EQ(text_of(folder_.path() / "kept"), "as it was");
}

class curious_program : public hostile_program {
 protected:
  curious_program() {
    fs::create_directories(folder_.path() / "given");
    std::ofstream{folder_.path() / "given/own"} << "mine";
    std::ofstream{folder_.path() / "beyond/secret"} << "not for programs";
    fs::create_symlink("../beyond", folder_.path() / "given/link");
    fs::create_symlink(folder_.path() / "kept", folder_.path() / "given/absolute");
    fs::create_hard_link(folder_.path() / "kept", folder_.path() / "given/hard");
    fs::create_directories(folder_.path() / "programs");
    fs::copy_file(TESS_MACHINE_PROGRAMS "/peeking", folder_.path() / "programs/peeking");
  }
  [[nodiscard]] outcome peek(std::string const& options, std::string const& secret = "") const {
    return folder_.run("cd given && timeout 60 " TESS_MACHINE " --quiet " + options + " -- ../programs/peeking " +
                       secret);
  }
  [[nodiscard]] bool reads(std::string const& file, std::string const& options) const {
    return peek(options, file).output.starts_with("-");
  }
};

TEST_F(curious_program, reads_nothing_outside_of_its_folders) {
  std::string const secret = (folder_.path() / "beyond/secret").string();
  for (outcome const& done : {peek("--allow-read .", secret), peek("--env SECRET=" + secret)}) {
    EXPECT_EQ(done.code, 0) << done.error;
    std::istringstream lines{done.output};
    int attempts = 0;
    for (std::string line; std::getline(lines, line); ++attempts) EXPECT_TRUE(line.starts_with("r ")) << line;
    EXPECT_EQ(attempts, 24);
  }
}

TEST_F(curious_program, reads_what_it_was_given) {
  EXPECT_TRUE(reads("own", ""));
  EXPECT_TRUE(reads("../programs/peeking", ""));
  EXPECT_TRUE(reads("../kept", ""));  // by its words
  EXPECT_TRUE(reads("own", "--allow-read ."));
  EXPECT_TRUE(reads("hard", "--allow-read ."));  // a name like any other
  EXPECT_FALSE(reads("../kept", "--allow-read ."));
  EXPECT_TRUE(reads("../programs/peeking", "--allow-read ../beyond"));  // its own file
  EXPECT_TRUE(reads("../beyond/secret", "--allow-read ../beyond"));
  EXPECT_TRUE(reads("../beyond/secret", "--allow-read . --allow-read ../beyond"));
  EXPECT_TRUE(reads("../beyond/secret", "--allow-read . --allow-write ../beyond"));
  EXPECT_TRUE(reads("link/secret", "--allow-read . --allow-read ../beyond"));
  EXPECT_TRUE(reads("/dev/zero", "--allow-read ."));
}

TEST_F(hostile_program, is_told_which_calls_are_missing_once_each) {
  std::string const errors = attack().error;
  std::size_t const first = errors.find("calls socket (system call 198)");
  ASSERT_NE(first, std::string::npos) << errors;
  EXPECT_EQ(errors.find("socket", first + 20), std::string::npos);
}

TEST_F(hostile_program, traps_with_pc_symbol_address_and_callers) {
  struct {
    char const* word;
    char const* text;
  } const traps[] = {{"null", "address 0x8 may not be written (a null pointer?)"},
                     {"write", "may not be written"},
                     {"jump", "address 0x7000000000 may not be executed"},
                     {"high", "address 0x7fff00000000 may not be written"},
                     {"illegal", "illegal instruction 0xffffffff"},
                     {"stack", "may not be written (near the stack pointer: is the stack full?)"},
                     {"odd", "which is not a multiple of 8"},
                     {"loads", "which is not a multiple of 4"},
                     {"data", "may not be executed"},
                     {"trap", "a breakpoint"}};
  for (auto const& [word, text] : traps) {
    outcome const done = attack(word);
    EXPECT_EQ(done.code, 1) << word;
    EXPECT_NE(done.error.find(text), std::string::npos) << word << ": " << done.error;
    EXPECT_NE(done.error.find("tile 0, hart 0"), std::string::npos) << done.error;
    EXPECT_NE(done.error.find(" main+0x"), std::string::npos) << word << ": " << done.error;
  }
}

TEST_F(hostile_program, that_handles_what_it_causes_for_ever_comes_to_its_limit) {
  // A handler that traps itself, on a stack that never ends; one that goes back to its trap; frames that are none.
  for (char const* word : {"Again", "Handler", "Frame", "Level", "Timer"}) {
    for (char const* where : {"--timing off ", "--machine nemesys-2x2 "}) {
      outcome const done = folder_.run("timeout 60 " TESS_MACHINE " --quiet --max-cycles 5000000 " +
                                       std::string(where) + " -- '" TESS_MACHINE_PROGRAMS "/hostile' . " + word);
      EXPECT_TRUE(done.code == 1 || done.code == 128 + 11 || done.code == 128 + 9) << word << where << done.code;
      EXPECT_NE(done.error.find("machine: "), std::string::npos) << word << where;
    }
  }
}

TEST_F(hostile_program, is_told_in_words_that_there_is_one_program) {
  std::string const errors = attack().error;
  EXPECT_NE(errors.find("wants to make a process (fork, vfork)"), std::string::npos) << errors;
  EXPECT_NE(errors.find("wants to become another one (exec)"), std::string::npos) << errors;
}

TEST_F(hostile_program, of_another_kind_is_refused_with_a_reason) {
  std::ofstream{folder_.path() / "text"} << "#!/bin/sh\n";
  EXPECT_EQ(folder_.run(TESS_MACHINE " -- ./text").code, 2);
  outcome const native = folder_.run(TESS_MACHINE " -- /bin/true");
  EXPECT_EQ(native.code, 2);
  EXPECT_NE(native.error.find("not for RISC-V"), std::string::npos) << native.error;
  EXPECT_EQ(folder_.run(TESS_MACHINE " -- ./absent").code, 2);
  EXPECT_EQ(folder_.run(TESS_MACHINE " -- .").code, 2);
  EXPECT_EQ(folder_.run(TESS_MACHINE).code, 2);
}

}  // namespace
}  // namespace tess::machine
