// flat_engine: the instruction engine of machines without time.
#include "machine/flat/flat_memory.hpp"
#include "machine/hart/engine_run.hpp"

namespace tess::machine {
template struct engine<flat_memory>;
}  // namespace tess::machine
