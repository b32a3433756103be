// graph_copy: the program that copies graphs of objects to another place, by each copier, and checks the copies.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "command_line/command_line.hpp"
#include "graph_copy/digest.hpp"
#include "graph_copy/shapes.hpp"
#include "tess/tess.hpp"

namespace graph_copy {
namespace {

enum class shape : std::uint8_t { list, tree, random, items, file };

struct options {
  shape of = shape::list;
  std::string file;
  std::uint64_t size = 100'000;
  std::uint64_t degree = 4;
  std::uint64_t seed = 1;
  order how = order::allocated;
  std::vector<tess::copier> copiers;
  tess::copy_map map = tess::copy_map::automatic;
  unsigned trials = 5;
};

constexpr std::array all_copiers{tess::copier::message_passing, tess::copier::pegasus, tess::copier::nemesys};

std::string_view name_of(tess::copier c) {
  switch (c) {
    case tess::copier::message_passing:
      return "message_passing";
    case tess::copier::pegasus:
      return "pegasus";
    case tess::copier::nemesys:
      return "nemesys";
    default:
      return "automatic";
  }
}

// The fastest of several calls whose body does nothing: the copy, and one message each way.
template <class Root>
tess::task<double> best_seconds(options const& o, tess::place_id to, tess::copier by, Root* root) {
  double best = 0;
  for (unsigned trial = 0; trial < o.trials; ++trial) {
    command_line::stopwatch const watch;
    co_await tess::at(to, by, o.map, [](Root*) {}, root);
    double const seconds = watch.seconds();
    best = trial == 0 ? seconds : std::min(best, seconds);
  }
  co_return best;
}

template <class Root>
tess::task<int> copy_all(options const& o, Root* root) {
  auto const to = static_cast<tess::place_id>(tess::places() - 1);
  digest const source = digest_of(root);
  tess::copy_counts counts;
  {
    auto const image = tess::copy(root, tess::copier::nemesys, o.map, &counts);
  }
  fmt::print("{} objects and {} arrays, {} bytes with headers; from place 0 to place {}\n", source.objects,
             source.arrays, counts.bytes, to);
  tess::report_result("objects", std::to_string(source.objects));
  tess::report_result("arrays", std::to_string(source.arrays));
  std::uint64_t const blocks = std::max<std::uint64_t>(source.objects + source.arrays, 1);
  bool right = true;
  fmt::print("{:16}  {:>10}  {:>8}  {}\n", "copier", "ns/object", "GB/s", "the copy");
  for (tess::copier const by : o.copiers) {
    double const seconds = co_await best_seconds(o, to, by, root);
    digest const copied = co_await tess::at(to, by, o.map, [](Root* there) { return digest_of(there); }, root);
    bool const same = copied == source && digest_of(root) == source;
    right = right && same;
    fmt::print("{:16}  {:10.2f}  {:8.3f}  {}\n", name_of(by), seconds / static_cast<double>(blocks) * 1e9,
               static_cast<double>(counts.bytes) / seconds / 1e9, same ? "is isomorphic" : "DIFFERS");
  }
  tess::report_result("digest", fmt::format("\"{:016x}{:016x}\"", source.high, source.low));
  tess::report_result("verified", right ? "true" : "false");
  co_return right ? 0 : 1;
}

tess::task<int> work(options const& o) {
  switch (o.of) {
    case shape::list:
      return copy_all(o, make_list(o.size, o.how, o.seed));
    case shape::tree:
      return copy_all(o, make_tree(o.size));
    case shape::random:
      return copy_all(o, make_random_graph(o.size, o.degree, o.seed));
    case shape::items:
      return copy_all(o, make_items(o.size, o.seed));
    case shape::file:
      break;
  }
  return copy_all(o, make_from(o.file));
}

// All graphs are made by the first task, so that it throws the input errors.
tess::task<int> start(options const& o) {
  co_return co_await work(o);
}

void declare(command_line::parser& app, options& into) {
  app.add_choice<shape>("shape", into.of,
                        {{"list", shape::list},
                         {"tree", shape::tree},
                         {"random", shape::random},
                         {"items", shape::items},
                         {"file", shape::file}},
                        "list, tree, random (a graph with arrays), items (an array of objects) or file")
      .required();
  app.add_option("--graph", into.file, "of shape file: a graph file, or kron:SCALE, uniform:SCALE, grid:WxH");
  app.add_option("--size", into.size, "objects").shows_default().between(1UL, 1UL << 32U);
  app.add_option("--degree", into.degree, "successors of a vertex of random").shows_default();
  app.add_seed(into.seed, "of what is drawn").shows_default();
  app.add_choice<order>("--order", into.how, {{"allocated", order::allocated}, {"shuffled", order::shuffled}},
                        "of a list's nodes in memory")
      .shown_as("allocated|shuffled [allocated]");
  command_line::choices<tess::copier> copiers;
  for (tess::copier const c : all_copiers) copiers.emplace_back(name_of(c), c);
  app.add_choices("--by", into.copiers, copiers, "copiers to compare (default: all)");
  app.add_choice<tess::copy_map>("--map", into.map,
                                 {{"auto", tess::copy_map::automatic},
                                  {"linear", tess::copy_map::linear},
                                  {"hashed", tess::copy_map::hashed},
                                  {"dense", tess::copy_map::dense}},
                                 "how copies of objects seen before are found")
      .shown_as("auto|linear|hashed|dense [auto]");
  app.add_option("--trials", into.trials, "runs, of which the fastest counts").shows_default().positive();
}

}  // namespace
}  // namespace graph_copy

int main(int argc, char** argv) {
  command_line::parser app(
      "Copies a graph of objects from place 0 to the last place, by each copier, and checks the copies.", "graph-copy");
  graph_copy::options o;
  graph_copy::declare(app, o);
  if (auto const code = app.parse(argc, argv)) return *code;
  if ((o.of == graph_copy::shape::file) != !o.file.empty()) {
    fmt::print(stderr, "--graph: {}\n",
               o.file.empty() ? "missing, expected the graph of shape file" : "given, expected only with shape file");
    return 2;
  }
  if (o.copiers.empty()) o.copiers.assign(graph_copy::all_copiers.begin(), graph_copy::all_copiers.end());
  return tess::run(argc, argv, [&](tess::args) { return command_line::with_input_errors(graph_copy::start(o)); });
}
