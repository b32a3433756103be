// backtrace_test: reports name the callers in order, and damaged tables do no harm.
// Method: a program that traps in known functions; then its call frame information with random damage.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "child.hpp"
#include "machine/linux/unwind.hpp"

namespace tess::machine {
namespace {

outcome trap(std::string const& how) {
  return work_folder{}.run(TESS_MACHINE " --quiet -- '" TESS_MACHINE_PROGRAMS "/calls' " + how);
}

// The functions that a report names, one after the other.
std::string functions_of(std::string const& report) {
  std::istringstream lines{report};
  std::string names;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  #")) continue;
    std::string const symbol = line.substr(line.find(' ', 6) + 1);
    names += symbol.substr(0, symbol.find('+')) + ' ';
  }
  return names;
}

TEST(backtrace, names_the_callers_in_their_order) {
  outcome const done = trap("null");
  EXPECT_EQ(done.code, 1);
  EXPECT_TRUE(functions_of(done.error).starts_with("inner ")) << done.error;
  std::size_t at = 0;
  for (char const* name : {"middle", "outer", "main+", "__libc_start", "_start"}) {
    at = done.error.find(name, at + 1);
    EXPECT_NE(at, std::string::npos) << name << " is missing or in the wrong place:\n" << done.error;
  }
}

TEST(backtrace, of_abort_leads_to_its_caller) {
  outcome const done = trap("abort");
  EXPECT_EQ(done.code, 134);
  EXPECT_NE(done.error.find("signal 6 (SIGABRT)"), std::string::npos) << done.error;
  EXPECT_LT(done.error.find("abort"), done.error.find("inner"));
  EXPECT_LT(done.error.find("inner"), done.error.find("main+"));
}

// Memory reads return random words as well.
class random_memory final : public user_memory {
 public:
  explicit random_memory(std::uint64_t seed) : random_(seed) {}
  bool read(std::uint64_t, std::span<std::byte> into) override {
    for (auto& b : into) b = static_cast<std::byte>(random_());
    return random_() % 8 != 0;
  }
  bool write(std::uint64_t, std::span<std::byte const>) override { return false; }
  void place(std::uint64_t, std::span<std::byte const>) override {}
  void set_rights(std::uint64_t, std::uint64_t, std::uint8_t) override {}
  [[nodiscard]] bool allows(std::uint64_t, std::uint8_t) const override { return false; }
  void clear(std::uint64_t, std::uint64_t) override {}

 private:
  std::mt19937_64 random_;
};

TEST(backtrace, survives_damaged_tables) {
  std::string const text = text_of(TESS_MACHINE_PROGRAMS "/calls");
  std::vector<std::byte> file(text.size());
  std::memcpy(file.data(), text.data(), text.size());
  elf_image image = read_elf(file, "calls", std::uint64_t{1} << 30U);
  ASSERT_NE(image.eh_frame_bytes, 0U);
  ASSERT_GT(image.functions.size(), 100U);
  // A short table makes it likely that damaged bytes are read.
  image.eh_frame_bytes = std::min<std::uint64_t>(image.eh_frame_bytes, 2000);
  auto const& holder = *std::ranges::find_if(image.segments, [&](elf_segment const& s) {
    return image.eh_frame_address >= s.address && image.eh_frame_address - s.address < s.contents.size();
  });
  auto const offset =
      static_cast<std::size_t>(holder.contents.data() - file.data()) + (image.eh_frame_address - holder.address);
  std::mt19937_64 random{9};
  random_memory memory{1};
  auto const walk = [&](std::uint64_t pc) {
    call_frame frame{pc, {}};
    for (auto& x : frame.x) x = random();
    frame.x[2] %= 1U << 20U;
    return caller_of(frame, random() % 2 == 0, image, memory).has_value();
  };
  std::vector<std::uint64_t> covered;
  for (auto const& function : image.functions)
    for (int tries = 0; tries < 4; ++tries)
      if (walk(function.address + 8)) covered.push_back(function.address + 8);
  ASSERT_GT(covered.size(), 10U);
  int found = 0;
  for (int k = 0; k < 20'000; ++k) {
    std::byte& damaged = file[offset + random() % image.eh_frame_bytes];
    std::byte const whole = damaged;
    damaged ^= static_cast<std::byte>(1U << random() % 8);
    found += walk(covered[random() % covered.size()]);
    if (k % 16 != 0) damaged = whole;
  }
  EXPECT_GT(found, 0) << "nothing of the table was used";
}

}  // namespace
}  // namespace tess::machine
