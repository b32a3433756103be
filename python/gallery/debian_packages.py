"""debian_packages: which of Debian's packages the others stand on, from the graph of their dependencies.

Run it in the root of the source tree: ./tess python python/gallery/debian_packages.py
"""

# %% The graph: an edge from each package of Debian 12 to those that depend on it
import numpy as np
from matplotlib import pyplot

import tessera as ts

g = ts.read("data/debian-12.mtx.gz")
print(g)

# %% What would break with libc6, step by step
steps = ts.bfs(g, "libc6")
reached = steps[steps >= 0]
print(f"{len(reached) / len(g):.0%} of the packages need libc6, the farthest at {reached.max()} steps")

# %% What most stands on, in two ways
# PageRank follows edges to what depends; the other way round it flows to what is depended on.
backwards = ts.from_scipy(g.to_scipy().T, weighted=False)
rank = ts.pagerank(backwards, tolerance=1e-9)
rank.index = g.index
top = rank.nlargest(12)
needed_by = top.index.to_series().map(lambda name: int((ts.bfs(g, name) > 0).sum()))
print(needed_by.rename("packages that need it").to_string())

# %% Packages that need each other
groups = ts.strong_components(g).value_counts()
print(f"{(groups > 1).sum()} circles of packages that need each other; the largest has {groups.iloc[0]}")

# %% The picture
figure, (left, right) = pyplot.subplots(1, 2, figsize=(13, 4.2), layout="constrained")
counts = np.bincount(reached)
left.bar(range(1, len(counts)), counts[1:])
left.set(title="Packages that need libc6, by steps", xlabel="dependencies in between, and one", ylabel="packages",
         xticks=range(1, len(counts), 2))  # fmt: skip
right.barh(top.index[::-1], top.to_numpy()[::-1] * 100)
right.set(title="PageRank of what is needed, in percent of all")
for name, share in top.items():
    right.annotate(f" needed by {needed_by[name]}", (share * 100, name), va="center", fontsize="small")
right.set_xlim(0, top.max() * 130)
figure.savefig("docs/use/gallery_debian_packages.svg", metadata={"Date": None})
