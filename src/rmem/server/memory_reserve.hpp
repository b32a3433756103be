// memory_reserve: some memory that is kept back, so that what was begun can be ended when the system gives no more.
//
//   When an allocation fails, the spare is given up, once, and the allocation tried again. Who begins something that
//   needs memory asks first whether it is there: if it is not, and cannot be had again, that is refused.
//
// Threads  any.
#pragma once

namespace tess::memd::spare_memory {

/// From here on, for the whole process.
void keep();
/// False: it was given up, and there is no other yet.
[[nodiscard]] bool is_there() noexcept;

}  // namespace tess::memd::spare_memory
