"""rmem: the experiments of RMem (MultiProg 2019)."""
