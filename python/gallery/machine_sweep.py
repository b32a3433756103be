"""machine_sweep: how large a tile's cache should be for three algorithms, by a sweep of a simulated machine.

Run it in the root of the source tree: ./tess python python/gallery/machine_sweep.py
"""

# %% The runs
# Eight sizes of each tile's L2 for three programs: 24 runs, on all processors. They are kept in ~/.cache/tessera, and
# need not be run again.
import tessera as ts

programs = {
    "breadth-first search": "bfs kron:8 --source 0 --no-verify",
    "PageRank": "pagerank kron:8 --iterations 5 --tolerance 0 --no-verify",
    "triangles": "triangles kron:8 --no-verify",
}
frame = ts.sweep("nemesys-2x2", list(programs.values()), l2_kib=[4, 8, 16, 32, 64, 128, 256, 512],
                 statistics=["l2_hit_rate", "measured.memory_bytes"])  # fmt: skip
frame["program"] = frame["program"].map({command: name for name, command in programs.items()})
print(frame.to_string(index=False))

# %% Cycles, relative to the machine as it is
usual = frame[frame["l2_kib"] == 512].set_index("program")["cycles"]
frame["cycles / those with 512 KiB"] = frame["cycles"] / frame["program"].map(usual)
figure = ts.plot.curves(frame, "l2_kib", "cycles / those with 512 KiB", series="program", logarithmic="x",
                        title="nemesys-2x2: the L2 of a tile, in KiB")  # fmt: skip
ts.plot.save(figure, "docs/use/gallery_machine_sweep.svg")

# %% The same search from Python's own graph, on the smallest cache: equal results, and where time goes
g = ts.generate("kron:8")
run = ts.machine("nemesys-2x2", l2_kib=4).run(ts.bfs, g, 0)
assert run.result.equals(ts.bfs(g, 0))
run.picture.save("docs/use/gallery_machine_grid.svg")
print(run)
