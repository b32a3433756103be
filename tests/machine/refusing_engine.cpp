// refusing_engine: the engine for refusing_memory, instantiated as in a machine with time.
#include "machine/hart/engine_run.hpp"
#include "refusing_memory.hpp"

namespace tess::machine {
template struct engine<refusing_memory>;
}  // namespace tess::machine
