// report: collects pairs of accesses by their code, and prints those of different lines.
#include "runtime/races/report.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <mutex>
#include <ranges>
#include <source_location>
#include <string>
#include <vector>

#include "runtime/job/job.hpp"
#include "runtime/races/header_code.hpp"
#include "runtime/races/shadow.hpp"
#include "runtime/races/symbols.hpp"

namespace tess::detail::races {

namespace {

constexpr std::size_t pairs_max = 100;
constexpr std::size_t printed_max = 10;

struct pair_of_accesses {
  std::uint64_t address;
  place_id place;  ///< whose segment it is; job.places: none
  std::uint64_t offset;
  access now, before;
  std::vector<std::uint64_t> callers;  ///< of the later access, from the inside out
};

/// The return addresses of the functions that the program is in, as far as frames are linked.
std::vector<std::uint64_t> callers_of(frame const* f) {
  constexpr std::size_t frames_max = 24;
  std::vector<std::uint64_t> callers;
  for (;;) {
    callers.push_back(f->return_address);
    // The stack grows downwards; code without frames leaves any value.
    auto const outer = reinterpret_cast<std::uint64_t>(f->outer);
    if (callers.size() == frames_max || f->outer <= f || outer % 8 != 0 || !is_on_stack(outer + sizeof *f))
      return callers;
    f = f->outer;
  }
}

constinit std::mutex pairs_mutex;
constinit std::vector<pair_of_accesses> pairs;

/// What tells two accesses of a program apart.
std::uint64_t code_and_flags(access const& a) noexcept {
  return a.code() | std::uint64_t{a.flags()} << 48;
}

bool same_code(pair_of_accesses const& a, access const& now, access const& before) noexcept {
  return std::minmax(code_and_flags(a.now), code_and_flags(a.before)) ==
         std::minmax(code_and_flags(now), code_and_flags(before));
}

// A call returns behind itself.
std::uint64_t call_of(void const* return_address) noexcept {
  return return_address == nullptr ? 0 : reinterpret_cast<std::uint64_t>(return_address) - 1;
}

std::string text_of(code_line const& l) {
  return l.file.empty() ? l.function : l.file + ':' + std::to_string(l.line);
}

struct side {
  std::string what, where, function, by;
};

/// The answers to all questions of a report, in the order in which they were asked.
class answers {
 public:
  std::size_t ask(std::uint64_t code) {
    code_.push_back(code);
    return code_.size() - 1;
  }
  void look() { lines_ = lines_of(code_); }
  [[nodiscard]] code_line const& operator[](std::size_t i) const { return lines_[i]; }

 private:
  std::vector<std::uint64_t> code_;
  std::vector<code_line> lines_;
};

/// The addresses of one access: its code, and the code that made its strand.
struct questions {
  std::size_t code, made_at, task;
  std::vector<std::size_t> callers;  ///< from the inside out
};

questions ask_about(access const& a, std::vector<std::uint64_t> const& callers, answers& all) {
  origin const o = origin_of(a.origin());
  bool const by_address = (a.flags() & has_location) == 0;
  questions q{all.ask(by_address ? a.code() - 1 : 0),
              all.ask(call_of(o.made_at)),
              all.ask(reinterpret_cast<std::uint64_t>(o.code)),
              {}};
  for (std::uint64_t const caller : callers) q.callers.push_back(all.ask(caller - 1));
  return q;
}

/// The runtime's headers call functions of the system's headers, which look like the program's.
bool is_of_runtime(access const& a, questions const& q, answers const& all) {
  if ((a.flags() & has_location) != 0 || all[q.code].of_program) return false;
  return std::ranges::none_of(q.callers, [&](std::size_t c) { return all[c].of_program; }) &&
         (all[q.code].function.contains("tess::detail::") ||
          std::ranges::any_of(q.callers, [&](std::size_t c) { return all[c].file.contains("include/tess/"); }));
}

std::string made_by(origin const& o, questions const& q, answers const& all) {
  bool const known = o.made_at != nullptr && all[q.made_at].of_program;
  switch (o.kind) {
    case strand_kind::handler:
      return known ? "a call from " + text_of(all[q.made_at]) : "a call";
    case strand_kind::task:
      if (known) return "a task made at " + text_of(all[q.made_at]);
      return all[q.task].of_program ? "a task of " + all[q.task].function + " at " + text_of(all[q.task]) : "a task";
    case strand_kind::unknown:
      break;
  }
  return "a task";
}

side describe(access const& a, questions const& q, answers const& all) {
  side s;
  bool const writing = (a.flags() & writes) != 0;
  s.what = (a.flags() & is_word) != 0 ? (writing ? "atomic write of " : "atomic read of ")
                                      : (writing ? "write of " : "read of ");
  int const bytes = std::popcount(a.bytes());
  s.what += std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  if ((a.flags() & has_location) != 0) {
    auto const at = std::bit_cast<std::source_location>(a.code());
    s.where = std::string(at.file_name()) + ':' + std::to_string(at.line());
  } else {
    // In a function of the system's headers: the line of the program that called it says more.
    auto const caller = std::ranges::find_if(q.callers, [&](std::size_t c) { return all[c].of_program; });
    bool const called = !all[q.code].of_program && caller != q.callers.end();
    code_line const& line = all[called ? *caller : q.code];
    s.where = text_of(line);
    if (!line.file.empty()) s.function = " in " + line.function;
    if (called) s.function += ", by " + all[q.code].function;
  }
  origin const o = origin_of(a.origin());
  s.by = made_by(o, q, all);
  if (o.kind != strand_kind::unknown) s.by += ", at place " + std::to_string(o.place);
  return s;
}

std::string memory_of(pair_of_accesses const& p, std::string const& variable) {
  if (!variable.empty()) return "global variable `" + variable + "`";
  if (p.place < job.places)
    return "segment of place " + std::to_string(p.place) + ", offset " + std::to_string(p.offset);
  char text[64];
  std::snprintf(text, sizeof text, "heap, address 0x%lx", static_cast<unsigned long>(p.address));
  return text;
}

}  // namespace

void found(std::uint64_t granule, access const& now, access const& before) noexcept try {
  auto const both = static_cast<unsigned>(now.bytes() & before.bytes());
  std::uint64_t const address = granule * 8 + static_cast<unsigned>(std::countr_zero(both));
  // Workers are the runtime's; tasks of one worker do not need an order to use it.
  bool const in_worker = std::ranges::any_of(the_job->workers, [&](auto const& w) {
    return address - reinterpret_cast<std::uint64_t>(w.get()) < sizeof(worker_state);
  });
  if (in_worker || is_on_stack(address)) return;
  std::lock_guard const lock(pairs_mutex);
  if (pairs.size() == pairs_max || std::ranges::any_of(pairs, [&](auto const& p) { return same_code(p, now, before); }))
    return;
  pair_of_accesses p{address, job.places, 0,
                     now,     before,     callers_of(static_cast<frame const*>(__builtin_frame_address(0)))};
  for (unsigned i = 0; i < job.places; ++i)
    if (std::uint64_t const offset = address - job.load_window[i]; offset < job.segment_bytes[i]) {
      p.place = static_cast<place_id>(i);
      p.offset = offset;
    }
  pairs.push_back(p);
} catch (std::bad_alloc const&) {
  // A race that is not reported.
}

void begin_job() {
  read_header_code();
  pairs.clear();
  forget_all();
  forget_releases();
}

namespace {

struct finding {
  side now, before;
  std::string memory;

  /// Code that the compiler made of several lines has none. The lines themselves are found, too, in most cases.
  [[nodiscard]] bool has_lines() const { return !now.where.ends_with(":0") && !before.where.ends_with(":0"); }
  [[nodiscard]] bool is_at(finding const& other) const {
    return std::minmax(now.where, before.where) == std::minmax(other.now.where, other.before.where);
  }
};

/// Those of different lines.
std::vector<finding> look_up() {
  answers all;
  std::vector<std::pair<questions, questions>> asked;
  std::vector<std::uint64_t> addresses;
  for (pair_of_accesses const& p : pairs) {
    questions now = ask_about(p.now, p.callers, all);
    std::vector<std::uint64_t> before;
    for (std::uint64_t const caller : unpack(p.before.callers))
      if (caller != 0) before.push_back(caller);
    asked.emplace_back(std::move(now), ask_about(p.before, before, all));
    addresses.push_back(p.address);
  }
  all.look();
  std::vector<std::string> const variables = variables_at(addresses);
  std::vector<finding> findings;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pair_of_accesses const& p = pairs[i];
    auto const& [now, before] = asked[i];
    if (is_of_runtime(p.now, now, all) || is_of_runtime(p.before, before, all)) continue;
    findings.push_back({describe(p.now, now, all), describe(p.before, before, all), memory_of(p, variables[i])});
  }
  std::vector<finding> different;
  for (bool const with_lines : {true, false})
    for (finding const& f : findings)
      if (f.has_lines() == with_lines && (with_lines || different.empty()) &&
          std::ranges::none_of(different, [&](finding const& d) { return d.is_at(f); }))
        different.push_back(f);
  return different;
}

}  // namespace

unsigned end_job() {
  if (pairs.empty()) return 0;
  std::vector<finding> const findings = look_up();
  if (findings.empty()) return 0;
  for (finding const& f : findings | std::views::take(printed_max))
    std::fprintf(stderr, "tess: race: %s at %s%s, by %s\n      and: %s at %s%s, by %s\n      memory: %s\n",
                 f.now.what.c_str(), f.now.where.c_str(), f.now.function.c_str(), f.now.by.c_str(),
                 f.before.what.c_str(), f.before.where.c_str(), f.before.function.c_str(), f.before.by.c_str(),
                 f.memory.c_str());
  if (findings.size() > printed_max)
    std::fprintf(stderr, "tess: and %zu more pairs of lines\n", findings.size() - printed_max);
  std::fprintf(stderr,
               "tess: %zu %s of accesses that nothing orders: they may happen together if a place has several workers. "
               "Use place_atomic, a mutex or word operations, or order them by a finish, an event or a reply.\n",
               findings.size(), findings.size() == 1 ? "pair" : "pairs");
  return static_cast<unsigned>(findings.size());
}

}  // namespace tess::detail::races
