"""tessera: Python package of the Tessera runtime and simulator: runs the experiments of papers and reports them."""
