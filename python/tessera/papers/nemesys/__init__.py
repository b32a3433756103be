"""nemesys: the experiments of NEMESYS (MEMSYS 2019)."""
