// command_line: parsing, loading and printing.
#include "command_line/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdio>

#include "graph/error.hpp"

namespace command_line {

void declare(parser& app, graph_options& into) {
  app.add_option(
         "graph", into.spec,
         "a file (.mtx, .el, .wel, .txt, .csv, .tsv, .gr, each with .gz or without), kron:SCALE[,DEGREE[,SEED]], "
         "uniform:SCALE[,DEGREE[,SEED]] or grid:WxH")
      .required();
  app.add_flag("--verify,!--no-verify", into.verify, "check the result by other means (default: yes)");
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
  return names ? std::string(names->name(v)) : fmt::format("{}", v);
}

std::optional<graph::vertex> loaded_graph::lookup(std::string const& name) const {
  if (names) {
    if (auto const v = names->vertex(name)) return v;
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
      fmt::format("{}a vertex from 0 to {}", names ? "a name of the graph or " : "", graph.vertices() - 1));
}

tess::task<loaded_graph> load(std::string const& spec, graph::row_kinds kinds) {
  stopwatch const watch;
  graph::graph_input const input = graph::open_graph(spec);
  loaded_graph made{co_await graph::distributed_graph::load(input, kinds), std::nullopt};
  if (input.names_path) made.names = graph::load_names(input, made.graph.vertices());
  fmt::print("{}: {} vertices, {} edges, {}; loaded in {:.2f} s\n", spec, made.graph.vertices(),
             made.graph.directed() ? made.graph.edges() : made.graph.edges() / 2,
             made.graph.directed() ? "directed" : "undirected", watch.seconds());
  std::fflush(stdout);
  co_return made;
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
