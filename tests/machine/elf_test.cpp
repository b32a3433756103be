// elf_test: a damaged executable is refused with a message or loads within bounds; no field is trusted unchecked.
// Method: every prefix of a good file, and random damage; then single fields with values that the message must name.
#include "machine/linux/elf.hpp"

#include <gtest/gtest.h>

#include <random>

#include "assembler.hpp"

namespace tess::machine {
namespace {

constexpr std::uint64_t memory_bytes = std::uint64_t{1} << 24U;

std::vector<std::byte> good() {
  code_buffer text;
  text.put(code::ecall);
  return make_executable(text.bytes(), std::vector<std::byte>(100));
}

std::string refusal(std::vector<std::byte> const& file) {
  try {
    (void)read_elf(file, "program", memory_bytes);
    return "";
  } catch (elf_error const& wrong) {
    return wrong.what();
  }
}

template <class T>
std::vector<std::byte> with(std::size_t offset, T value) {
  auto file = good();
  std::memcpy(file.data() + offset, &value, sizeof value);
  return file;
}

TEST(elf, loads_what_is_there) {
  auto const file = good();
  elf_image const image = read_elf(file, "program", memory_bytes);
  EXPECT_EQ(image.entry, code_address);
  ASSERT_EQ(image.segments.size(), 2U);
  EXPECT_EQ(image.segments[0].contents.size(), 4U);
  EXPECT_EQ(image.segments[1].rights, 3);
  EXPECT_EQ(image.end, data_address + 100);
}

TEST(elf, prefixes_are_refused) {
  auto const file = good();
  for (std::size_t bytes = 0; bytes < file.size(); ++bytes)
    EXPECT_NE(refusal({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(bytes)}), "") << bytes;
}

TEST(elf, damages_do_no_harm) {
  std::mt19937_64 random{5};
  for (int k = 0; k < 30'000; ++k) {
    auto file = good();
    for (auto damages = 1 + random() % 4; damages > 0; --damages)
      file[random() % 192] = static_cast<std::byte>(random() % 5 == 0 ? 0xff : random());
    try {
      elf_image const image = read_elf(file, "program", memory_bytes);
      for (auto const& s : image.segments) {
        ASSERT_LE(s.address + s.memory_bytes, memory_bytes);
        ASSERT_LE(s.contents.size(), s.memory_bytes);
        ASSERT_TRUE(s.contents.data() >= file.data() &&
                    s.contents.data() + s.contents.size() <= file.data() + file.size());
      }
      (void)symbol_of(image, random());
    } catch (elf_error const&) {
    }
  }
}

TEST(elf, names_the_wrong_field) {
  EXPECT_NE(refusal(with<std::uint16_t>(16, ET_DYN)).find("-static"), std::string::npos);
  EXPECT_NE(refusal(with<std::uint16_t>(18, EM_X86_64)).find("RISC-V"), std::string::npos);
  EXPECT_NE(refusal(with<std::uint16_t>(56, 0)).find("program headers"), std::string::npos);
  EXPECT_NE(refusal(with<std::uint64_t>(24, 0x123456)).find("entry"), std::string::npos);
  EXPECT_NE(refusal(with<std::uint64_t>(64 + 16, 0)).find("first address"), std::string::npos);           // p_vaddr
  EXPECT_NE(refusal(with<std::uint64_t>(64 + 40, ~std::uint64_t{0})).find("memory"), std::string::npos);  // p_memsz
  EXPECT_NE(refusal(with<std::uint64_t>(64 + 8, ~std::uint64_t{0} - 8)).find("not all in the file"), std::string::npos);
  EXPECT_NE(refusal(with<std::uint64_t>(64 + 56 + 16, code_address)).find("overlap"), std::string::npos);
  EXPECT_NE(refusal(with<std::uint32_t>(64 + 56, PT_INTERP)).find("dynamically"), std::string::npos);
}

}  // namespace
}  // namespace tess::machine
