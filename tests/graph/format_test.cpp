// format: valid headers are read, and every invalid one is refused at its line. Method: a table of each.
#include "graph/format.hpp"

#include <gtest/gtest.h>

#include "test_file.hpp"

namespace {

using graph::file_format;
using graph::format_kind;
using graph::weight_kind;
using graph_test::error_of;

file_format recognise(std::string const& name, std::string_view content) {
  graph::text_source text(std::make_unique<graph::memory_stream>(content), name, 16);
  return graph::recognise(text);
}

TEST(format, matrix_market_says_weights_symmetry_and_sizes) {
  std::string const text = "%%matrixmarket MATRIX Coordinate Integer SYMMETRIC\r\n% about\r\n\r\n 5  5\t7\r\n1 1 3\r\n";
  file_format const format = recognise("x.mtx", text);
  EXPECT_EQ(format.kind, format_kind::matrix_market);
  EXPECT_EQ(format.weights, weight_kind::integer);
  EXPECT_TRUE(format.symmetric);
  EXPECT_EQ(format.vertices_count, 5);
  EXPECT_EQ(format.entries_count, 7);
  EXPECT_EQ(format.size_line, 4);
  EXPECT_EQ(format.data_line, 5);
  EXPECT_EQ(format.data_offset, text.find("1 1 3"));
}

TEST(format, unsigned_integers_may_be_above_those_with_a_sign) {
  file_format const format = recognise("x.mtx", "%%MatrixMarket matrix coordinate unsigned-integer general\n%\n2 2 0");
  EXPECT_EQ(format.weights, weight_kind::real);
}

TEST(format, a_banner_takes_precedence_over_the_file_name) {
  std::string const text = "%%MatrixMarket matrix coordinate real general\n2 2 0";
  for (std::string const name : {"x.mtx", "X.MTX", "x.mtx.gz", "x.txt", "x.gr", "x"}) {
    file_format const format = recognise(name, text);
    EXPECT_EQ(format.kind, format_kind::matrix_market) << name;
    EXPECT_EQ(format.weights, weight_kind::real);
    EXPECT_FALSE(format.symmetric);
    EXPECT_EQ(format.data_offset, text.size());
  }
}

TEST(format, the_first_edge_gives_the_columns_of_an_edge_list) {
  for (std::string const name : {"x.el", "x.txt", "x.csv", "x.tsv", "a.b/x.Tsv.gz"}) {
    file_format const format = recognise(name, "# Nodes: 9\n% too\n\n3,4\n");
    EXPECT_EQ(format.kind, format_kind::edge_list) << name;
    EXPECT_EQ(format.weights, weight_kind::none);
    EXPECT_EQ(format.vertices_count, std::nullopt);
    EXPECT_EQ(format.data_line, 4);
    EXPECT_EQ(format.data_offset, 18);
  }
  for (std::string const name : {"x.wel", "x.txt", "x.csv", "x.tsv"}) {
    EXPECT_EQ(recognise(name, "3\t4\t0.5").weights, weight_kind::real) << name;
  }
}

TEST(format, dimacs_says_its_sizes) {
  file_format const format = recognise("x.gr", "c roads\nc\n\np sp 4 6\na 1 2 3\n");
  EXPECT_EQ(format.kind, format_kind::dimacs);
  EXPECT_EQ(format.weights, weight_kind::integer);
  EXPECT_EQ(format.vertices_count, 4);
  EXPECT_EQ(format.entries_count, 6);
  EXPECT_EQ(format.size_line, 4);
  EXPECT_EQ(format.data_offset, 20);
}

TEST(format, recognises_data_lines) {
  EXPECT_TRUE(graph::is_data_line(format_kind::matrix_market, " 1 2"));
  EXPECT_FALSE(graph::is_data_line(format_kind::matrix_market, " % 1 2"));
  EXPECT_FALSE(graph::is_data_line(format_kind::edge_list, "# 1 2"));
  EXPECT_FALSE(graph::is_data_line(format_kind::edge_list, " \t\r"));
  EXPECT_FALSE(graph::is_data_line(format_kind::dimacs, "c 1 2"));
  EXPECT_TRUE(graph::is_data_line(format_kind::dimacs, "a 1 2 3"));
}

struct wrong_header {
  std::string name;
  std::string content;
  std::string error;
};

std::string const banner = "%%MatrixMarket matrix coordinate pattern general\n";
std::string const banner_form = "\"%%MatrixMarket matrix coordinate pattern|integer|real general|symmetric\"";
std::string const size_form = "a line \"N N ENTRIES\"";

TEST(format, refuses_wrong_headers_at_their_line) {
  wrong_header const cases[] = {
      // A frequent mistake: a list of edges under the name of a matrix.
      {"luxembourg_osm.mtx", "2 1\n1113 1\n",
       "luxembourg_osm.mtx:1: no MatrixMarket banner but \"2 1\", expected the first line " + banner_form +
           " and then " + size_form + " (an edge list without a header is named .el and counts from 0)"},
      {"x.mtx", "", "x.mtx: the file is empty, expected " + banner_form},
      {"x.mtx", "%%MatrixMarket matrix coordinate pattern\n", "x.mtx:1: banner of 4 words, expected " + banner_form},
      {"x.mtx", "%%MatrixMarket vector coordinate real general\n",
       "x.mtx:1: \"vector\" is not supported, expected matrix"},
      {"x.mtx", "%%MatrixMarket matrix array real general\n",
       "x.mtx:1: \"array\" is not supported, expected coordinate"},
      {"x.mtx", "%%MatrixMarket matrix coordinate complex general\n",
       "x.mtx:1: \"complex\" is not supported, expected pattern or integer or real or unsigned-integer"},
      {"x.mtx", "%%MatrixMarket matrix coordinate real Hermitian\n",
       "x.mtx:1: \"Hermitian\" is not supported, expected general or symmetric"},
      {"x.mtx", banner + "%\n", "x.mtx:2: the file ends here, expected " + size_form},
      {"x.mtx", banner + "5 5\n", "x.mtx:2: \"5 5\" as the size line, expected " + size_form},
      {"x.mtx", banner + "5 4 3\n", "x.mtx:2: 5 rows but 4 columns, expected a square matrix"},
      {"x.mtx", banner + "0 0 0\n", "x.mtx:2: 0 vertices, expected at least 1"},
      {"x.mtx", banner + "-5 -5 3\n", "x.mtx:2: \"-5\" is not a number of vertices, expected digits"},
      {"x.mtx", banner + "5 5 3.5\n", "x.mtx:2: \"3.5\" is not a number of entries, expected digits"},
      {"x.mtx", banner + "\n4294967296 4294967296 3\n",
       "x.mtx:3: \"4294967296\" vertices, expected at most 4294967295"},
      {"x.mtx", banner + "5 5 1099511627777\n", "x.mtx:2: \"1099511627777\" entries, expected at most 1099511627776"},
      {"x.mtx", banner + "5 5 99999999999999999999\n",
       "x.mtx:2: \"99999999999999999999\" entries, expected at most 1099511627776"},
      {"x.mtx", banner + std::string(70'000, '%'),
       "x.mtx:2: line of more than 65536 bytes, expected a text file of short lines"},
      {"x.gr", "c\n", "x.gr:1: the file ends here, expected a line \"p sp N ARCS\""},
      {"x.gr", "c\na 1 2 3\n", "x.gr:2: \"a 1 2 3\" before the problem line, expected a line \"p sp N ARCS\""},
      {"x.gr", "p max 3 3\n", "x.gr:1: \"p max 3 3\" before the problem line, expected a line \"p sp N ARCS\""},
      {"x.gr", "p sp 3 x\n", "x.gr:1: \"x\" is not a number of arcs, expected digits"},
      {"x.gr", "p sp 8589934592 3\n", "x.gr:1: \"8589934592\" vertices, expected at most 4294967295"},
      {"x.el", "", "x.el: the file is empty, expected a graph"},
      {"x.el", "# nothing\n\n", "x.el:2: the file ends here, expected an edge \"u v\""},
      {"x.el", "\n0 1 2\n",
       "x.el:2: an edge of 3 columns, expected \"u v\" in a .el file (with weights it is named .wel)"},
      {"x.wel", "0 1\n", "x.wel:1: an edge of 2 columns, expected \"u v weight\" in a .wel file"},
      {"x.csv", "1,2,3,4\n", "x.csv:1: a line of 4 columns, \"1,2,3,4\", expected \"u v\" or \"u v weight\""},
      {"x.txt", std::string("\0\1\n", 3),
       "x.txt:1: a line of 1 columns, \"\\x00\\x01\", expected \"u v\" or \"u v weight\""},
      {"x.dot", "graph {\n",
       "x.dot: unknown kind of file \".dot\", expected .mtx, .gr, .el, .wel, .txt, .csv, .tsv, .metis or .graph, each "
       "also with .gz, .npz or .tgr"},
      {"x.Gml", "graph [\n",
       "x.Gml: unknown kind of file \".gml\", expected a .tgr file: the package for Python makes one by "
       "tessera.from_networkx(networkx.read_gml(FILE)).save(\"FILE.tgr\")"},
      {"x.tgr.gz", "", "x.tgr.gz: the file is empty, expected a graph"},
      {"x.tgr.gz", "1",
       "x.tgr.gz: unknown kind of file \".tgr.gz\", expected .mtx, .gr, .el, .wel, .txt, .csv, .tsv, .metis or .graph, "
       "each also with .gz, .npz or .tgr"},
      {"x.parquet", "PAR1\n",
       "x.parquet: unknown kind of file \".parquet\", expected a .tgr file: the package for Python makes one by "
       "tessera.read_parquet(FILE).save(\"FILE.tgr\")"},
      {"x", "0 1\n",
       "x: unknown kind of file \"\", expected .mtx, .gr, .el, .wel, .txt, .csv, .tsv, .metis or .graph, each also "
       "with "
       ".gz, .npz or .tgr"},
  };
  for (auto const& [name, content, error] : cases) {
    EXPECT_EQ(error_of([&] { (void)recognise(name, content); }), error);
  }
}

}  // namespace
