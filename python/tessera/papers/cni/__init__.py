"""cni: the experiments of CNI (Cache-Integrated Network Interfaces, IJPP 2012)."""
