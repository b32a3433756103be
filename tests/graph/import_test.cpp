// import: each kind of input becomes the same rows, under each rule, and wrong inputs are refused. Method: the same
// small graph in every format; files of scipy that were made once and stand here as bytes are in the tests of programs.
#include "graph/import.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "graph/export.hpp"
#include "graph/metis.hpp"
#include "graph/npy.hpp"
#include "graph/npz.hpp"
#include "graph/saved.hpp"
#include "graph/zip.hpp"
#include "test_file.hpp"

namespace {

using graph_test::error_of;
using graph_test::gzip;
using graph_test::test_directory;

// The rows as "0: 1 2, 1: 2(3)": a weight that is not 1 in parentheses.
std::string rows_of(graph::csr const& g) {
  std::string text;
  for (std::uint32_t v = 0; v < g.vertices(); ++v) {
    text += (v == 0 ? "" : ", ") + (g.names ? g.names->label(v) : std::to_string(v)) + ":";
    for (std::uint64_t e = g.out.offsets[v]; e < g.out.offsets[v + 1UL]; ++e) {
      text += " " + (g.names ? g.names->label(g.out.targets[e]) : std::to_string(g.out.targets[e]));
      if (g.weighted()) text += "(" + std::to_string(static_cast<int>(g.out.weights[e])) + ")";
    }
  }
  return text;
}

TEST(import, names_of_files_may_have_capitals) {
  test_directory const directory;
  EXPECT_EQ(rows_of(graph::read_csr(directory.write("X.CSV", "# trips\nfrom,to\na,b\n"))), "a: b, b:");
  EXPECT_EQ(rows_of(graph::read_csr(directory.write("X.Csv.GZ", gzip("from,to\na,b\n")))), "a: b, b:");
  EXPECT_EQ(rows_of(graph::read_csr(directory.write("X.TSV", "from\tto\na\tb\n"))), "a: b, b:");
  EXPECT_EQ(rows_of(graph::read_csr(directory.write("X.Graph", "2 1\n2\n1\n"))), "0: 1, 1: 0");
  EXPECT_NE(error_of([&] { (void)graph::read_csr(directory.write("X.TGR", "0 1")); }).find("X.TGR: a file of"),
            std::string::npos);
}

TEST(import, reads_tables_under_each_rule) {
  test_directory const directory;
  std::string const path = directory.write("x.csv", "from,to,km\na,b,5\nb,a,7\na,b,3\nb,b,1\nc,a,9\na,b,4\n");
  graph::import_options with;
  EXPECT_EQ(rows_of(graph::read_csr(path)), "a: b, b: a, c: a");
  with.columns.weight = "km";
  EXPECT_EQ(rows_of(graph::read_csr(path, with)), "a: b(3), b: a(7), c: a(9)");
  with.duplicates = graph::duplicates_rule::first;
  EXPECT_EQ(rows_of(graph::read_csr(path, with)), "a: b(5), b: a(7), c: a(9)");
  with.duplicates = graph::duplicates_rule::last;
  EXPECT_EQ(rows_of(graph::read_csr(path, with)), "a: b(4), b: a(7), c: a(9)");
  with.duplicates = graph::duplicates_rule::sum;
  EXPECT_EQ(rows_of(graph::read_csr(path, with)), "a: b(12), b: a(7), c: a(9)");
  with.directed = false;
  with.self_loops = graph::self_loops_rule::keep;
  EXPECT_EQ(rows_of(graph::read_csr(path, with)), "a: b(19) c(9), b: a(19) b(1), c: a(9)");
  with.duplicates = graph::duplicates_rule::refuse;
  EXPECT_NE(error_of([&] { (void)graph::read_csr(path, with); }).find("an edge that is there already"),
            std::string::npos);
  with.duplicates = graph::duplicates_rule::first;
  with.self_loops = graph::self_loops_rule::refuse;
  EXPECT_EQ(error_of([&] { (void)graph::read_csr(path, with); }),
            "x.csv: edge:4: a self-loop, expected two different ends");
}

TEST(import, reads_the_formats_that_all_places_read) {
  test_directory const directory;
  EXPECT_EQ(rows_of(graph::read_csr(directory.write("x.el", "0 1\n1 2\n0 1\n2 2\n"))), "0: 1, 1: 2, 2:");
  EXPECT_EQ(rows_of(graph::read_csr(directory.write("x.csv", "0,1,4\n1,0,2\n"))), "0: 1(4), 1: 0(2)");
  std::string const matrix =
      directory.write("x.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n");
  EXPECT_EQ(rows_of(graph::read_csr(matrix)), "0: 1, 1: 0 2, 2: 1");
  (void)directory.write("x.names", "p\nq\nr\n");
  EXPECT_EQ(rows_of(graph::read_csr(matrix)), "p: q, q: p r, r: q");
  EXPECT_EQ(rows_of(graph::read_csr("grid:2x2")), "0: 1 2, 1: 0 3, 2: 0 3, 3: 1 2");
  graph::csr const drawn = graph::read_csr("grid:2x2", {.random_weights = true});
  EXPECT_EQ(drawn.out.weights[0], graph::random_weight(graph::parse_generator("grid:2x2"), 0, 1));
  EXPECT_EQ(error_of([&] {
              (void)graph::read_csr(
                  directory.write("z.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 4\n2 1\n3 2\n"));
            }),
            "z.mtx:4: the file ends after 2 entries, expected 4 entries (line 2)");
  EXPECT_FALSE(graph::is_read_whole(matrix));
  EXPECT_TRUE(graph::is_read_whole(matrix, {.directed = true}));
  EXPECT_TRUE(graph::is_read_whole(directory.write("t.csv", "a,b\n")));
  EXPECT_FALSE(graph::is_read_whole("kron:10"));
  EXPECT_FALSE(graph::is_read_whole(directory.path("none.csv")));
}

TEST(import, refuses_numbers_that_ask_for_memory_without_edges) {
  test_directory const directory;
  EXPECT_EQ(error_of([&] { (void)graph::read_csr(directory.write("x.el", "0 1000000000\n")); }),
            "x.el: vertex 1000000000 in a graph of 1 edges, expected numbers from 0, or a table with a header, which "
            "takes any names");
  EXPECT_EQ(graph::read_csr(directory.write("x.el", "0 50000\n")).vertices(), 50001);
}

TEST(import, a_byte_order_mark_is_no_part_of_the_first_edge) {
  test_directory const directory;
  std::string const marked =
      "\xef\xbb\xbf"
      "5,1\n1,2\n2,3\n3,4\n";
  for (unsigned const threads : {1U, 2U, 3U, 5U}) {
    EXPECT_EQ(rows_of(graph::read_csr(directory.write("x.csv", marked), {.threads = threads})),
              "0:, 1: 2, 2: 3, 3: 4, 4:, 5: 1");
    EXPECT_EQ(rows_of(graph::read_csr(directory.write("x.csv.gz", gzip(marked)), {.threads = threads})),
              "0:, 1: 2, 2: 3, 3: 4, 4:, 5: 1");
  }
  EXPECT_EQ(rows_of(graph::read_csr(directory.write("h.csv",
                                                    "\xef\xbb\xbf"
                                                    "a,b\n1,2\n"))),
            "1: 2, 2:");
  std::string const wrong =
      "\xef\xbb\xbf"
      "0,1\n1,2\n2,x\n";
  for (unsigned const threads : {1U, 2U, 3U})
    EXPECT_EQ(error_of([&] { (void)graph::read_csr(directory.write("x.csv", wrong), {.threads = threads}); }),
              "x.csv:3: \"x\" as a vertex, expected \"u v\"");
}

TEST(import, refuses_headers_whose_lines_end_otherwise) {
  test_directory const directory;
  EXPECT_EQ(error_of([&] { (void)graph::read_csr(directory.write("x.csv", "source,target\ra,b\r")); }),
            "x.csv:1: a header with a carriage return inside, expected lines that end with LF or CR LF");
  EXPECT_EQ(rows_of(graph::read_csr(directory.write("x.csv", "source,target\r\na,b\r\n"))), "a: b, b:");
}

TEST(import, refuses_sums_that_are_not_finite) {
  test_directory const directory;
  graph::import_options const sum{.duplicates = graph::duplicates_rule::sum};
  EXPECT_EQ(error_of([&] { (void)graph::read_csr(directory.write("x.wel", "0 1 1e308\n0 1 1e308\n"), sum); }),
            "x.wel: edge:1: edges with the same ends whose weights add up to infinity, expected a finite sum");
  EXPECT_EQ(graph::read_csr(directory.write("x.wel", "0 1 8e307\n0 1 8e307\n"), sum).out.weights[0], 1.6e308);
}

TEST(import, names_say_how_many_vertices_an_edge_list_has) {
  test_directory const directory;
  std::string const path = directory.write("x.el", "0 1\n");
  directory.write("x.el.names", "a\nb\nc\n");
  EXPECT_EQ(rows_of(graph::read_csr(path)), "a: b, b:, c:");
  directory.write("x.el.names", "a\n");
  EXPECT_EQ(error_of([&] { (void)graph::read_csr(path); }), "x.el:1: vertex 1, expected 0 to 0");
}

TEST(import, an_output_without_names_gets_none_from_an_earlier_one) {
  test_directory const directory;
  graph::csr const named = graph::read_csr(directory.write("named.csv", "from,to\na,b\n"));
  graph::csr const plain = graph::read_csr("grid:2x1");
  std::string const out = directory.path("out.el");
  graph::export_graph(named, out, 1);
  EXPECT_EQ(rows_of(graph::read_csr(out)), "a: b, b:");
  graph::export_graph(plain, out, 1);
  EXPECT_EQ(rows_of(graph::read_csr(out)), "0: 1, 1:");
  std::string const other = directory.write("out.names", "c\nd\n");
  EXPECT_THROW(graph::export_graph(plain, out, 1), std::runtime_error);
}

TEST(import, reads_metis) {
  test_directory const directory;
  auto const read = [&](std::string_view text) { return rows_of(graph::read_csr(directory.write("x.metis", text))); };
  EXPECT_EQ(read("% a comment\n4 3\n2 3\n1\n1 4\n3\n"), "0: 1 2, 1: 0, 2: 0 3, 3: 2");
  EXPECT_EQ(read("3 1 1\n2 7\n1 7\n\n"), "0: 1(7), 1: 0(7), 2:");
  EXPECT_EQ(read("2 1 111 2\n9 8 7 2 4\n1 2 3 1 4\n"), "0: 1(4), 1: 0(4)");
  EXPECT_EQ(rows_of(graph::read_csr(directory.write("x.graph.gz", gzip("2 1\n2\n1")))), "0: 1, 1: 0");
  auto const wrong = [&](std::string_view text) {
    return error_of([&] { (void)graph::read_csr(directory.write("x.metis", text)); });
  };
  EXPECT_EQ(wrong("2 1\n3\n1\n"), "x.metis:2: \"3\" as a neighbour, expected 1 to 2");
  EXPECT_EQ(wrong("2 1\n-1\n1\n"), "x.metis:2: \"-1\" as a neighbour, expected 1 to 2");
  EXPECT_EQ(wrong("2 1\n1\n"), "x.metis:2: a self-loop, expected neighbours other than the vertex itself");
  EXPECT_EQ(wrong("2 1\n2\n"), "x.metis:2: the file ends after 1 vertices, expected 2, as the header says");
  EXPECT_EQ(wrong("2 1\n2\n\n"), "x.metis: 1 neighbours in all, expected 2, two for each of 1 edges");
  EXPECT_EQ(wrong("3 1\n2\n3\n\n"),
            "x.metis: an edge is not the same in the lines of both its ends, expected each edge in two lines");
  EXPECT_EQ(wrong("2 1 1\n2 4\n1 5\n"),
            "x.metis: an edge is not the same in the lines of both its ends, expected each edge in two lines");
  EXPECT_EQ(wrong("2 1 1\n2 nan\n1 5\n"), "x.metis:2: \"nan\" as a weight, expected a finite number");
  EXPECT_EQ(wrong("2 1 5\n"), "x.metis:1: \"5\" as FMT, expected up to three digits, each 0 or 1");
  EXPECT_EQ(wrong("5000000000 1\n"), "x.metis:1: \"5000000000\" vertices, expected at most 4294967295");
  EXPECT_EQ(wrong(""), "x.metis: the file is empty, expected a line \"VERTICES EDGES [FMT [NCON]]\"");
  EXPECT_EQ(wrong("1 0\n\n1\n"), "x.metis:3: a line after the last vertex, expected 1 lines of vertices");
}

template <class T>
std::string array(std::string_view descr, std::vector<T> const& values) {
  return graph::npy_begin(descr, values.size()) +
         std::string(reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T));
}
std::string one_text(std::string_view text) {
  return graph::npy_begin("|S" + std::to_string(text.size()), 1) + std::string(text);
}

using members = std::vector<std::pair<std::string, std::string>>;

std::string zip(members const& contents) {
  std::string bytes;
  std::vector<graph::zip_entry> entries;
  for (auto const& [name, data] : contents) {
    entries.push_back({name + ".npy", graph::crc32_of(data), data.size()});
    bytes += graph::zip_member_begin(entries.back()) + data;
  }
  return bytes + graph::zip_end(entries);
}

members matrix() {
  return {{"indices", array<std::int32_t>("<i4", {1, 2, 0})},
          {"indptr", array<std::int64_t>("<i8", {0, 2, 2, 3})},
          {"format", one_text("csr")},
          {"shape", array<std::int64_t>("<i8", {3, 3})},
          {"data", array<float>("<f4", {1, 5, 1})}};
}

TEST(import, reads_matrices_of_scipy) {
  test_directory const directory;
  auto const read = [&](members const& contents) {
    return rows_of(graph::read_csr(directory.write("x.npz", zip(contents))));
  };
  EXPECT_EQ(read(matrix()), "0: 1(1) 2(5), 1:, 2: 0(1)");
  members csc = matrix();
  csc[2].second = one_text("csc");
  EXPECT_EQ(read(csc), "0: 2(1), 1: 0(1), 2: 0(5)");
  EXPECT_EQ(read({{"row", array<std::uint16_t>("<u2", {0, 2})},
                  {"col", array<std::int8_t>("|i1", {1, 0})},
                  {"format", one_text("coo")},
                  {"shape", array<std::int64_t>("<i8", {3, 3})},
                  {"data", array<std::uint8_t>("|b1", {1, 1})}}),
            "0: 1, 1:, 2: 0");
}

TEST(import, refuses_wrong_matrices) {
  test_directory const directory;
  auto const wrong = [&](std::size_t member, std::string const& contents) {
    members changed = matrix();
    changed[member].second = contents;
    return error_of([&] { (void)graph::read_csr(directory.write("x.npz", zip(changed))); });
  };
  EXPECT_EQ(wrong(0, array<std::int32_t>("<i4", {1, 3, 0})),
            "x.npz: indices.npy: element 1 is 3, expected less than 3");
  EXPECT_EQ(wrong(0, array<std::int32_t>("<i4", {-1, 2, 0})),
            "x.npz: indices.npy: element 0 is -1, expected less than 3");
  EXPECT_EQ(wrong(1, array<std::int64_t>("<i8", {0, 2, 1, 3})),
            "x.npz: indptr.npy: rows that do not follow each other, expected 4 positions up to 3");
  EXPECT_EQ(wrong(1, array<std::int64_t>("<i8", {0, 3})),
            "x.npz: indptr.npy: rows that do not follow each other, expected 4 positions up to 3");
  EXPECT_EQ(wrong(2, one_text("bsr")), "x.npz: a matrix of format \"bsr\", expected csr, csc or coo (.tocsr())");
  EXPECT_EQ(wrong(3, array<std::int64_t>("<i8", {3, 4})),
            "x.npz: a matrix of 3 rows and 4 columns, expected a square matrix");
  EXPECT_EQ(wrong(3, array<std::int64_t>("<i8", {1'000'000'000'000, 1'000'000'000'000})),
            "x.npz: shape.npy: element 0 is 1000000000000, expected 0 to 4294967295");
  EXPECT_EQ(wrong(4, array<double>("<f8", {1, 2, std::numeric_limits<double>::quiet_NaN()})),
            "x.npz: data.npy: element 2 is nan, expected a finite number as a weight");
  EXPECT_EQ(wrong(4, array<double>("<f8", {1, 2})),
            "x.npz: arrays of different lengths, expected an index and a value for each entry");
  EXPECT_EQ(wrong(4, array<double>(">f8", {1, 2, 3})),
            "x.npz: data.npy: numbers with the most significant byte "
            "first, expected the least significant first "
            "(array.newbyteorder)");
  EXPECT_EQ(wrong(4, "x"), "x.npz: data.npy: no array of numpy, expected a .npy file");
  EXPECT_EQ(wrong(4, graph::npy_begin("|O8", 3) + std::string(24, 'x')),
            "x.npz: data.npy: elements \"'|O8'\", expected numbers or texts");
  std::string const whole = zip(matrix());
  std::string changed = whole;
  changed[whole.find("\xa0\x40")] ^= 1;  // of the value 5
  EXPECT_EQ(error_of([&] { (void)graph::read_csr(directory.write("x.npz", changed)); }),
            "x.npz: data.npy: its bytes are damaged, expected a whole .npz file (copy or download it again)");
  for (std::size_t size = 0; size < whole.size(); size += 7)
    EXPECT_NE(error_of([&] { (void)graph::read_csr(directory.write("x.npz", whole.substr(0, size))); }), "") << size;
  for (std::size_t at = 0; at < whole.size(); at += 5) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    // Whatever it says, it does not crash.
    (void)error_of([&] { (void)graph::read_csr(directory.write("x.npz", damaged)); });
  }
}

TEST(import, checksums_of_pieces_are_joined) {
  std::string const text = "The quick brown fox jumps over the lazy dog";
  EXPECT_EQ(graph::crc32_of(text), 0x414fa339U);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    std::uint32_t const first = graph::crc32_of(text.substr(0, cut));
    std::uint32_t const second = graph::crc32_of(text.substr(cut));
    EXPECT_EQ(graph::crc32_joined(first, second, text.size() - cut), 0x414fa339U);
    EXPECT_EQ(graph::crc32_of(text.substr(cut), first), 0x414fa339U);
  }
}

TEST(import, reads_saved_graphs_under_each_rule) {
  test_directory const directory;
  std::string const path = directory.path("x.tgr");
  std::vector<std::uint32_t> const sources{0, 1, 2}, targets{1, 1, 0};
  graph::csr_rules rules{.directed = true, .self_loops = graph::self_loops_rule::keep};
  graph::save(graph::make_csr(3, sources, targets, {}, rules), path);
  EXPECT_EQ(rows_of(graph::read_csr(path)), "0: 1, 1: 1, 2: 0");
  EXPECT_EQ(rows_of(graph::read_csr(path, {.self_loops = graph::self_loops_rule::drop})), "0: 1, 1:, 2: 0");
  EXPECT_EQ(rows_of(graph::read_csr(path, {.directed = false})), "0: 1 2, 1: 0 1, 2: 0");
  rules.directed = false;
  graph::save(graph::make_csr(3, sources, targets, {}, rules), path);
  graph::csr const both = graph::read_csr(path, {.directed = true});
  EXPECT_TRUE(both.directed);
  EXPECT_EQ(rows_of(both), "0: 1 2, 1: 0 1, 2: 0");
}

}  // namespace
