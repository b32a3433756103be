"""reproduce: runs an experiment's programs on the simulator and reports the results beside the published ones."""
