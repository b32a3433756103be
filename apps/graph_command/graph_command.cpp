// graph_command: `tess graph`: converts, generates, checks and describes graphs in files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "command_line/import_words.hpp"
#include "command_line/parser.hpp"
#include "graph/error.hpp"
#include "graph/export.hpp"
#include "graph/import.hpp"
#include "graph/saved.hpp"
#include "graph_command/degree_picture.hpp"
#include "graph_command/graph_facts.hpp"

namespace {

constexpr std::string_view usage =
    "Graphs in files: convert, describe, generate and check them.\n"
    "Usage: tess graph SUBCOMMAND WORDS...\n\n"
    "  convert IN OUT    read a graph of any format, write it as .tgr, .csv, .tsv, .el, .wel, .mtx, .npz or .parquet\n"
    "  info IN           size, degrees, components, an estimate of the diameter, a picture of the degrees\n"
    "  generate SPEC OUT kron:SCALE[,DEGREE[,SEED]], uniform:SCALE[,DEGREE[,SEED]] or grid:WxH, as a file\n"
    "  check IN.tgr      read a saved graph to its last byte: checksums, rows, names\n\n"
    "A saved graph (.tgr) is mapped into memory, and opens in milliseconds; all programs take it.\n"
    "`tess graph SUBCOMMAND --help` says more. Example: tess graph convert trips.csv trips.tgr --weight-column km\n";

constexpr char const* input_help =
    "a file (.csv, .tsv, .mtx, .el, .wel, .txt, .gr, .metis, .graph, each with .gz or without, .npz, .tgr), or "
    "kron:SCALE[,DEGREE[,SEED]], uniform:SCALE[,DEGREE[,SEED]] or grid:WxH";

double seconds_of(std::function<void()> const& work) {
  auto const begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string size_of(graph::csr const& g) {
  return fmt::format("{} vertices, {} edges, {}{}", g.vertices(), g.edges(), g.directed ? "directed" : "undirected",
                     g.weighted() ? ", with weights" : "");
}

std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (char const c : text) {
    if (static_cast<unsigned char>(c) < ' ') {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

struct conversion {
  std::string from;
  std::string to;
  graph::import_options how;
  bool with_in_edges = false;
};

// A list of edges has no line for a vertex without edges. In an edge list without names the numbers of others say that
// it is there, unless it is one of the last; a table names only the vertices of its edges.
void warn_of_lost_vertices(graph::csr const& g, std::string const& path) {
  auto const ends_with = [&](std::string_view end) { return path.ends_with(end); };
  bool const is_table = std::ranges::any_of(std::array{".csv", ".tsv", ".parquet"}, ends_with);
  bool const is_edge_list = !g.names && (ends_with(".el") || ends_with(".wel"));
  if (!is_table && !is_edge_list) return;
  std::vector<bool> listed(g.vertices());
  for (std::uint32_t v = 0; v < g.vertices(); ++v)
    for (std::uint32_t const target : g.out.neighbours(v)) listed[v] = listed[target] = true;
  auto const last = std::ranges::find(listed.rbegin(), listed.rend(), true);
  auto const lost = static_cast<std::uint64_t>(is_table ? std::ranges::count(listed, false) : last - listed.rbegin());
  if (lost == 0) return;
  std::string const which = is_table ? fmt::format("{} of {} vertices", lost, g.vertices())
                                     : fmt::format("vertices {} to {}", g.vertices() - lost, g.vertices() - 1);
  fmt::print(stderr, "{} does not list {}, which have no edges; .tgr and .mtx keep them\n", path, which);
}

int convert(conversion const& asked) {
  graph::csr g;
  double const read = seconds_of([&] {
    g = graph::read_csr(asked.from, asked.how);
    if (asked.with_in_edges) graph::transpose(g, asked.how.threads);
  });
  double const written = seconds_of([&] { graph::export_graph(g, asked.to, asked.how.threads); });
  warn_of_lost_vertices(g, asked.to);
  fmt::print("{}: {}; read in {:.2f} s, written to {} in {:.2f} s\n", asked.from, size_of(g), read, asked.to, written);
  return 0;
}

void declare_output(command_line::parser& app, std::string& into) {
  app.add_option("output", into, "the file to write: .tgr, .csv, .tsv, .el, .wel, .mtx, .npz or .parquet")
      .required()
      .check(graph::wrong_export_name, "FILE");
}

void declare_threads(command_line::parser& app, unsigned& into) {
  app.add_option("--threads", into, "threads that read and write (default: one for each processor)").positive();
}

int run_convert(int argc, char** argv) {
  command_line::parser app("Reads a graph, and writes it in another format.", "tess graph convert");
  conversion asked;
  app.add_option("input", asked.from, input_help).required();
  declare_output(app, asked.to);
  command_line::declare(app, asked.how);
  app.add_flag("--with-in-edges", asked.with_in_edges,
               "save the rows of in-edges of a directed graph, too, for programs that want them (.tgr)");
  declare_threads(app, asked.how.threads);
  if (auto const code = app.parse(argc, argv)) return *code;
  return convert(asked);
}

int run_generate(int argc, char** argv) {
  command_line::parser app("Writes a generated graph to a file.", "tess graph generate");
  conversion asked;
  app.add_option("spec", asked.from, "kron:SCALE[,DEGREE[,SEED]], uniform:SCALE[,DEGREE[,SEED]] or grid:WxH")
      .required()
      .check([](std::string const& spec) { return graph::names_generator(spec) ? "" : spec + " is no generator"; },
             "SPEC");
  declare_output(app, asked.to);
  app.add_flag("--weights", asked.how.random_weights, "with the random weights from 1 to 255 that sssp gives it");
  declare_threads(app, asked.how.threads);
  if (auto const code = app.parse(argc, argv)) return *code;
  return convert(asked);
}

int run_check(int argc, char** argv) {
  command_line::parser app("Verifies a saved graph: every checksum, row, weight and name.", "tess graph check");
  std::string path;
  unsigned threads = 0;
  app.add_option("input", path, "a saved graph (.tgr)").required();
  declare_threads(app, threads);
  if (auto const code = app.parse(argc, argv)) return *code;
  graph::csr g;
  double const seconds = seconds_of([&] { g = graph::check_saved(path, threads); });
  fmt::print("{}: {}; all of it is as it was saved, checked in {:.3f} s\n", path, size_of(g), seconds);
  return 0;
}

// What `info` finds out.
struct description {
  graph::csr g;
  graph::import_counts counts;
  graph_command::degree_facts out;
  graph_command::degree_facts in;  // of a directed graph
  graph_command::component_facts components;
  graph_command::diameter_facts diameter;

  [[nodiscard]] std::string label(std::uint32_t v) const { return g.names ? g.names->label(v) : fmt::format("{}", v); }
  // Edges that are not there because another one has the same ends.
  [[nodiscard]] std::uint64_t repeated() const {
    std::uint64_t const dropped_self_loops = g.self_loops == 0 ? counts.self_loops : 0;
    return counts.edges - std::min(counts.edges, g.edges() + dropped_self_loops);
  }
};

std::string_view kind_of_names(graph::csr const& g) {
  if (!g.names) return "none";
  return g.names->are_integers() ? "integers" : "texts";
}

void print_degrees(std::string_view which, graph_command::degree_facts const& d) {
  fmt::print("{:<12}{:8}{:12.2f}{:10}{:10}{:10}{:12}\n", which, d.least, d.mean, d.median, d.of_90_percent,
             d.of_99_percent, d.most);
}

void print_text(std::string const& path, description const& d) {
  fmt::print("{}: {}; names: {}\n", path, size_of(d.g), kind_of_names(d.g));
  fmt::print("as read: {} edges, {} self-loops, {} repeated\n", d.counts.edges, d.counts.self_loops, d.repeated());
  if (d.g.weighted() && d.g.out.entries() != 0) {
    auto const [least, most] = std::ranges::minmax(d.g.out.weights);
    fmt::print("weights: {} to {}\n", least, most);
  }
  fmt::print("degrees        min        mean    median       90%       99%         max\n");
  print_degrees(d.g.directed ? "  out" : "", d.out);
  if (d.g.directed) print_degrees("  in", d.in);
  std::uint64_t const vertices = std::max<std::uint64_t>(d.g.vertices(), 1);
  fmt::print("components: {}, the largest of {} vertices ({:.1f} %); {} vertices without neighbours\n",
             d.components.count, d.components.largest,
             100.0 * static_cast<double>(d.components.largest) / static_cast<double>(vertices), d.components.isolated);
  if (d.g.vertices() != 0)
    fmt::print("diameter: at least {}, from {} to {}{}\n", d.diameter.at_least, d.label(d.diameter.from),
               d.label(d.diameter.to), d.g.directed ? ", without directions" : "");
  fmt::print("\n{}", graph_command::degree_picture(d.out.classes));
}

std::string degrees_json(graph_command::degree_facts const& d) {
  return fmt::format(
      "{{\"min\": {}, \"mean\": {}, \"median\": {}, \"p90\": {}, \"p99\": {}, \"max\": {}, \"classes\": [{}]}}",
      d.least, d.mean, d.median, d.of_90_percent, d.of_99_percent, d.most, fmt::join(d.classes, ", "));
}

void print_json(std::string const& path, description const& d) {
  fmt::print("{{\"file\": {}, \"vertices\": {}, \"edges\": {}, \"directed\": {}, \"weighted\": {}, \"names\": \"{}\", ",
             json_text(path), d.g.vertices(), d.g.edges(), d.g.directed, d.g.weighted(), kind_of_names(d.g));
  fmt::print("\"read\": {{\"edges\": {}, \"self_loops\": {}, \"repeated\": {}}}, ", d.counts.edges, d.counts.self_loops,
             d.repeated());
  fmt::print("\"out_degrees\": {}, ", degrees_json(d.out));
  if (d.g.directed) fmt::print("\"in_degrees\": {}, ", degrees_json(d.in));
  fmt::print("\"components\": {{\"count\": {}, \"largest\": {}, \"isolated\": {}}}, ", d.components.count,
             d.components.largest, d.components.isolated);
  fmt::print("\"diameter\": {{\"at_least\": {}, \"from\": {}, \"to\": {}}}}}\n", d.diameter.at_least,
             json_text(d.g.vertices() == 0 ? "" : d.label(d.diameter.from)),
             json_text(d.g.vertices() == 0 ? "" : d.label(d.diameter.to)));
}

int run_info(int argc, char** argv) {
  command_line::parser app("Describes a graph.", "tess graph info");
  std::string path;
  graph::import_options how;
  bool as_json = false;
  app.add_option("input", path, input_help).required();
  command_line::declare(app, how);
  app.add_flag("--json", as_json, "print one line of JSON");
  declare_threads(app, how.threads);
  if (auto const code = app.parse(argc, argv)) return *code;
  description d;
  d.g = graph::read_csr(path, how, &d.counts);
  d.out = graph_command::degrees_of(d.g.out);
  graph::csr const both = graph::without_directions(d.g, how.threads);
  if (d.g.directed) {
    graph::transpose(d.g, how.threads);
    d.in = graph_command::degrees_of(d.g.in);
  }
  d.components = graph_command::components_of(both.out);
  d.diameter = graph_command::diameter_of(both.out);
  as_json ? print_json(path, d) : print_text(path, d);
  return 0;
}

int run_subcommand(int argc, char** argv) {
  std::string_view const name = argc > 1 ? argv[1] : "";
  if (name == "convert") return run_convert(argc - 1, argv + 1);
  if (name == "info") return run_info(argc - 1, argv + 1);
  if (name == "generate") return run_generate(argc - 1, argv + 1);
  if (name == "check") return run_check(argc - 1, argv + 1);
  bool const asked = name == "--help" || name == "-h";
  if (!asked && !name.empty()) fmt::print(stderr, "tess graph: no subcommand {}\n\n", name);
  fmt::print(asked ? stdout : stderr, "{}", usage);
  return asked ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    int const code = run_subcommand(argc, argv);
    if (std::fflush(stdout) == 0) return code;
    fmt::print(stderr, "standard output could not be written\n");
    return 1;
  } catch (graph::input_error const& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  } catch (std::exception const& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
