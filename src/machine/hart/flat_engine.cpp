// flat_engine: the engine of machines without time.
#include "machine/hart/engine_run.hpp"
#include "machine/hart/flat_memory.hpp"

namespace tess::machine {
template struct engine<flat_memory>;
}  // namespace tess::machine
