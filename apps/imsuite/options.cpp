// options: parses the options, and chooses between a file and the generator.
#include "imsuite/options.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace imsuite {

namespace {

command_line::choices<graph_kind> const& kinds() {
  static command_line::choices<graph_kind> const names{{"rn", graph_kind::random},
                                                       {"cplt", graph_kind::complete},
                                                       {"spmin", graph_kind::sparse_minimum},
                                                       {"spmax", graph_kind::sparse_maximum},
                                                       {"chain", graph_kind::chain},
                                                       {"star", graph_kind::star}};
  return names;
}

std::string name_of(graph_kind kind) {
  for (auto const& [name, k] : kinds())
    if (k == kind) return name;
  return {};
}

}  // namespace

void declare_generation(command_line::parser& app, input_options& into) {
  app.add_option("--size", into.nodes, "nodes of the generated graph");
  app.add_choice(
      "--graph", into.kind, kinds(),
      "its sort: rn (random), cplt (complete), spmin (a tree), spmax (n log n edges); for vc: rn, chain, star");
  app.add_choice<bool>("--weights", into.equal_weights, {{"equal", true}, {"random", false}},
                       "of dr: all 1, or random");
  app.add_seed(into.seed, "of the generator").shows_default();
  app.add_option("--max-children", into.max_children, "of a node of the random tree (0: the generator draws it)");
  app.add_option("--committee", into.committee, "of kc: the most members of one (0: the generator chooses)");
}

void declare(command_line::parser& app, input_options& into) {
  app.add_option("--input", into.file, "a file of the suite's format, instead of the generator");
  declare_generation(app, into);
}

generation generation_of(kernel k, input_options const& given) {
  generation how = paper_input(k);
  how.nodes = given.nodes.value_or(how.nodes);
  how.kind = given.kind.value_or(how.kind);
  how.equal_weights = given.equal_weights.value_or(how.equal_weights);
  how.seed = given.seed;
  how.max_children = given.max_children;
  how.committee = given.committee.value_or(how.committee);
  return how;
}

input load(kernel k, input_options const& given) {
  return given.file.empty() ? generate(k, generation_of(k, given)) : read(k, given.file);
}

std::string describe(kernel k, input_options const& given, input const& loaded) {
  std::string const from = !given.file.empty() ? given.file
                           : parts_of(k).adjacency
                               ? fmt::format("generated {}, seed {}", name_of(generation_of(k, given).kind), given.seed)
                               : fmt::format("generated ring, seed {}", given.seed);
  if (loaded.adjacency.empty()) return fmt::format("{} nodes in a ring ({})", loaded.nodes, from);
  return fmt::format("{} nodes, {} edges ({})", loaded.nodes, std::ranges::count(loaded.adjacency, 1) / 2, from);
}

}  // namespace imsuite
