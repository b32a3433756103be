// memory_reserve: memory that is kept back so that what was begun can be completed when the system has no more.
//
//   When an allocation fails, the reserve is released, once, and the allocation is tried again. Before beginning
//   anything that needs memory, the server asks whether the reserve is available, and refuses the request if not.
//
// Threads  any.
#pragma once

namespace tess::memd::memory_reserve {

/// From here on, for the whole process.
void install();
/// False: it was released, and cannot be allocated again yet.
[[nodiscard]] bool is_available() noexcept;

}  // namespace tess::memd::memory_reserve
