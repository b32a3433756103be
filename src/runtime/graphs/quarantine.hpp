// quarantine: in checked builds, chunks that ended wait a while before their memory is used again, so that whoever
// still uses an object of them is found out.
//
//   Their bytes are overwritten; AddressSanitizer reports every access, other checked builds those that pass an object
//   to the runtime. Other builds free at once.
#pragma once

namespace tess::detail {

struct chunk;
struct place_state;

void free_chunk(chunk* c) noexcept;
/// Frees the chunk, some time.
void bury_chunk(chunk* c) noexcept;
/// Throws if `object` lies in a buried chunk.
void check_not_buried(void const* object, char const* who);
/// Before the segment goes.
void forget_dead_chunks(place_state& p) noexcept;

}  // namespace tess::detail
