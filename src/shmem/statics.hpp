// statics: makes the program's own writable data symmetric: it is moved into the memory that all PEs share, in place.
//
//   What the loader wrote, and what constructors wrote before main, is copied first. The part that the loader makes
//   read-only (RELRO) stays private, and so do statics of shared libraries and thread-local ones.
//
// Threads   one, before others run.
// Errors    fail: the memory cannot be mapped.
// Cost      copying the pages that were written so far.
// Source    OpenSHMEM 1.5, section 2: global and static C and C++ variables are symmetric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

namespace tess::shmem {

/// The program's.
[[nodiscard]] std::span<std::byte> statics();

/// Copies them to `target`, which has room for `most` bytes and which `map` then maps where they are; fills own.data
/// and own.data_bytes.
void share_statics(std::byte* target, std::size_t most, std::function<bool(void*, std::size_t)> const& map);

/// What tells programs apart: a hash of the program's headers and notes, among them its build id.
[[nodiscard]] std::pair<std::uint64_t, std::uint64_t> program_identity();

}  // namespace tess::shmem
