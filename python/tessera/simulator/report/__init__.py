"""report: one page (HTML) about a run on a simulated machine, or about several beside each other."""
