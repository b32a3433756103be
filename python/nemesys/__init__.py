"""nemesys: the evaluation of NEMESYS (MEMSYS 2019), by programs on the simulated machine."""
