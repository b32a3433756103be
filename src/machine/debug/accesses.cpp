// accesses: sizes and directions by operation; extended addresses by the tile's look-aside buffer of objects.
#include "machine/debug/accesses.hpp"

#include "machine/unit/object_lookaside.hpp"

namespace tess::machine {
namespace {

struct kind {
  std::uint32_t bytes = 0;  // 0: no access
  bool reads = false;
  bool writes = false;
  enum class object : std::uint8_t { none, of_rs1, of_rs2, of_rd } named = object::none;  // whose e register
  bool displaced = false;                                                                 // the immediate is added
};

constexpr bool is_in(operation op, operation first, operation last) {
  return op >= first && op <= last;
}

kind kind_of(operation op) {
  using enum operation;
  using object = kind::object;
  switch (op) {
    case lb:
    case lbu:
      return {1, true, false, object::none, true};
    case lh:
    case lhu:
      return {2, true, false, object::none, true};
    case lw:
    case lwu:
    case flw:
      return {4, true, false, object::none, true};
    case ld:
    case fld:
      return {8, true, false, object::none, true};
    case sb:
      return {1, false, true, object::none, true};
    case sh:
      return {2, false, true, object::none, true};
    case sw:
    case fsw:
      return {4, false, true, object::none, true};
    case sd:
    case fsd:
      return {8, false, true, object::none, true};
    case lr_w:
      return {4, true, false};
    case lr_d:
      return {8, true, false};
    case sc_w:
      return {4, false, true};
    case sc_d:
      return {8, false, true};
    case elb:
    case elbu:
      return {1, true, false, object::of_rs1, true};
    case elh:
    case elhu:
      return {2, true, false, object::of_rs1, true};
    case elw:
    case elwu:
      return {4, true, false, object::of_rs1, true};
    case eld:
    case ele:
      return {8, true, false, object::of_rs1, true};
    case esb:
      return {1, false, true, object::of_rs1, true};
    case esh:
      return {2, false, true, object::of_rs1, true};
    case esw:
      return {4, false, true, object::of_rs1, true};
    case esd:
    case ese:
      return {8, false, true, object::of_rs1, true};
    case erlb:
    case erlbu:
      return {1, true, false, object::of_rs2};
    case erlh:
    case erlhu:
      return {2, true, false, object::of_rs2};
    case erlw:
    case erlwu:
      return {4, true, false, object::of_rs2};
    case erld:
    case erle:
      return {8, true, false, object::of_rs2};
    case ersb:
      return {1, false, true, object::of_rd};
    case ersh:
      return {2, false, true, object::of_rd};
    case ersw:
      return {4, false, true, object::of_rd};
    case ersd:
    case erse:
      return {8, false, true, object::of_rd};
    default:
      break;
  }
  if (is_in(op, amoswap_w, amomaxu_w)) return {4, true, true};
  if (is_in(op, amoswap_d, amomaxu_d)) return {8, true, true};
  if (op == eload_nb_w) return {4, true, false, object::of_rs1};
  if (op == eload_nb_d) return {8, true, false, object::of_rs1};
  if (is_in(op, eamoswap_w, eamocas_w) || is_in(op, eamoswap_nb_w, eamocas_nb_w))
    return {4, true, true, object::of_rs1};
  if (is_in(op, eamoswap_d, eamocas_d) || is_in(op, eamoswap_nb_d, eamocas_nb_d))
    return {8, true, true, object::of_rs1};
  return {};
}

}  // namespace

std::optional<memory_access> access_of(decoded const& instruction, timed_hart& by, program_host const& of) {
  kind const found = kind_of(instruction.op);
  if (found.bytes == 0) return std::nullopt;
  hart const& h = by.context;
  // x0 has another number where it is a destination, never where it is read.
  std::uint64_t const address =
      h.x[instruction.rs1] + (found.displaced ? static_cast<std::uint64_t>(instruction.imm) : 0);
  std::uint8_t const register_of_object = found.named == kind::object::of_rs1   ? instruction.rs1
                                          : found.named == kind::object::of_rs2 ? instruction.rs2
                                                                                : instruction.rd;
  std::uint64_t const object = found.named == kind::object::none ? 0 : h.e[register_of_object % h.e.size()];
  std::optional<std::uint64_t> name;
  if (object == 0) {
    name = of.memory_at(address);
  } else if (object_lookaside const* const objects = by.place().objects()) {
    auto const node = objects->tile_of(object);
    if (node) name = objects->global(*node, address);
  }
  if (!name) return std::nullopt;
  return memory_access{*name, found.bytes, found.reads, found.writes};
}

}  // namespace tess::machine
