// meetings: the table of sets of PEs, and comparing what they give.
#include "shmem/checking/meetings.hpp"

#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include "shmem/call.hpp"
#include "shmem/checking/area.hpp"
#include "shmem/checking/report.hpp"
#include "shmem/describe_collectives.hpp"

namespace tess::shmem::checking {

namespace {

/// How many collectives of each set this PE has come to.
std::array<number, sets_max> came;
/// The one that this thread is in: of a set, plus 1.
thread_local std::size_t in_set = 0;
thread_local number in_meeting = 0;

std::size_t index_of_set(operation const& o) {
  auto const mixed = static_cast<std::uint64_t>(o.start) * 0x9e3779b97f4a7c15U +
                     static_cast<std::uint64_t>(o.stride) * 0xff51afd7ed558ccdU + static_cast<std::uint64_t>(o.size) +
                     static_cast<std::uint64_t>(o.team + 1) * 0xc4ceb9fe1a85ec53U;
  for (std::size_t i = 0; i < sets_max; ++i) {
    std::size_t const at = (mixed + i) % sets_max;
    pe_set& set = set_at(at);
    if (set.size == 0) set = {o.start, o.stride, o.size, o.team};
    if (set.start == o.start && set.stride == o.stride && set.size == o.size && set.team == o.team) return at;
  }
  return sets_max;
}

bool contains(pe_set const& set, int pe) {
  int const from_start = (pe - set.start) * (set.stride < 0 ? -1 : 1);
  int const stride = set.stride < 0 ? -set.stride : set.stride;
  return from_start >= 0 && stride != 0 && from_start % stride == 0 && from_start / stride < set.size;
}

std::string text_of_set(pe_set const& set) {
  if (set.size == own.pes) return "all PEs";
  std::string text = std::to_string(set.size) + " PEs from " + std::to_string(set.start);
  return set.size == 1 || set.stride == 1 ? text : text + " in steps of " + std::to_string(set.stride);
}

std::string text_of_call(int pe, std::size_t site) {
  return "PE " + std::to_string(pe) + " calls " + text_of_site(pe, site);
}

struct difference {
  bool found = false;
  int pe = 0;
  std::size_t site = 0;
  std::string what, expected;
};

bool is_address(agreed const& value) {
  std::string_view const name = value.name;
  return name == "dest" || name == "source" || name == "ptr";
}

/// Both calls have the same name, so that their values have the same names.
difference compare_values(operation const& o, meeting const& m) {
  for (std::size_t i = 0; i < o.value_count; ++i) {
    if (m.value[i] == o.values[i].value) continue;
    std::string const name = o.values[i].name;
    std::string what;
    if (is_address(o.values[i]))
      what = "another " + name + " than PE " + std::to_string(m.pe);
    else
      what = name + " is " + std::to_string(o.values[i].value) + ", but at PE " + std::to_string(m.pe) + " " +
             std::to_string(m.value[i]);
    return {true, m.pe, m.site, what, "the same " + name + " at all PEs"};
  }
  return {};
}

difference compare(operation const& o, meeting& m, number which, std::size_t site, pe_set const& set) {
  if (m.which != which) {
    m.which = which;
    m.pe = own.pe;
    m.site = static_cast<std::uint32_t>(site);
    copy_text(m.name, current.name);
    for (std::size_t i = 0; i < o.value_count; ++i) m.value[i] = o.values[i].value;
    std::memset(clock_of_meeting(m), 0, clock_words() * sizeof(number));
    return {};
  }
  if (std::string_view(m.name) != current.name)
    return {true, m.pe, m.site, "another call than PE " + std::to_string(m.pe) + " of " + text_of_set(set),
            "the same collectives in the same order"};
  return compare_values(o, m);
}

/// Another PE waits for this one in a collective that this one has not come to.
difference find_mutual_wait(std::size_t index, pe_set const& set) {
  for (int pe = 0; pe < own.pes; ++pe) {
    pe_line const& line = line_of(pe);
    if (pe == own.pe || line.set == 0 || line.set == index + 1 || !contains(set, pe)) continue;
    pe_set const& theirs = set_at(line.set - 1);
    if (!contains(theirs, own.pe) || came[line.set - 1] >= line.meeting) continue;
    return {true, pe, line.site,
            "with " + text_of_set(set) + ", but PE " + std::to_string(pe) + " waits for it with " + text_of_set(theirs),
            "the same collectives in the same order, with the same PEs"};
  }
  return {};
}

/// A small team may get along without, but no other library does.
void check_symmetric(operation const& o) {
  for (std::size_t i = 0; i < o.value_count; ++i)
    if (is_address(o.values[i]) && o.values[i].value == describe::not_symmetric)
      fail(std::string(o.values[i].name) + " is not symmetric", "memory of shmem_malloc or a static of the program");
}

}  // namespace

void come_to_meeting(operation const& o) {
  check_symmetric(o);
  difference different;
  {
    locked const all;
    std::size_t const index = index_of_set(o);
    if (index == sets_max) fail("more than 4096 sets of PEs meet", "fewer teams and active sets, or no checks");
    pe_set const& set = set_at(index);
    std::size_t const site = site_of_call();
    number const which = ++came[index];
    meeting& m = meeting_at(index, which);
    different = compare(o, m, which, site, set);
    // Threads of a PE may be in collectives of several teams.
    if (!different.found && own.threads != SHMEM_THREAD_MULTIPLE) different = find_mutual_wait(index, set);
    in_set = index + 1;
    in_meeting = which;
    pe_line& mine = line_of(own.pe);
    mine.set = static_cast<std::uint32_t>(index + 1);
    mine.meeting = which;
    mine.site = static_cast<std::uint32_t>(site);
    if (o.root < 0 || o.root == own.pe) join(clock_of_meeting(m), snapshot_of(own.pe, mine.epoch - 1));
  }
  if (different.found) fail(different.what, different.expected + "; " + text_of_call(different.pe, different.site));
}

void leave_meeting(operation const& o) {
  locked const all;
  if (in_set == 0) return;
  if (o.root != own.pe) join(clock_of(own.pe), clock_of_meeting(meeting_at(in_set - 1, in_meeting)));
  in_set = 0;
  line_of(own.pe).set = 0;
}

}  // namespace tess::shmem::checking
