// parse: every valid form of a line gives its edge, and every invalid byte an error at its line.
// Method: tables of small files, read through edge_reader; each error again with ranges, where lines are counted late.
#include "graph/parse.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "test_file.hpp"

namespace {

using graph::edge;
using graph::weight_rule;
using graph_test::error_of;
using graph_test::read_all;
using graph_test::test_directory;

using edges = std::vector<edge>;

std::string const general = "%%MatrixMarket matrix coordinate pattern general\n";
std::string const real = "%%MatrixMarket matrix coordinate real general\n";
std::string const integer = "%%MatrixMarket matrix coordinate integer symmetric\n";

class parse : public testing::Test {
 protected:
  edges read(std::string const& name, std::string_view content, weight_rule rule = weight_rule::any) {
    return read_all(graph::open_graph(directory_.write(name, content)), 1, rule);
  }

  // The error must not depend on whether lines are counted while reading or only now.
  std::string error(std::string const& name, std::string_view content, weight_rule rule = weight_rule::any) {
    std::string const path = directory_.write(name, content);
    std::string const alone = error_of([&] { read_all(graph::open_graph(path), 1, rule); });
    for (std::uint64_t const readers : std::initializer_list<std::uint64_t>{2, 5, 100}) {
      EXPECT_EQ(error_of([&] { read_all(graph::open_graph(path), readers, rule); }), alone);
    }
    return alone;
  }

 private:
  test_directory directory_;
};

TEST_F(parse, matrix_market_counts_from_one) {
  EXPECT_EQ(read("x.mtx", general + "% sizes\n3 3 3\n1 2\n  3\t1  \n\n% comment\n2 2\n"),
            (edges{{0, 1}, {2, 0}, {1, 1}}));
}

TEST_F(parse, weights_are_exact) {
  EXPECT_EQ(
      read("x.mtx", real + "2 2 6\n1 2 0.1\n1 2 -1e-3\n1 2 +4\n1 2 9007199254740992\n1 2 .5\n1 2 1234567890123456789"),
      (edges{{0, 1, 0.1}, {0, 1, -1e-3}, {0, 1, 4}, {0, 1, 0x1p53}, {0, 1, .5}, {0, 1, 1234567890123456789.}}));
  EXPECT_EQ(read("x.mtx", integer + "2 2 3\n2 1 -7\n2 2 +7\n1 1 123456789012345678\n"),
            (edges{{1, 0, -7}, {1, 1, 7}, {0, 0, 123456789012345678.}}));
  EXPECT_EQ(read("x.wel", "0 1 2.5e2\n1 0 3\n"), (edges{{0, 1, 250}, {1, 0, 3}}));
  // The nearest number to one that is too small for a double.
  EXPECT_EQ(read("x.wel", "0 1 1e-400\n1 0 -1e-999\n1 1 4e-324\n"), (edges{{0, 1, 0}, {1, 0, 0}, {1, 1, 0x1p-1074}}));
}

TEST_F(parse, edge_lists_are_separated_by_blanks_tabs_or_a_comma) {
  EXPECT_EQ(read("x.txt", "# SNAP\n0 1\n2\t3\n% more\n4,5\n6 , 7\n 8  9 \n"),
            (edges{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}}));
  EXPECT_EQ(read("x.csv", "0,1,7\n1,0,8.5"), (edges{{0, 1, 7}, {1, 0, 8.5}}));
  EXPECT_EQ(read("x.el", "4294967294 00000001\n"), (edges{{4294967294, 1}}));
}

TEST_F(parse, dimacs_arcs_are_weighted_and_directed) {
  EXPECT_EQ(read("x.gr", "c roads\np sp 3 2\nc middle\na 1 2 803\na 3 1 0\n"), (edges{{0, 1, 803}, {2, 0, 0}}));
}

TEST_F(parse, lines_may_end_as_in_windows_or_not_at_all) {
  EXPECT_EQ(read("x.el", "0 1\r\n\r\n1 2\r\n2 3"), (edges{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(read("x.el", "0 1\r\n1 2\r"), (edges{{0, 1}, {1, 2}}));
  EXPECT_EQ(read("x.gr", "p sp 2 1\r\na 1 2 3"), (edges{{0, 1, 3}}));
}

TEST_F(parse, refuses_vertices_outside_the_header) {
  EXPECT_EQ(error("x.mtx", general + "3 3 2\n1 2\n1 4\n"), "x.mtx:4: vertex 4, expected 1 to 3 (line 2)");
  EXPECT_EQ(error("x.mtx", general + "3 3 2\n0 1\n1 2\n"), "x.mtx:3: vertex 0, expected 1 to 3 (line 2)");
  EXPECT_EQ(error("x.gr", "p sp 3 1\n\na 1 0 1\n"), "x.gr:3: vertex 0, expected 1 to 3 (line 1)");
  EXPECT_EQ(error("x.gr", "p sp 3 1\na 8589934592 1 1\n"), "x.gr:2: vertex 8589934592, expected 1 to 3 (line 1)");
  EXPECT_EQ(error("x.el", "0 1\n1 8589934592\n"), "x.el:2: vertex 8589934592, expected 0 to 4294967294");
  EXPECT_EQ(error("x.el", "0 1\n4294967295 0\n"), "x.el:2: vertex 4294967295, expected 0 to 4294967294");
  EXPECT_EQ(error("x.el", "0 1\n18446744073709551617 0\n"),
            "x.el:2: vertex 18446744073709551617, expected 0 to 4294967294");
  EXPECT_EQ(error("x.el", "0 1\n" + std::string(41, '1') + " 0\n"),
            "x.el:2: vertex of more than 40 digits, expected 0 to 4294967294");
}

TEST_F(parse, refuses_junk) {
  EXPECT_EQ(error("x.el", "0 1\none 2\n"), "x.el:2: \"one\" as a vertex, expected \"u v\"");
  EXPECT_EQ(error("x.el", "0 1\n-1 2\n"), "x.el:2: \"-1\" as a vertex, expected \"u v\"");
  EXPECT_EQ(error("x.csv", "source,target\n0,1\n"), "x.csv:1: \"source\" as a vertex, expected \"u v\"");
  EXPECT_EQ(error("x.el", "0 1\n1.5 2\n"), "x.el:2: \".5\" after a number, expected \"u v\"");
  EXPECT_EQ(error("x.el", "0 1\n1;2\n"), "x.el:2: \";2\" after a number, expected \"u v\"");
  EXPECT_EQ(error("x.csv", "0,1\n1,,2\n"), "x.csv:2: \",2\" as a vertex, expected \"u v\"");
  EXPECT_EQ(error("x.el", "0 1\n1 2 3\n"), "x.el:2: \"3\" after the last number, expected \"u v\"");
  EXPECT_EQ(error("x.el", "0 1\n1 2\r3 4\n"), "x.el:2: byte 0x0d, expected a text file");
  EXPECT_EQ(error("x.mtx", general + "3 3 1\n1,2\n"), "x.mtx:3: \",2\" after a number, expected \"row column\"");
  EXPECT_EQ(error("x.mtx", general + "3 3 1\n1 2 # why\n"),
            "x.mtx:3: \"# why\" after the last number, expected \"row column\"");
  EXPECT_EQ(error("x.gr", "p sp 3 1\ne 1 2\n"), "x.gr:2: \"e\", expected \"a u v weight\" or a comment \"c ...\"");
  EXPECT_EQ(error("x.gr", "p sp 3 1\nab 1 2\n"), "x.gr:2: \"ab\", expected \"a u v weight\" or a comment \"c ...\"");
}

TEST_F(parse, refuses_lines_that_end_too_early) {
  EXPECT_EQ(error("x.el", "0 1\n\n2\n"), "x.el:3: the line ends too early, expected \"u v\"");
  EXPECT_EQ(error("x.el", "0 1\n2,"), "x.el:2: the line ends too early, expected \"u v\"");
  EXPECT_EQ(error("x.mtx", real + "3 3 1\n1 2 \r\n"),
            "x.mtx:3: the line ends too early, expected \"row column weight\"");
  EXPECT_EQ(error("x.gr", "p sp 3 1\na 1 2\n"),
            "x.gr:2: the line ends too early, expected \"a u v weight\" or a comment \"c ...\"");
}

TEST_F(parse, refuses_weights_that_no_algorithm_can_use) {
  for (std::string const weight : {"nan", "inf", "-inf", "1e999", "x", "--1", "+-1", ".", "+"}) {
    EXPECT_EQ(error("x.mtx", real + "3 3 1\n1 2 " + weight + "\n"),
              "x.mtx:3: \"" + weight + "\" as a weight, expected a finite number");
  }
  EXPECT_EQ(error("x.mtx", integer + "3 3 1\n1 2 nan\n"), "x.mtx:3: \"nan\" as a weight, expected an integer");
  EXPECT_EQ(error("x.mtx", integer + "3 3 1\n1 2 1.5\n"),
            "x.mtx:3: \".5\" after the last number, expected \"row column weight\"");
  EXPECT_EQ(error("x.gr", "p sp 3 1\na 1 2 99999999999999999999\n"),
            "x.gr:2: \"99999999999999999999\" as a weight, expected an integer");
}

TEST_F(parse, refuses_negative_weights_where_asked) {
  std::string const text = "p sp 2 2\na 1 2 0\na 2 1 -3\n";
  EXPECT_EQ(read("x.gr", text), (edges{{0, 1, 0}, {1, 0, -3}}));
  EXPECT_EQ(error("x.gr", text, weight_rule::nonnegative), "x.gr:3: weight -3, expected a weight of at least 0");
  EXPECT_EQ(error("x.wel", "0 1 -0.5\n", weight_rule::nonnegative),
            "x.wel:1: weight -0.5, expected a weight of at least 0");
}

TEST_F(parse, refuses_binary_data) {
  std::string const zeros("\0\0\0\0", 4);
  EXPECT_EQ(error("x.el", "0 1\n" + zeros + "\n"), "x.el:2: byte 0x00, expected a text file");
  EXPECT_EQ(error("x.el", "0 1\n2" + zeros + " 3\n"), "x.el:2: byte 0x00, expected a text file");
  EXPECT_EQ(error("x.el", "0 1\n2 3" + zeros), "x.el:2: byte 0x00, expected a text file");
  EXPECT_EQ(error("x.wel", "0 1 5\n2 3 " + zeros), "x.wel:2: byte 0x00, expected a text file");
  EXPECT_EQ(error("x.el", "0 1\n\xff\xfe 3\n"), "x.el:2: \"\\xff\\xfe\" as a vertex, expected \"u v\"");
}

TEST_F(parse, refuses_long_lines_wherever_they_stand) {
  std::string const message = "x.el:2: line of more than 65536 bytes, expected a text file of short lines";
  std::string const blanks(graph::line_bytes_max - 3, ' ');
  EXPECT_EQ(read("x.el", "0 1\n1 2" + blanks + "\n"), (edges{{0, 1}, {1, 2}}));
  EXPECT_EQ(error("x.el", "0 1\n1 2" + blanks + " \n3 4\n"), message);
  EXPECT_EQ(error("x.el", "0 1\n#" + blanks + "    \n3 4\n"), message);
  EXPECT_EQ(error("x.el", "0 1\nx" + blanks + "    \n3 4\n"), message);
  EXPECT_EQ(error("x.el", "0 1\n1 2" + std::string(3'000'000, '0')), message);
}

TEST_F(parse, refuses_other_counts_than_the_header_states) {
  std::string const three = "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n";
  EXPECT_EQ(error("x.mtx", three + "1 2\n2 3\n"),
            "x.mtx:4: the file ends after 2 entries, expected 3 entries (line 2)");
  EXPECT_EQ(error("x.mtx", three + "1 2\n2 3\n% no more\n\n"),
            "x.mtx:6: the file ends after 2 entries, expected 3 entries (line 2)");
  EXPECT_EQ(error("x.mtx", three + "1 2\n2 3\n\n3 1\n%\n1 1\n2 2\n"), "x.mtx:8: entry 4, expected 3 entries (line 2)");
  EXPECT_EQ(error("x.gr", "c\np sp 2 0\na 1 2 1\n"), "x.gr:3: entry 1, expected 0 entries (line 2)");
  EXPECT_EQ(error("x.mtx", "%%MatrixMarket matrix coordinate pattern general\n4294967295 4294967295 1099511627776\n"),
            "x.mtx:2: the file ends after 0 entries, expected 1099511627776 entries (line 2)");
}

}  // namespace
