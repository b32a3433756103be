// nca_lockstep: the graph write-back's hardware beside its model, on random graphs, of which half are damaged, with
// words, records and stack entries that somebody changes. An access outside of the partition is an error.
//
// Usage: lockstep_bench.hpp
#include <array>
#include <cstring>
#include <vector>

#include "lockstep_bench.hpp"
#include "machine/nca/traversal_machine.hpp"

namespace tess::machine {
namespace {

namespace objects = registers::objects;
using registers::graph_fault;

constexpr std::uint64_t base = 0x4000'0000'0000;
constexpr std::uint64_t size = 32'768;
constexpr std::uint64_t types_address = 0x1000;
constexpr std::uint32_t types_count = 24;
constexpr std::array faults{graph_fault::none, graph_fault::null_pointer, graph_fault::wild_pointer,
                            graph_fault::bad_descriptor, graph_fault::stack_full};

/// A tile: its partition, its types, and a stack.
class toy_tile {
 public:
  struct statistics {
    std::map<graph_fault, std::uint64_t> by_fault;
    std::uint64_t objects = 0;

    [[nodiscard]] bool all() const {
      return std::ranges::all_of(faults, [&](graph_fault one) { return by_fault.contains(one); });
    }
    [[nodiscard]] std::string text() const {
      std::string said = std::to_string(objects) + " objects; graphs by their fault:";
      for (auto const& [fault, count] : by_fault)
        said += ' ' + std::to_string(static_cast<unsigned>(fault)) + ':' + std::to_string(count);
      return said;
    }
  };

  toy_tile(std::uint64_t seed, traversal_unit::parameters const& made)
      : choose_(seed), line_bytes_(made.line_bytes), stack_(made.stack_entries), words_(size / 8) {
    for (auto* const rate : {&job_rate_, &access_rate_, &answer_rate_, &written_rate_, &record_rate_, &stack_rate_})
      *rate = choose_.rate();
    changes_ = choose_.chance(2) ? 0 : 20 + choose_.below(2000);
    make_graph();
  }

  static std::string text_of(traversal_unit::outputs const& out) {
    std::string text;
    auto const add = [&](char const* format, auto... values) {
      char buffer[160];
      std::snprintf(buffer, sizeof buffer, format, static_cast<unsigned long long>(values)...);
      text += buffer;
    };
    add("%llu%llu%llu", out.job_ready, out.job_begins, out.quiet);
    if (out.access_valid) add(" access %llu at %llx", out.access.kind, out.access.offset);
    if (out.access_valid && out.access.kind == traversal_access::mark) add(" mark %llx", out.mark);
    if (out.record_valid) add(" record %llx whole %llu", out.record_address, out.record_whole);
    if (out.stack_valid) add(" stack %llu at %llx", out.stack_writes, out.stack_index);
    if (out.stack_valid && out.stack_writes) add(" %llx %llx", out.stack_place.object, out.stack_place.position);
    if (out.result_valid)
      add(" result %llu objects %llu bytes %llu", out.result.fault, out.result.objects, out.result.bytes);
    return text;
  }

  void drive(traversal_unit::inputs& in) {
    in.partition_base = base;
    in.partition_bytes = size;
    in.types_address = types_address;
    in.types_count = types_count;
    if (!in.job_valid || took_job_) {
      in.job_valid = choose_.happens(job_rate_);
      if (in.job_valid) in.job = make_job();
      took_job_ = false;
    }
    in.access_ready = choose_.happens(access_rate_);
    in.record_ready = choose_.happens(record_rate_);
    in.stack_ready = choose_.happens(stack_rate_);
    in.result_ready = choose_.happens(job_rate_);
    in.answer_valid = accessed_ && choose_.happens(answer_rate_);
    if (in.answer_valid) accessed_ = false;
    in.answer_words = line_.data();
    in.written = leaving_ != 0 && choose_.happens(written_rate_);
    if (in.written) --leaving_;
    in.record_answer_valid = asked_ && choose_.happens(record_rate_);
    if (in.record_answer_valid) {
      asked_ = false;
      in.record_words = record_;
      in.record_fault = choose_.chance(400);
    }
    in.stack_answer_valid = stacked_ && choose_.happens(stack_rate_);
    if (in.stack_answer_valid) {
      stacked_ = false;
      in.stack_place = changes_ != 0 && choose_.chance(50)
                           ? traversal_place{choose_.chance(2) ? choose_.word() >> 24U : choose_.below(size) / 8 * 8,
                                             choose_.word() >> (26U + choose_.below(38))}
                           : place_;
    }
  }

  /// What moves at the edge that `in` was made for; a text: something that must not be.
  [[nodiscard]] char const* take(traversal_unit::inputs const& in, traversal_unit::outputs const& out,
                                 statistics& reached) {
    if (in.job_valid && out.job_ready) {
      took_job_ = true;
      ++jobs_;
    }
    if (out.result_valid && in.result_ready) {
      --jobs_;
      ++reached.by_fault[out.result.fault];
      reached.objects += out.result.objects;
      if (leaving_ != 0) return "a result before all lines are in memory";
    }
    if (out.record_valid && in.record_ready) ask(out);
    if (out.stack_valid && in.stack_ready) {
      if (out.stack_index >= stack_.size()) return "the stack has no such entry";
      if (out.stack_writes) stack_[out.stack_index] = out.stack_place;
      place_ = stack_[out.stack_index];
      stacked_ = true;
    }
    if (changes_ != 0 && choose_.chance(changes_)) words_[choose_.below(words_.size())] = wild_word();
    return out.access_valid && in.access_ready ? access(out) : nullptr;
  }

 private:
  struct type {
    std::uint64_t bytes, kind, alignment;
    std::vector<std::uint64_t> mask;
    std::uint64_t mask_at;
  };

  [[nodiscard]] char const* access(traversal_unit::outputs const& out) {
    std::uint64_t const at = out.access.offset;
    if (at >= size || at % (out.access.kind == traversal_access::mark ? 8 : line_bytes_) != 0)
      return "an access outside of the partition";
    if (out.access.kind == traversal_access::write_back) {
      ++leaving_;
      return nullptr;
    }
    accessed_ = true;
    for (auto& word : line_) word = choose_.word();
    if (out.access.kind == traversal_access::mark) {
      words_[at / 8] = out.mark;
    } else {
      std::memcpy(line_.data(), &words_[at / 8], line_bytes_);
    }
    return nullptr;
  }

  void ask(traversal_unit::outputs const& out) {
    asked_ = true;
    record_ = {choose_.word(), choose_.word(), choose_.word()};
    std::uint64_t const at = out.record_address;
    std::uint64_t const number = (at - types_address) / objects::record_bytes;
    if (out.record_whole) {
      type const& of = types_[number % types_.size()];
      record_ = {of.bytes | choose_.word() << 32U, of.kind | of.alignment << 8U | choose_.word() << 16U, of.mask_at};
      return;
    }
    for (type const& of : types_)
      if (at >= of.mask_at && at < of.mask_at + of.mask.size() * 8) record_[0] = of.mask[(at - of.mask_at) / 8];
  }

  std::uint64_t wild_word() {
    switch (choose_.below(7)) {
      case 0:
        return choose_.word();
      case 1:
        return base + choose_.below(size);
      case 2:
        return base + choose_.below(size) / 8 * 8;
      case 3:
        return base - 8 + choose_.below(10) * 8;
      case 4:
        return choose_.below(40);
      case 5:  // room in front for an object, but not for an array
        return base + objects::front_bytes;
      default:
        return base + size - choose_.below(64) / 8 * 8;
    }
  }

  void make_types() {
    types_.clear();
    std::uint64_t mask_at = types_address + types_count * objects::record_bytes;
    for (std::uint32_t number = 0; number < types_count; ++number) {
      type made{.bytes = 0,
                .kind = number < 16 ? 0 : number % 2 + 1U,
                .alignment = choose_.chance(3) ? 16U : 8U,
                .mask = {},
                .mask_at = mask_at};
      std::uint64_t const words = made.kind != 0 ? 0 : choose_.chance(4) ? 33 + choose_.below(60) : choose_.below(12);
      made.bytes = words * 8;
      made.mask.assign(words / 32 + 1, 0);
      for (std::uint64_t at = 0; at < words; ++at)
        made.mask[at / 32] |= (choose_.chance(2) ? 0 : choose_.below(4)) << at % 32 * 2;
      if (choose_.chance(20)) made.mask.back() = choose_.word();
      if (choose_.chance(60)) made.bytes += 4;
      if (choose_.chance(60)) made.kind = choose_.below(5);
      if (choose_.chance(60)) made.alignment = choose_.below(32);
      mask_at += made.mask.size() * 8;
      types_.push_back(std::move(made));
    }
  }

  void make_graph() {
    make_types();
    made_.clear();
    bool const sound = choose_.chance(2);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes;
    std::uint64_t const most = 1 + choose_.below(choose_.chance(3) ? 300 : 30);
    for (std::uint64_t next = choose_.below(8) * 8; made_.size() < most;) {
      auto const number = choose_.below(types_count);
      type const& of = types_[number];
      bool const array = of.kind != 0;
      std::uint64_t bytes = array ? (choose_.chance(20) ? choose_.below(2000) : choose_.below(120)) : of.bytes;
      if (of.kind == 2) bytes = bytes / 8 * 8;
      next += array ? objects::array_front_bytes : objects::front_bytes;
      if (next + bytes + 8 > size) break;
      words_[(next - objects::header) / 8] = number | choose_.word() << 32U;
      if (array) words_[(next - objects::array_bytes) / 8] = bytes;
      words_[(next - objects::parent_src) / 8] = choose_.word() & ~std::uint64_t{1};
      made_.push_back(base + next);
      sizes.emplace_back(next, bytes);
      next = (next + bytes + 7) / 8 * 8;
    }
    for (auto const& [at, bytes] : sizes)
      for (std::uint64_t word = 0; word < bytes / 8; ++word)
        words_[at / 8 + word] = !sound && choose_.chance(100) ? wild_word()
                                : choose_.chance(4)           ? 0
                                                              : made_[choose_.below(made_.size())];
    if (!sound) words_[choose_.below(words_.size())] = wild_word();
    if (!sound) words_[(objects::front_bytes - objects::header) / 8] = 16 + choose_.below(8);
  }

  traversal_job make_job() {
    // Another graph now and then, while no job reads the present one.
    if (jobs_ == 0 && choose_.chance(3)) make_graph();
    std::uint64_t const root =
        choose_.chance(12) ? (choose_.chance(3) ? 0 : wild_word()) : made_[choose_.below(made_.size())];
    mark_ += 2;
    return {.root = root, .mark = mark_};
  }

  dice choose_;
  std::uint64_t line_bytes_;
  std::vector<traversal_place> stack_;
  std::vector<std::uint64_t> words_;
  std::vector<type> types_;
  std::vector<std::uint64_t> made_;
  std::uint64_t mark_ = 1;
  std::uint64_t job_rate_ = 0, access_rate_ = 0, answer_rate_ = 0, written_rate_ = 0, record_rate_ = 0, stack_rate_ = 0;
  std::uint64_t changes_ = 0;  ///< A word of the partition changes every so many cycles.
  bool took_job_ = true;
  std::uint64_t jobs_ = 0;
  bool accessed_ = false;
  std::array<std::uint64_t, traversal_unit::lanes_max> line_{};
  std::uint64_t leaving_ = 0;
  bool asked_ = false;
  std::array<std::uint64_t, 3> record_{};
  bool stacked_ = false;
  traversal_place place_;
};

}  // namespace
}  // namespace tess::machine

int main(int count, char** words) {
  using namespace tess::machine;  // NOLINT
  traversal_unit::parameters made;
  return lockstep_main<lockstep_bench<traversal_unit, traversal_machine, toy_tile>>(
      {words, words + count}, made,
      {{"QUEUE_ENTRIES", &made.queue_entries},
       {"STATE_CYCLES", &made.state_cycles},
       {"STACK_ENTRIES", &made.stack_entries},
       {"LINE_BYTES", &made.line_bytes},
       {"UNDER_WAY", &made.under_way}});
}
