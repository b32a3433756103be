// warming_engine: the instruction engine of machines without time whose caches are to be known.
#include "machine/flat/warming_memory.hpp"
#include "machine/hart/engine_run.hpp"

namespace tess::machine {
template struct engine<warming_memory>;
}  // namespace tess::machine
