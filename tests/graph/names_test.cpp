// names: names map to vertices and back, and invalid names files are refused. Method: small files, each error.
#include "graph/names.hpp"

#include <gtest/gtest.h>

#include "graph/graph_input.hpp"
#include "test_file.hpp"

namespace {

using graph_test::error_of;
using graph_test::gzip;
using graph_test::test_directory;

graph::vertex_names read(std::string_view bytes, std::uint64_t vertices_count) {
  graph::text_source text(std::make_unique<graph::memory_stream>(bytes), "x.names", 8);
  return {text, vertices_count};
}

TEST(names, lead_to_vertices_and_back) {
  graph::vertex_names const names = read("zsh\r\nbash\nlib c\ndash", 4);
  EXPECT_EQ(names.size(), 4);
  EXPECT_EQ(names.name(0), "zsh");
  EXPECT_EQ(names.name(3), "dash");
  EXPECT_EQ(names.vertex("lib c"), 2);
  EXPECT_EQ(names.vertex("bash"), 1);
  EXPECT_EQ(names.vertex("fish"), std::nullopt);
  EXPECT_EQ(names.vertex(""), std::nullopt);
}

TEST(names, count_must_be_the_number_of_vertices) {
  EXPECT_EQ(error_of([] { read("a\nb\n", 3); }),
            "x.names:2: the file ends after 2 names, expected 3, one for each vertex");
  EXPECT_EQ(error_of([] { read("a\nb\nc\n", 2); }), "x.names:3: name 3, \"c\", expected 2 names, one for each vertex");
  EXPECT_EQ(error_of([] { read("", 1); }), "x.names: the file ends after 0 names, expected 1, one for each vertex");
}

TEST(names, must_be_usable) {
  EXPECT_EQ(error_of([] { read("a\n\nc\n", 3); }), "x.names:2: an empty line, expected the name of a vertex");
  EXPECT_EQ(error_of([] { read("a\nb\tc\n", 2); }),
            "x.names:2: \"b\\x09c\", expected a name without control characters");
  EXPECT_EQ(error_of([] { read("a\nb\xff\n", 2); }), "x.names:2: \"b\\xff\", expected UTF-8");
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "a\nb\n",
                 2)
                .vertex("a"),
            0);
  EXPECT_EQ(error_of([] { read("a\nb\na\nb\n", 4); }), "x.names:3: \"a\" is also on line 1, expected each name once");
}

TEST(names, are_found_next_to_the_graph) {
  test_directory const directory;
  std::string const path =
      directory.write("x.mtx.gz", gzip("%%MatrixMarket matrix coordinate pattern general\n2 2 0\n"));
  EXPECT_EQ(graph::open_graph(path).names_path, std::nullopt);
  EXPECT_EQ(error_of([&] { (void)graph::load_names(graph::open_graph(path), 2); }),
            "x.mtx.gz: no names file, expected " + path + ".names, with one name on each line");
  directory.write("x.names.gz", gzip("a\nb\n"));
  EXPECT_EQ(graph::open_graph(path).names_path, directory.path("x.names.gz"));
  EXPECT_EQ(graph::load_names(graph::open_graph(path), 2).vertex("b"), 1);
  directory.write("x.names", "c\nd\n");
  EXPECT_EQ(graph::open_graph(path).names_path, directory.path("x.names"));
  directory.write("x.mtx.gz.names", "e\nf\n");
  EXPECT_EQ(graph::open_graph(path).names_path, directory.path("x.mtx.gz.names"));
}

}  // namespace
