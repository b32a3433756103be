// commit_file: lines and blocks.
#include "machine/report/commit_file.hpp"

#include <zlib.h>

#include <array>
#include <cstring>
#include <iterator>
#include <utility>

#include "machine/isa/zicsr.hpp"

namespace tess::machine {
namespace {

constexpr std::size_t text_bytes = std::size_t{1} << 16U;
constexpr std::string_view tessi_head{"tessi\x01\r\n", 8};

std::string csr_name(std::uint16_t number) {
  switch (number) {
    case csr_fflags:
      return "fflags";
    case csr_frm:
      return "frm";
    case csr_fcsr:
      return "fcsr";
    case 0x300:
      return "mstatus";
    case 0x304:
      return "mie";
    case 0x305:
      return "mtvec";
    case 0x306:
      return "mcounteren";
    case 0x340:
      return "mscratch";
    case 0x341:
      return "mepc";
    case 0x342:
      return "mcause";
    case 0x343:
      return "mtval";
    case 0x344:
      return "mip";
    case 0xb00:
      return "mcycle";
    case 0xb02:
      return "minstret";
    default:
      return fmt::format("0x{:03x}", number);
  }
}

std::string name_of_register(std::uint8_t reg) {
  char const file = reg < committed::first_f ? 'x' : reg < committed::first_e ? 'f' : 'e';
  return fmt::format("{}{}", file, reg % committed::first_f);
}

/// One value of each row, by its bytes: all first ones, all second ones, and so on.
template <class T, class Get>
void add_column(std::string& into, std::vector<committed> const& rows, bool differences, Get get) {
  std::size_t const begin = into.size();
  into.resize(begin + sizeof(T) * rows.size());
  T before = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    T const value = static_cast<T>(get(rows[i]));
    T written = differences ? static_cast<T>(value - before) : value;
    before = value;
    for (std::size_t byte = 0; byte < sizeof(T); ++byte) {
      into[begin + byte * rows.size() + i] = static_cast<char>(written & 0xffU);
      if constexpr (sizeof(T) > 1) written = static_cast<T>(written >> 8U);
    }
  }
}

// The order of the columns is that of tessera.instructions.
std::string columns_of(std::vector<committed> const& rows) {
  std::string made;
  using row = committed const&;
  add_column<std::uint64_t>(made, rows, true, [](row one) { return one.cycle; });
  add_column<std::uint64_t>(made, rows, true, [](row one) { return one.pc; });
  add_column<std::uint64_t>(made, rows, false, [](row one) { return one.value; });
  add_column<std::uint64_t>(made, rows, true, [](row one) { return one.address; });
  add_column<std::uint64_t>(made, rows, false, [](row one) { return one.object; });
  add_column<std::uint64_t>(made, rows, false, [](row one) { return one.stored; });
  add_column<std::uint64_t>(made, rows, false, [](row one) { return one.csr_value; });
  add_column<std::uint32_t>(made, rows, false, [](row one) { return one.word; });
  add_column<std::uint32_t>(made, rows, false, [](row one) { return one.core; });
  add_column<std::uint16_t>(made, rows, false, [](row one) { return one.csr; });
  add_column<std::uint8_t>(made, rows, false, [](row one) { return one.reg; });
  add_column<std::uint8_t>(made, rows, false, [](row one) { return one.access; });
  add_column<std::uint8_t>(made, rows, false, [](row one) { return one.bytes; });
  add_column<std::uint8_t>(made, rows, false, [](row one) { return one.privilege; });
  add_column<std::uint8_t>(made, rows, false, [](row one) { return one.by_system; });
  return made;
}

std::string number_bytes(std::uint32_t value) {
  std::string made;
  for (unsigned byte = 0; byte < sizeof value; ++byte) made += static_cast<char>(value >> 8U * byte & 0xffU);
  return made;
}

}  // namespace

commit_file::commit_file(std::string const& name, std::string const& about) : file_(name), columns_(is_columns(name)) {
  if (columns_) {
    rows_.reserve(rows_max);
    write(tessi_head);
    write(number_bytes(static_cast<std::uint32_t>(about.size())) + about);
  } else {
    write("# " + about + "\n");
  }
}

void commit_file::write(std::string_view bytes) {
  if (failure_) return;
  try {
    file_.write(bytes);
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void commit_file::keep(committed const& one) {
  if (columns_) {
    rows_.push_back(one);
    if (rows_.size() == rows_max) write_block();
  } else {
    add_line(one);
    if (text_.size() >= text_bytes) write_text();
  }
}

void commit_file::add_line(committed const& one) {
  auto const out = std::back_inserter(text_);
  if (one.by_system) {
    fmt::format_to(out, "# core{:4}: {} 0x{:016x} {} 0x{:016x} cycle {}\n", one.core, one.privilege, one.pc,
                   name_of_register(one.reg), one.value, one.cycle);
    return;
  }
  bool const is_short = (one.word & 3U) != 3U;
  fmt::format_to(out, "core{:4}: {} 0x{:016x} (0x{:0{}x})", one.core, one.privilege, one.pc, one.word,
                 is_short ? 4 : 8);
  if (one.reg != committed::no_register) fmt::format_to(out, " {:<3} 0x{:016x}", name_of_register(one.reg), one.value);
  if (one.csr != committed::no_csr) fmt::format_to(out, " c{}_{} 0x{:016x}", one.csr, csr_name(one.csr), one.csr_value);
  if ((one.access & committed::loads) != 0) fmt::format_to(out, " mem 0x{:016x}", one.address);
  if ((one.access & committed::stores) != 0)
    fmt::format_to(out, " mem 0x{:016x} 0x{:0{}x}", one.address, one.stored, 2 * one.bytes);
  if (one.object != 0) fmt::format_to(out, " object {}", one.object);
  fmt::format_to(out, " cycle {}\n", one.cycle);
}

void commit_file::write_text() {
  write({text_.data(), text_.size()});
  text_.clear();
}

void commit_file::write_block() {
  std::string const plain = columns_of(rows_);
  uLongf bytes = ::compressBound(plain.size());
  std::string packed(bytes, '\0');
  // NOLINTBEGIN: zlib's bytes have no sign
  ::compress2(reinterpret_cast<Bytef*>(packed.data()), &bytes, reinterpret_cast<Bytef const*>(plain.data()),
              plain.size(), Z_BEST_SPEED);
  // NOLINTEND
  packed.resize(bytes);
  write(number_bytes(static_cast<std::uint32_t>(rows_.size())) + number_bytes(static_cast<std::uint32_t>(bytes)));
  write(packed);
  rows_.clear();
}

void commit_file::close() {
  if (columns_) {
    if (!rows_.empty()) write_block();
    write(number_bytes(0) + number_bytes(0));
  } else {
    write_text();
  }
  if (failure_) std::rethrow_exception(failure_);
  file_.close();
}

}  // namespace tess::machine
