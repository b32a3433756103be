// edge_reader: any number of readers get each edge of a graph once. Method: compare their shares with the whole.
#include "graph/edge_reader.hpp"

#include <gtest/gtest.h>

#include "test_file.hpp"

namespace {

using graph_test::error_of;
using graph_test::gzip;
using graph_test::read_all;
using graph_test::test_directory;

std::string market_of(std::uint64_t entries_count) {
  std::string text = "%%MatrixMarket matrix coordinate integer symmetric\n% comment\n1000 1000 ";
  text += std::to_string(entries_count) + "\n";
  for (std::uint64_t i = 0; i < entries_count; ++i) {
    text += std::to_string(1 + i % 1000) + " " + std::to_string(1 + i * i % 1000) + " " + std::to_string(i) + "\n";
  }
  return text;
}

TEST(edge_reader, shares_cover_the_whole_graph_once) {
  test_directory const directory;
  std::string const text = market_of(300);
  std::string const plain = directory.write("x.mtx", text);
  std::string const compressed = directory.write("x.mtx.gz", gzip(text));
  for (std::string const& spec : {plain, compressed, std::string("kron:7,3"), std::string("grid:5x7")}) {
    graph::graph_input const input = graph::open_graph(spec);
    auto const whole = read_all(input);
    EXPECT_EQ(whole.size(), input.edges_count);
    for (std::uint64_t const readers : std::initializer_list<std::uint64_t>{2, 3, 16, 1000})
      EXPECT_EQ(read_all(input, readers), whole) << spec;
  }
  EXPECT_EQ(read_all(graph::open_graph(plain)), read_all(graph::open_graph(compressed)));
}

TEST(edge_reader, many_chunks_are_one_file) {
  test_directory const directory;
  std::string const text = market_of(300'000);
  std::string const plain = directory.write("x.mtx", text);
  auto const whole = read_all(graph::open_graph(plain));
  ASSERT_EQ(whole.size(), 300'000);
  EXPECT_EQ(whole.back(), (graph::edge{999, 299'999UL * 299'999 % 1000, 299'999}));
  EXPECT_EQ(read_all(graph::open_graph(plain), 2), whole);
  EXPECT_EQ(read_all(graph::open_graph(directory.write("x.mtx.gz", gzip(text)))), whole);
  std::string const wrong = directory.write("y.mtx", text + "1 1 x\n");
  std::string const error = "y.mtx:300004: \"x\" as a weight, expected an integer";
  EXPECT_EQ(error_of([&] { read_all(graph::open_graph(wrong)); }), error);
  EXPECT_EQ(error_of([&] { read_all(graph::open_graph(wrong), 3); }), error);
}

TEST(edge_reader, refuses_a_file_that_is_not_the_one_that_was_opened) {
  test_directory const directory;
  std::string const text = market_of(300);
  std::string const error =
      "x.mtx: the file changed while it was being read, expected one that stays as it is until then";
  for (std::uint64_t const readers : std::initializer_list<std::uint64_t>{1, 3}) {
    std::string const path = directory.write("x.mtx", text);
    graph::graph_input const replaced = graph::open_graph(path);
    std::filesystem::rename(directory.write("y.mtx", text), path);
    EXPECT_EQ(error_of([&] { read_all(replaced, readers); }), error);

    graph::graph_input const appended = graph::open_graph(path);
    std::ofstream(path, std::ios::app) << "1 1 1\n";
    EXPECT_EQ(error_of([&] { read_all(appended, readers); }), error);

    // The clock of files has ticks of some milliseconds.
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    graph::graph_input const rewritten = graph::open_graph(path);
    std::ofstream(path, std::ios::in) << text;  // of the same size
    EXPECT_EQ(error_of([&] { read_all(rewritten, readers); }), error);
  }
  std::string const compressed = directory.write("x.mtx.gz", gzip(text));
  graph::graph_input const input = graph::open_graph(compressed);
  std::filesystem::rename(directory.write("y.mtx.gz", gzip(text)), compressed);
  EXPECT_TRUE(error_of([&] { read_all(input); }).starts_with("x.mtx.gz: the file changed while"));
}

// The file is longer than what a reader takes in one piece.
TEST(edge_reader, refuses_a_file_that_changes_under_way) {
  test_directory const directory;
  for (bool const is_compressed : {false, true}) {
    std::string const text = market_of(2'000'000);
    std::string const path = directory.write("x.mtx", is_compressed ? gzip(text) : text);
    graph::graph_input const input = graph::open_graph(path);
    graph::edge_reader edges(input);
    std::vector<graph::edge> batch;
    ASSERT_TRUE(edges.next(batch));
    std::ofstream(path, std::ios::app) << "\n";
    std::string const error = error_of([&] {
      while (edges.next(batch)) {
      }
    });
    EXPECT_TRUE(error.starts_with("x.mtx: the file changed while")) << error;
  }
}

TEST(edge_reader, finds_the_vertices_of_an_edge_list) {
  test_directory const directory;
  graph::graph_input const input = graph::open_graph(directory.write("x.el", "0 3\n7 2\n1 1\n"));
  EXPECT_EQ(input.vertices_count, std::nullopt);
  graph::edge_reader reader(input);
  std::vector<graph::edge> batch;
  while (reader.next(batch)) {
  }
  EXPECT_EQ(reader.vertices_count(), 8);
  EXPECT_EQ(reader.entries_count(), 3);
}

TEST(edge_reader, a_truncated_file_is_an_error_behind_its_good_part) {
  test_directory const directory;
  std::string const whole = gzip(market_of(300'000));
  graph::graph_input const input = graph::open_graph(directory.write("x.mtx.gz", whole.substr(0, whole.size() / 2)));
  graph::edge_reader reader(input);
  std::vector<graph::edge> batch;
  EXPECT_TRUE(reader.next(batch));
  EXPECT_FALSE(batch.empty());
  EXPECT_EQ(error_of([&] {
              while (reader.next(batch)) {
              }
            }),
            "x.mtx.gz: gzip data is truncated, expected a complete .gz file (copy or download it again)");
}

TEST(graph_input, describes_files_and_generators) {
  test_directory const directory;
  graph::graph_input const file = graph::open_graph(directory.write("x.mtx.gz", gzip(market_of(3))));
  EXPECT_EQ(file.kind(), "matrix_market");
  EXPECT_EQ(file.vertices_count, 1000);
  EXPECT_EQ(file.edges_count, 3);
  EXPECT_FALSE(file.directed);
  EXPECT_TRUE(file.weighted);
  EXPECT_TRUE(std::get<graph::file_input>(file.source).compressed);
  graph::graph_input const list = graph::open_graph(directory.write("x.tsv", "0\t1\n"));
  EXPECT_EQ(list.kind(), "edge_list");
  EXPECT_EQ(list.edges_count, std::nullopt);
  EXPECT_TRUE(list.directed);
  EXPECT_FALSE(list.weighted);
  EXPECT_EQ(graph::open_graph(directory.write("x.gr", "p sp 1 0\n")).kind(), "dimacs");
  graph::graph_input const made = graph::open_graph("uniform:4");
  EXPECT_EQ(made.kind(), "uniform");
  EXPECT_EQ(made.vertices_count, 16);
  EXPECT_EQ(made.edges_count, 256);
  EXPECT_FALSE(made.directed);
  EXPECT_EQ(graph::open_graph("kron:4").kind(), "kron");
  EXPECT_EQ(graph::open_graph("grid:4x1").kind(), "grid");
}

TEST(graph_input, lists_valid_specifications_in_its_error) {
  EXPECT_EQ(error_of([] { (void)graph::open_graph("krone:20"); }),
            "krone:20: no such file, expected a graph's file, or kron:SCALE, uniform:SCALE or grid:WIDTHxHEIGHT");
  std::string const long_name(5000, 'x');
  EXPECT_EQ(error_of([&] { (void)graph::open_graph(long_name); }),
            long_name + ": File name too long, expected a file that can be read");
}

}  // namespace
