// exchange: members of a team publish parts in their segments and read each other's; the base of gathers and scatters.
#include "tess/exchange.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "runtime/events/collective.hpp"
#include "runtime/job/job.hpp"
#include "tess/block.hpp"
#include "tess/memory.hpp"

namespace tess::detail {

namespace {

/// What all members learn of each other before they read.
struct agreement {
  exchange_fault fault = exchange_fault::none;
  place_id place = 0;  ///< of the fault
  std::uint64_t length_min = 0;
  std::uint64_t length_max = 0;
};

agreement agree(agreement const& a, agreement const& b) {
  agreement both = a.fault != exchange_fault::none ? a : b;
  both.length_min = std::min(a.length_min, b.length_min);
  both.length_max = std::max(a.length_max, b.length_max);
  return both;
}

void check(agreement const& a, std::size_t bytes) {
  if (a.fault == exchange_fault::memory) throw out_of_memory(a.place, bytes, 0);
  if (a.fault == exchange_fault::values)
    throw error("exchange", "another number of values at place " + std::to_string(a.place), "one for each member");
  if (a.length_min != a.length_max)
    throw error("exchange",
                "arrays of " + std::to_string(a.length_min) + " and " + std::to_string(a.length_max) + " elements",
                "the same length at every member");
}

/// Finds what each of the members named by `reads` published.
task<void> find_published(member_view team, std::span<part_read const> reads, std::vector<std::uint64_t>& found) {
  collective_state& s = team.state();
  counter done;
  auto const table = global_ptr<std::uint64_t>::from_bits(team.table());
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (table)
      get(table + static_cast<std::ptrdiff_t>(reads[i].rank), std::span(&found[i], 1), done);
    else
      found[i] = team.any(&s.published, reads[i].rank);
  }
  co_await done;
  for (std::uint64_t& f : found) {
    std::uint64_t const from = table ? team.in_record(f, &s.published) : f;
    get(global_ptr<std::uint64_t>::from_bits(from), std::span(&f, 1), done);
  }
  co_await done;
}

task<void> read_parts(member_view team, std::span<part_read> reads) {
  std::vector<std::uint64_t> from(reads.size());
  std::vector<std::array<std::uint64_t, 2>> ends(reads.size());
  co_await find_published(team, reads, from);
  counter done;
  for (std::size_t i = 0; i < reads.size(); ++i)
    get(global_ptr<std::uint64_t>::from_bits(from[i]) + reads[i].part, std::span(ends[i]), done);
  co_await done;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    auto const [begin, end] = ends[i];
    reads[i].got = {std::make_unique_for_overwrite<std::byte[]>(end - begin), end - begin};
    if (begin != end)
      get(global_ptr<std::byte>::from_bits(from[i]) + static_cast<std::ptrdiff_t>(begin),
          std::span(reads[i].got.data.get(), reads[i].got.bytes), done);
  }
  co_await done;
}

}  // namespace

value_bytes make_parts(std::size_t count, std::size_t bytes) {
  std::size_t const table_bytes = (count + 1) * sizeof(std::uint64_t);
  value_bytes made{std::make_unique_for_overwrite<std::byte[]>(table_bytes + bytes), table_bytes + bytes};
  reinterpret_cast<std::uint64_t*>(made.data.get())[0] = table_bytes;
  return made;
}

std::vector<part_read> reads_of_all(team_name team, unsigned part) {
  std::vector<part_read> reads(team_size(team));
  for (unsigned r = 0; r < reads.size(); ++r) {
    reads[r].rank = r;
    reads[r].part = part;
  }
  return reads;
}

task<void> exchange_parts(team_name name, value_bytes mine, std::span<part_read> reads, std::uint64_t length,
                          exchange_fault fault) {
  member_view const team(name);
  std::size_t const bytes = mine.bytes;
  global_ptr<std::byte> published;
  try {
    if (bytes != 0) {
      published = allocate<std::byte>(bytes);
      std::memcpy(published.local(), mine.data.get(), bytes);
      mine = {};
    }
  } catch (std::bad_alloc const&) {
    fault = exchange_fault::memory;
  }
  team.state().published = published.bits();
  // The reduction ends only after every member has published.
  agreement const all = co_await team_all_reduce(name, agreement{fault, here(), length, length}, &agree);
  std::exception_ptr failed;
  try {
    check(all, bytes);
    co_await read_parts(team, reads);
  } catch (...) {
    failed = std::current_exception();
  }
  // Others may still be reading, also after an error here.
  co_await team_barrier(name);
  deallocate(published);
  if (failed) std::rethrow_exception(std::move(failed));
}

}  // namespace tess::detail
