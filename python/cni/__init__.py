"""cni: what of `tess reproduce cni` is this paper's; the general parts are those of the package nemesys."""
