// user_memory: a program's memory as accessed by system calls: bytes in and out, rights of pages.
//
//   A machine without time accesses its flat memory; one with time goes through the calling hart's caches
//   (docs/internals/machine.md, 1).
//
// Errors    read and write: false if any byte is not mapped, or lacks the right; then nothing was copied.
// Threads   none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tess::machine {

class user_memory {
 public:
  virtual ~user_memory() = default;
  virtual bool read(std::uint64_t address, std::span<std::byte> into) = 0;
  virtual bool write(std::uint64_t address, std::span<std::byte const> from) = 0;
  // Ignores the program's rights: for the loader.
  virtual void place(std::uint64_t address, std::span<std::byte const> from) = 0;

  // For whole pages within the memory. Rights 0: not mapped. Code in pages that become executable, or cease to be, is
  // forgotten.
  virtual void set_rights(std::uint64_t begin, std::uint64_t end, std::uint8_t rights) = 0;
  // Sets the bytes to zero.
  virtual void clear(std::uint64_t begin, std::uint64_t end) = 0;
  // May the byte be accessed so? One access_right.
  [[nodiscard]] virtual bool allows(std::uint64_t address, std::uint8_t right) const = 0;

  template <class T>
  bool get(std::uint64_t address, T& value) {
    return read(address, std::as_writable_bytes(std::span{&value, 1}));
  }
  template <class T>
  bool put(std::uint64_t address, T const& value) {
    return write(address, std::as_bytes(std::span{&value, 1}));
  }
};

/// The text at an address, up to its end, or to where it may not be read, or to `most` characters; "?": there is none.
[[nodiscard]] inline std::string text_in(user_memory& memory, std::uint64_t address, std::size_t most) {
  std::string text;
  for (char letter = 0; text.size() < most && memory.get(address + text.size(), letter) && letter != 0;) text += letter;
  return text.empty() ? "?" : text;
}

inline constexpr std::uint64_t user_page_bytes = 4096;
constexpr std::uint64_t page_down(std::uint64_t address) {
  return address / user_page_bytes * user_page_bytes;
}
constexpr std::uint64_t page_up(std::uint64_t address) {
  return page_down(address + user_page_bytes - 1);
}

}  // namespace tess::machine
