// handler_objects: shared objects get the same numbers in every loading order, and only they are numbered.
// Method: real shared objects opened in both orders; each case is a separate process, because none is ever unloaded.
#include "runtime/messages/handler_objects.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "runtime/run_job.hpp"

namespace tess::test {
namespace {

namespace fs = std::filesystem;

void* open(fs::path const& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW);
  EXPECT_NE(library, nullptr) << dlerror();
  return library;
}
fs::path plugin(std::string const& name) {
  return fs::path(TEST_FOLDER) / name;
}

std::vector<std::string> files_of(std::vector<detail::handler_object> const& objects) {
  std::vector<std::string> files;
  for (detail::handler_object const& o : objects) files.push_back(o.file);
  return files;
}

TEST(handler_objects, are_the_program_alone_where_nothing_is_loaded) {
  EXPECT_EQ(files_of(detail::number_objects()), std::vector<std::string>{"program"});
}

TEST(handler_objects, have_numbers_that_do_not_depend_on_the_order_of_loading) {
  open(plugin("b_plugin.so"));
  EXPECT_EQ(files_of(detail::number_objects()), (std::vector<std::string>{"program", "b_plugin.so"}));
  open(plugin("a_plugin.so"));
  auto const objects = detail::number_objects();
  EXPECT_EQ(files_of(objects), (std::vector<std::string>{"program", "a_plugin.so", "b_plugin.so"}));
  EXPECT_EQ(objects[1].build_id.size(), 40U);
  EXPECT_GT(objects[1].end - objects[1].begin, 0);
  EXPECT_NE(detail::identity(objects).find(", a_plugin.so " + objects[1].build_id.substr(0, 16)), std::string::npos)
      << detail::identity(objects);
}

TEST(handler_objects, stay_loaded_when_they_are_closed) {
  void* const library = open(plugin("a_plugin.so"));
  void* const function = dlsym(library, "plugin_sum");
  dlclose(library);
  EXPECT_EQ(files_of(detail::number_objects()).size(), 2U);
  using sum_function = task<int>*();
  run_job({"hostile", 3, 1}, [&]() -> task<void> {
    std::unique_ptr<task<int>> const sum(reinterpret_cast<sum_function*>(function)());
    EXPECT_EQ(co_await std::move(*sum), 6);
  });
}

TEST(handler_objects, loaded_twice_are_refused) {
  fs::path const folder = fs::path(testing::TempDir()) / ("handler-objects-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  fs::copy_file(plugin("a_plugin.so"), folder / "a_plugin.so");
  open(plugin("a_plugin.so"));
  open(folder / "a_plugin.so");
  fs::remove_all(folder);
  try {
    static_cast<void>(detail::number_objects());
    FAIL() << "two copies were taken";
  } catch (error const& e) {
    EXPECT_NE(std::string(e.what()).find("a_plugin.so: the same shared object loaded twice"), std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace tess::test
