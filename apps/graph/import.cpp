// import: chooses the reader, and turns edges into rows.
#include "graph/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "graph/edge_reader.hpp"
#include "graph/error.hpp"
#include "graph/format.hpp"
#include "graph/import_edges.hpp"
#include "graph/metis.hpp"
#include "graph/npz.hpp"
#include "graph/parallel.hpp"
#include "graph/saved.hpp"

namespace graph {

namespace {

enum class whole_kind : std::uint8_t { none, table, metis, npz, saved };

whole_kind whole_kind_of(std::string const& spec, import_options const& options) {
  if (names_generator(spec)) return whole_kind::none;
  std::string const extension = extension_of(spec);
  bool const zipped = !lower_case(spec).ends_with(extension);
  if (extension == ".tgr" && !zipped) return whole_kind::saved;
  if (extension == ".npz" && !zipped) return whole_kind::npz;
  if (extension == ".metis" || extension == ".graph") return whole_kind::metis;
  if (options.columns.any()) return whole_kind::table;
  std::error_code ignored;  // what is wrong with the file, its reader will say
  if (!std::filesystem::is_regular_file(spec, ignored)) return whole_kind::none;
  return has_table_header(spec) ? whole_kind::table : whole_kind::none;
}

csr_rules rules_of(import_options const& options, bool directed) {
  return {.directed = options.directed.value_or(directed),
          .duplicates = options.duplicates.value_or(duplicates_rule::smallest),
          .self_loops = options.self_loops.value_or(self_loops_rule::drop),
          .threads = options.threads};
}

csr rows_of(std::string const& spec, std::uint64_t vertices, std::span<std::uint32_t const> sources,
            std::span<std::uint32_t const> targets, std::span<double const> weights, csr_rules const& rules,
            import_counts* counts = nullptr) try {
  if (counts != nullptr) {
    counts->edges = sources.size();
    for (std::size_t i = 0; i < sources.size(); ++i) counts->self_loops += sources[i] == targets[i] ? 1U : 0U;
  }
  return make_csr(vertices, sources, targets, weights, rules);
} catch (input_error const& refused) {
  throw input_error(fmt::format("{}: {}", spec, refused.what()));
} catch (std::bad_alloc const&) {
  throw std::runtime_error(
      fmt::format("{}: not enough memory for {} vertices and {} edges", spec, vertices, sources.size()));
}

csr read_table_rows(std::string const& spec, import_options const& options, import_counts* counts) {
  edge_table table = read_table(spec, options.columns, options.threads);
  csr made = rows_of(spec, table.ends.names.size(), table.ends.sources, table.ends.targets, table.weights,
                     rules_of(options, true), counts);
  made.names = std::make_shared<dictionary>(std::move(table.ends.names));
  return made;
}

// The edges that several readers found, one after another.
edge_columns read_edges(graph_input const& input, import_options const& options) {
  unsigned const readers = threads_for(options.threads);
  std::vector<edge_columns> parts(readers);
  std::vector<std::uint64_t> entries(readers);
  bool const weighted = input.weighted || options.random_weights;
  auto const* const from = std::get_if<generator>(&input.source);
  on_threads(readers, [&](unsigned r) {
    edge_reader reader(input, {r, readers});
    std::vector<edge> batch;
    while (reader.next(batch))
      for (edge const& e : batch) {
        parts[r].sources.push_back(e.source);
        parts[r].targets.push_back(e.target);
        if (!weighted) continue;
        bool const drawn = from != nullptr;
        parts[r].weights.push_back(drawn ? random_weight(*from, e.source, e.target) : e.weight);
      }
    entries[r] = reader.entries_count();
    parts[r].vertices = reader.vertices_count();
  });
  edge_columns all = std::move(parts[0]);
  for (unsigned r = 1; r < readers; ++r) {
    all.sources.insert(all.sources.end(), parts[r].sources.begin(), parts[r].sources.end());
    all.targets.insert(all.targets.end(), parts[r].targets.begin(), parts[r].targets.end());
    all.weights.insert(all.weights.end(), parts[r].weights.begin(), parts[r].weights.end());
    all.vertices = std::max(all.vertices, parts[r].vertices);
    entries[0] += entries[r];
    parts[r] = {};
  }
  check_entries(input, entries[0]);
  return all;
}

csr read_listed_edges(std::string const& spec, import_options const& options, import_counts* counts) {
  graph_input const input = open_graph(spec);
  edge_columns const edges = read_edges(input, options);
  check_vertices(input, edges.vertices, edges.sources.size());
  csr made = rows_of(spec, edges.vertices, edges.sources, edges.targets, edges.weights,
                     rules_of(options, input.directed), counts);
  made.names = names_beside(input, edges.vertices);
  return made;
}

csr read_matrix(std::string const& spec, import_options const& options, import_counts* counts) {
  edge_columns const edges = read_npz(spec);
  return rows_of(spec, edges.vertices, edges.sources, edges.targets, edges.weights, rules_of(options, true), counts);
}

// METIS has each edge in both rows; without directions the second one is left out.
csr read_metis_rows(std::string const& spec, import_options const& options, import_counts* counts) {
  csr_rules const rules = rules_of(options, false);
  edge_columns edges = read_metis(spec);
  if (!rules.directed) drop_second_directions(edges);
  return rows_of(spec, edges.vertices, edges.sources, edges.targets, edges.weights, rules, counts);
}

// The rows again, as edges; an edge without directions once.
edge_columns edges_of(csr const& graph) {
  edge_columns edges;
  edges.vertices = graph.vertices();
  for (std::uint32_t v = 0; v < graph.vertices(); ++v)
    for (std::uint64_t e = graph.out.offsets[v]; e < graph.out.offsets[v + std::uint64_t{1}]; ++e) {
      if (!graph.directed && graph.out.targets[e] < v) continue;
      edges.sources.push_back(v);
      edges.targets.push_back(graph.out.targets[e]);
      if (graph.weighted()) edges.weights.push_back(graph.out.weights[e]);
    }
  return edges;
}

// A saved graph under rules that it may not have been made by.
csr read_saved(std::string const& spec, import_options const& options) {
  csr saved = open_saved(spec, options.threads);
  bool const drops = options.self_loops.value_or(self_loops_rule::keep) != self_loops_rule::keep;
  bool const other_loops = drops && saved.self_loops != 0;
  bool const gets_directions = !saved.directed && options.directed.value_or(false);
  if (other_loops || gets_directions) {
    edge_columns edges = edges_of(saved);
    std::size_t const once = edges.sources.size();
    for (std::size_t i = 0; gets_directions && i < once; ++i) {
      if (edges.sources[i] == edges.targets[i]) continue;
      edges.sources.push_back(edges.targets[i]);
      edges.targets.push_back(edges.sources[i]);
      if (!edges.weights.empty()) edges.weights.push_back(edges.weights[i]);
    }
    csr_rules rules = rules_of(options, saved.directed);
    if (!options.self_loops) rules.self_loops = self_loops_rule::keep;
    csr made = rows_of(spec, edges.vertices, edges.sources, edges.targets, edges.weights, rules);
    made.names = saved.names;
    return made;
  }
  if (saved.directed && !options.directed.value_or(true)) return without_directions(saved, options.threads);
  return saved;
}

}  // namespace

void drop_second_directions(edge_columns& edges) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < edges.sources.size(); ++i) {
    if (edges.sources[i] > edges.targets[i]) continue;
    edges.sources[kept] = edges.sources[i];
    edges.targets[kept] = edges.targets[i];
    if (!edges.weights.empty()) edges.weights[kept] = edges.weights[i];
    ++kept;
  }
  edges.sources.resize(kept);
  edges.targets.resize(kept);
  if (!edges.weights.empty()) edges.weights.resize(kept);
}

std::shared_ptr<dictionary const> names_beside(graph_input const& input, std::uint64_t vertices) {
  if (!input.names_path) return nullptr;
  vertex_names const names = load_names(input, vertices);
  std::vector<char> text;
  std::vector<std::int64_t> ends{0};
  for (std::uint32_t v = 0; v < names.size(); ++v) {
    std::string_view const name = names.name(v);
    text.insert(text.end(), name.begin(), name.end());
    ends.push_back(static_cast<std::int64_t>(text.size()));
  }
  return std::make_shared<dictionary>(std::move(text), std::move(ends), *input.names_path);
}

bool is_read_whole(std::string const& spec, import_options const& options) {
  return options.any_rule() || whole_kind_of(spec, options) != whole_kind::none;
}

csr read_csr(std::string const& spec, import_options const& options, import_counts* counts) {
  switch (whole_kind_of(spec, options)) {
    case whole_kind::table:
      return read_table_rows(spec, options, counts);
    case whole_kind::metis:
      return read_metis_rows(spec, options, counts);
    case whole_kind::npz:
      return read_matrix(spec, options, counts);
    case whole_kind::saved: {
      csr made = read_saved(spec, options);
      if (counts != nullptr) *counts = {made.edges(), made.self_loops};
      return made;
    }
    case whole_kind::none:
      break;
  }
  return read_listed_edges(spec, options, counts);
}

}  // namespace graph
