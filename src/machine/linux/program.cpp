// program: loading and the initial stack; system_calls.cpp has the system calls.
#include "machine/linux/program.hpp"

#include <elf.h>

#include <utility>

namespace tess::machine {

program::program(user_memory& memory, std::uint64_t size_bytes, machine_host& host, elf_image const& image,
                 program_options options)
    : memory_(memory),
      memory_bytes_(options.memory_bytes == 0 ? size_bytes : options.memory_bytes),
      stack_bytes_(options.stack_bytes),
      moved_(layout_of(options.layout, memory_bytes_)),
      host_(host),
      image_(image),
      arguments_(std::move(options.arguments)),
      environment_(std::move(options.environment)),
      space_(memory, image.end, size_bytes, memory_bytes_, options.stack_bytes, moved_),
      threads_(memory, host, options.slice_cycles),
      clock_(memory, host, threads_, options.seed + options.layout),
      signals_(memory, host, threads_, size_bytes),
      timers_(memory, host, threads_, signals_),
      own_(image, options.path, options.shown_path.empty() ? options.path : options.shown_path, arguments_,
           environment_, space_, threads_, host, memory_bytes_),
      files_(memory, std::move(options.files), own_, host) {
  // Rights are per page: a page shared by two segments has the rights of both.
  for (auto const& segment : image.segments)
    memory_.set_rights(page_down(segment.address), page_up(segment.address + segment.memory_bytes), segment.rights);
  for (std::size_t k = 1; k < image.segments.size(); ++k) {
    auto const& before = image.segments[k - 1];
    std::uint64_t const page = page_down(image.segments[k].address);
    if (page < page_up(before.address + before.memory_bytes))
      memory_.set_rights(page, page + user_page_bytes, before.rights | image.segments[k].rights);
  }
  for (auto const& segment : image.segments) memory_.place(segment.address, segment.contents);
  if (image.executes_stack)
    space_.protect(space_.stack_top() - stack_bytes_, stack_bytes_, right_read | right_write | right_execute);
  host_.code_changed();
}

void program::take_over(program& from, std::function<hart*(std::uint32_t)> const& hart_of) {
  space_.take_over(from.space_);
  threads_.take_over(from.threads_, hart_of);
  clock_.take_over(from.clock_);
  signals_.take_over(from.signals_);
  timers_.take_over(from.timers_);
  files_.take_over(std::move(from.files_));
  unknown_ = from.unknown_;
  exit_code_ = from.exit_code_;
  signal_ = from.signal_;
}

std::uint64_t program::push(std::uint64_t& top, std::span<std::byte const> bytes) {
  top -= bytes.size();
  memory_.place(top, bytes);
  return top;
}

void program::start(hart& h) {
  std::uint64_t top = space_.stack_top();
  auto const push_text = [&](std::string const& text) {
    return push(top, std::as_bytes(std::span{text.c_str(), text.size() + 1}));
  };
  std::vector<std::uint64_t> arguments;
  std::vector<std::uint64_t> environment;
  for (auto const& text : environment_) environment.push_back(push_text(text));
  for (auto const& text : arguments_) arguments.push_back(push_text(text));
  std::uint64_t const file_name = push_text(arguments_.empty() ? std::string{} : arguments_.front());
  std::array<std::uint64_t, 2> const chance{clock_.random(), clock_.random()};
  std::uint64_t const random = push(top, std::as_bytes(std::span{chance}));

  constexpr std::uint64_t imafdc = 1U << 8U | 1U << 12U | 1U << 0U | 1U << 5U | 1U << 3U | 1U << 2U;
  std::vector<std::uint64_t> words{arguments.size()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  words.push_back(0);
  words.insert(words.end(), environment.begin(), environment.end());
  words.push_back(0);
  std::array const auxiliary{
      std::pair{AT_PHDR, image_.headers_address},
      std::pair{AT_PHENT, std::uint64_t{image_.header_bytes}},
      std::pair{AT_PHNUM, std::uint64_t{image_.headers_count}},
      std::pair{AT_PAGESZ, user_page_bytes},
      std::pair{AT_ENTRY, image_.entry},
      std::pair{AT_UID, std::uint64_t{1000}},
      std::pair{AT_EUID, std::uint64_t{1000}},
      std::pair{AT_GID, std::uint64_t{1000}},
      std::pair{AT_EGID, std::uint64_t{1000}},
      std::pair{AT_SECURE, std::uint64_t{0}},
      std::pair{AT_HWCAP, imafdc},
      std::pair{AT_CLKTCK, std::uint64_t{100}},
      std::pair{AT_RANDOM, random},
      std::pair{AT_EXECFN, file_name},
      std::pair{AT_NULL, std::uint64_t{0}},
  };
  for (auto const& [type, value] : auxiliary) {
    words.push_back(static_cast<std::uint64_t>(type));
    words.push_back(value);
  }
  // Otherwise where the program's file is, and what its words and variables are called, would move the stack, and with
  // it the lines of caches: up to 2 % of a run's time. Small stacks have no page to spare.
  constexpr std::uint64_t stack_alignment = 16;
  std::uint64_t const unit = stack_bytes_ >= 16 * user_page_bytes ? user_page_bytes : stack_alignment;
  top = (top - words.size() * sizeof(words[0])) / unit * unit - moved_.stack;
  memory_.place(top, std::as_bytes(std::span{words}));

  h.x = {};
  h.e = {};
  h.tickets = {};
  h.x[2] = top;
  h.f = {};
  h.fp = {};
  h.reserved = {};
  h.jump(image_.entry);
  threads_.start_main(h);
  host_.start(h);
}

}  // namespace tess::machine
