// translator: finds out what the slots of a block are, and puts its code into memory.
#include "machine/translate/translator.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "machine/flat/flat_memory.hpp"
#include "machine/flat/warming_memory.hpp"
#include "machine/hart/handlers.hpp"
#include "machine/isa/decode.hpp"
#include "machine/translate/assembler.hpp"
#include "machine/translate/code_memory.hpp"
#include "machine/translate/translation.hpp"

namespace tess::machine {

#if defined(__x86_64__)
namespace {

constexpr std::size_t memory_bytes = std::size_t{32} << 20U;
// More than any block needs.
constexpr std::size_t block_bytes_max = std::size_t{32} << 10U;

class translator final : public block_translator {
 public:
  translator(handler* const* handlers, std::optional<followed_lines> const& followed)
      : followed_(followed), memory_(memory_bytes), buffer_(block_bytes_max) {
    for (std::size_t k = 0; k < operations; ++k) kinds_of_.try_emplace(handlers[k], static_cast<operation>(k));
    // What reads the bytes before a function, as a sanitizer does, finds some.
    static_cast<void>(memory_.add(std::span(buffer_).first(sizeof(std::uint64_t))));
    expire_ = add_jump(followed ? &flow<warming_memory>::expire : &flow<flat_memory>::expire);
    go_to_pc_ = add_jump(followed ? &flow<warming_memory>::go_to_pc : &flow<flat_memory>::go_to_pc);
    memory_.keep();
  }

  [[nodiscard]] bool is_usable() const noexcept { return expire_ != nullptr && go_to_pc_ != nullptr; }

  bool translate(inst* first, jump_entry const* jumps) override {
    kinds_.clear();
    do kinds_.push_back(kinds_of_.at(first[kinds_.size()].run));
    while (!ends_block(kinds_.back()));
    code_surroundings const around{.begin = memory_.next(),
                                   .expire = expire_,
                                   .go_to_pc = go_to_pc_,
                                   .jumps = jumps,
                                   .followed = followed_ ? &*followed_ : nullptr};
    auto const made = translation{buffer_, first, kinds_, around}.make();
    if (!made) return false;
    std::byte const* const code = memory_.add(std::span(buffer_).first(made->bytes));
    if (code == nullptr) return false;
    for (block_entry_point const& one : made->entries)
      first[one.slot].run = reinterpret_cast<handler*>(reinterpret_cast<std::uintptr_t>(code + one.offset));  // NOLINT
    return true;
  }
  void forget() noexcept override { memory_.clear(); }
  [[nodiscard]] bool is_full() const noexcept override { return memory_.left() < block_bytes_max; }

 private:
  // A near place to jump to a handler from.
  std::byte const* add_jump(handler* to) {
    assembler code{buffer_};
    code.move(host_register::rax, reinterpret_cast<std::uintptr_t>(to));  // NOLINT
    code.jump_to(host_register::rax);
    return memory_.add(std::span(buffer_).first(code.here()));
  }

  std::optional<followed_lines> followed_;
  code_memory memory_;
  std::vector<std::byte> buffer_;
  std::byte const* expire_ = nullptr;
  std::byte const* go_to_pc_ = nullptr;
  std::unordered_map<handler*, operation> kinds_of_;
  std::vector<operation> kinds_;  // of the block
};

}  // namespace

std::unique_ptr<block_translator> make_translator(handler* const* handlers,
                                                  std::optional<followed_lines> const& followed) {
  auto made = std::make_unique<translator>(handlers, followed);
  if (!made->is_usable()) return nullptr;
  return made;
}

#else

std::unique_ptr<block_translator> make_translator(handler* const*, std::optional<followed_lines> const&) {
  return nullptr;
}

#endif

}  // namespace tess::machine
