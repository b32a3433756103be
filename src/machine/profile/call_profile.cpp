// call_profile: executions of blocks, the tree of calls, and the hart's time.
#include "machine/profile/call_profile.hpp"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

namespace tess::machine {
namespace {

constexpr bool is_link(std::uint8_t number) noexcept {
  return number == 1 || number == 5;
}

}  // namespace

char const* name_of(spent on) noexcept {
  static constexpr std::array<char const*, ways_to_spend> names{"issue",       "L2",        "memory", "remote",
                                                                "bus",         "interface", "device", "write buffer",
                                                                "translation", "system",    "sleep"};
  return names[static_cast<std::size_t>(on)];
}

void call_profile::add(counted_block& to, std::size_t instruction, spent on, std::uint64_t cycles) {
  auto const at = static_cast<std::uint16_t>(std::min<std::size_t>(instruction, to.size - 1));
  block_wait* const last = to.waits;
  block_wait* one = last;
  while (one != nullptr) {
    one = one->next;
    if (one->instruction == at && one->on == on) break;
    if (one == last) one = nullptr;
  }
  if (one == nullptr) {
    one = memory_.array<block_wait>(1);
    one->instruction = at;
    one->on = on;
    one->next = last == nullptr ? one : std::exchange(last->next, one);
  }
  one->cycles += cycles;
  to.waits = one;
}

call_profile::block_exit& call_profile::exit_behind(counted_block& block, std::size_t after) {
  block_exit* one = &block.exits;
  while (one != nullptr && one->after != after) one = one->next;
  if (one != nullptr) return *one;
  one = &block.exits;
  if (one->after != 0) {
    one = memory_.array<block_exit>(1);
    one->next = std::exchange(block.exits.next, one);
  }
  one->after = static_cast<std::uint16_t>(after);
  one->end = block.steps[after - 1].end;
  one->leaves_by = block.steps[after - 1].leaves_by;
  return *one;
}

block_shape const& block_shapes::of(hart const& h, inst const* first) {
  std::uint64_t const pc = first->pc();
  // Stubs have the index 0, and follow the link; slots that the decoder inserted do not count as instructions.
  inst const* link = first;
  while (link[1].index != 0) ++link;
  std::deque<block_shape>& known = shapes_[pc];
  for (block_shape const& one : known)
    if (one.size() == link->since && one.steps.back().offset == link->offset) return one;
  block_shape& made = known.emplace_back();
  for (inst const* slot = first; slot <= link; ++slot) {
    if (slot->since != made.steps.size() + 1) continue;
    decoded const word = word_at(h.code->source(), slot->pc());
    bool const links = (word.op == operation::jal || word.op == operation::jalr) && is_link(word.rd);
    bool const returns = word.op == operation::jalr && is_link(word.rs1) && !is_link(word.rd);
    made.steps.push_back({.end = slot->cycles,
                          .offset = slot->offset,
                          .leaves_by = links     ? block_shape::exit::call
                                       : returns ? block_shape::exit::back
                                                 : block_shape::exit::jump});
  }
  made.steps.push_back({.offset = link->offset});
  return made;
}

void call_profile::wait(inst const* i, spent on, std::uint64_t cycles) {
  waited_ += cycles;
  // Lines are fetched before the block that has them is decoded, or by its first slots.
  if (i->index == 0 || current_ == nullptr) {
    add_pending(on, cycles);
  } else {
    add(*current_, i->since == 0 ? 0 : i->since - 1U, on, cycles);
  }
}

void call_profile::wait_stopped(hart const& h, spent on, std::uint64_t cycles) {
  waited_ += cycles;
  if (h.counted == 0 || current_ == nullptr) {
    add_pending(on, cycles);
  } else {
    add(*current_, h.counted - 1, on, cycles);
  }
}

void call_profile::go_on(hart const& h, spent on, std::uint64_t bus_cycles, std::uint64_t translation_cycles) {
  std::uint64_t const now = h.now();
  std::uint64_t const cycles = now - std::min(now, left_at_);
  left_at_ = now;
  if (cycles == 0) return;
  if (begins_) {
    waited_ += cycles;
    idle_ += cycles;
    return;
  }
  std::uint64_t const on_bus = std::min(bus_cycles, cycles);
  if (on_bus != 0) wait_stopped(h, spent::bus, on_bus);
  std::uint64_t const on_translation = std::min(translation_cycles, cycles - on_bus);
  if (on_translation != 0) wait_stopped(h, spent::translation, on_translation);
  std::uint64_t const rest = cycles - on_bus - on_translation;
  if (rest != 0) wait_stopped(h, on, rest);
}

call_profile::block_exit* call_profile::close(hart const& h, std::uint64_t now) {
  std::uint64_t const executed = current_ == nullptr ? 0 : h.retired - entered_retired_;
  if (executed != 0) {
    block_exit& by = exit_of(*current_, std::min<std::size_t>(executed, current_->size));
    count(by, h, now);
    return &by;
  }
  std::uint64_t const passed = now - entered_at_;
  add_pending(spent::issue, passed - std::min(passed, waited_));
  waited_ = 0;
  entered_at_ = now;
  entered_retired_ = h.retired;
  return nullptr;
}

thread_path call_profile::path_of(std::uint32_t call) const {
  thread_path made;
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t one = call; one != root; one = calls_[one].parent) numbers.push_back(one);
  std::ranges::reverse(numbers);
  for (std::uint32_t const one : numbers) made.steps.push_back({calls_[one].function, calls_[one].site});
  for (open_call const& one : open_) {
    auto const at = std::ranges::find(numbers, one.of);
    if (at != numbers.end()) made.open.push_back({one.returns_to, static_cast<std::size_t>(at - numbers.begin()) + 1});
  }
  return made;
}

void call_profile::switch_thread(std::uint64_t from, std::uint64_t to) {
  if (from != 0) threads_[from] = path_of(goes_on_in_ ? *goes_on_in_ : current_ == nullptr ? root : current_->of);
  thread_path const next = std::move(threads_[to]);
  threads_.erase(to);
  std::vector<std::uint32_t> numbers{root};
  for (thread_path::step const& one : next.steps) numbers.push_back(callee(numbers.back(), one.function, one.site));
  open_.clear();
  for (thread_path::open_call const& one : next.open)
    open_.push_back({.returns_to = one.returns_to, .of = numbers[one.steps], .from = nullptr});
  goes_on_in_ = numbers.back();
}

void call_profile::enter_slowly(hart const& h, inst const* first) {
  bool const is_changed = generation_ != h.code->generation();
  if (is_changed) [[unlikely]] {
    generation_ = h.code->generation();
    // The same addresses may have other code now, so all blocks are counted anew.
    known_.clear();
    recent_ = {};
    for (counted_block* const one : counts_) one->forget();
  }
  std::uint64_t const pc = first->pc();
  block_exit* const by = close(h, h.now());
  // A hart without a thread may also get one that goes on.
  if (std::exchange(begins_, false) && !goes_on_in_) {
    open_.clear();
    goes_on_in_ = root;
  }
  if (goes_on_in_) {
    std::uint32_t const in = *std::exchange(goes_on_in_, std::nullopt);
    current_ = &block_of(in == root ? callee(root, functions_.at(pc), 0) : jumped(in, pc), pc, h, first);
  } else if (by != nullptr) {
    current_ = &after(*current_, *by, pc, h, first);
  } else if (current_ == nullptr || current_->pc != pc || is_changed) {
    current_ =
        &block_of(current_ == nullptr ? callee(root, functions_.at(pc), 0) : jumped(current_->of, pc), pc, h, first);
  }
  take_pending();
}

void call_profile::take_pending() {
  if (!std::exchange(has_pending_, false)) return;
  for (std::size_t on = 0; on < ways_to_spend; ++on) {
    if (pending_[on] != 0) add(*current_, 0, static_cast<spent>(on), std::exchange(pending_[on], 0));
  }
}

call_profile::counted_block& call_profile::after(counted_block& before, block_exit& by, std::uint64_t pc, hart const& h,
                                                 inst const* first) {
  if (by.leaves_by == block_shape::exit::jump) {
    if (by.to != nullptr && by.to->pc == pc) return *by.to;
    if (by.other != nullptr && by.other->pc == pc) return *by.other;
  }
  return after_other(before, by, pc, h, first);
}

call_profile::counted_block& call_profile::after_other(counted_block& before, block_exit& by, std::uint64_t pc,
                                                       hart const& h, inst const* first) {
  if (by.leaves_by == block_shape::exit::back) {
    std::size_t const lowest = open_.size() - std::min(open_.size(), search_max);
    for (std::size_t k = open_.size(); k-- > lowest;) {
      if (open_[k].returns_to != pc) continue;
      counted_block* const known = open_[k].from;
      std::uint32_t const of = open_[k].of;
      open_.resize(k);
      if (known == nullptr) return block_of(of, pc, h, first);
      counted_block& from = *known;
      if (from.behind_call == nullptr || from.behind_call->pc != pc)
        from.behind_call = &block_of(from.of, pc, h, first);
      return *from.behind_call;
    }
    return block_of(jumped(before.of, pc), pc, h, first);
  }
  bool const is_call = by.leaves_by == block_shape::exit::call;
  bool const calls = is_call && open_.size() < open_max;
  if (calls) open_.push_back({.returns_to = before.address(by.after), .of = before.of, .from = &before});
  // A call that is too deep is none only this time.
  bool const is_as_always = !is_call || calls;
  if (is_as_always) {
    if (by.to != nullptr && by.to->pc == pc) return *by.to;
    std::swap(by.to, by.other);
    if (by.to != nullptr && by.to->pc == pc) return *by.to;
  }
  std::uint32_t const of =
      calls ? callee(before.of, functions_.at(pc), before.address(by.after - 1)) : jumped(before.of, pc);
  counted_block& to = block_of(of, pc, h, first);
  if (is_as_always) by.to = &to;
  return to;
}

// `size` is 0, or must be the block's.
call_profile::counted_block& call_profile::block_of(std::uint32_t of, std::uint64_t pc, std::uint32_t size,
                                                    auto shape) {
  auto const is_it = [&](counted_block const& one) {
    return one.of == of && one.pc == pc && (size == 0 || size == one.size);
  };
  auto const same = [&](std::uint32_t number) { return is_it(*counts_[number]); };
  std::uint64_t const hashed = index_table::hash(pc, of);
  counted_block*& recent = recent_[hashed % recent_max];
  if (recent != nullptr && is_it(*recent)) return *recent;
  std::uint32_t const number = known_.find(hashed, same, [&] {
    counted_block* const made = memory_.array<counted_block>(1);
    made->of = of;
    made->pc = pc;
    std::tie(made->steps, made->size) = shape();
    counts_.push_back(made);
    return static_cast<std::uint32_t>(counts_.size() - 1);
  });
  recent = counts_[number];
  return *recent;
}

call_profile::counted_block& call_profile::block_of(std::uint32_t of, std::uint64_t pc, hart const& h,
                                                    inst const* first) {
  return block_of(of, pc, 0, [&] {
    block_shape const& shape = shapes_.of(h, first);
    return std::pair(shape.steps.data(), static_cast<std::uint32_t>(shape.size()));
  });
}

void call_profile::add(call_profile const& other, std::uint64_t moved_by) {
  // Callees stand behind their callers.
  std::vector<std::uint32_t> here{root};
  for (std::size_t i = 1; i < other.calls_.size(); ++i) {
    call const& one = other.calls_[i];
    here.push_back(callee(here[one.parent], one.function, one.site == 0 ? 0 : one.site - moved_by));
  }
  for (counted_block const* const from : other.counts_) {
    counted_block& to =
        block_of(here[from->of], from->pc - moved_by, from->size, [&] { return std::pair(from->steps, from->size); });
    for (block_exit const* one = &from->exits; one != nullptr; one = one->next) {
      if (one->after == 0) continue;
      block_exit& sum = exit_of(to, one->after);
      sum.times += one->times;
      sum.own_cycles += one->own_cycles;
    }
    from->visit_waits([&](block_wait const& one) { add(to, one.instruction, one.on, one.cycles); });
  }
  idle_ += other.idle_;
}

std::uint32_t call_profile::callee(std::uint32_t from, std::uint32_t function, std::uint64_t site) {
  call const wanted{.parent = from, .function = function, .site = site};
  return callees_.find(
      index_table::hash(site ^ std::uint64_t{function} << 40U, from),
      [&](std::uint32_t one) { return calls_[one] == wanted; },
      [&] {
        calls_.push_back(wanted);
        return static_cast<std::uint32_t>(calls_.size() - 1);
      });
}

std::uint32_t call_profile::jumped(std::uint32_t from, std::uint64_t pc) {
  std::uint32_t const function = functions_.at(pc);
  call const left = calls_[from];
  return left.function == function ? from : callee(left.parent, function, left.site);
}

void call_profile::finish(hart const& h, spent on, std::uint64_t now) {
  std::uint64_t const end = std::max(now, h.now());
  std::uint64_t const cycles = end - std::min(end, left_at_);
  if (begins_) {
    idle_ += cycles;
    waited_ += cycles;
  } else if (cycles != 0) {
    wait_stopped(h, on, cycles);
  }
  left_at_ = end;
  close(h, end);
  if (current_ == nullptr) return;
  take_pending();
}

void call_profile::visit(std::function<void(line_item const&)> const& each) const {
  std::vector<std::uint64_t> left;   // by the number of instructions executed
  std::vector<spent_cycles> cycles;  // by instruction
  for (counted_block const* const at : counts_) {
    counted_block const& one = *at;
    left.assign(one.size + 1, 0);
    cycles.assign(one.size, {});
    one.visit_waits([&](block_wait const& w) { cycles[w.instruction][static_cast<std::size_t>(w.on)] += w.cycles; });
    for (block_exit const* by = &one.exits; by != nullptr; by = by->next) {
      if (by->after == 0) continue;
      left[by->after] = by->times;
      cycles[by->after - 1U][static_cast<std::size_t>(spent::issue)] += by->own_cycles;
    }
    std::uint64_t executions = 0;
    for (std::size_t i = one.size; i-- > 0;) {
      executions += left[i + 1];
      line_item item{.of = one.of, .pc = one.address(i), .instructions = executions, .cycles = cycles[i]};
      std::uint64_t const own = std::uint64_t{one.steps[i].end} - (i == 0 ? 0 : one.steps[i - 1].end);
      item.cycles[static_cast<std::size_t>(spent::issue)] += executions * own;
      if (std::ranges::any_of(item.cycles, [](std::uint64_t passed) { return passed != 0; })) each(item);
    }
  }
}

}  // namespace tess::machine
