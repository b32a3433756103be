// message: a malformed record is refused before any handler runs on it.
// Method: hand-made batches given to the receiver inside a job.
#include "runtime/message.hpp"

#include <cstring>

#include "runtime/aggregator.hpp"
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

std::vector<std::byte> record(std::uint16_t index, std::uint32_t announced, std::size_t bytes) {
  detail::record_header const h{index, 0, announced};
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
    auto const fixed = detail::handler_entry<counting_handler>::index();
    auto const variable = detail::handler_entry<variable_handler>::index();
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
    EXPECT_NE(refusal(record(0xfffe, 8, 8)).find("unknown handler"), std::string::npos);
    EXPECT_NE(refusal(record(detail::run_index, 8, 8)).find("run"), std::string::npos);
    EXPECT_NE(refusal(std::vector<std::byte>(5)).find("truncated"), std::string::npos);
    auto const count = static_cast<std::uint16_t>(detail::__stop_tess_handlers - detail::__start_tess_handlers);
    EXPECT_NE(refusal(record(count, 8, 8)).find("unknown handler"), std::string::npos);
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(detail::self->delivering, 0) << "a refusal left the worker inside a handler";
    co_return;
  });
}

TEST(message, what_comes_before_a_malformed_record_has_run) {
  run_job({"smp", 1, 1}, []() -> task<void> {
    calls = 0;
    auto batch = record(detail::handler_entry<counting_handler>::index(), 12, 16);
    batch.resize(batch.size() + 3);
    EXPECT_NE(refusal(batch).find("truncated"), std::string::npos);
    EXPECT_EQ(calls, 1);
    co_return;
  });
}

}  // namespace
}  // namespace tess::test
