"""rae: what of `tess reproduce rae` is this paper's; the general parts are those of the package nemesys."""
