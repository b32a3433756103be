// timed_engine: the instruction engine of harts with time.
#include "machine/hart/engine_run.hpp"
#include "machine/timed/hart_memory.hpp"

namespace tess::machine {
template struct engine<hart_memory>;
}  // namespace tess::machine
