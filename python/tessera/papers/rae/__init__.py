"""rae: the experiments of RAE (Remote Atomic Extension, 2020)."""
