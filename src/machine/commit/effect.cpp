// effect: derived from the rows of instructions.def, by their form and their place in the manual's order.
#include "machine/commit/effect.hpp"

#include <array>
#include <string_view>

namespace tess::machine {
namespace {

constexpr bool is_between(operation first, operation op, operation last) {
  return first <= op && op <= last;
}

constexpr std::uint8_t place_in(operation first, operation op) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(op) - static_cast<unsigned>(first));
}

constexpr effect::file file_of(std::string_view form) {
  for (std::string_view const one : {"u", "u_pc", "j", "i", "shift6", "shift5", "r", "csr", "f_to_x", "r_order"})
    if (form == one) return effect::file::x;
  for (std::string_view const one : {"f_load", "f", "r4"})
    if (form == one) return effect::file::f;
  return form == "e_i" || form == "e_r" ? effect::file::e : effect::file::none;
}

constexpr std::array<std::uint8_t, 7> load_bytes{1, 2, 4, 8, 1, 2, 4};  // signed, then unsigned

constexpr void add_load(effect& made, std::uint8_t bytes, effect::object in, bool adds_immediate) {
  made.access = effect::kind::load;
  made.bytes = bytes;
  made.in = in;
  made.adds_immediate = adds_immediate;
}
constexpr void add_store(effect& made, std::uint8_t bytes, effect::object in, bool adds_immediate) {
  add_load(made, bytes, in, adds_immediate);
  made.access = effect::kind::store;
}

constexpr void add_loads(effect& made, operation op) {
  using enum operation;
  using enum effect::object;
  if (is_between(lb, op, lwu)) add_load(made, load_bytes[place_in(lb, op)], none, true);
  if (is_between(elb, op, elwu)) add_load(made, load_bytes[place_in(elb, op)], of_rs1, true);
  if (is_between(erlb, op, erlwu)) add_load(made, load_bytes[place_in(erlb, op)], of_rs2, false);
  if (op == flw) add_load(made, 4, none, true);
  if (op == fld) add_load(made, 8, none, true);
  if (op == ele) add_load(made, 8, of_rs1, true);
  if (op == erle) add_load(made, 8, of_rs2, false);
}

constexpr void add_stores(effect& made, operation op) {
  using enum operation;
  using enum effect::object;
  if (is_between(sb, op, sd)) add_store(made, load_bytes[place_in(sb, op)], none, true);
  if (is_between(esb, op, esd)) add_store(made, load_bytes[place_in(esb, op)], of_rs1, true);
  if (is_between(ersb, op, ersd)) add_store(made, load_bytes[place_in(ersb, op)], of_rd, false);
  if (op == fsw) add_store(made, 4, none, true);
  if (op == fsd) add_store(made, 8, none, true);
  if (op == ese) add_store(made, 8, of_rs1, true);
  if (op == erse) add_store(made, 8, of_rd, false);
  made.stores_f = op == fsw || op == fsd;
  made.stores_e = op == ese || op == erse;
}

constexpr void add_atomics(effect& made, operation op) {
  using enum operation;
  using enum effect::kind;
  auto const give = [&](operation first, operation last, effect::kind access, std::uint8_t bytes, bool extended) {
    if (!is_between(first, op, last)) return;
    made.access = access;
    made.bytes = bytes;
    if (extended) made.in = effect::object::of_rs1;
  };
  give(lr_w, lr_w, reserve, 4, false);
  give(lr_d, lr_d, reserve, 8, false);
  give(sc_w, sc_w, conditional, 4, false);
  give(sc_d, sc_d, conditional, 8, false);
  give(amoswap_w, amomaxu_w, atomic, 4, false);
  give(amoswap_d, amomaxu_d, atomic, 8, false);
  give(eamoswap_w, eamomaxu_w, atomic, 4, true);
  give(eamoswap_d, eamomaxu_d, atomic, 8, true);
  give(eamocas_w, eamocas_w, compare_swap, 4, true);
  give(eamocas_d, eamocas_d, compare_swap, 8, true);
  give(eamoswap_nb_w, eload_nb_w, begun, 4, true);
  give(eamoswap_nb_d, eload_nb_d, begun, 8, true);
}

constexpr effect made_for(operation op, std::string_view form) {
  effect made;
  made.to = file_of(form);
  made.raises_flags = form == "f" || form == "r4" || form == "f_to_x";
  made.is_csr = form == "csr";
  add_loads(made, op);
  add_stores(made, op);
  add_atomics(made, op);
  return made;
}

constexpr std::array effects{
#define X(extension, name, mask, match, form, cost) made_for(operation::name, #form),
#include "machine/isa/instructions.def"
#undef X
};

}  // namespace

effect const& effect_of(operation op) noexcept {
  return effects[static_cast<std::size_t>(op)];
}

}  // namespace tess::machine
