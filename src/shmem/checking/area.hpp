// area: what the PEs of a checked job know together: their clocks, who used which words, which collectives they are in.
//
//   It lies behind the control block, in slot 0 of the job's memory file, which is sparse. Clocks:
//
//     done[p]       what PE p had completed up to this number happened before
//     there[p][t]   what PE p had put into the memory of PE t up to this number happened before
//
//   Puts are in `there` only, since a fence orders those to one PE and a quiet those to all. In jobs of over 32 PEs
//   there is one column for all t, and a fence counts as a quiet. Each PE numbers its operations by its `epoch`, and
//   leaves a copy of its clock (a snapshot) for each of them that others may see.
//
// Threads   whoever holds `locked`.
// Cost      bounded: when a table is full, its oldest entries go; what they ordered is then taken to be ordered.
// Source    Flanagan, Freund: FastTrack (PLDI 2009), for which accesses need not be kept.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "shmem/job.hpp"
#include "shmem/observe.hpp"

namespace tess::shmem::checking {

using number = std::uint64_t;

inline constexpr std::size_t pairs_max = 400;  ///< of sites, of a job
inline constexpr std::size_t sets_max = 4096;  ///< sets of PEs that meet
inline constexpr std::size_t values_max = 6;
inline constexpr std::size_t meetings_kept = 4;

/// A line of the program that calls a function.
struct site {
  char name[64];
  char file[168];        ///< as source_line takes it
  std::uint64_t offset;  ///< in the file
  number hash;           ///< equal at all PEs
};

struct pe_line {
  number epoch;        ///< of its next operation
  number fence;        ///< of its last fence
  std::uint32_t set;   ///< it is in a collective of this set, plus 1
  number meeting;      ///< which one
  std::uint32_t site;  ///< from where
};

/// A collective of a set of PEs.
struct meeting {
  number which;
  std::int32_t pe;  ///< the first to come, and what it gave
  std::uint32_t site;
  char name[64];
  std::int64_t value[values_max];
  // A clock follows.
};
struct pe_set {
  std::int32_t start, stride, size;  ///< size 0: free
  std::int32_t team;                 ///< -1: an active set
};

struct header {
  std::atomic<std::uint32_t> lock;
  number clocks_used;       ///< of the words that PEs order themselves by
  number free_clock;        ///< plus 1; the first word of a free clock is the next one
  number pairs[pairs_max];  ///< of sites, and of texts, that were reported
  std::uint32_t pair_count;
};

/// Finds everything; all PEs call it with the same own.pes.
void open_area();

header& head();
pe_line& line_of(int pe);
std::size_t sites_max();  ///< of a PE
site& site_at(int pe, std::size_t index);
pe_set& set_at(std::size_t index);
meeting& meeting_at(std::size_t set, number which);
number* clock_of_meeting(meeting& m);

/// The cells of words (shadow.cpp).
std::byte* cells();

// Clocks ------------------------------------------------------------------------------------------------------------

std::size_t clock_words();
number* clock_of(int pe);
/// What was given up: everything that somebody acquires has it.
number* lost_clock();
number& done(number* clock, int pe);
number& there(number* clock, int pe, int target);
/// The larger of each.
void join(number* into, number const* from);

/// Leaves a copy of this PE's clock for its present epoch, as one who sees this operation at `target` knows it.
void take_snapshot(int target);
/// The copy, or what the PE knows now.
number const* snapshot_of(int pe, number epoch);
/// A new clock of a word; 0 if there is no more room: words then share clock 0.
std::uint32_t make_clock();
void free_clock(std::uint32_t index);
number* clock_at(std::uint32_t index);

class locked {
 public:
  locked();
  ~locked();
  locked(locked const&) = delete;
  locked& operator=(locked const&) = delete;
};

}  // namespace tess::shmem::checking
