// file: parts of all places at offsets and in place order; a failure at one place leaves nothing half-written, and all
// places learn of it. Method: files in a folder of their own, compared with what one thread would have written.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "runtime/run_job.hpp"
#include "tess/tess.hpp"

namespace tess::test {
namespace {

namespace fs = std::filesystem;

// A folder that every place of every host of the job sees; place 0 makes it.
class folder {
 public:
  folder() {
    char name[] = "/tmp/tess-file-XXXXXX";
    if (mkdtemp(name) == nullptr) throw error("mkdtemp", "failed", "a folder");
    path_ = name;
  }
  ~folder() { fs::remove_all(path_); }
  [[nodiscard]] std::string operator/(std::string const& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

std::string content(std::string const& name) {
  std::ifstream in(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
void fill_with(std::string const& name, std::string const& text) {
  std::ofstream(name, std::ios::binary) << text;
}

// Their lengths differ: some are empty, and one has several pieces.
std::string part_of(unsigned place) {
  if (place == 1) return "";
  return std::string(place == 2 ? 700001 : 10 + place, static_cast<char>('a' + place % 26)) + "\n";
}
std::string parts_of_all() {
  std::string all;
  for (unsigned p = 0; p < places(); ++p) all += part_of(p);
  return all;
}

// What each place's f throws, by place; f travels, and names the file.
template <class F>
task<std::vector<std::string>> errors_of_all(F f, std::string name) {
  auto const texts = co_await place_local<std::string>::make();
  co_await on_all_places(
      [](place_local<std::string> said, F g, std::string file_name) -> task<> {
        try {
          co_await g(file_name);
        } catch (std::exception const& e) {
          *said = e.what();
        }
      },
      texts, f, name);
  std::vector<std::string> all;
  for (unsigned p = 0; p < places(); ++p)
    all.push_back(co_await at(static_cast<place_id>(p), [](place_local<std::string> said) { return *said; }, texts));
  co_await place_local<std::string>::release(texts);
  co_return all;
}
void expect_all(std::vector<std::string> const& texts, std::string const& part) {
  for (unsigned p = 0; p < texts.size(); ++p)
    EXPECT_NE(texts[p].find(part), std::string::npos) << "place " << p << " said: " << texts[p];
}

class files : public on_layouts {};

TEST_P(files, have_the_parts_of_all_places_in_place_order) {
  run_here([]() -> task<void> {
    folder const here_is;
    std::string const name = here_is / "parts";
    fill_with(name, "the old content");
    chmod(name.c_str(), 0640);
    co_await on_all_places(
        [](std::string n) -> task<> {
          file out = co_await file::open(n, file_mode::write);
          EXPECT_EQ(out.size(), 0U);
          co_await out.write_ordered(part_of(here()));
          EXPECT_EQ(content(n), "the old content");
          std::string const again = std::to_string(here()) + ";";
          co_await out.write_ordered(again);
          co_await out.close();
          EXPECT_THROW(co_await out.write_ordered(again), error);
        },
        name);
    std::string expected = parts_of_all();
    for (unsigned p = 0; p < places(); ++p) expected += std::to_string(p) + ";";
    EXPECT_TRUE(content(name) == expected) << content(name).size() << " bytes, not " << expected.size();
    EXPECT_EQ(here_is.entries(), 1U);
    struct stat now{};
    EXPECT_EQ(stat(name.c_str(), &now), 0);
    EXPECT_EQ(now.st_mode & 07777U, 0640U);
    // And back, as the same parts.
    co_await on_all_places(
        [](std::string n, std::uint64_t bytes) -> task<> {
          file in = co_await file::open(n, file_mode::read);
          EXPECT_EQ(in.size(), bytes);
          std::string mine(part_of(here()).size(), '?');
          EXPECT_EQ(co_await in.read_ordered(mine), mine.size());
          EXPECT_TRUE(mine == part_of(here())) << here();
          char rest[3] = {};
          std::size_t const got = co_await in.read_ordered(std::span<char>(rest, 2));
          EXPECT_EQ(got, 2U);
          EXPECT_EQ(co_await in.read_at(bytes - 1, std::span<char>(rest)), 1U);
          EXPECT_EQ(rest[0], ';');
          EXPECT_EQ(co_await in.read_at(bytes + 5, std::span<char>(rest)), 0U);
          co_await in.close();
        },
        name, expected.size());
  });
}

TEST_P(files, have_what_tasks_of_any_place_write_anywhere) {
  run_here([]() -> task<void> {
    folder const here_is;
    std::string const name = here_is / "numbers";
    constexpr std::uint64_t count = 50000;
    co_await on_all_places(
        [](std::string n) -> task<> {
          file out = co_await file::open(n, file_mode::write);
          // Blocks dealt out in turns, the last places first.
          co_await forall(0, count / 500, [&out](std::uint64_t b) -> task<> {
            if (b % places() != places() - 1U - here()) co_return;
            std::vector<std::uint64_t> block(500);
            for (std::uint64_t i = 0; i < 500; ++i) block[i] = (b * 500 + i) * 3;
            co_await out.write_at(b * 500 * 8, block);
          });
          co_await out.close();
        },
        name);
    std::string const bytes = content(name);
    EXPECT_EQ(bytes.size(), count * 8);
    std::vector<std::uint64_t> numbers(count);
    std::memcpy(numbers.data(), bytes.data(), std::min(bytes.size(), count * 8));
    for (std::uint64_t i = 0; i < count; ++i) EXPECT_EQ(numbers[i], i * 3);
  });
}

TEST_P(files, that_cannot_be_are_an_error_at_every_place) {
  run_here([]() -> task<void> {
    folder const here_is;
    auto const read = [](std::string n) -> task<> { static_cast<void>(co_await file::open(n, file_mode::read)); };
    auto const write = [](std::string n) -> task<> { static_cast<void>(co_await file::open(n, file_mode::write)); };
    expect_all(co_await errors_of_all(read, here_is / "none"), "/none: place 0 cannot open it: No such file");
    expect_all(co_await errors_of_all(read, "/tmp"), "/tmp: place 0 cannot read it: Is a directory");
    expect_all(co_await errors_of_all(read, "/dev/null"), "it is a device or a pipe");
    expect_all(co_await errors_of_all(write, here_is / "no/such/folder"), "cannot create it: No such file");
    expect_all(co_await errors_of_all(write, "/tmp"), "cannot write it: Is a directory");
    expect_all(co_await errors_of_all(read, ""), "a file without a name: place 0 cannot open it: No such file");
    expect_all(co_await errors_of_all(write, ""), "a file without a name: place 0 cannot open it: No such file");
    EXPECT_EQ(here_is.entries(), 0U);
  });
}

TEST_P(files, have_one_name_and_one_mode) {
  run_here([]() -> task<void> {
    if (places() == 1) co_return;
    folder const here_is;
    fill_with(here_is / "kept", "old");
    auto const modes = [](std::string n) -> task<> {
      static_cast<void>(co_await file::open(n, here() == 1 ? file_mode::read : file_mode::write));
    };
    auto const names = [](std::string n) -> task<> {
      static_cast<void>(co_await file::open(here() == 1 ? n + "2" : n, file_mode::write));
    };
    std::string const expected = "; expected the same name and mode at all places";
    std::string const name = here_is / "kept";
    expect_all(co_await errors_of_all(modes, name),
               "place 1 opens `" + name + "` to read, and place 0 opens `" + name + "` to write" + expected);
    expect_all(co_await errors_of_all(names, name),
               "place 1 opens `" + name + "2` to write, and place 0 opens `" + name + "` to write" + expected);
    EXPECT_EQ(content(name), "old");
    EXPECT_EQ(here_is.entries(), 1U);
  });
}

TEST_P(files, say_what_they_expect) {
  run_here([]() -> task<void> {
    folder const here_is;
    fill_with(here_is / "kept", "old");
    auto const writes = [](std::string n) -> task<> {
      file in = co_await file::open(n, file_mode::read);
      co_await in.write_at(0, std::string("text"));
    };
    auto const closed = [](std::string n) -> task<> {
      file out = co_await file::open(n, file_mode::write);
      co_await out.close();
      co_await out.write_at(0, std::string("text"));
    };
    expect_all(co_await errors_of_all(writes, here_is / "kept"), "is open for reading only; expected file_mode::write");
    expect_all(co_await errors_of_all(closed, here_is / "other"), "is closed; expected an open file");
  });
}

TEST_P(files, stay_as_they_were_after_any_failure) {
  run_here([]() -> task<void> {
    folder const here_is;
    std::string const name = here_is / "kept";
    fill_with(name, "old");
    // The last place reads what it may not, so that it leaves by an exception; the others do not wait for it.
    expect_all(co_await errors_of_all(
                   [](std::string n) -> task<> {
                     file out = co_await file::open(n, file_mode::write);
                     co_await out.write_ordered(part_of(here()));
                     if (here() + 1U == places()) throw error("place " + std::to_string(here()) + " left");
                     co_await out.close();
                   },
                   name),
               "place " + std::to_string(places() - 1) + " left");
    EXPECT_EQ(content(name), "old");
    EXPECT_EQ(here_is.entries(), 1U);
    // A range that is not the file's: the system refuses it at one place, and close() throws at all.
    auto const said = co_await errors_of_all(
        [](std::string n) -> task<> {
          file out = co_await file::open(n, file_mode::write);
          bool thrown = false;
          try {
            if (here() == 0) co_await out.write_at(~std::uint64_t{0} - 10, std::string("too far away"));
          } catch (error const&) {
            thrown = true;
          }
          EXPECT_EQ(thrown, here() == 0);
          co_await out.close();
        },
        name);
    expect_all(said, "kept: place 0 cannot write it: File too large");
    EXPECT_EQ(content(name), "old");
    EXPECT_EQ(here_is.entries(), 1U);
    // Forgotten: without close() there is no new file.
    expect_all(co_await errors_of_all(
                   [](std::string n) -> task<> {
                     file out = co_await file::open(n, file_mode::write);
                     co_await out.write_ordered(part_of(here()));
                   },
                   name),
               "");
    EXPECT_EQ(content(name), "old");
    EXPECT_EQ(here_is.entries(), 1U);
  });
}

TEST_P(files, beyond_the_limit_of_the_process_leave_nothing) {
  run_here([]() -> task<void> {
    folder const here_is;
    std::string const name = here_is / "large";
    // A write beyond the limit would end the process, unless it was started with this signal ignored.
    static_cast<void>(std::signal(SIGXFSZ, SIG_DFL));
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    expect_all(co_await errors_of_all(
                   [](std::string n) -> task<> {
                     file out = co_await file::open(n, file_mode::write);
                     rlimit limit{};
                     getrlimit(RLIMIT_FSIZE, &limit);
                     limit.rlim_cur = 100;
                     setrlimit(RLIMIT_FSIZE, &limit);
                     co_await out.write_ordered(std::string(120, 'x'));
                   },
                   name),
               "large: place 0 cannot write it: File too large");
    setrlimit(RLIMIT_FSIZE, &before);
    co_await on_all_places([](rlimit limit) { setrlimit(RLIMIT_FSIZE, &limit); }, before);
    EXPECT_EQ(here_is.entries(), 0U);
  });
}

TEST_P(files, that_are_links_devices_and_pipes_are_written_through) {
  run_here([]() -> task<void> {
    folder const here_is;
    auto const write = [](std::string n) -> task<> {
      file out = co_await file::open(n, file_mode::write);
      co_await out.write_ordered(part_of(here()));
      co_await out.close();
    };
    // A link stays, and what it names is replaced.
    fill_with(here_is / "target", "old");
    fs::create_symlink("target", here_is / "link");
    expect_all(co_await errors_of_all(write, here_is / "link"), "");
    EXPECT_TRUE(fs::is_symlink(here_is / "link"));
    EXPECT_TRUE(content(here_is / "target") == parts_of_all());
    // A pipe, whose reader comes late and is slow at first.
    std::string const pipe = here_is / "pipe";
    EXPECT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    std::string got;
    std::thread reader([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      int const number = open(pipe.c_str(), O_RDONLY | O_CLOEXEC);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      char some[5000];
      for (ssize_t n = 0; (n = read(number, some, sizeof some)) > 0;) got.append(some, static_cast<std::size_t>(n));
      close(number);
    });
    expect_all(co_await errors_of_all(write, pipe), "");
    reader.join();
    EXPECT_TRUE(got == parts_of_all());
    EXPECT_TRUE(fs::is_fifo(pipe));
    expect_all(co_await errors_of_all(write, "/dev/null"), "");
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    expect_all(co_await errors_of_all(write, "/dev/full"),
               "/dev/full: place 0 cannot write it: No space left on device");
    expect_all(co_await errors_of_all(
                   [](std::string n) -> task<> {
                     file out = co_await file::open(n, file_mode::write);
                     co_await out.write_at(0, std::string("text"));
                   },
                   "/dev/null"),
               "has no offsets");
    EXPECT_EQ(here_is.entries(), 3U);
  });
}

INSTANTIATE_TEST_SUITE_P(layouts, files, testing::ValuesIn(all_layouts()), name_of);

}  // namespace
}  // namespace tess::test
