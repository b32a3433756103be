"""softxmt: the experiments of SoftXMT (HotPar 2011), which one native program makes on this computer."""
