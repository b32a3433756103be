// report: the sites of calls, and the text of what was found.
//
// Threads   sites: whoever holds `locked`; report_race: who does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "shmem/checking/shadow.hpp"

namespace tess::shmem::checking {

/// As much of it as there is room for.
template <std::size_t Size>
void copy_text(char (&to)[Size], std::string_view text) {
  to[text.copy(to, Size - 1)] = '\0';
}

/// The current call's, in this PE's table; 0: one whose line is not known.
[[nodiscard]] std::uint16_t site_of_call();
/// As `shmem_long_p (program.c:12)`.
[[nodiscard]] std::string text_of_site(int pe, std::size_t index);

struct race {
  location where;
  std::size_t bytes = 0;
  entry now{}, before{};
  bool is_lent = false;        ///< the earlier access is this PE's own
  bool is_incomplete = false;  ///< the PEs are synchronised, but the puts were not completed before
};
/// True the first time that these two lines meet, and if the job has not enough reports.
[[nodiscard]] bool is_news(race const& found);
void report_race(race const& found);

/// Objects of the heap, for their names.
void note_object(void const* ptr, std::size_t bytes);
void forget_object(void const* ptr);

}  // namespace tess::shmem::checking
