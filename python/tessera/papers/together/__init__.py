"""together: NEMESYS, CNI, RAE and tasks on one machine, each of them on and off."""
