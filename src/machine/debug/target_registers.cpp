// target_registers: gdb's features for RV64, and two of our own.
#include "machine/debug/target_registers.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <span>
#include <string_view>

#include "machine/debug/gdb_connection.hpp"

namespace tess::machine {
namespace {

// Numbers that gdb's own features have.
constexpr std::uint64_t pc_number = 32;
constexpr std::uint64_t first_float = 33;
constexpr std::uint64_t fflags_number = 66;
constexpr std::uint64_t frm_number = 67;
constexpr std::uint64_t fcsr_number = 68;
static_assert(fcsr_number + 1 == registers_in_packet);
constexpr std::uint64_t unused_number = 65;
// Ours.
constexpr std::uint64_t first_extension = 100;
constexpr std::uint64_t first_of_units = 200;

struct unit_register {
  registers::unit of;
  std::string_view name;
  std::uint64_t offset;  // in the hart's window; from `of_tile` on: for the tile
};
constexpr std::uint64_t of_tile = 4096;

constexpr std::array unit_registers{
    unit_register{registers::unit::ranges, "ranges_operation", registers::ranges::operation},
    unit_register{registers::unit::ranges, "ranges_address", registers::ranges::address},
    unit_register{registers::unit::ranges, "ranges_bytes", registers::ranges::bytes},
    unit_register{registers::unit::ranges, "ranges_counter", registers::ranges::counter},
    unit_register{registers::unit::ranges, "ranges_trigger", registers::ranges::trigger},
    unit_register{registers::unit::ranges, "ranges_doorbell", registers::ranges::doorbell},
    unit_register{registers::unit::adapter, "adapter_operation", registers::adapter::operation},
    unit_register{registers::unit::adapter, "adapter_address", registers::adapter::address},
    unit_register{registers::unit::adapter, "adapter_bytes", registers::adapter::bytes},
    unit_register{registers::unit::adapter, "adapter_operand", registers::adapter::operand},
    unit_register{registers::unit::adapter, "adapter_expected", registers::adapter::expected},
    unit_register{registers::unit::adapter, "adapter_counter", registers::adapter::counter},
    unit_register{registers::unit::adapter, "adapter_result", registers::adapter::result},
    unit_register{registers::unit::adapter, "adapter_doorbell", registers::adapter::doorbell},
    unit_register{registers::unit::invoke, "invoke_word0", 0},
    unit_register{registers::unit::invoke, "invoke_word1", 8},
    unit_register{registers::unit::invoke, "invoke_word2", 16},
    unit_register{registers::unit::invoke, "invoke_word3", 24},
    unit_register{registers::unit::invoke, "invoke_word4", 32},
    unit_register{registers::unit::invoke, "invoke_target", registers::invoke::target},
    unit_register{registers::unit::invoke, "invoke_counter", registers::invoke::counter},
    unit_register{registers::unit::invoke, "invoke_doorbell", registers::invoke::doorbell},
    unit_register{registers::unit::tasks, "tasks_word0", 0},
    unit_register{registers::unit::tasks, "tasks_word1", 8},
    unit_register{registers::unit::tasks, "tasks_word2", 16},
    unit_register{registers::unit::tasks, "tasks_word3", 24},
    unit_register{registers::unit::tasks, "tasks_word4", 32},
    unit_register{registers::unit::tasks, "tasks_source", registers::tasks::source},
    unit_register{registers::unit::tasks, "tasks_notify", registers::tasks::notify},
    unit_register{registers::unit::tasks, "tasks_waiting", registers::tasks::waiting},
    unit_register{registers::unit::nma, "nma_root", registers::nma::root},
    unit_register{registers::unit::nma, "nma_destination", registers::nma::destination},
    unit_register{registers::unit::nma, "nma_room", registers::nma::room},
    unit_register{registers::unit::nma, "nma_final_address", registers::nma::final_address},
    unit_register{registers::unit::nma, "nma_shape", registers::nma::shape},
    unit_register{registers::unit::nma, "nma_task", registers::nma::task},
    unit_register{registers::unit::nma, "nma_counter", registers::nma::counter},
    unit_register{registers::unit::nma, "nma_doorbell", registers::nma::doorbell},
    unit_register{registers::unit::nca, "nca_root", registers::nca::root},
    unit_register{registers::unit::nca, "nca_metadata", registers::nca::metadata},
    unit_register{registers::unit::nca, "nca_remote", registers::nca::remote},
    unit_register{registers::unit::nca, "nca_dispatch", registers::nca::dispatch},
    unit_register{registers::unit::nca, "nca_task", registers::nca::task},
    unit_register{registers::unit::nca, "nca_counter", registers::nca::counter},
    unit_register{registers::unit::nca, "nca_doorbell", registers::nca::doorbell},
    unit_register{registers::unit::cni, "cni_operation", registers::cni::operation},
    unit_register{registers::unit::cni, "cni_address", registers::cni::address},
    unit_register{registers::unit::cni, "cni_value", registers::cni::value},
    unit_register{registers::unit::cni, "cni_tag", registers::cni::tag},
    unit_register{registers::unit::cni, "cni_bytes", registers::cni::bytes},
    unit_register{registers::unit::cni, "cni_doorbell", registers::cni::doorbell},
    unit_register{registers::unit::cni, "cni_faults", registers::cni::faults},
    unit_register{registers::unit::cni, "cni_fault_code", registers::cni::fault_code},
    unit_register{registers::unit::cni, "cni_fault_address", registers::cni::fault_address},
    unit_register{registers::unit::cni, "cni_jobs", registers::cni::jobs},
    unit_register{registers::unit::interrupts, "interrupts_software", registers::interrupts::software},
    unit_register{registers::unit::interrupts, "interrupts_compare", registers::interrupts::compare},
    unit_register{registers::unit::interrupts, "interrupts_enable", registers::interrupts::enable},
    unit_register{registers::unit::interrupts, "interrupts_pending", registers::interrupts::pending},
    unit_register{registers::unit::interrupts, "interrupts_callers", registers::interrupts::callers},
};

std::optional<std::uint64_t> value_of(unit_register const& one, timed_hart& of) {
  std::uint64_t const address =
      registers::own_devices + static_cast<std::uint64_t>(one.of) * registers::unit_bytes +
      (one.offset >= of_tile ? one.offset : of.context.number * registers::window_bytes + one.offset);
  auto const [unit, offset] = of.place().device_at(of.memory().global(address));
  return unit == nullptr ? std::nullopt : unit->load(offset, of.context.number);
}

bool has_unit(timed_hart& of, registers::unit which) {
  std::uint64_t const address = registers::own_devices + static_cast<std::uint64_t>(which) * registers::unit_bytes;
  return of.place().device_at(of.memory().global(address)).first != nullptr;
}

template <class T>
std::string text_of(T value) {
  return hex_of(std::as_bytes(std::span(&value, 1)));
}

template <class T>
bool take_value(std::string const& bytes, T& into) {
  if (bytes.size() != sizeof into) return false;
  std::memcpy(&into, bytes.data(), sizeof into);
  return true;
}

}  // namespace

std::string target_description(timed_hart& of) {
  static constexpr std::array names{"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "fp", "s1", "a0",
                                    "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                    "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
  static constexpr std::array floats{"ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1", "fa0",
                                     "fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4", "fs5",
                                     "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};
  std::string xml =
      "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target version=\"1.0\">"
      "<architecture>riscv:rv64</architecture><osabi>GNU/Linux</osabi><feature name=\"org.gnu.gdb.riscv.cpu\">";
  std::uint64_t number = 0;
  for (char const* const name : names)
    xml += fmt::format(R"(<reg name="{}" bitsize="64" type="{}" regnum="{}"/>)", name,
                       number == 2 || number == 3 || number == 4 || number == 8 ? "data_ptr"
                       : number == 1                                            ? "code_ptr"
                                                                                : "int",
                       number),
        ++number;
  xml += fmt::format(R"(<reg name="pc" bitsize="64" type="code_ptr" regnum="{}"/></feature>)", pc_number);
  xml +=
      "<feature name=\"org.gnu.gdb.riscv.fpu\"><union id=\"riscv_double\"><field name=\"float\" type=\"ieee_single\"/>"
      "<field name=\"double\" type=\"ieee_double\"/></union>";
  number = first_float;
  for (char const* const name : floats)
    xml += fmt::format(R"(<reg name="{}" bitsize="64" type="riscv_double" regnum="{}"/>)", name, number++);
  for (auto const& [name, at] : {std::pair{"fflags", fflags_number}, {"frm", frm_number}, {"fcsr", fcsr_number}})
    xml += fmt::format(R"(<reg name="{}" bitsize="32" type="int" regnum="{}"/>)", name, at);
  xml += "</feature><feature name=\"org.tessera.xbgas\">";
  for (std::uint64_t i = 0; i < of.context.e.size(); ++i)
    xml += fmt::format(R"(<reg name="e{}" bitsize="64" type="uint64" regnum="{}" group="xbgas"/>)", i,
                       first_extension + i);
  xml += "</feature><feature name=\"org.tessera.units\">";
  for (std::size_t i = 0; i < unit_registers.size(); ++i)
    if (has_unit(of, unit_registers[i].of))
      xml += fmt::format(R"(<reg name="{}" bitsize="64" type="uint64" regnum="{}" group="units"/>)",
                         unit_registers[i].name, first_of_units + i);
  return xml + "</feature></target>";
}

std::optional<std::string> register_text(timed_hart& of, std::uint64_t number) {
  hart const& h = of.context;
  if (number < pc_number) return text_of(number == 0 ? 0 : h.x[number]);
  if (number == pc_number) return text_of(h.pc);
  if (number >= first_float && number < first_float + h.f.size()) return text_of(h.f[number - first_float]);
  if (number == unused_number) return std::string();
  auto const flags = static_cast<std::uint32_t>(h.fp.flags);
  auto const mode = static_cast<std::uint32_t>(h.fp.frm);
  if (number == fflags_number) return text_of(flags);
  if (number == frm_number) return text_of(mode);
  if (number == fcsr_number) return text_of(flags | mode << 5U);
  if (number >= first_extension && number < first_extension + h.e.size()) return text_of(h.e[number - first_extension]);
  if (number < first_of_units || number >= first_of_units + unit_registers.size()) return std::nullopt;
  auto const value = value_of(unit_registers[number - first_of_units], of);
  return value ? text_of(*value) : std::string(2 * sizeof(std::uint64_t), 'x');
}

bool set_register(timed_hart& of, std::uint64_t number, std::string const& bytes) {
  hart& h = of.context;
  std::uint64_t value = 0;
  std::uint32_t word = 0;
  if (number >= fflags_number && number <= fcsr_number) {
    if (!take_value(bytes, word)) return false;
    std::uint32_t const flags = number == frm_number ? h.fp.flags : word & 31U;
    std::uint32_t const mode = number == fflags_number ? h.fp.frm : (number == frm_number ? word : word >> 5U) & 7U;
    h.fp.set(static_cast<std::uint8_t>(mode), static_cast<std::uint8_t>(flags));
    return true;
  }
  if (!take_value(bytes, value)) return false;
  if (number == 0) return true;
  if (number < pc_number) {
    h.x[number] = value;
  } else if (number == pc_number) {
    if (value != h.pc) h.jump(value);
  } else if (number >= first_float && number < first_float + h.f.size()) {
    h.f[number - first_float] = value;
  } else if (number > first_extension && number < first_extension + h.e.size()) {
    h.e[number - first_extension] = value;
  } else {
    return false;
  }
  return true;
}

}  // namespace tess::machine
