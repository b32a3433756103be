// trap_report: pc, symbol, address, hart and a backtrace, as lines.
#include "machine/linux/trap_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <string_view>

#include "machine/isa/disassemble.hpp"
#include "machine/linux/unwind.hpp"

namespace tess::machine {
namespace {

constexpr int frames_max = 24;
constexpr std::uint64_t stack_words_max = 4096;

bool in_code(elf_image const& image, std::uint64_t address) {
  return std::ranges::any_of(image.segments, [&](elf_segment const& s) {
    return (s.rights & right_execute) != 0 && address >= s.address && address - s.address < s.memory_bytes;
  });
}

// Is the instruction before this address a call: jal ra, jalr ra or c.jalr?
bool follows_call(user_memory& memory, elf_image const& image, std::uint64_t address) {
  if (address % 2 != 0 || address < 4 || !in_code(image, address - 4)) return false;
  std::uint32_t word = 0;
  if (!memory.get(address - 4, word)) return false;
  bool const call = (word & 0xfffU) == 0x0efU || (word & 0x7fffU) == 0x00e7U;
  auto const half = word >> 16U;
  bool const short_call = (half & 0xf07fU) == 0x9002U && (half & 0x0f80U) != 0;
  return call || short_call;
}

std::string frame(elf_image const& image, int number, std::uint64_t pc, std::string_view note) {
  return fmt::format("  #{:<2} {:#x} {}{}\n", number, pc, symbol_of(image, pc, number > 0), note);
}

// From the stack alone: its next word that is a return address. It may be a remainder of an earlier call.
std::optional<call_frame> guessed_caller(call_frame const& at, user_memory& memory, elf_image const& image) {
  for (std::uint64_t k = 0; k < stack_words_max; ++k) {
    std::uint64_t const slot = at.x[2] + 8 * k;
    std::uint64_t word = 0;
    if (!memory.get(slot, word)) break;
    if (!follows_call(memory, image, word)) continue;
    call_frame caller{word, at.x};
    caller.x[2] = slot + 8;  // where compilers put it: last in the frame
    return caller;
  }
  return {};
}

std::string backtrace(hart const& h, user_memory& memory, elf_image const& image) {
  std::string text = frame(image, 0, h.pc, "");
  call_frame at{h.pc, {}};
  std::copy_n(h.x.begin(), at.x.size(), at.x.begin());
  bool innermost = true;
  for (int frames = 1; frames < frames_max; ++frames) {
    std::string_view note;
    auto caller = caller_of(at, innermost, image, memory);
    bool const unknown = !caller && !has_frame_information(image, innermost ? at.pc : at.pc - 1);
    if (unknown && innermost && follows_call(memory, image, h.x[1])) {  // after a wild jump, or in a leaf
      caller = call_frame{h.x[1], at.x};
      note = "  (by ra)";
    } else if (unknown) {
      caller = guessed_caller(at, memory, image);
      note = "  (by the stack)";
    }
    if (!caller || !in_code(image, caller->pc)) break;
    at = *caller;
    innermost = false;
    text += frame(image, frames, at.pc, note);
  }
  return text;
}

std::string_view use_of(access_right right) {
  if (right == right_write) return "written";
  return right == right_execute ? "executed" : "read";
}

std::string extended_reason(access_request const& of) {
  std::string const what = fmt::format("address {:#x} of object {}", of.address, of.object);
  switch (of.fault) {
    case extended_fault::reserved_register:
      return "e0 to e9 cannot be named in an extended address: use e10 to e31";
    case extended_fault::no_object:
      return what + ": the look-aside buffer has no such object";
    case extended_fault::ticket:
      return fmt::format("{} is no ticket of this hart: each is taken once, by the thread that began it",
                         static_cast<std::int64_t>(of.address));
    case extended_fault::misaligned:
      return fmt::format("{}: not a multiple of {}", what, of.bytes);
    default:
      return fmt::format("{} may not be {}: its node has no such address", what, use_of(of.right));
  }
}

std::string reason(hart const& h, user_memory& memory) {
  if (h.stopped == stop::ebreak) return "a breakpoint (ebreak)";
  if (h.stopped == stop::access && h.request.fault != extended_fault::none) return extended_reason(h.request);
  if (h.stopped == stop::access) {
    std::uint32_t instruction = 0;
    constexpr std::uint32_t opcode = 0x7f;
    constexpr std::uint32_t amo = 0x2f;
    bool const atomic =
        h.request.right != right_execute && memory.get(h.pc, instruction) && (instruction & opcode) == amo;
    if (atomic && h.request.bytes != 0 && h.request.address % h.request.bytes != 0)
      return fmt::format("an atomic at address {:#x}, which is not a multiple of {}", h.request.address,
                         h.request.bytes);
    // A stack that is full is left by less than the largest frame that is usual.
    constexpr std::uint64_t frame_bytes = 1U << 17U;
    bool const beside = h.request.address - h.x[2] + frame_bytes < 2 * frame_bytes && h.request.right != right_execute;
    std::string_view const hint = h.request.address < user_page_bytes ? " (a null pointer?)"
                                  : beside                            ? " (near the stack pointer: is the stack full?)"
                                                                      : "";
    return fmt::format("address {:#x} may not be {}{}", h.request.address, use_of(h.request.right), hint);
  }
  std::uint16_t low = 0;
  std::uint32_t word = 0;
  if (memory.get(h.pc, low) && (low & 3U) != 3U) return fmt::format("illegal instruction {:#06x}", low);
  if (memory.get(h.pc, word)) return fmt::format("illegal instruction {:#010x}", word);
  return "illegal instruction";
}

// For an extended access: the instruction.
std::string instruction(hart const& h, user_memory& memory) {
  std::uint32_t word = 0;
  if (h.request.fault == extended_fault::none || h.stopped != stop::access || !memory.get(h.pc, word)) return {};
  if (h.request.begun == stop::extended_begin) return " (posted before)";
  return fmt::format(" ({})", disassemble_extended(word));
}

std::string where(hart const& h, elf_image const& image, std::uint32_t tile) {
  return fmt::format("pc {:#x} in {}, tile {}, hart {}", h.pc, symbol_of(image, h.pc), tile, h.number);
}

}  // namespace

std::string trap_report(hart const& h, user_memory& memory, elf_image const& image, std::uint32_t tile) {
  return fmt::format("machine: {}{} at {}\n{}", reason(h, memory), instruction(h, memory), where(h, image, tile),
                     backtrace(h, memory, image));
}

std::string place_report(hart const& h, elf_image const& image, std::uint32_t tile) {
  return fmt::format("  at {}\n", where(h, image, tile));
}

std::string signal_report(int signal, hart const& h, user_memory& memory, elf_image const& image, std::uint32_t tile) {
  std::string_view const name = signal == SIGABRT ? " (SIGABRT)" : "";
  return fmt::format("machine: the program ended itself by signal {}{} at {}\n{}", signal, name, where(h, image, tile),
                     backtrace(h, memory, image));
}

}  // namespace tess::machine
