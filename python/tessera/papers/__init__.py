"""papers: for each paper its runs, measurements, figures and checks; `tessera.reproduce` runs and reports them."""
