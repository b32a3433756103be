// command_line: parsing, loading and printing.
#include "command_line/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>

#include "graph/error.hpp"
#include "graph/parallel.hpp"

namespace command_line {

void declare(parser& app, graph_options& into) {
  app.add_option("graph", into.spec,
                 "a file (.mtx, .el, .wel, .txt, .csv, .tsv, .gr, .metis, .graph, each with .gz or without, .npz, "
                 ".tgr), kron:SCALE[,DEGREE[,SEED]], uniform:SCALE[,DEGREE[,SEED]] or grid:WxH")
      .required();
  app.add_flag("--verify,!--no-verify", into.verify, "check the result by other means (default: yes)");
  declare(app, into.import);
}

namespace {

void add_form(parser& app, kernels::form& into, std::string const& meaning, std::string const& choice) {
  app.add_choice<kernels::form>("--form", into,
                                {{"words", kernels::form::words}, {"messages", kernels::form::messages}}, meaning)
      .shown_as(choice);
}

}  // namespace

void declare(parser& app, kernels::form& into) {
  add_form(app, into, "how single words move: words (fetch_add, get, put) or messages (at_async)",
           "words|messages [words]");
}

void declare_words(parser& app, kernels::form& into, kernels::pace& how) {
  add_form(app, into, "how vertices of other places change: words (an atomic each, as in GAP) or messages (in bulk)",
           "words|messages [messages]");
  app.add_flag(
      "--each-awaited", [&how] { how = kernels::pace::each_awaited; }, "words: a task has one on its way, not 32");
  app.check_together("--each-awaited", [&into, &how] {
    bool const wrong = how == kernels::pace::each_awaited && into != kernels::form::words;
    return std::string(wrong ? "is of --form words, which was not asked for" : "");
  });
}

tess::task<int> with_input_errors(tess::task<int> work) {
  std::string text;
  try {
    co_return co_await std::move(work);
  } catch (graph::input_error const& e) {
    text = e.what();
  }
  std::fflush(stdout);
  std::fputs((text + '\n').c_str(), stderr);
  co_return 2;
}

std::string loaded_graph::label(graph::vertex v) const {
  return names ? names->label(v) : fmt::format("{}", v);
}

std::optional<graph::vertex> loaded_graph::lookup(std::string const& name) const {
  if (names) {
    if (auto const v = names->find(name)) return v;
    if (names->are_integers()) return std::nullopt;  // a number is a name, then
  }
  graph::vertex v = 0;
  char const* const end = name.data() + name.size();
  auto const [stop, problem] = std::from_chars(name.data(), end, v);
  if (problem == std::errc{} && stop == end && v < graph.vertices()) return v;
  return std::nullopt;
}

graph::vertex loaded_graph::find(std::string const& name) const {
  if (auto const v = lookup(name)) return *v;
  throw graph::input_error(
      "--source", 0, graph::quoted(name),
      names && names->are_integers()
          ? "a name of the graph"
          : fmt::format("{}a vertex from 0 to {}", names ? "a name of the graph or " : "", graph.vertices() - 1));
}

namespace {

// Reads by threads, while the place's other tasks and messages have their turn.
tess::task<graph::csr> read_whole(graph_options const& options, graph::row_kinds kinds) {
  graph::csr made;
  graph::import_options how = options.import;
  how.random_weights = graph::names_generator(options.spec);
  graph::background reading([&] {
    made = graph::read_csr(options.spec, how);
    if (made.directed && kinds == graph::row_kinds::symmetric) made = graph::without_directions(made);
    if (made.directed && kinds == graph::row_kinds::out_and_in) graph::transpose(made);
  });
  while (!reading.is_done()) co_await tess::sleep_for(std::chrono::milliseconds(1));
  reading.finish();
  co_return made;
}

void refuse_negative_weights(std::string const& spec, graph::csr const& whole) {
  graph::csr_rows const& rows = whole.out;
  auto const wrong = std::ranges::find_if(rows.weights, [](double weight) { return !(weight >= 0); });
  if (wrong == rows.weights.end()) return;
  auto const edge = static_cast<std::uint64_t>(wrong - rows.weights.begin());
  auto const row = std::ranges::upper_bound(rows.offsets, edge) - rows.offsets.begin() - 1;
  auto const label = [&](graph::vertex v) { return whole.names ? whole.names->label(v) : fmt::format("{}", v); };
  throw graph::input_error(spec, 0,
                           fmt::format("weight {} of the edge from {} to {}", *wrong,
                                       label(static_cast<graph::vertex>(row)), label(rows.targets[edge])),
                           "a weight of at least 0");
}

// What place 0 has read goes to the places, and is not kept.
tess::task<loaded_graph> load_whole(graph_options const& options, graph::row_kinds kinds, bool with_weights) {
  graph::csr const whole = co_await read_whole(options, kinds);
  if (whole.vertices() == 0) throw graph::input_error(options.spec, 0, "a graph without vertices", "at least one edge");
  if (with_weights) refuse_negative_weights(options.spec, whole);
  loaded_graph made{co_await graph::distributed_graph::adopt(whole, kinds), whole.names, {}, whole.edges()};
  if (with_weights) made.weights = co_await graph::edge_weights::adopt(whole, made.graph);
  co_return made;
}

tess::task<loaded_graph> load_edges(graph_options const& options, graph::row_kinds kinds, bool with_weights) {
  graph::graph_input const input = graph::open_graph(options.spec);
  loaded_graph made{co_await graph::distributed_graph::load(input, kinds), nullptr, {}, 0};
  made.edges = made.graph.directed() ? made.graph.edges() : made.graph.edges() / 2;
  made.names = graph::names_beside(input, made.graph.vertices());
  if (with_weights) made.weights = co_await graph::edge_weights::load(input, made.graph);
  co_return made;
}

}  // namespace

tess::task<loaded_graph> load(graph_options const& options, graph::row_kinds kinds, bool with_weights) {
  stopwatch const watch;
  std::string const& spec = options.spec;
  bool const at_once = graph::is_read_whole(spec, options.import);
  loaded_graph const made =
      at_once ? co_await load_whole(options, kinds, with_weights) : co_await load_edges(options, kinds, with_weights);
  fmt::print("{}: {} vertices, {} edges, {}; loaded in {:.2f} s\n", spec, made.graph.vertices(), made.edges,
             made.graph.directed() ? "directed" : "undirected", watch.seconds());
  std::fflush(stdout);
  co_return made;
}

tess::task<std::vector<graph::vertex>> sources_named(loaded_graph const& loaded,
                                                     std::vector<std::string> const& names) {
  std::vector<graph::vertex> sources;
  for (std::string const& name : names) sources.push_back(loaded.find(name));
  if (sources.empty()) sources.push_back(co_await busiest_vertex(loaded.graph));
  std::ranges::sort(sources);
  sources.erase(std::ranges::unique(sources).begin(), sources.end());
  co_return sources;
}

void report_sources(std::vector<graph::vertex> const& sources) {
  std::vector<std::uint64_t> const numbers(sources.begin(), sources.end());
  if (sources.size() == 1)
    tess::report_result("source", std::to_string(sources[0]));
  else
    tess::report_result("sources", json(numbers));
}

std::string label_of(loaded_graph const& loaded, std::vector<graph::vertex> const& sources) {
  if (sources.size() > 3) return fmt::format("{} vertices", sources.size());
  std::string text;
  for (graph::vertex const v : sources) text += (text.empty() ? "" : ", ") + loaded.label(v);
  return text;
}

tess::task<graph::vertex> busiest_vertex(graph::distributed_graph g) {
  struct candidate {
    graph::vertex v;
    std::uint64_t degree;
  };
  candidate best{0, 0};
  for (unsigned p = 0; p < tess::places(); ++p) {
    candidate const here = co_await tess::at(
        static_cast<tess::place_id>(p),
        [](graph::distributed_graph all) {
          graph::graph_part const& part = all.part();
          candidate most{part.first, 0};
          for (graph::vertex i = 0; i < part.count; ++i)
            if (part.out.degree(i) > most.degree) most = {part.first + i, part.out.degree(i)};
          return most;
        },
        g);
    if (here.degree > best.degree) best = here;
  }
  co_return best.v;
}

void print_operations(tess::operation_counts before, tess::operation_counts after) {
  fmt::print("operations: {} local and {} remote words, {} bytes in blocks, {} messages of {} bytes in all\n",
             after.words_local - before.words_local, after.words_remote - before.words_remote,
             after.block_bytes - before.block_bytes, after.messages - before.messages,
             after.message_bytes - before.message_bytes);
}

void print_atomics(kernels::atomic_counts taken) {
  if (taken.all != 0) fmt::print("atomics: {}, {} of them on words of other places\n", taken.all, taken.remote);
}

std::string json(std::span<std::uint64_t const> numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

std::string json(std::string const& text) {
  std::string quoted = "\"";
  for (char const c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace command_line
