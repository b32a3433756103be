// quarantine: keeps chunks of ended regions from being used again for a while, to find accesses after the end.
//
//   Only in checked builds; others free at once. The bytes are overwritten. AddressSanitizer reports every access;
//   other checked builds report objects that are passed to the runtime.
#pragma once

namespace tess::detail {

struct chunk;
struct place_state;

void free_chunk(chunk* c) noexcept;
/// Frees the chunk, now or later.
void quarantine_chunk(chunk* c) noexcept;
/// Throws if `object` lies in a quarantined chunk; `where` begins the text.
void check_not_quarantined(void const* object, char const* where);
/// To be called before the segment is unmapped.
void clear_quarantine(place_state& p) noexcept;

}  // namespace tess::detail
