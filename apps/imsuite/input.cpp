// input: reading and writing the suite's files.
#include "imsuite/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>

#include "graph/error.hpp"

namespace imsuite {

namespace {

// The lines of a text, each with its number.
class lines {
 public:
  lines(std::string_view text, std::string const& file) : rest_(text), file_(file) {}

  [[noreturn]] void refuse(std::string const& what, std::string const& expected) const {
    throw graph::input_error(file_, number_, what, expected);
  }

  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }

  std::string_view next(std::string const& expected) {
    ++number_;
    if (at_end()) refuse("the end of the file", expected);
    std::size_t const end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  std::int32_t number(std::int32_t least, std::int32_t most, std::string const& meaning) {
    std::string const expected = fmt::format("{} from {} to {}", meaning, least, most);
    std::string_view const line = next(expected);
    std::int32_t value = 0;
    auto const [stop, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error != std::errc{} || stop != line.data() + line.size() || value < least || value > most)
      refuse(graph::quoted(line), expected);
    return value;
  }

  // '0' and '1', one for each node.
  void bits(std::int32_t nodes, std::string const& meaning, std::vector<std::uint8_t>& into) {
    std::string const expected = fmt::format("{}: {} characters 0 or 1", meaning, nodes);
    std::string_view const line = next(expected);
    if (line.size() != static_cast<std::size_t>(nodes)) refuse(fmt::format("{} characters", line.size()), expected);
    for (char const c : line) {
      if (c != '0' && c != '1') refuse(graph::quoted(std::string_view(&c, 1)), expected);
      into.push_back(static_cast<std::uint8_t>(c - '0'));
    }
  }

  void separator() {
    std::string_view const line = next("a line with one space");
    if (line != " ") refuse(graph::quoted(line), "a line with one space");
  }

  void finish() {
    if (at_end()) return;
    ++number_;
    refuse("more lines", "the end of the file");
  }

 private:
  std::string_view rest_;
  std::string const& file_;
  std::uint64_t number_ = 0;
};

void read_matrix(lines& in, input& into) {
  for (std::int32_t i = 0; i < into.nodes; ++i) {
    in.bits(into.nodes, fmt::format("row {} of the matrix", i), into.adjacency);
    if (into.joined(i, i)) in.refuse(fmt::format("an edge from {} to itself", i), "0 in the diagonal");
    for (std::int32_t j = 0; j < i; ++j)
      if (into.joined(i, j) != into.joined(j, i))
        in.refuse(fmt::format("({}, {}) is {}, but ({}, {}) is not", i, j, into.joined(i, j) ? 1 : 0, j, i),
                  "a symmetric matrix");
  }
}

void read_weights(lines& in, input& into) {
  constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
  for (std::int32_t i = 0; i < into.nodes; ++i)
    for (std::int32_t j = 0; j < into.nodes; ++j) {
      into.weights.push_back(in.number(0, most, fmt::format("the weight of ({}, {})", i, j)));
      if (j < i && into.weight(i, j) != into.weight(j, i))
        in.refuse(fmt::format("{}", into.weight(i, j)),
                  fmt::format("{}, the weight of ({}, {})", into.weight(j, i), j, i));
    }
}

void read_ids(lines& in, input& into) {
  std::vector<bool> seen(static_cast<std::size_t>(into.nodes) + 1);
  for (std::int32_t i = 0; i < into.nodes; ++i) {
    std::int32_t const id = in.number(1, into.nodes, fmt::format("the identifier of node {}", i));
    if (seen[static_cast<std::size_t>(id)]) in.refuse(fmt::format("{} again", id), "each identifier once");
    seen[static_cast<std::size_t>(id)] = true;
    into.ids.push_back(id);
  }
}

void read_votes(lines& in, input& into) {
  in.bits(into.nodes, "votes", into.votes);
  in.separator();
  std::vector<bool> seen(static_cast<std::size_t>(into.nodes));
  for (std::int32_t i = 0; i < into.nodes / 8 - 1; ++i) {
    std::int32_t const traitor = in.number(0, into.nodes - 1, fmt::format("traitor {}", i));
    if (seen[static_cast<std::size_t>(traitor)]) in.refuse(fmt::format("{} again", traitor), "each traitor once");
    seen[static_cast<std::size_t>(traitor)] = true;
    into.traitors.push_back(traitor);
  }
}

// The matrix must have the edges to the parents and no others, and all nodes must descend from the root.
void read_parents(lines& in, input& into) {
  for (std::int32_t i = 0; i < into.nodes; ++i) {
    std::int32_t const parent = in.number(0, into.nodes - 1, fmt::format("the parent of node {}", i));
    into.parents.push_back(parent);
    if (i != into.root && !into.joined(i, parent))
      in.refuse(fmt::format("parent {} of node {}", parent, i), "a neighbour of it in the matrix");
  }
  auto const edges = std::ranges::count(into.adjacency, 1) / 2;
  if (edges != into.nodes - 1 || !into.connected())
    in.refuse(fmt::format("{} edges in a graph that is{} connected", edges, into.connected() ? "" : " not"), "a tree");
  // In a tree all neighbours but the parent are children: each edge must lead to some node's parent.
  for (std::int32_t i = 0; i < into.nodes; ++i) {
    std::int32_t at = i;
    for (std::int32_t steps = 0; at != into.root; ++steps) {
      if (steps == into.nodes) in.refuse(fmt::format("node {} does not descend from the root", i), "a rooted tree");
      at = into.parents[static_cast<std::size_t>(at)];
    }
  }
}

template <class Numbers>
void append_lines(std::string& text, Numbers const& numbers) {
  for (auto const n : numbers) text += fmt::format("\n{}", n);
}

}  // namespace

parts parts_of(kernel k) noexcept {
  switch (k) {
    case kernel::bfs_bellman_ford:
    case kernel::bfs_dijkstra:
      return {.root = true};
    case kernel::byzantine:
      return {.votes = true};
    case kernel::dijkstra_routing:
    case kernel::mst:
      return {.weights = true};
    case kernel::dominating_set:
    case kernel::mis:
      return {};
    case kernel::k_committee:
      return {.committee = true, .ids = true};
    case kernel::leader_elect_dp:
      return {.ids = true};
    case kernel::leader_elect_hs:
    case kernel::leader_elect_lcr:
      return {.adjacency = false, .ids = true};
    case kernel::vertex_coloring:
      return {.root = true, .parents = true};
  }
  return {};
}

std::vector<std::int32_t> input::neighbors(std::int32_t i) const {
  std::vector<std::int32_t> found;
  for (std::int32_t j = 0; j < nodes; ++j)
    if (joined(i, j)) found.push_back(j);
  return found;
}

bool input::connected() const {
  std::vector<bool> seen(static_cast<std::size_t>(nodes));
  std::vector<std::int32_t> reached{0};
  seen[0] = true;
  for (std::size_t next = 0; next < reached.size(); ++next)
    for (std::int32_t const j : neighbors(reached[next]))
      if (!seen[static_cast<std::size_t>(j)]) {
        seen[static_cast<std::size_t>(j)] = true;
        reached.push_back(j);
      }
  return reached.size() == static_cast<std::size_t>(nodes);
}

std::string format(kernel k, input const& of) {
  parts const has = parts_of(k);
  std::string text = fmt::format("{}", of.nodes);
  if (has.root) text += fmt::format("\n{}", of.root);
  if (has.committee) text += fmt::format("\n{}", of.committee);
  if (has.adjacency) {
    text += '\n';
    for (std::int32_t i = 0; i < of.nodes; ++i) {
      for (std::int32_t j = 0; j < of.nodes; ++j) text += of.joined(i, j) ? '1' : '0';
      text += '\n';
    }
    if (has.votes || has.weights || has.ids || has.parents) text += ' ';
  }
  if (has.votes) {
    text += '\n';
    for (std::uint8_t const vote : of.votes) text += static_cast<char>('0' + vote);
    text += "\n ";
    append_lines(text, of.traitors);
  }
  append_lines(text, of.weights);
  append_lines(text, of.ids);
  append_lines(text, of.parents);
  if (has.parents) text += '\n';
  return text;
}

input parse(kernel k, std::string_view text, std::string const& file) {
  lines in(text, file);
  parts const has = parts_of(k);
  input made;
  made.nodes = in.number(has.votes ? 8 : 2, nodes_max, "the number of nodes");
  if (has.root) made.root = in.number(0, made.nodes - 1, "the root");
  if (has.committee) made.committee = in.number(1, made.nodes, "the most members of a committee");
  if (has.adjacency) {
    read_matrix(in, made);
    if (has.votes || has.weights || has.ids || has.parents) in.separator();
  }
  if (has.votes) read_votes(in, made);
  if (has.weights) read_weights(in, made);
  if (has.ids) read_ids(in, made);
  if (has.parents) read_parents(in, made);
  in.finish();
  return made;
}

input read(kernel k, std::string const& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw graph::input_error(file, 0, "cannot be read", "a file of IMSuite's format");
  std::string const text(std::istreambuf_iterator<char>(stream), {});
  return parse(k, text, file);
}

}  // namespace imsuite
