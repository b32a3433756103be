// unwind: searches .eh_frame for the entry of pc, then applies its rules up to pc.
#include "machine/linux/unwind.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace tess::machine {
namespace {

// The bytes of a table, in order; past the end everything reads as zero and ok() is false.
class table_reader {
 public:
  table_reader(std::span<std::byte const> bytes, std::uint64_t address) : bytes_(bytes), address_(address) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return position_ >= bytes_.size(); }
  [[nodiscard]] std::uint64_t address() const { return address_ + position_; }

  template <class T>
  T fixed() {
    T value{};
    if (bytes_.size() - position_ < sizeof(T)) return fail(), T{};
    std::memcpy(&value, bytes_.data() + position_, sizeof(T));
    position_ += sizeof(T);
    return value;
  }
  std::uint64_t unsigned_number() { return number().first; }
  std::int64_t signed_number() {
    auto const [value, bits] = number();
    bool const negative = bits < 64 && bits > 0 && (value >> (bits - 1) & 1U) != 0;
    return static_cast<std::int64_t>(negative ? value | ~std::uint64_t{0} << bits : value);
  }
  std::string_view text() {
    auto const* const begin = reinterpret_cast<char const*>(bytes_.data() + position_);  // NOLINT
    std::size_t const length = ::strnlen(begin, bytes_.size() - position_);
    position_ = std::min(position_ + length + 1, bytes_.size());
    return {begin, length};
  }
  table_reader part(std::uint64_t bytes) {
    if (bytes > bytes_.size() - position_) fail();
    std::size_t const count = std::min<std::uint64_t>(bytes, bytes_.size() - position_);
    table_reader const result{bytes_.subspan(position_, count), address()};
    position_ += count;
    return result;
  }
  // A pointer in one of the encodings that linkers write: absolute or relative, of 4 or 8 bytes.
  std::uint64_t pointer(std::uint8_t encoding) {
    std::uint64_t const base = (encoding & 0x70U) == 0x10U ? address() : 0;
    switch (encoding & 0x0fU) {
      case 0x00:
      case 0x04:
      case 0x0c:
        return base + fixed<std::uint64_t>();
      case 0x03:
        return base + fixed<std::uint32_t>();
      case 0x0b:
        return base + static_cast<std::uint64_t>(std::int64_t{fixed<std::int32_t>()});
      default:
        return fail(), 0;
    }
  }
  void fail() { ok_ = false; }

 private:
  // LEB128: the value and how many bits were written.
  std::pair<std::uint64_t, unsigned> number() {
    std::uint64_t value = 0;
    unsigned bits = 0;
    for (std::uint8_t next = 0x80; (next & 0x80U) != 0 && ok_; bits += 7) {
      next = fixed<std::uint8_t>();
      if (bits < 64) value |= std::uint64_t{next & 0x7fU} << bits;
    }
    return {value, bits};
  }

  std::span<std::byte const> bytes_;
  std::uint64_t address_;
  std::size_t position_ = 0;
  bool ok_ = true;
};

struct common_entry {
  std::uint64_t code_unit = 1;
  std::int64_t data_unit = 1;
  std::uint8_t pointers = 0;  // the encoding of pc
  bool has_augmentation = false;
  table_reader rules{{}, 0};
};

std::optional<common_entry> read_common(table_reader entry) {
  common_entry result;
  std::uint8_t const version = entry.fixed<std::uint8_t>();
  std::string_view const augmentation = entry.text();
  if (version != 1 && version != 3) return {};
  result.code_unit = entry.unsigned_number();
  result.data_unit = entry.signed_number();
  if (version == 1) entry.fixed<std::uint8_t>();
  if (version == 3) entry.unsigned_number();
  if (augmentation.starts_with('z')) {
    result.has_augmentation = true;
    table_reader extra = entry.part(entry.unsigned_number());
    for (char const kind : augmentation.substr(1)) {
      if (kind == 'R') result.pointers = extra.fixed<std::uint8_t>();
      if (kind == 'L') extra.fixed<std::uint8_t>();
      if (kind == 'P') extra.pointer(extra.fixed<std::uint8_t>());
    }
    if (!extra.ok()) return {};
  } else if (!augmentation.empty()) {
    return {};
  }
  if (!entry.ok()) return {};
  result.rules = entry;
  return result;
}

struct covering_entry {
  common_entry common;
  std::uint64_t begin;
  table_reader rules;
};

std::span<std::byte const> contents_at(elf_image const& image, std::uint64_t address, std::uint64_t bytes) {
  for (auto const& s : image.segments)
    if (address >= s.address && address - s.address < s.contents.size())
      return s.contents.subspan(address - s.address,
                                std::min<std::uint64_t>(bytes, s.contents.size() - (address - s.address)));
  return {};
}

std::optional<covering_entry> find_entry(elf_image const& image, std::uint64_t pc) {
  auto const whole = contents_at(image, image.eh_frame_address, image.eh_frame_bytes);
  table_reader table{whole, image.eh_frame_address};
  while (table.ok() && !table.at_end()) {
    auto const length = table.fixed<std::uint32_t>();
    if (length == 0 || length == 0xffffffffU) break;  // the end, or a table too large for these programs
    table_reader entry = table.part(length);
    std::uint64_t const here = entry.address();
    auto const to_common = entry.fixed<std::uint32_t>();
    if (to_common == 0 || here - to_common < image.eh_frame_address) continue;
    std::uint64_t const offset = here - to_common - image.eh_frame_address;
    if (offset >= whole.size()) continue;
    table_reader common_table{whole.subspan(offset), here - to_common};
    table_reader common_bytes = common_table.part(common_table.fixed<std::uint32_t>());
    if (common_bytes.fixed<std::uint32_t>() != 0) continue;
    auto const common = read_common(common_bytes);
    if (!common) continue;
    std::uint64_t const begin = entry.pointer(common->pointers);
    std::uint64_t const bytes = entry.pointer(common->pointers & 0x0fU);
    if (!entry.ok() || pc < begin || pc - begin >= bytes) continue;
    if (common->has_augmentation) entry.part(entry.unsigned_number());
    return covering_entry{*common, begin, entry};
  }
  return {};
}

// The registers of the caller: the frame's address, and offsets from it.
struct register_rules {
  std::uint64_t base_register = 2;
  std::int64_t base_offset = 0;
  std::array<std::optional<std::int64_t>, 32> saved{};
};

class rule_machine {
 public:
  explicit rule_machine(covering_entry const& entry) : entry_(entry), location_(entry.begin) {}

  std::optional<register_rules> run_to(std::uint64_t pc) {
    if (!run(entry_.common.rules, ~std::uint64_t{0})) return {};
    initial_ = now_;
    if (!run(entry_.rules, pc)) return {};
    return now_;
  }

 private:
  bool run(table_reader rules, std::uint64_t pc) {
    while (rules.ok() && !rules.at_end() && location_ <= pc) {
      auto const code = rules.fixed<std::uint8_t>();
      std::uint64_t const low = code & 0x3fU;
      switch (code >> 6U) {
        case 1:
          location_ += low * entry_.common.code_unit;
          break;
        case 2:
          save(low, rules.unsigned_number());
          break;
        case 3:
          restore(low);
          break;
        default:
          if (!extended(code, rules)) return false;
      }
      if (location_ > pc) break;
    }
    return rules.ok();
  }

  bool extended(std::uint8_t code, table_reader& rules) {
    switch (code) {
      case 0x00:
        return true;  // nop
      case 0x02:
        location_ += rules.fixed<std::uint8_t>() * entry_.common.code_unit;
        return advanced(rules);
      case 0x03:
        location_ += rules.fixed<std::uint16_t>() * entry_.common.code_unit;
        return advanced(rules);
      case 0x04:
        location_ += rules.fixed<std::uint32_t>() * entry_.common.code_unit;
        return advanced(rules);
      case 0x05: {
        std::uint64_t const number = rules.unsigned_number();
        save(number, rules.unsigned_number());
        return true;
      }
      case 0x06:
        restore(rules.unsigned_number());
        return true;
      case 0x07:  // undefined
      case 0x08:
        forget(rules.unsigned_number());
        return true;
      case 0x0a:
        remembered_.push_back(now_);
        return remembered_.size() < 64;
      case 0x0b:
        return recall();
      case 0x0c:
        now_.base_register = rules.unsigned_number();
        now_.base_offset = static_cast<std::int64_t>(rules.unsigned_number());
        return true;
      case 0x0d:
        now_.base_register = rules.unsigned_number();
        return true;
      case 0x0e:
        now_.base_offset = static_cast<std::int64_t>(rules.unsigned_number());
        return true;
      case 0x2e:
        rules.unsigned_number();
        return true;  // size of arguments
      default:
        return false;  // expressions, which compilers do not write for RISC-V
    }
  }

  static bool advanced(table_reader const& rules) { return rules.ok(); }
  void save(std::uint64_t number, std::uint64_t units) {
    if (number < 32) now_.saved[number] = static_cast<std::int64_t>(units) * entry_.common.data_unit;
  }
  void restore(std::uint64_t number) {
    if (number < 32) now_.saved[number] = initial_.saved[number];
  }
  void forget(std::uint64_t number) {
    if (number < 32) now_.saved[number].reset();
  }
  bool recall() {
    if (remembered_.empty()) return false;
    now_ = remembered_.back();
    remembered_.pop_back();
    return true;
  }

  covering_entry const& entry_;
  std::uint64_t location_;
  register_rules now_;
  register_rules initial_;
  std::vector<register_rules> remembered_;
};

}  // namespace

bool has_frame_information(elf_image const& image, std::uint64_t pc) {
  return find_entry(image, pc).has_value();
}

std::optional<call_frame> caller_of(call_frame const& frame, bool innermost, elf_image const& image,
                                    user_memory& memory) {
  constexpr std::size_t return_address = 1;
  constexpr std::size_t stack_pointer = 2;
  std::uint64_t const pc = innermost ? frame.pc : frame.pc - 1;
  auto const entry = find_entry(image, pc);
  if (!entry) return {};
  auto const rules = rule_machine{*entry}.run_to(pc);
  if (!rules || rules->base_register >= 32) return {};
  std::uint64_t const base = frame.x[rules->base_register] + static_cast<std::uint64_t>(rules->base_offset);
  call_frame caller{frame.pc, frame.x};
  for (std::size_t k = 1; k < 32; ++k) {
    if (!rules->saved[k]) continue;
    if (!memory.get(base + static_cast<std::uint64_t>(*rules->saved[k]), caller.x[k])) return {};
  }
  caller.x[stack_pointer] = base;
  caller.pc = caller.x[return_address];
  bool const up = base > frame.x[stack_pointer] || (innermost && base == frame.x[stack_pointer]);
  if (!up || caller.pc == 0 || caller.pc == frame.pc) return {};
  return caller;
}

}  // namespace tess::machine
