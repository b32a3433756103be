// import_words: the options of the command line that say how a graph is read.
#include "command_line/import_words.hpp"

namespace command_line {

void declare(parser& app, graph::import_options& into) {
  app.add_option("--source-column", into.columns.source,
                 "the column of a .csv or .tsv file with a header that edges come from (default: source, from, src or "
                 "u, else the first)");
  app.add_option("--target-column", into.columns.target,
                 "the one that they lead to (default: target, to, dst or v, else the second)");
  app.add_option("--weight-column", into.columns.weight, "the one of weights (default: weight or w, else none)");
  option const directed = app.add_flag(
      "--directed", [&into] { into.directed = true; }, "edges have directions (default: as the file says)");
  app.add_flag(
         "--undirected", [&into] { into.directed = false; }, "each edge leads in both directions")
      .excludes(directed);
  app.add_choice<graph::duplicates_rule>(
      "--duplicates", into.duplicates,
      {{"smallest", graph::duplicates_rule::smallest},
       {"first", graph::duplicates_rule::first},
       {"last", graph::duplicates_rule::last},
       {"sum", graph::duplicates_rule::sum},
       {"refuse", graph::duplicates_rule::refuse}},
      "the weight of edges with the same ends, which become one (default: smallest)");
  app.add_choice<graph::self_loops_rule>("--self-loops", into.self_loops,
                                         {{"drop", graph::self_loops_rule::drop},
                                          {"keep", graph::self_loops_rule::keep},
                                          {"refuse", graph::self_loops_rule::refuse}},
                                         "what becomes of them (default: drop; of a saved graph keep)");
}

}  // namespace command_line
