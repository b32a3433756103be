"""nemesys: the evaluation of "NEMESYS: near-memory graph copy" (MEMSYS 2019), by programs on the simulated machine."""
