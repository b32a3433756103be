"""simulator: programs on simulated machines: machines, single runs with their results, and sweeps of many runs."""
