// code_cache: splits code into blocks, decodes them, and stores them.
#include "machine/hart/code_cache.hpp"

#include <algorithm>
#include <utility>

#include "machine/commit/commit_log.hpp"
#include "machine/hart/pipeline.hpp"
#include "tess/machine/registers.hpp"

namespace tess::machine {
namespace {

constexpr unsigned instructions_limit = 64;
// Header, enter_block or begin_block, two fetches, instructions, each with a slot for its issue and one that tells of
// it, the link to what follows, and a stub for it and for each branch.
constexpr std::size_t slots_max = 1 + 1 + 2 + 3 * instructions_limit + 1 + instructions_limit + 1;

std::uint8_t extra_cycles(instruction_costs const& costs, operation op) {
  switch (cost_of(op)) {
    case cost_class::none:
      return 0;
    case cost_class::branch:
      return costs.branch_taken;
    case cost_class::multiply:
      return costs.multiply;
    case cost_class::divide:
      return costs.divide;
    case cost_class::float_add:
      return costs.float_add;
    case cost_class::float_multiply:
      return costs.float_multiply;
    case cost_class::float_divide:
      return costs.float_divide;
  }
  return 0;
}

// Operations with effects elsewhere issue alone.
issue_unit unit_of(operation op) {
  switch (cost_of(op)) {
    case cost_class::branch:
      return issue_unit::control;
    case cost_class::multiply:
      return issue_unit::multiply;
    case cost_class::divide:
      return issue_unit::divide;
    case cost_class::float_add:
    case cost_class::float_multiply:
      return issue_unit::floating;
    case cost_class::float_divide:
      return issue_unit::float_divide;
    case cost_class::none:
      break;
  }
  if (is_branch(op)) return issue_unit::control;
  bool const whole = op >= operation::lb && op <= operation::sd;
  if (whole || op == operation::flw || op == operation::fld || op == operation::fsw || op == operation::fsd)
    return issue_unit::memory;
  bool const early = op == operation::lui || op == operation::auipc || (op >= operation::addi && op <= operation::and_);
  return early || (op >= operation::addiw && op <= operation::sraw) ? issue_unit::alu : issue_unit::alone;
}

bool is_load(operation op) {
  return (op >= operation::lb && op <= operation::lwu) || op == operation::flw || op == operation::fld;
}

bool is_narrow(operation op) {
  return op == operation::lb || op == operation::lh || op == operation::lbu || op == operation::lhu;
}

operation slot_of(operation op) {
  if (op == operation::jal) return operation::issue_jal;
  if (op == operation::jalr) return operation::issue_jalr;
  if (!is_branch(op)) return operation::issue;
  return static_cast<operation>(static_cast<unsigned>(operation::issue_beq) + static_cast<unsigned>(op) -
                                static_cast<unsigned>(operation::beq));
}

// Special cases with a function of their own.
void shorten(decoded& word) {
  if (word.op == operation::addi && word.rs1 == 0) word.op = operation::li;
  if (word.op == operation::addi && word.imm == 0) word.op = operation::mv;
  if (word.op == operation::add && word.rs1 == 0) {
    word.rs1 = word.rs2;
    word.op = operation::mv;
  }
  bool const marks = word.imm == registers::region_mark::begins || word.imm == registers::region_mark::ends;
  if (word.op == operation::slti && word.rd == 32 && marks) word.op = operation::mark_region;
  if (word.op == operation::jal && word.rd == 32) word.op = operation::jump_to;
  if (word.op == operation::jalr && word.rd == 32) word.op = operation::ret;
}

// One block under construction.
class block_builder {
 public:
  block_builder(code_source const& source, handler* const* handlers, block_rules const& rules, std::uint64_t pc)
      : source_(source), handlers_(handlers), rules_(rules), pc_(pc), start_(pc) {
    slots_[used_++] = {nullptr, static_cast<std::int64_t>(pc), 0, 0, 0, 0, 0, 0, 0};
  }

  void build() {
    if (rules_.translated_after != 0 && !rules_.traced)
      put_pseudo(operation::enter_block, std::int64_t{rules_.translated_after});
    if (rules_.profiled) put_pseudo(operation::begin_block, 0);
    if (rules_.fetch_line_bytes != 0) put_pseudo(operation::fetch_line, static_cast<std::int64_t>(line_of(pc_)));
    unsigned const most = std::clamp(rules_.instructions_max, 1U, instructions_limit);
    bool ended = false;
    while (!ended && instructions_ < most && (instructions_ == 0 || line_of(pc_) == line_of(start_)))
      ended = !put_next();
    add_link();
    add_stubs();
  }

  [[nodiscard]] std::span<inst const> slots() const noexcept { return {slots_.data(), used_}; }

  // Stubs refer to their jumps by distance, but jumps have pointers to stubs: these move with the block.
  void point_to_stubs(inst* first) const {
    for (std::size_t k = stubs_begin_; k < used_; ++k) {
      inst& stub = first[k];
      (&stub - stub.cycles)->imm = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(&stub));  // NOLINT
    }
  }

 private:
  [[nodiscard]] std::uint64_t line_of(std::uint64_t pc) const noexcept {
    return rules_.fetch_line_bytes == 0 ? 0 : pc / rules_.fetch_line_bytes * rules_.fetch_line_bytes;
  }

  void put(operation op, decoded const& word) {
    slots_[used_] = {handlers_[static_cast<std::size_t>(op)],
                     word.imm,
                     word.rd,
                     word.rs1,
                     word.rs2,
                     static_cast<std::uint8_t>(used_),
                     static_cast<std::uint8_t>((pc_ - start_) / 2),
                     static_cast<std::uint8_t>(instructions_),
                     static_cast<std::uint16_t>(cycles_)};
    ++used_;
  }
  void put_pseudo(operation op, std::int64_t imm) { put(op, {op, 0, 0, 0, imm}); }

  // False if the block ends with this instruction or before it.
  bool put_next() {
    std::uint16_t low = 0;
    std::uint16_t high = 0;
    if (!source_.halfword(pc_, low)) return put_no_code();
    unsigned const bytes = is_compressed(low) ? 2 : 4;
    if (bytes == 4) {
      if (line_of(pc_ + 2) != line_of(start_)) {
        if (instructions_ != 0) return false;  // it starts a block of its own
        put_pseudo(operation::fetch_line, static_cast<std::int64_t>(line_of(pc_ + 2)));
      }
      if (!source_.halfword(pc_ + 2, high)) return put_no_code();
    }
    std::uint32_t const whole = bytes == 2 ? expand(low) : std::uint32_t{low} | std::uint32_t{high} << 16U;
    decoded word = decode(whole);
    if (instructions_ != 0 && !rules_.issues && uses_loaded(previous_, word)) cycles_ += rules_.costs.load_use;
    previous_ = word;
    if (word.op == operation::illegal) word.imm = bytes == 2 ? low : whole;
    if (rules_.issues || (rules_.learns && slot_of(word.op) != operation::issue)) put_issue(word);
    if (rules_.traced) {
      auto const in_memory = bytes == 2 ? std::uint32_t{low} : whole;
      put(operation::begin_instruction, {operation::begin_instruction, word.rd, word.rs1, word.rs2,
                                         commit_log::slot_value(in_memory, static_cast<std::uint8_t>(word.op))});
    }
    shorten(word);
    put_instruction(word);
    pc_ += bytes;
    return !ends_block(word.op);
  }

  bool put_no_code() {
    if (instructions_ != 0) return false;  // the instructions before it run first
    ++instructions_;
    put_pseudo(operation::no_code, 0);
    pc_ += 2;
    return false;
  }

  void put_issue(decoded const& word) {
    register_use const used = registers_of(word);
    issue_unit const unit = unit_of(word.op);
    // A result that is a return address has no latency.
    unsigned cycles = unit == issue_unit::control ? 0 : extra_cycles(rules_.costs, word.op);
    if (is_load(word.op)) cycles = rules_.costs.load_use + (is_narrow(word.op) ? rules_.narrow_load : 0U);
    bool const stores = unit == issue_unit::memory && !is_load(word.op);
    bool const late = unit == issue_unit::alu || is_branch(word.op);
    issue_need const need{.third = used.third,
                          .latency = static_cast<std::uint8_t>(std::min(cycles + 1, 255U)),
                          .unit = unit,
                          .late_first = late,
                          .late_second = late || stores,
                          .target = unit == issue_unit::control ? static_cast<std::int32_t>(word.imm) : 0};
    put(slot_of(word.op), {word.op, used.destination, used.first, used.second, need.packed()});
    ++slots_[used_ - 1].since;  // what waits here is the instruction
  }

  void put_instruction(decoded& word) {
    ++instructions_;
    if (!rules_.issues) cycles_ += 1U + extra_cycles(rules_.costs, word.op);
    if (word.op == operation::auipc) word.imm += static_cast<std::int64_t>(pc_);
    if (is_branch(word.op)) word.rd = rules_.issues ? 0 : rules_.costs.branch_taken;
    bool const jumps = is_branch(word.op) || word.op == operation::jal || word.op == operation::jump_to;
    if (jumps) targets_[jumps_++] = {used_, pc_ + static_cast<std::uint64_t>(word.imm)};
    put(word.op, word);
  }

  void add_link() {
    // The block that follows does not know what comes before it.
    if (rules_.costs.load_use != 0 && !rules_.issues && uses_loaded(previous_, word_at(source_, pc_)))
      cycles_ += rules_.costs.load_use;
    targets_[jumps_++] = {used_, pc_};
    put_pseudo(operation::jump_to, 0);
  }

  void add_stubs() {
    stubs_begin_ = used_;
    for (std::size_t k = 0; k < jumps_; ++k) {
      auto const distance = static_cast<std::uint16_t>(used_ - targets_[k].slot);
      slots_[used_++] = {handlers_[static_cast<std::size_t>(operation::stub)],
                         static_cast<std::int64_t>(targets_[k].pc),
                         0,
                         0,
                         0,
                         0,
                         0,
                         0,
                         distance};
    }
  }

  struct jump_target {
    std::size_t slot;
    std::uint64_t pc;
  };

  code_source const& source_;
  handler* const* handlers_;
  block_rules const& rules_;
  std::uint64_t pc_;
  std::uint64_t start_;
  decoded previous_;  // illegal at first
  unsigned instructions_ = 0;
  unsigned cycles_ = 0;
  std::size_t used_ = 0;
  std::size_t jumps_ = 0;
  std::size_t stubs_begin_ = 0;
  std::array<inst, slots_max> slots_;
  std::array<jump_target, instructions_limit + 1> targets_;
};

}  // namespace

decoded word_at(code_source const& source, std::uint64_t pc) {
  std::uint16_t low = 0;
  std::uint16_t high = 0;
  if (!source.halfword(pc, low)) return {};
  if (is_compressed(low)) return decode(expand(low));
  if (!source.halfword(pc + 2, high)) return {};
  return decode(std::uint32_t{low} | std::uint32_t{high} << 16U);
}

code_cache::code_cache(code_source const& source, handler* const* handlers, block_rules rules)
    : source_(source), handlers_(handlers), rules_(rules) {}

std::size_t code_cache::block_table::place_of(std::uint64_t pc) const noexcept {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;  // 2^64 divided by the golden ratio: Knuth, TAOCP 3, 6.4
  std::size_t const mask = known.size() - 1;
  std::size_t at = (pc * golden >> 32U) & mask;
  while (known[at].first != nullptr && known[at].pc != pc) at = (at + 1) & mask;
  return at;
}

void code_cache::block_table::add(std::uint64_t pc, inst const* first) {
  if (2 * (count + 1) > known.size()) {
    constexpr std::size_t least = 1024;
    std::vector<jump_entry> const before = std::exchange(known, {});
    known.resize(std::max(least, 2 * before.size()));
    for (jump_entry const& one : before)
      if (one.first != nullptr) known[place_of(one.pc)] = one;
  }
  known[place_of(pc)] = {pc, first};
  ++count;
}

inst* code_cache::block_table::allocate(std::size_t insts) {
  if (chunk_used + insts > chunk_insts) {
    chunks.push_back(std::make_unique_for_overwrite<inst[]>(chunk_insts));  // NOLINT
    chunk_used = 0;
  }
  inst* const first = chunks.back().get() + chunk_used;
  chunk_used += insts;
  return first;
}

inst const* code_cache::find(std::uint64_t pc) const noexcept {
  return blocks_->known.empty() ? nullptr : blocks_->known[blocks_->place_of(pc)].first;
}

inst const* code_cache::block_at(std::uint64_t pc) {
  if (inst const* const known = find(pc)) return known;
  if (blocks_->chunks.size() * chunk_insts > inst_max || (translator_ != nullptr && translator_->is_full())) clear();
  block_builder builder{source_, handlers_, rules_, pc};
  builder.build();
  inst* const first = blocks_->allocate(builder.slots().size());
  std::ranges::copy(builder.slots(), first);
  builder.point_to_stubs(first);
  blocks_->add(pc, first + 1);
  return first + 1;
}

void code_cache::link(inst const* stub, inst const* first) noexcept {
  // The blocks are owned here and mutable; harts that run them only read.
  inst* const jump = const_cast<inst*>(stub - stub->cycles);                       // NOLINT
  jump->imm = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(first));  // NOLINT
}

bool code_cache::count_entry(inst const* slot) {
  inst* const first = const_cast<inst*>(slot);  // NOLINT: as in link()
  return --first->imm == 0 && translator_->translate(first, blocks_->jumps.data());
}

void code_cache::clear() {
  blocks_ = std::make_shared<block_table>();
  if (translator_ != nullptr) translator_->forget();
  ++generation_;
}

}  // namespace tess::machine
