"""networkx_sizes: from which size of a graph the backend of NetworkX is the faster one, for each function.

Usage: networkx_sizes.py [--rounds N] [--json FILE]

Graphs are random, with 8 neighbours a vertex on average, of 10 to 20,480 edges. Each line has microseconds of NetworkX,
of the backend with the conversion of the graph, and of the backend with a graph that is converted already. What is
printed last are the sizes, vertices and edges together, for tessera/networkx/rules.py: the smallest from which on the
backend is at least 1.2 times as fast, without and with a converted graph.
"""

import argparse
import json
import random
import time

import networkx as nx

CALLS = {
    "single_source_shortest_path_length": lambda G, b: nx.single_source_shortest_path_length(G, 0, backend=b),
    "single_target_shortest_path_length": lambda G, b: nx.single_target_shortest_path_length(G, 0, backend=b),
    "single_source_dijkstra_path_length": lambda G, b: nx.single_source_dijkstra_path_length(G, 0, backend=b),
    "betweenness_centrality": lambda G, b: nx.betweenness_centrality(G, k=4, seed=1, backend=b),
    "closeness_centrality": lambda G, b: nx.closeness_centrality(G, backend=b),
    "harmonic_centrality": lambda G, b: nx.harmonic_centrality(G, backend=b),
    "pagerank": lambda G, b: nx.pagerank(G, backend=b),
    "connected_components": lambda G, b: list(nx.connected_components(G, backend=b)),
    "number_connected_components": lambda G, b: nx.number_connected_components(G, backend=b),
    "is_connected": lambda G, b: nx.is_connected(G, backend=b),
    "node_connected_component": lambda G, b: nx.node_connected_component(G, 0, backend=b),
    "weakly_connected_components": lambda G, b: list(nx.weakly_connected_components(D(G), backend=b)),
    "number_weakly_connected_components": lambda G, b: nx.number_weakly_connected_components(D(G), backend=b),
    "is_weakly_connected": lambda G, b: nx.is_weakly_connected(D(G), backend=b),
    "strongly_connected_components": lambda G, b: list(nx.strongly_connected_components(D(G), backend=b)),
    "number_strongly_connected_components": lambda G, b: nx.number_strongly_connected_components(D(G), backend=b),
    "is_strongly_connected": lambda G, b: nx.is_strongly_connected(D(G), backend=b),
    "core_number": lambda G, b: nx.core_number(G, backend=b),
    "is_bipartite": lambda G, b: nx.is_bipartite(T(G), backend=b),
    "triangles": lambda G, b: nx.triangles(G, backend=b),
    "clustering": lambda G, b: nx.clustering(G, backend=b),
    "average_clustering": lambda G, b: nx.average_clustering(G, backend=b),
    "transitivity": lambda G, b: nx.transitivity(G, backend=b),
    "degree_assortativity_coefficient": lambda G, b: nx.degree_assortativity_coefficient(G, backend=b),
    "degree_pearson_correlation_coefficient": lambda G, b: nx.degree_pearson_correlation_coefficient(G, backend=b),
    "maximal_independent_set": lambda G, b: nx.maximal_independent_set(G, backend=b),
    "louvain_communities": lambda G, b: nx.community.louvain_communities(G, backend=b),
    "asyn_lpa_communities": lambda G, b: list(nx.community.asyn_lpa_communities(G, backend=b)),
    "modularity": lambda G, b: nx.community.modularity(G, [set(G)], backend=b),
}
EDGES = (10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10240, 20480)

# The directed graph and the one without odd cycles that belong to a graph.
_OTHERS = {}


def D(graph):
    return _OTHERS[graph, "directed"]


def T(graph):
    return _OTHERS[graph, "bipartite"]


def graphs(edges):
    vertices = max(5, edges // 4)
    graph = nx.gnm_random_graph(vertices, min(edges, vertices * (vertices - 1) // 2), seed=1)
    directed = nx.DiGraph(graph.edges)
    directed.add_nodes_from(graph)
    bipartite = nx.Graph((2 * u, 2 * v + 1) for u, v in graph.edges)
    _OTHERS[graph, "directed"], _OTHERS[graph, "bipartite"] = directed, bipartite
    return graph, directed, bipartite


def microseconds(call, before, rounds):
    """The fastest of the rounds, and of more if they are short."""
    best, spent, done = float("inf"), 0.0, 0
    while done < rounds or (spent < 0.02 and done < 200):
        before()
        begin = time.perf_counter()
        call()
        taken = time.perf_counter() - begin
        best, spent, done = min(best, taken), spent + taken, done + 1
    return best * 1e6


def main():
    parser = argparse.ArgumentParser(description="Finds from which size the backend of NetworkX is the faster one.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", help="write the rows to this file, too")
    words = parser.parse_args()
    nx.config.warnings_to_ignore.add("cache")
    rows, sizes = [], {}
    for name, call in CALLS.items():
        from_size = {"converted before": None, "converted": None}
        for edges in EDGES:
            random.seed(1)
            made = graphs(edges)

            def forget():
                for graph in made:
                    graph.__networkx_cache__.clear()

            row = {"function": name, "edges": edges, "vertices": len(made[0])}
            row["networkx"] = microseconds(lambda: call(made[0], "networkx"), forget, words.rounds)
            row["converted"] = microseconds(lambda: call(made[0], "tessera"), forget, words.rounds)
            row["converted before"] = microseconds(lambda: call(made[0], "tessera"), lambda: None, words.rounds)
            rows.append(row)
            print(f"{name:40} {edges:6} {row['networkx']:10.1f} {row['converted']:10.1f} "
                  f"{row['converted before']:10.1f}", flush=True)
            for kind in from_size:
                if row["networkx"] < 1.2 * row[kind]:
                    from_size[kind] = None
                elif from_size[kind] is None:
                    from_size[kind] = row["vertices"] + edges
            if row["networkx"] > 5 * row["converted"]:
                break
        sizes[name] = (from_size["converted"], from_size["converted before"])
    for name, (converted, before) in sizes.items():
        print(f'    "{name}": ({converted}, {before}),')
    if words.json:
        with open(words.json, "w", encoding="utf-8") as file:
            json.dump({"rows": rows, "sizes": sizes}, file, indent=1)


if __name__ == "__main__":
    main()
