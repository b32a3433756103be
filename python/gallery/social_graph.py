"""social_graph: who belongs together in a novel, from a graph of NetworkX, with the same results as NetworkX's own.

Run it in the root of the source tree: ./tess python python/gallery/social_graph.py
"""

# %% Characters of "Les Misérables", with an edge between two who appear in the same chapter (D. E. Knuth, 1993)
import networkx as nx
import numpy as np
import pandas
from matplotlib import pyplot

import tessera as ts

novel = nx.les_miserables_graph()
g = ts.from_networkx(novel, weight="weight")
print(g)

# %% Communities, and who is important
communities = ts.louvain(g)
rank = ts.pagerank(g, weighted=True, tolerance=1e-9)
between = ts.betweenness(g)
print(pandas.DataFrame({"community": communities, "pagerank": rank, "betweenness": between})
      .nlargest(8, "pagerank").round(3).to_string())  # fmt: skip
print(f"{communities.nunique()} communities of modularity {ts.modularity(g, communities):.3f}")

# %% The same from NetworkX
theirs = nx.pagerank(novel, weight="weight", tol=1e-10)
assert np.allclose(rank, [theirs[name] for name in rank.index], atol=1e-8)
theirs = nx.betweenness_centrality(novel)
assert np.allclose(between, [theirs[name] for name in between.index])

# %% The picture: colours are communities, sizes are ranks
figure, axes = pyplot.subplots(figsize=(10, 7), layout="constrained")
# Edges between communities pull less, so that communities lie apart.
for u, v in novel.edges:
    novel[u][v]["pull"] = 1 if communities[u] == communities[v] else 0.15
places = nx.spring_layout(novel, weight="pull", k=0.35, seed=4, iterations=400)
names = list(novel)
nx.draw_networkx_edges(novel, places, ax=axes, alpha=0.2)
nx.draw_networkx_nodes(novel, places, names, [rank[name] * 9000 for name in names],
                       [communities[name] for name in names], ax=axes, cmap="tab10")  # fmt: skip
nx.draw_networkx_labels(novel, places, {name: name for name in rank.nlargest(16).index}, 8, ax=axes)
axes.set_axis_off()
figure.savefig("docs/use/gallery_social_graph.svg", metadata={"Date": None})
