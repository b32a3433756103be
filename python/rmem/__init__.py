"""rmem: what of `tess reproduce rmem` is this paper's; the general parts are those of the package nemesys."""
