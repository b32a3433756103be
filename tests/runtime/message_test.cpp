// message: a malformed record is refused before any handler runs on it.
// Method: hand-made batches given to the receiver inside a job.
#include "runtime/messages/message.hpp"

#include <cstring>

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

TEST(message, of_a_shared_object_are_checked_against_its_own_handlers) {
  static constexpr detail::handler_record records[]{{&counting_handler::invoke, 24, 4, false}};
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
