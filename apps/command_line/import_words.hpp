// import_words: options that say how a graph is read: columns of tables, directions, repeated edges, self-loops.
#pragma once

#include "command_line/parser.hpp"
#include "graph/import.hpp"

namespace command_line {

void declare(parser& app, graph::import_options& into);

}  // namespace command_line
