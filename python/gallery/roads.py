"""roads: the time from the centre of a made country to all of its junctions, with a motorway and without it.

Run it in the root of the source tree: ./tess python python/gallery/roads.py
"""

# %% Junctions and roads: points in a square of 100 km, and roads between those that are close
import numpy as np
import pandas
from matplotlib import collections, pyplot
from scipy.spatial import Delaunay

import tessera as ts

random = np.random.default_rng(7)
at = np.vstack([random.random((12000, 2)) * 100, random.normal(50, 9, (4000, 2)).clip(0, 100)])
triangles = Delaunay(at).simplices
ends = np.unique(np.sort(np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [0, 2]]]), axis=1), axis=0)
km = np.linalg.norm(at[ends[:, 0]] - at[ends[:, 1]], axis=1)
# A quarter of them was never built, nor was any that would be longer than 6 km.
built = (random.random(len(ends)) < 0.75) & (km < 6)
roads = pandas.DataFrame({"from": ends[built, 0], "to": ends[built, 1], "minutes": km[built] / 50 * 60})

# %% A motorway from west to east: along the roads of the fastest way between two junctions there
west, east, centre = (int(np.linalg.norm(at - point, axis=1).argmin()) for point in ([3, 20], [97, 80], [50, 50]))
tree = ts.sssp(ts.from_pandas(roads, "from", "to", "minutes"), west, parents=True)
route = [east]
while route[-1] != west:
    route.append(int(tree["parent"][route[-1]]))
on_route = set(zip(route, route[1:])) | set(zip(route[1:], route))
is_motorway = [pair in on_route for pair in zip(roads["from"], roads["to"])]
faster = roads.assign(minutes=np.where(is_motorway, roads["minutes"] * 50 / 120, roads["minutes"]))

# %% The minutes from the centre to all junctions, before and after
before, after = (ts.sssp(ts.from_pandas(frame, "from", "to", "minutes"), centre) for frame in (roads, faster))
saved = (before - after)[np.isfinite(before)]
print(f"{len(roads)} roads; {np.isinf(before).sum()} junctions cannot be reached")
print(f"the farthest at {before[np.isfinite(before)].max():.0f} minutes, with the motorway "
      f"{after[np.isfinite(after)].max():.0f}; {(saved > 1).mean():.0%} of the junctions save more than a minute")

# %% The picture: a colour for every ten minutes; the black line is the motorway
figure, maps = pyplot.subplots(1, 2, figsize=(11, 5), layout="constrained")
for axes, minutes, title in ((maps[0], before, "without a motorway"), (maps[1], after, "with a motorway")):
    all_minutes = minutes.reindex(range(len(at))).replace(np.inf, np.nan)
    shown = triangles[np.isfinite(all_minutes.to_numpy()[triangles]).all(axis=1)]
    colours = axes.tricontourf(*at.T, shown, all_minutes.fillna(0), levels=range(0, 110, 10), cmap="viridis_r")
    colours.set_rasterized(True)
    axes.plot(*at[centre], marker="*", markersize=12, color="red")
    axes.set(title=title, aspect="equal", xlabel="km", ylabel="km")
maps[1].add_collection(collections.LineCollection([at[route]], colors="black", linewidths=1.5))
figure.colorbar(colours, ax=maps, label="minutes from the star")
figure.savefig("docs/use/gallery_roads.svg", metadata={"Date": None}, dpi=80)
