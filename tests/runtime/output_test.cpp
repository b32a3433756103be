// output: the trace and the statistics are valid JSON with the documented names.
// Method: a small job writes both; nlohmann-json reads them.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

nlohmann::json read_json(std::filesystem::path const& file) {
  std::ifstream in(file);
  return nlohmann::json::parse(in);
}

task<int> program(args) {
  co_await on_all_places([]() -> task<void> {
    for (unsigned p = 0; p < places(); ++p) co_await at(static_cast<place_id>(p), [] {});
    // The others wait for longer than a thread looks for work.
    if (here() == 0) usleep(20'000);
    co_await barrier();
  });
  report_result("speed", "1.5");
  co_return 0;
}

class outputs : public testing::Test {
 protected:
  outputs() {
    file_ = std::filesystem::temp_directory_path() / ("tess_output_" + std::to_string(getpid()) + ".json");
    settings_.places = 3;
    settings_.workers = 2;
    settings_.threads = 3;
    settings_.fabric = "smp";
  }
  ~outputs() override { std::filesystem::remove(file_); }
  std::filesystem::path file_;
  settings settings_;
};

TEST_F(outputs, trace_has_tasks_sleep_and_messages_of_every_place) {
  settings_.trace = file_;
  ASSERT_EQ(run(settings_, {}, program), 0);
  auto const trace = read_json(file_);
  std::set<std::string> categories;
  std::set<int> processes;
  std::set<std::string> messages;
  for (auto const& e : trace.at("traceEvents")) {
    processes.insert(e.at("pid").get<int>());
    if (e.at("ph") == "M") continue;
    categories.insert(e.at("cat"));
    EXPECT_GE(e.at("ts").get<double>(), 0);
    if (e.at("ph") == "X") EXPECT_GE(e.at("dur").get<double>(), 0);
    if (e.at("cat") == "message") {
      messages.insert(e.at("name"));
      EXPECT_LT(e.at("args").at("peer").get<int>(), 3);
      EXPECT_GT(e.at("args").at("bytes").get<int>(), 0);
    }
  }
  EXPECT_EQ(processes, (std::set<int>{0, 1, 2}));
  EXPECT_EQ(categories, (std::set<std::string>{"message", "sleep", "task"}));
  EXPECT_EQ(messages, (std::set<std::string>{"receive", "send"}));
}

TEST_F(outputs, statistics_have_the_documented_fields_and_add_up) {
  settings_.stats = file_;
  ASSERT_EQ(run(settings_, {}, program), 0);
  auto const s = read_json(file_);
  for (char const* name : {"schema", "program", "fabric", "places", "workers", "threads", "seconds", "exit_code"})
    EXPECT_TRUE(s.contains(name)) << name;
  EXPECT_EQ(s.at("places"), 3);
  EXPECT_EQ(s.at("workers"), 2);
  EXPECT_EQ(s.at("threads"), 3);
  EXPECT_EQ(s.at("fabric"), "smp");
  EXPECT_EQ(s.at("exit_code"), 0);
  EXPECT_GT(s.at("seconds").get<double>(), 0);
  EXPECT_EQ(s.at("result").at("speed"), 1.5);
  ASSERT_EQ(s.at("by_place").size(), 3U);
  for (auto const& [name, total] : s.at("counters").items()) {
    std::uint64_t sum = 0;
    for (auto const& p : s.at("by_place")) sum += p.at(name).get<std::uint64_t>();
    EXPECT_EQ(sum, total.get<std::uint64_t>()) << name;
  }
  EXPECT_GT(s.at("counters").at("messages").get<int>(), 0);
}

TEST_F(outputs, that_cannot_be_written_are_an_error) {
  settings_.stats = "/nowhere/at/all.json";
  EXPECT_THROW(run(settings_, {}, program), error);
}

}  // namespace
}  // namespace tess::test
