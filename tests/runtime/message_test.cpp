// message: a malformed record is refused before any handler runs on it.
// Method: hand-made batches given to the receiver inside a job.
#include "runtime/messages/message.hpp"

#include <cstring>
#include <numeric>

#include "runtime/job/job.hpp"
#include "runtime/messages/aggregator.hpp"
#include "runtime/run_job.hpp"
#include "tess/detail/handler.hpp"

namespace tess::test {
namespace {

int calls = 0;

struct counting_handler {
  static constexpr std::uint32_t payload_bytes = 12;
  static constexpr std::uint16_t payload_alignment = 4;
  static constexpr bool variable = false;
  static void invoke(detail::message_context&, std::byte const*, std::size_t) { ++calls; }
};
struct variable_handler {
  static constexpr std::uint32_t payload_bytes = 12;
  static constexpr std::uint16_t payload_alignment = 4;
  static constexpr bool variable = true;
  static void invoke(detail::message_context&, std::byte const*, std::size_t) { ++calls; }
};

/// Remembers each payload's first word, and how many it was called for at once.
struct run_handler {
  static constexpr std::uint32_t payload_bytes = 12;
  static constexpr std::uint16_t payload_alignment = 4;
  static constexpr bool variable = false;
  static inline std::vector<std::uint32_t> words;
  static inline std::vector<std::size_t> runs;
  static void invoke(detail::message_context&, std::byte const* payload, std::size_t) {
    std::uint32_t word;
    std::memcpy(&word, payload, sizeof word);
    words.push_back(word);
  }
  static std::byte const* invoke_run(detail::message_context& context, std::byte const* first, std::byte const* end) {
    runs.push_back(0);
    return detail::visit_equal(first, end, payload_bytes, [&](std::byte const* payload) {
      ++runs.back();
      invoke(context, payload, payload_bytes);
    });
  }
};

std::vector<std::byte> record(detail::handler_id handler, std::uint32_t announced, std::size_t bytes) {
  detail::record_header const h{handler, announced};
  std::vector<std::byte> m(sizeof h + bytes);
  std::memcpy(m.data(), &h, sizeof h);
  return m;
}
std::string refusal(std::span<std::byte const> batch) {
  try {
    detail::deliver_records(0, batch, nullptr);
  } catch (error const& e) {
    return e.what();
  }
  return "";
}

TEST(message, well_formed_records_reach_their_handler_and_others_none) {
  run_job({"smp", 1, 1}, []() -> task<void> {
    auto const fixed = detail::handler_entry<counting_handler>::id();
    auto const variable = detail::handler_entry<variable_handler>::id();
    calls = 0;
    EXPECT_EQ(refusal(record(fixed, 12, 16)), "");
    EXPECT_EQ(refusal(record(fixed, 12, 12)), "") << "the last record needs no padding";
    EXPECT_EQ(refusal(record(variable, 40, 40)), "");
    EXPECT_EQ(calls, 3);
    EXPECT_NE(refusal(record(fixed, 11, 16)).find("wrong size"), std::string::npos);
    EXPECT_NE(refusal(record(fixed, 13, 16)).find("wrong size"), std::string::npos);
    EXPECT_NE(refusal(record(variable, 11, 16)).find("wrong size"), std::string::npos);
    EXPECT_NE(refusal(record(fixed, 12, 8)).find("longer than its message"), std::string::npos);
    EXPECT_NE(refusal(record(fixed, 0xffffffff, 8)).find("longer than its message"), std::string::npos);
    EXPECT_NE(refusal(record({0xfffe, 0}, 8, 8)).find("unknown handler"), std::string::npos);
    EXPECT_NE(refusal(record({detail::run_index, 0}, 8, 8)).find("run"), std::string::npos);
    EXPECT_NE(refusal(std::vector<std::byte>(5)).find("truncated"), std::string::npos);
    auto const count = static_cast<std::uint16_t>(detail::__stop_tess_handlers - detail::__start_tess_handlers);
    EXPECT_NE(refusal(record({count, 0}, 8, 8)).find("unknown handler"), std::string::npos);
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(detail::self->delivering, 0) << "a refusal left the worker inside a handler";
    co_return;
  });
}

TEST(message, with_equal_headers_in_a_row_are_given_to_their_handler_at_once) {
  run_job({"smp", 1, 1}, []() -> task<void> {
    auto const many = detail::handler_entry<run_handler>::id();
    auto const other = detail::handler_entry<counting_handler>::id();
    std::vector<std::byte> batch;
    std::uint32_t number = 0;
    auto const add = [&](detail::handler_id to, std::size_t bytes) {
      auto r = record(to, 12, bytes);
      std::memcpy(r.data() + sizeof(detail::record_header), &number, sizeof number);
      if (to.index == many.index) ++number;
      batch.insert(batch.end(), r.begin(), r.end());
    };
    for (std::size_t const run : {1U, 5U, 2U}) {
      for (std::size_t i = 0; i < run; ++i) add(many, 16);
      add(other, 16);
    }
    for (int i = 0; i < 3; ++i) add(many, 16);
    add(many, 12);  // the last one needs no padding
    calls = 0;
    run_handler::words.clear();
    run_handler::runs.clear();
    EXPECT_EQ(refusal(batch), "");
    EXPECT_EQ(calls, 3);
    std::vector<std::uint32_t> in_order(12);
    std::iota(in_order.begin(), in_order.end(), 0U);
    EXPECT_EQ(run_handler::words, in_order);
    EXPECT_EQ(run_handler::runs, (std::vector<std::size_t>{1, 5, 2, 3, 1}));

    // What comes before a malformed record has run; the run does not go beyond the bytes.
    run_handler::words.clear();
    for (int i = 0; i < 5; ++i) batch.pop_back();
    EXPECT_NE(refusal(batch).find("longer than its message"), std::string::npos);
    EXPECT_EQ(run_handler::words.size(), 11U);
    co_return;
  });
}

TEST(message, of_a_shared_object_are_checked_against_its_own_handlers) {
  static constexpr detail::handler_record records[]{{&counting_handler::invoke, nullptr, 24, 4, false}};
  run_job({"smp", 1, 1}, []() -> task<void> {
    detail::the_job->objects.push_back({"libfake.so", "1a2b", std::begin(records), std::end(records)});
    calls = 0;
    EXPECT_EQ(refusal(record({0, 1}, 24, 24)), "");
    EXPECT_EQ(calls, 1);
    EXPECT_NE(refusal(record({0, 1}, 12, 24)).find("wrong size"), std::string::npos);
    EXPECT_NE(refusal(record({1, 1}, 24, 24)).find("unknown handler"), std::string::npos);
    std::string const unknown = refusal(record({0, 2}, 24, 24));
    EXPECT_NE(unknown.find("unknown shared object"), std::string::npos) << unknown;
    EXPECT_NE(unknown.find("libfake.so 1a2b (1 handlers)"), std::string::npos) << unknown;
    EXPECT_EQ(calls, 1);
    co_return;
  });
}

TEST(message, what_comes_before_a_malformed_record_has_run) {
  run_job({"smp", 1, 1}, []() -> task<void> {
    calls = 0;
    auto batch = record(detail::handler_entry<counting_handler>::id(), 12, 16);
    batch.resize(batch.size() + 3);
    EXPECT_NE(refusal(batch).find("truncated"), std::string::npos);
    EXPECT_EQ(calls, 1);
    co_return;
  });
}

}  // namespace
}  // namespace tess::test
