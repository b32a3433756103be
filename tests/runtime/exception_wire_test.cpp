// exception_wire: tess::error, out_of_memory and place_failed keep their types, others become remote_error.
// Method: round trips of each kind, over one and two places; every truncation of an encoded exception is an error.
#include "runtime/messages/exception_wire.hpp"

#include <gtest/gtest.h>

#include "tess/memory.hpp"

namespace tess::test {
namespace {

template <class E>
std::exception_ptr make(E e) {
  return std::make_exception_ptr(std::move(e));
}
std::exception_ptr travel(std::exception_ptr e, place_id from) {
  return detail::decode_exception(detail::encode_exception(std::move(e), from));
}
std::string text_of(std::exception_ptr e) {
  try {
    std::rethrow_exception(std::move(e));
  } catch (std::exception const& x) {
    return x.what();
  }
}

TEST(exception_wire, some_arrive_as_themselves) {
  EXPECT_THROW(std::rethrow_exception(travel(make(error("a", "b", "c")), 3)), error);
  EXPECT_EQ(text_of(travel(make(error("a", "b", "c")), 3)), "a: b; expected c");
  try {
    std::rethrow_exception(travel(make(place_failed(17)), 3));
  } catch (place_failed const& e) {
    EXPECT_EQ(e.place(), 17);
  }
  EXPECT_THROW(std::rethrow_exception(travel(make(out_of_memory("full")), 3)), out_of_memory);
  EXPECT_EQ(text_of(travel(make(out_of_memory("full")), 3)), "full");
}

TEST(exception_wire, others_name_place_type_and_text) {
  for (int hops = 1; hops <= 2; ++hops) {
    auto e = travel(make(std::out_of_range("too far")), 5);
    if (hops == 2) e = travel(std::move(e), 9);
    try {
      std::rethrow_exception(std::move(e));
    } catch (remote_error const& r) {
      EXPECT_EQ(r.place(), 5);
      EXPECT_EQ(r.type_name(), "std::out_of_range");
      EXPECT_STREQ(r.what(), "place 5: std::out_of_range: too far");
    }
  }
  EXPECT_NE(text_of(travel(make(5), 2)).find("place 2"), std::string::npos);
}

TEST(exception_wire, a_text_that_itself_begins_with_a_place_keeps_its_origin) {
  EXPECT_EQ(text_of(travel(make(std::runtime_error("place 7 is full")), 1)),
            "place 1: std::runtime_error: place 7 is full");
}

TEST(exception_wire, long_texts_are_cut) {
  auto const bytes = detail::encode_exception(make(std::runtime_error(std::string(100000, 'x'))), 1);
  EXPECT_LE(bytes.size(), 1100U);
  EXPECT_NE(text_of(detail::decode_exception(bytes)).find("xxxx"), std::string::npos);
}

TEST(exception_wire, every_truncation_is_an_error_that_says_so) {
  auto const bytes = detail::encode_exception(make(std::out_of_range("too far")), 1);
  for (std::size_t n = 0; n < bytes.size(); ++n)
    EXPECT_NE(text_of(detail::decode_exception(std::span(bytes).first(n))).find("truncated"), std::string::npos) << n;
}

}  // namespace
}  // namespace tess::test
