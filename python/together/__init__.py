"""together: what of `tess reproduce together` is its own; the general parts are those of the package nemesys."""
