// xbgas: extended addressing: base and raw loads and stores, address management, and the remote atomics.
//
//   An address is {e, x}: with e = 0 it is an ordinary address of the hart, and the instruction does the same as its
//   standard counterpart. Otherwise the hart stops, and the access is made at the node of object e. e0 to e9 cannot be
//   named in an address. The `nb` forms begin the access and return a ticket, by which the result is taken later.
//
// Source    xBGAS architecture specification 2.0.0; docs/machine/rae.md lists the chosen encodings where the published
//           ones differ.
#pragma once

#include <type_traits>

#include "machine/isa/rv64a.hpp"
#include "machine/isa/rv64i.hpp"

namespace tess::machine {

template <class Policy>
struct xbgas : flow<Policy> {
  using flow<Policy>::leave;

  static constexpr std::uint8_t first_usable = 10;
  using field = std::uint8_t inst::*;

  // The object's register cannot be named in an address.
  INSTRUCTION(refuse_register) {
    (void)memory;
    h.request = {.address = address(h, i), .fault = extended_fault::reserved_register};
    leave(h, i, stop::access);
  }

  // `Extension` is the field with the number of the object's register; rs1, rs2 and imm are as in the counterpart.
  template <class T, field Extension>
  INSTRUCTION(load) {
    if (i->*Extension < first_usable) [[unlikely]]
      GO_TO(refuse_register);
    std::uint64_t const object = h.e[i->*Extension];
    if (object == 0) GO_TO(rv64i<Policy>::template load<T>);
    h.request = {.address = address(h, i),
                 .object = object,
                 .bytes = sizeof(T),
                 .rd = i->rd,
                 .to = std::is_signed_v<T> ? destination::x_signed : destination::x_unsigned};
    leave(h, i, stop::extended_load);
  }
  template <class T, field Extension>
  INSTRUCTION(store) {
    if (i->*Extension < first_usable) [[unlikely]]
      GO_TO(refuse_register);
    std::uint64_t const object = h.e[i->*Extension];
    if (object == 0) GO_TO(rv64i<Policy>::template store<T>);
    h.request = {.address = address(h, i), .operand = static_cast<T>(rs2(h, i)), .object = object, .bytes = sizeof(T)};
    leave(h, i, stop::extended_store);
  }

  // Loads and stores of an extension register.
  template <field Extension>
  INSTRUCTION(load_extension) {
    if (i->*Extension < first_usable) [[unlikely]]
      GO_TO(refuse_register);
    std::uint64_t const object = h.e[i->*Extension];
    std::uint64_t const from = address(h, i);
    std::uint64_t value = 0;
    if (object == 0 && (Policy::template load<std::uint64_t>(h, i, memory, from, value) ||
                        Policy::template load_slowly<std::uint64_t>(h, i, memory, from, value))) {
      h.e[i->rd] = value;
      NEXT;
    }
    // The policy may already have set the fault.
    stop const local = h.stopped == stop::none ? stop::load : h.stopped;
    access_right const right = h.request.right;
    h.request = {.address = from, .object = object, .bytes = 8, .rd = i->rd, .to = destination::extension};
    if (local == stop::access) h.request.right = right;
    leave(h, i, object == 0 ? local : stop::extended_load);
  }
  template <field Extension>
  INSTRUCTION(store_extension) {
    if (i->*Extension < first_usable) [[unlikely]]
      GO_TO(refuse_register);
    std::uint64_t const object = h.e[i->*Extension];
    std::uint64_t const to = address(h, i);
    std::uint64_t const value = h.e[i->rs2];
    if (object == 0 && (Policy::template store<std::uint64_t>(h, i, memory, to, value) ||
                        Policy::template store_slowly<std::uint64_t>(h, i, memory, to, value))) {
      NEXT;
    }
    stop const local = h.stopped == stop::none ? stop::store : h.stopped;
    h.request = {.address = to, .operand = value, .object = object, .bytes = 8, .right = right_write};
    leave(h, i, object == 0 ? local : stop::extended_store);
  }

  template <class T, atomic_operation Operation>
  INSTRUCTION(atomic) {
    if (i->rs1 < first_usable) [[unlikely]]
      GO_TO(refuse_register);
    std::uint64_t const object = h.e[i->rs1];
    if (object == 0) GO_TO((rv64a<Policy>::template execute<T, stop::atomic, Operation>));
    h.request = {.address = rs1(h, i),
                 .operand = static_cast<T>(rs2(h, i)),
                 .object = object,
                 .bytes = sizeof(T),
                 .rd = i->rd,
                 .operation = Operation,
                 .right = right_write};
    leave(h, i, stop::extended_atomic);
  }
  // rd holds the expected value and receives the old one.
  template <class T>
  INSTRUCTION(compare_swap) {
    if (i->rs1 < first_usable) [[unlikely]]
      GO_TO(refuse_register);
    h.request = {.address = rs1(h, i),
                 .operand = static_cast<T>(rs2(h, i)),
                 .expected = i->rd == no_register ? 0 : static_cast<T>(h.x[i->rd]),
                 .object = h.e[i->rs1],
                 .bytes = sizeof(T),
                 .rd = i->rd,
                 .right = right_write};
    if (h.request.object != 0) {
      leave(h, i, stop::extended_compare_swap);
      return;
    }
    if constexpr (Policy::in_place_atomics) {
      std::uint64_t raw = 0;
      if (Policy::template atomic<T, stop::compare_swap>(h, memory, raw)) [[likely]] {
        if constexpr (sizeof(T) == 4) raw = extended(low(raw));
        set_rd(h, i, raw);
        NEXT;
      }
    }
    leave(h, i, h.stopped == stop::none ? stop::compare_swap : h.stopped);
  }

  // rd receives a ticket; x0: none. rl, which is imm: everything before is completed first.
  template <class T, stop Kind, atomic_operation Operation>
  INSTRUCTION(begin) {
    if (i->rs1 < first_usable) [[unlikely]]
      GO_TO(refuse_register);
    h.request = {.address = rs1(h, i),
                 .operand = static_cast<T>(rs2(h, i)),
                 .expected = i->rd == no_register ? 0 : static_cast<T>(h.x[i->rd]),
                 .object = h.e[i->rs1],
                 .bytes = sizeof(T),
                 .rd = i->rd,
                 .to = destination::ticket,
                 .operation = Operation,
                 .right = Kind == stop::load ? right_read : right_write,
                 .begun = Kind,
                 .in_order = i->imm != 0};
    bool const has_room = i->rd == no_register || !h.tickets.is_full();
    // In order also means after earlier stores, which only the timed hart tracks.
    bool const is_final = !Policy::timed || (!h.request.in_order && !h.is_tentative);
    if (h.request.object == 0 && has_room && is_final) GO_TO((begin_here<T, Kind>));
    leave(h, i, stop::extended_begin);
  }
  // On the own node: as its standard counterpart, and the ticket is answered at once.
  template <class T, stop Kind>
  INSTRUCTION(begin_here) {
    std::uint64_t raw = 0;
    bool done = false;
    if constexpr (Kind == stop::load) {
      T value = 0;
      done = Policy::template load<T>(h, i, memory, h.request.address, value) ||
             Policy::template load_slowly<T>(h, i, memory, h.request.address, value);
      raw = value;
    } else if constexpr (Policy::in_place_atomics) {
      done = Policy::template atomic<T, Kind>(h, memory, raw);
    }
    if (done) {
      h.set_result(raw);
      NEXT;
    }
    leave(h, i, h.stopped == stop::none ? Kind : h.stopped);
  }

  INSTRUCTION(eatest) {
    if (h.tickets.is_answered(rs1(h, i))) {
      set_rd(h, i, 1);
      NEXT;
    }
    GO_TO(ask<stop::ticket_test>);
  }
  INSTRUCTION(eaget) {
    std::uint64_t const ticket = rs1(h, i);
    if (!h.is_tentative && h.tickets.is_answered(ticket) && !h.tickets.has_failed(ticket)) {
      set_rd(h, i, h.tickets.redeem(ticket));
      NEXT;
    }
    GO_TO(ask<stop::ticket_get>);
  }
  // Its answer may arrive before kernel time has reached this instruction.
  template <stop What>
  INSTRUCTION(ask) {
    (void)memory;
    h.request = {.address = rs1(h, i), .bytes = 8, .rd = i->rd};
    bool const held = h.tickets.is_held(rs1(h, i));
    if (!held) h.request.fault = extended_fault::ticket;
    leave(h, i, held ? What : stop::access);
  }

#define TESS_TO(name, ...) \
  INSTRUCTION(name) { GO_TO((__VA_ARGS__)); }

  TESS_TO(elb, load<std::int8_t, &inst::rs1>)
  TESS_TO(elh, load<std::int16_t, &inst::rs1>)
  TESS_TO(elw, load<std::int32_t, &inst::rs1>)
  TESS_TO(eld, load<std::int64_t, &inst::rs1>)
  TESS_TO(elbu, load<std::uint8_t, &inst::rs1>)
  TESS_TO(elhu, load<std::uint16_t, &inst::rs1>)
  TESS_TO(elwu, load<std::uint32_t, &inst::rs1>)
  TESS_TO(ele, load_extension<&inst::rs1>)
  TESS_TO(esb, store<std::uint8_t, &inst::rs1>)
  TESS_TO(esh, store<std::uint16_t, &inst::rs1>)
  TESS_TO(esw, store<std::uint32_t, &inst::rs1>)
  TESS_TO(esd, store<std::uint64_t, &inst::rs1>)
  TESS_TO(ese, store_extension<&inst::rs1>)

  INSTRUCTION(eaddi) {
    set_rd(h, i, h.e[i->rs1] + immediate(i));
    NEXT;
  }
  INSTRUCTION(eaddie) {
    h.e[i->rd] = address(h, i);
    NEXT;
  }
  INSTRUCTION(eaddix) {
    h.e[i->rd] = h.e[i->rs1] + immediate(i);
    NEXT;
  }

  TESS_TO(erlb, load<std::int8_t, &inst::rs2>)
  TESS_TO(erlh, load<std::int16_t, &inst::rs2>)
  TESS_TO(erlw, load<std::int32_t, &inst::rs2>)
  TESS_TO(erld, load<std::int64_t, &inst::rs2>)
  TESS_TO(erlbu, load<std::uint8_t, &inst::rs2>)
  TESS_TO(erlhu, load<std::uint16_t, &inst::rs2>)
  TESS_TO(erlwu, load<std::uint32_t, &inst::rs2>)
  TESS_TO(erle, load_extension<&inst::rs2>)
  // The decoder has put address and data where the counterparts have them.
  TESS_TO(ersb, store<std::uint8_t, &inst::rd>)
  TESS_TO(ersh, store<std::uint16_t, &inst::rd>)
  TESS_TO(ersw, store<std::uint32_t, &inst::rd>)
  TESS_TO(ersd, store<std::uint64_t, &inst::rd>)
  TESS_TO(erse, store_extension<&inst::rd>)

#define TESS_REMOTE_ATOMIC(name, operation)                                   \
  TESS_TO(eamo##name##_w, atomic<std::uint32_t, atomic_operation::operation>) \
  TESS_TO(eamo##name##_d, atomic<std::uint64_t, atomic_operation::operation>)
  TESS_REMOTE_ATOMIC(swap, swap)
  TESS_REMOTE_ATOMIC(add, add)
  TESS_REMOTE_ATOMIC(xor, exclusive_or)
  TESS_REMOTE_ATOMIC(and, conjunction)
  TESS_REMOTE_ATOMIC(or, disjunction)
  TESS_REMOTE_ATOMIC(min, min)
  TESS_REMOTE_ATOMIC(max, max)
  TESS_REMOTE_ATOMIC(minu, minu)
  TESS_REMOTE_ATOMIC(maxu, maxu)
#undef TESS_REMOTE_ATOMIC
  TESS_TO(eamocas_w, compare_swap<std::uint32_t>)
  TESS_TO(eamocas_d, compare_swap<std::uint64_t>)

#define TESS_BEGIN(name, kind, operation)                                             \
  TESS_TO(name##_nb_w, begin<std::uint32_t, stop::kind, atomic_operation::operation>) \
  TESS_TO(name##_nb_d, begin<std::uint64_t, stop::kind, atomic_operation::operation>)
  TESS_BEGIN(eamoswap, atomic, swap)
  TESS_BEGIN(eamoadd, atomic, add)
  TESS_BEGIN(eamoxor, atomic, exclusive_or)
  TESS_BEGIN(eamoand, atomic, conjunction)
  TESS_BEGIN(eamoor, atomic, disjunction)
  TESS_BEGIN(eamomin, atomic, min)
  TESS_BEGIN(eamomax, atomic, max)
  TESS_BEGIN(eamominu, atomic, minu)
  TESS_BEGIN(eamomaxu, atomic, maxu)
  TESS_BEGIN(eamocas, compare_swap, swap)
  TESS_BEGIN(eload, load, swap)
#undef TESS_BEGIN
#undef TESS_TO
};

}  // namespace tess::machine
