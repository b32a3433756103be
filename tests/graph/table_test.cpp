// table: rows become edges wherever threads cut the text, and wrong tables are refused with their line. Method: texts
// in memory and small files, cut into parts of a few bytes; each error.
#include "graph/table.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "test_file.hpp"

namespace {

using graph_test::error_of;
using graph_test::gzip;
using graph_test::test_directory;

graph::table_text text_of(std::string name, std::string const& bytes) {
  return {.name = std::move(name),
          .open = [&bytes](std::uint64_t offset) -> std::unique_ptr<graph::byte_stream> {
            return std::make_unique<graph::memory_stream>(std::string_view(bytes).substr(offset));
          },
          .size_bytes = bytes.size()};
}

struct named_edge {
  std::string source;
  std::string target;
  double weight = 1;
  friend bool operator==(named_edge const&, named_edge const&) = default;
};

std::vector<named_edge> edges_of(graph::edge_table const& table) {
  std::vector<named_edge> edges;
  for (std::size_t i = 0; i < table.ends.sources.size(); ++i)
    edges.push_back({table.ends.names.label(table.ends.sources[i]), table.ends.names.label(table.ends.targets[i]),
                     table.weights.empty() ? 1 : table.weights[i]});
  return edges;
}

// The same edges for every number of parts.
std::vector<named_edge> read(std::string const& bytes, graph::table_columns const& columns = {},
                             std::string const& name = "x.csv") {
  graph::edge_table const whole = graph::read_table(text_of(name, bytes), columns, 1, 1);
  for (unsigned threads = 2; threads < 12; ++threads) {
    graph::edge_table const parts = graph::read_table(text_of(name, bytes), columns, threads, 1);
    EXPECT_EQ(parts.ends.sources, whole.ends.sources) << threads;
    EXPECT_EQ(parts.ends.targets, whole.ends.targets) << threads;
    EXPECT_EQ(parts.weights, whole.weights) << threads;
    EXPECT_EQ(edges_of(parts), edges_of(whole)) << threads;
  }
  return edges_of(whole);
}

std::string wrong(std::string const& bytes, graph::table_columns const& columns = {},
                  std::string const& name = "x.csv") {
  std::string const first = error_of([&] { (void)graph::read_table(text_of(name, bytes), columns, 1, 1); });
  for (unsigned threads = 2; threads < 8; ++threads)
    EXPECT_EQ(error_of([&] { (void)graph::read_table(text_of(name, bytes), columns, threads, 1); }), first);
  return first;
}

using edges = std::vector<named_edge>;

TEST(table, has_ends_as_texts_or_integers) {
  EXPECT_EQ(read("source,target\na,b\nb,a\n"), (edges{{"a", "b"}, {"b", "a"}}));
  EXPECT_EQ(read("source,target\n7,-3\n-3,0"), (edges{{"7", "-3"}, {"-3", "0"}}));
  std::string const integers = "a,b\n10,20\n20,10\n";
  EXPECT_TRUE(graph::read_table(text_of("x.csv", integers), {}, 1, 1).ends.names.are_integers());
  // One text makes all of them texts, wherever it stands; so does a number that is not written in its shortest form.
  EXPECT_EQ(read("a,b\n1,2\n3,4\n5,x\n"), (edges{{"1", "2"}, {"3", "4"}, {"5", "x"}}));
  EXPECT_EQ(read("a,b\n1,2\n1,02\n"), (edges{{"1", "2"}, {"1", "02"}}));
  EXPECT_EQ(read("a,b\n1,2\n+1,-0\n"), (edges{{"1", "2"}, {"+1", "-0"}}));
  EXPECT_EQ(read("a,b\n1000000000,999999999999999999\n"), (edges{{"1000000000", "999999999999999999"}}));
}

TEST(table, finds_its_columns) {
  std::string const rows = "km,To,From\n1.5,x,y\n2,y,z\n";
  EXPECT_EQ(read(rows), (edges{{"y", "x"}, {"z", "y"}}));
  EXPECT_EQ(read(rows, {.source = "", .target = "", .weight = "km"}), (edges{{"y", "x", 1.5}, {"z", "y", 2}}));
  EXPECT_EQ(read(rows, {.source = "To", .target = "From", .weight = ""}), (edges{{"x", "y"}, {"y", "z"}}));
  EXPECT_EQ(read(rows, {.source = "To", .target = "", .weight = "km"}), (edges{{"x", "y", 1.5}, {"y", "z", 2}}))
      << "the first column that is left";
  EXPECT_EQ(read("p,q,weight\na,b,3\n"), (edges{{"a", "b", 3}}));
  EXPECT_EQ(read("u,v,w\na,b,-1e3\n"), (edges{{"a", "b", -1000}}));
  EXPECT_EQ(read("Weight,p,q\n3,a,b\n"), (edges{{"a", "b", 3}})) << "weights are no ends";
  EXPECT_EQ(read("p,Weight,q\na,3,b\n"), (edges{{"a", "b", 3}}));
  EXPECT_EQ(read("p,weight\na,b\n"), (edges{{"a", "b"}})) << "unless there is no other column";
  EXPECT_EQ(read("v,w,km\na,b,5\n"), (edges{{"a", "b"}}));
  EXPECT_EQ(wrong("\n# made\na,b\n", {.source = "c", .target = "", .weight = ""}),
            "x.csv:3: no column \"c\" (--source-column), expected one of the columns a, b");
  EXPECT_EQ(wrong(rows, {.source = "from", .target = "", .weight = ""}),
            "x.csv:1: no column \"from\" (--source-column), expected one of the columns km, To, From");
  EXPECT_EQ(wrong("a,b\n", {.source = "a", .target = "a", .weight = ""}),
            "x.csv:1: a column is used twice, expected different columns for source, target and weight");
  EXPECT_EQ(wrong("a\n1\n"),
            "x.csv:1: a header of one column, \"a\", expected at least two columns, separated by commas");
}

TEST(table, has_fields_in_quotes) {
  EXPECT_EQ(read("\"source\",\"target\"\r\n\"a, b\",\"say \"\"x\"\"\"\r\n\"line\none\",c\r\n"),
            (edges{{"a, b", "say \"x\""}, {"line\none", "c"}}));
  EXPECT_EQ(read("a,b\nx,\"\"\"\"\n\"\"\"\",x"), (edges{{"x", "\""}, {"\"", "x"}}));
  EXPECT_EQ(read("a,b,note\nx,y,\"many\n\nlines, \"\"quoted\"\"\n\"\nz,x,\"\"\n"), (edges{{"x", "y"}, {"z", "x"}}));
  EXPECT_EQ(wrong("a,b\nx,y\nx,y\"z\n"),
            "x.csv:3: a quote inside a field, expected a field in quotes, with each quote in it twice");
  EXPECT_EQ(wrong("a,b\nx,\"y\nz,x\n"),
            "x.csv:2: a quote that is never closed, expected a field in quotes, with each quote in it twice");
  EXPECT_EQ(wrong("a,b\nx,\"y\"z\n"),
            "x.csv:2: \"z\" after the quote that ends a field, expected a field in quotes, "
            "with each quote in it twice");
}

TEST(table, separated_by_tabs_has_quotes_as_they_are) {
  EXPECT_EQ(read("source\ttarget\n\"a\tb,\"c\n", {}, "x.tsv"), (edges{{"\"a", "b,\"c"}}));
}

TEST(table, skips_blank_lines_and_a_byte_order_mark) {
  EXPECT_EQ(read("\xef\xbb\xbfsource,target\n\na,b\n\r\n\nc,d\n\n"), (edges{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(read("source,target\n"), edges{});
  EXPECT_EQ(read("source,target"), edges{});
}

TEST(table, has_blanks_before_names_as_its_header_has) {
  EXPECT_EQ(read("source, target, weight\na, b, 1\nb,  c,2\nb,\" d\",3\n"),
            (edges{{"a", "b", 1}, {"b", "c", 2}, {"b", " d", 3}}));
  std::string const integers = "source, target\n1, 2\n2, 3\n";
  EXPECT_EQ(read(integers), (edges{{"1", "2"}, {"2", "3"}}));
  EXPECT_TRUE(graph::read_table(text_of("x.csv", integers), {}, 1, 1).ends.names.are_integers());
  EXPECT_EQ(read("source,target\na, b\nb ,c\n"), (edges{{"a", " b"}, {"b ", "c"}})) << "names are kept as they are";
  EXPECT_EQ(wrong("source, target\na, b\na,  \n"),
            "x.csv:3: nothing in column \"target\", expected the name of a vertex");
}

TEST(table, skips_comments_before_its_header) {
  EXPECT_EQ(read("# made by hand\n%\n\nsource,target\na,b\n"), (edges{{"a", "b"}}));
  EXPECT_EQ(read("\xef\xbb\xbf# \"x\r\nsource,target\r\na,b\r\n"), (edges{{"a", "b"}}));
  EXPECT_EQ(read("# a, b\nsource\ttarget\na\tb\n", {}, "x.tsv"), (edges{{"a", "b"}}));
  EXPECT_EQ(read("#source,target\na,b\n"), (edges{{"a", "b"}})) << "as many columns as a header has";
  EXPECT_EQ(wrong("# nothing else"),
            "x.csv:1: a header of one column, \"# nothing else\", expected at least two columns, separated by commas");
}

TEST(table, refuses_wrong_rows) {
  EXPECT_EQ(wrong(""), "x.csv: the file is empty, expected a header with names of columns");
  EXPECT_EQ(wrong("a,b\nx,y\n\nx\n"), "x.csv:4: a row of 1 fields, expected 2, as the header has");
  EXPECT_EQ(wrong("a,b\nx,y,z\n"), "x.csv:2: a row of at least 3 fields, expected 2, as the header has");
  EXPECT_EQ(wrong("a,b\nx,\n"), "x.csv:2: nothing in column \"b\", expected the name of a vertex");
  EXPECT_EQ(wrong("a,b\n\"\",x\n"), "x.csv:2: nothing in column \"a\", expected the name of a vertex");
  EXPECT_EQ(wrong("a,b\nx,y\nx,\xff\n"), "x.csv:3: \"\\xff\" in column \"b\", expected UTF-8");
  EXPECT_EQ(wrong("a,\xc0\xaf\nx,y\n"), "x.csv:1: \"\\xc0\\xaf\" in the header, expected UTF-8");
  for (std::string const weight : {"nan", "NaN", "inf", "-Infinity", "", "1e999", "x", "1 2", "0x10", "--1", "+-1"})
    EXPECT_EQ(wrong("a,b,w\nx,y,1\nx,y," + weight + "\nx,y,2\n"),
              "x.csv:3: \"" + weight + "\" in column \"w\", expected a finite number as a weight");
  EXPECT_EQ(wrong("a,b\nx," + std::string(1 << 21, 'y') + "\n"),
            "x.csv:2: a row of more than 1048576 bytes, expected shorter ones (is a quote not closed?)");
}

TEST(table, takes_utf8) {
  EXPECT_EQ(read("von,nach\nKöln,東京\n🚆,Köln\n", {.source = "von", .target = "nach", .weight = ""}),
            (edges{{"Köln", "東京"}, {"🚆", "Köln"}}));
  for (std::string const text :
       {"\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe0\x80\xaf", "\xc3", "\x80", "\xf0\x8f\xbf\xbf"})
    EXPECT_NE(wrong("a,b\nx," + text + "\n").find("expected UTF-8"), std::string::npos) << text;
}

TEST(table, of_many_rows_is_the_same_for_any_threads) {
  std::mt19937_64 random(3);
  std::string bytes = "from,to,km\n";
  edges expected;
  for (int i = 0; i < 60'000; ++i) {
    named_edge one{"v" + std::to_string(random() % 5000), std::to_string(random() % 5000), static_cast<double>(i)};
    bool const quotes = random() % 4 == 0;
    bytes += quotes ? "\"" + one.source + "\n\"," : one.source + ",";
    if (quotes) one.source += '\n';
    bytes += one.target + "," + std::to_string(i) + "\n";
    if (random() % 50 == 0) bytes += '\n';
    expected.push_back(one);
  }
  EXPECT_EQ(read(bytes, {.source = "", .target = "", .weight = "km"}), expected);
  test_directory const directory;
  graph::table_columns const columns{.source = "", .target = "", .weight = "km"};
  EXPECT_EQ(edges_of(graph::read_table(directory.write("x.csv", bytes), columns, 2)), expected);
  EXPECT_EQ(edges_of(graph::read_table(directory.write("x.csv.gz", gzip(bytes)), columns, 2)), expected);
  std::string const damaged = gzip(bytes).substr(0, 4000);
  EXPECT_EQ(error_of([&] { (void)graph::read_table(directory.write("y.csv.gz", damaged), columns, 2); }),
            "y.csv.gz: gzip data is truncated, expected a complete .gz file (copy or download it again)");
}

TEST(table, refuses_a_file_that_changes) {
  test_directory const directory;
  std::string const path = directory.write("x.csv", "a,b\n1,2\n");
  graph::table_text text = text_of("x.csv", path);
  graph::file_version const version = graph::status_of(path).version;
  int opened = 0;
  text.size_bytes = version.size_bytes;
  text.open = [&](std::uint64_t offset) {
    // After the header was read.
    if (++opened == 2) std::ofstream(path, std::ios::app) << "3,4\n";
    return std::make_unique<graph::file_stream>(path, offset, version);
  };
  EXPECT_EQ(error_of([&] { (void)graph::read_table(text, {}, 1, 1); }),
            "x.csv: the file changed while it was being read, expected one that stays as it is until then");
}

TEST(table, is_told_from_an_edge_list_by_its_first_line) {
  test_directory const directory;
  auto const header = [&](std::string const& name, std::string_view bytes) {
    return graph::has_table_header(directory.write(name, bytes));
  };
  EXPECT_TRUE(header("x.csv", "source,target\n"));
  EXPECT_TRUE(header("x.tsv", "\"a\"\tb\n"));
  EXPECT_TRUE(header("x.csv",
                     "\xef\xbb\xbf"
                     "a,b\n"));
  EXPECT_TRUE(header("x.csv.gz", gzip("a,1\n")));
  EXPECT_FALSE(header("x.csv", "# source target\n0,1\n"));
  EXPECT_FALSE(header("x.csv", "\n0 1 2.5\n"));
  EXPECT_FALSE(header("x.csv", "0,1\na,b\n"));
  EXPECT_FALSE(header("x.el", "a,b\n"));
  EXPECT_FALSE(header("x.csv", ""));
}

}  // namespace
