// commit_log: what is taken down before an instruction, and what is read when the next one begins.
#include "machine/commit/commit_log.hpp"

#include "machine/commit/effect.hpp"
#include "machine/hart/privileged.hpp"
#include "machine/isa/zicsr.hpp"

namespace tess::machine {
namespace {

constexpr std::uint64_t low_bytes(std::uint64_t value, unsigned bytes) {
  return bytes >= 8 ? value : value & ((std::uint64_t{1} << 8U * bytes) - 1);
}

std::uint64_t combined_of(operation op, unsigned bytes, std::uint64_t old, std::uint64_t operand) {
  using enum operation;
  operation const first = op >= eamoswap_d   ? eamoswap_d
                          : op >= eamoswap_w ? eamoswap_w
                          : op >= amoswap_d  ? amoswap_d
                                             : amoswap_w;
  auto const how = static_cast<atomic_operation>(static_cast<unsigned>(op) - static_cast<unsigned>(first));
  return bytes == 4 ? combined(how, static_cast<std::uint32_t>(old), static_cast<std::uint32_t>(operand))
                    : combined(how, old, operand);
}

bool is_trap(hart const& h) {
  return h.stopped == stop::access || h.stopped == stop::illegal || h.stopped == stop::ebreak ||
         (h.stopped == stop::ecall && h.privileged != nullptr);
}

}  // namespace

void commit_log::begin(hart& h, inst const* slot) {
  if (pending_) {
    effect const& of = effect_of(static_cast<operation>(operation_));
    commit(h, of.raises_flags || of.is_csr ? h.fp.fflags() : flags_);
  }
  std::uint64_t const now = h.now(slot);
  if (now < window_.from || now >= window_.to) {
    compare_ = true;
    return;
  }
  next_ = {};
  next_.cycle = now;
  next_.pc = slot->pc();
  next_.core = core_;
  if (h.privileged != nullptr) next_.privilege = static_cast<std::uint8_t>(h.privileged->mode());
  if (compare_) {
    flags_ = h.fp.fflags();
    find_changes(h);
  }
  auto const described = static_cast<std::uint64_t>(slot->imm);
  next_.word = static_cast<std::uint32_t>(described);
  operation_ = static_cast<std::uint8_t>(described >> 32U);
  rd_ = slot->rd;
  find_access(h, slot);
  pending_ = true;
}

void commit_log::find_access(hart const& h, inst const* slot) {
  effect const& of = effect_of(static_cast<operation>(operation_));
  if (of.is_csr) source_ = h.x[slot->rs1];
  if (of.access == effect::kind::none) return;
  next_.bytes = of.bytes;
  next_.address = h.x[slot->rs1] + (of.adds_immediate ? static_cast<std::uint64_t>(slot[1].imm) : 0);
  switch (of.in) {
    case effect::object::none:
      break;
    case effect::object::of_rs1:
      next_.object = h.e[slot->rs1];
      break;
    case effect::object::of_rs2:
      next_.object = h.e[slot->rs2];
      break;
    case effect::object::of_rd:
      next_.object = h.e[slot->rd];
      break;
  }
  source_ = of.stores_f ? h.f[slot->rs2] : of.stores_e ? h.e[slot->rs2] : h.x[slot->rs2];
  expected_ = h.x[slot->rd];
}

void commit_log::commit(hart const& h, std::uint8_t flags) {
  pending_ = false;
  auto const op = static_cast<operation>(operation_);
  if (op == operation::ecall) {
    // Its result, unless the hart goes on elsewhere; the system may have changed more.
    next_.reg = 10;
    next_.value = told_[10] = h.x[10];
    compare_ = true;
  } else {
    find_results(h, flags);
  }
  sink_.keep(next_);
}

void commit_log::find_results(hart const& h, std::uint8_t flags) {
  effect const& of = effect_of(static_cast<operation>(operation_));
  switch (of.to) {
    case effect::file::none:
      break;
    case effect::file::x:
      if (rd_ == no_register) break;
      next_.reg = rd_;
      next_.value = told_[rd_] = h.x[rd_];
      break;
    case effect::file::f:
      next_.reg = committed::first_f + rd_;
      next_.value = told_[next_.reg] = h.f[rd_];
      break;
    case effect::file::e:
      next_.reg = committed::first_e + rd_;
      next_.value = h.e[rd_];
      break;
  }
  std::uint64_t const old = rd_ < h.x.size() ? h.x[rd_] : 0;  // of an atomic; x0's, too
  switch (of.access) {
    case effect::kind::none:
      break;
    case effect::kind::load:
    case effect::kind::reserve:
      next_.access = committed::loads;
      break;
    case effect::kind::store:
      next_.access = committed::stores;
      next_.stored = low_bytes(source_, of.bytes);
      break;
    case effect::kind::conditional:
      if (old == 0) next_.access = committed::stores;
      next_.stored = low_bytes(source_, of.bytes);
      break;
    case effect::kind::atomic:
      next_.access = committed::loads | committed::stores;
      next_.stored = combined_of(static_cast<operation>(operation_), of.bytes, old, source_);
      break;
    case effect::kind::compare_swap:
      next_.access = committed::loads;
      if (low_bytes(old, of.bytes) == low_bytes(expected_, of.bytes)) next_.access |= committed::stores;
      next_.stored = low_bytes(source_, of.bytes);
      break;
    case effect::kind::begun:  // its results come later
      next_.access = committed::loads;
      break;
  }
  if (of.is_csr) return find_csr(h, flags);
  if (!of.raises_flags || flags == flags_) return;
  flags_ = flags;
  next_.csr = csr_fflags;
  next_.csr_value = flags;
}

void commit_log::find_csr(hart const& h, std::uint8_t flags) {
  using enum operation;
  auto const op = static_cast<operation>(operation_);
  std::uint32_t const field = next_.word >> 15U & 31U;  // rs1, or the immediate
  flags_ = flags;
  if (op != csrrw && op != csrrwi && field == 0) return;
  bool const is_immediate = op >= csrrwi;
  std::uint64_t const operand = is_immediate ? field : source_;
  std::uint64_t const old = h.x[rd_];
  next_.csr = static_cast<std::uint16_t>(next_.word >> 20U);
  if (next_.csr == csr_fflags) {
    next_.csr_value = flags;
  } else if (next_.csr == csr_frm) {
    next_.csr_value = h.fp.frm;
  } else if (next_.csr == csr_fcsr) {
    next_.csr_value = std::uint64_t{h.fp.frm} << 5U | flags;
  } else {
    std::uint64_t const written = op == csrrw || op == csrrwi   ? operand
                                  : op == csrrs || op == csrrsi ? old | operand
                                                                : old & ~operand;
    auto const now = h.privileged == nullptr ? std::nullopt : h.privileged->read(next_.csr, h.now());
    next_.csr_value = now.value_or(written);
  }
}

void commit_log::find_changes(hart const& h) {
  compare_ = false;
  committed change;
  change.cycle = next_.cycle;
  change.pc = next_.pc;
  change.core = core_;
  change.privilege = next_.privilege;
  change.by_system = true;
  for (std::uint8_t reg = 1; reg < told_.size(); ++reg) {
    std::uint64_t const value = reg < committed::first_f ? h.x[reg] : h.f[reg - committed::first_f];
    if (value == told_[reg]) continue;
    change.reg = reg;
    change.value = told_[reg] = value;
    sink_.keep(change);
  }
}

void commit_log::settle(hart const& h) {
  if (!pending_) return;
  // An instruction that stopped the hart is not complete yet.
  if (h.stopped == stop::quantum || h.stopped == stop::fetch || h.pc != next_.pc) commit(h, h.fp.flags);
}

void commit_log::jumped(hart const& h) {
  compare_ = true;
  if (!pending_) return;
  pending_ = false;
  if (is_trap(h)) return;
  if (static_cast<operation>(operation_) != operation::ecall) find_results(h, h.fp.flags);
  sink_.keep(next_);
}

void commit_log::finish(hart const& h) {
  if (pending_ && h.stopped == stop::ecall && h.privileged == nullptr) sink_.keep(next_);
  pending_ = false;
}

}  // namespace tess::machine
