// report: names of calls and of memory; each pair of lines is reported once in a job.
#include "shmem/checking/report.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "shmem/call.hpp"
#include "shmem/checking/data_symbol.hpp"
#include "shmem/source_line.hpp"

namespace tess::shmem::checking {

namespace {

constexpr std::uint32_t printed_max = 100;

// Guarded by `locked`, too: one process has one set of these.
std::map<std::pair<char const*, void*>, std::uint16_t> sites;

struct object {
  std::size_t bytes;
  std::uint16_t site;
};
std::map<std::uint64_t, object> objects;  ///< by offset in the heap

number hash_of(std::string_view text, number from = 0xcbf29ce484222325) {
  for (char const c : text) from = (from ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return from;
}

/// Not yet in the table of what was reported, and there is room.
bool add_pair(number pair) {
  header& h = head();
  for (std::uint32_t i = 0; i < h.pair_count; ++i)
    if (h.pairs[i] == pair) return false;
  if (h.pair_count == pairs_max) return false;
  h.pairs[h.pair_count++] = pair;
  return true;
}

std::string plus(std::uint64_t distance) {
  return distance == 0 ? "" : " + " + std::to_string(distance);
}

std::string text_of_memory(location const& l) {
  std::string const of_pe = " of PE " + std::to_string(l.pe);
  if (!l.in_heap) {
    auto const [name, distance] = data_symbol_at(own.data + l.offset);
    if (name.empty()) return "the statics" + plus(l.offset) + of_pe;
    return "`" + name + "`" + plus(distance) + of_pe;
  }
  object found{};
  std::uint64_t distance = 0;
  {
    locked const all;
    auto const after = objects.upper_bound(l.offset);
    if (after != objects.begin()) {
      auto const& [begin, one] = *std::prev(after);
      distance = l.offset - begin;
      if (distance < one.bytes) found = one;
    }
  }
  if (found.bytes == 0) return "the heap" + plus(l.offset) + of_pe;
  return "the " + std::to_string(found.bytes) + " bytes" + plus(distance) + of_pe + " that came from " +
         text_of_site(own.pe, found.site);
}

char const* verb(use how) {
  switch (how) {
    case use::read:
      return "read";
    case use::write:
      return "written";
    case use::atomic_read:
      return "read atomically";
    case use::atomic_write:
      return "changed atomically";
  }
  return "";
}

std::string text_of_access(entry const& e) {
  return std::string(verb(e.how)) + " by PE " + std::to_string(e.pe) + " in " + text_of_site(e.pe, e.site);
}

}  // namespace

std::uint16_t site_of_call() {
  auto const known = sites.find({current.name, current.from});
  if (known != sites.end()) return known->second;
  std::size_t const index = sites.size() + 1;
  if (index >= sites_max()) return 0;
  place_in_file const at = find_in_file(current.from);
  site& made = site_at(own.pe, index);
  copy_text(made.name, current.name);
  copy_text(made.file, at.file);
  made.offset = at.offset;
  made.hash = hash_of(at.file, hash_of(made.name) ^ at.offset);
  sites.emplace(std::pair(current.name, current.from), static_cast<std::uint16_t>(index));
  return static_cast<std::uint16_t>(index);
}

std::string text_of_site(int pe, std::size_t index) {
  if (index == 0) return "a call";
  site const& s = site_at(pe, index);
  return s.name + source_line(place_in_file{s.file, s.offset});
}

bool is_news(race const& found) {
  number const a = site_at(found.now.pe, found.now.site).hash;
  number const b = site_at(found.before.pe, found.before.site).hash;
  return add_pair(a + b + (a ^ b) * 31);
}

void report_race(race const& found) {
  std::string const now = text_of_site(found.now.pe, found.now.site);
  std::string const before = text_of_site(found.before.pe, found.before.site);
  {
    locked const all;
    // The compiler may have made several calls of one line.
    if (!add_pair(hash_of(now) + hash_of(before) + 1)) return;
    if (own.control->races.fetch_add(1) >= printed_max) return;
  }
  std::string text = "shmem: race: " + std::to_string(found.bytes) + " bytes at " + text_of_memory(found.where);
  if (found.is_lent) {
    text += " are " + std::string(verb(found.now.how)) + " in " + now + ", but " + before +
            " still needs them; expected shmem_quiet in between\n";
  } else {
    text += " are " + text_of_access(found.before) + " and " + text_of_access(found.now);
    text += found.is_incomplete ? "; expected shmem_quiet at PE " + std::to_string(found.before.pe) +
                                      " before it tells PE " + std::to_string(found.now.pe) + "\n"
                                : "; nothing orders the two\n";
  }
  std::fflush(stdout);
  [[maybe_unused]] auto const written = ::write(STDERR_FILENO, text.data(), text.size());
}

void note_object(void const* ptr, std::size_t bytes) {
  if (ptr != nullptr)
    objects[static_cast<std::uint64_t>(static_cast<std::byte const*>(ptr) - own.heap)] = {bytes, site_of_call()};
}
void forget_object(void const* ptr) {
  objects.erase(static_cast<std::uint64_t>(static_cast<std::byte const*>(ptr) - own.heap));
}

}  // namespace tess::shmem::checking
