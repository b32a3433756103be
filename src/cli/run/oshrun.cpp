// oshrun: starts PEs by the options of Open MPI's, MPICH's and Slurm's launchers, as scripts write them.
#include "cli/run/oshrun.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <ranges>
#include <sstream>
#include <string>
#include <string_view>

#include "cli/command/command.hpp"
#include "cli/process/process.hpp"
#include "cli/run/launch.hpp"
#include "cli/run/run.hpp"
#include "cli/run/words.hpp"
#include "cli/tree.hpp"

namespace tess::cli {
namespace {

enum class effect { pes, variable, two_word_variable, folder, hosts, nothing, refused };

/// Options of the same meaning, with one dash or two.
struct launcher_option {
  std::string_view names;  // without dashes, between spaces
  effect does;
  int values;               // words that follow
  std::string_view advice;  // where it is refused: what would be right
};

constexpr std::array launcher_options{
    launcher_option{" np n c ntasks ", effect::pes, 1, ""},
    launcher_option{" x ", effect::variable, 1, ""},
    launcher_option{" env genv ", effect::two_word_variable, 2, ""},
    launcher_option{" wdir wd chdir ", effect::folder, 1, ""},
    launcher_option{" H host hosts ", effect::hosts, 1, ""},
    // Where processes run on a host, and who may start them.
    launcher_option{" bind-to map-by rank-by cpu-bind cpu_bind cpus-per-proc cpus-per-rank distribution hint ",
                    effect::nothing, 1, ""},
    launcher_option{" N npernode ppn ntasks-per-node map-by-slot ", effect::nothing, 1, ""},
    launcher_option{" oversubscribe nooversubscribe overcommit O allow-run-as-root use-hwthread-cpus nolocal bynode "
                    "byslot bycore bind-to-core bind-to-socket bind-to-none exclusive ",
                    effect::nothing, 0, ""},
    // Parts of other launchers, and what they print.
    launcher_option{" mca gmca pmca omca prtemca ", effect::nothing, 2, ""},
    launcher_option{" mpi prefix path am tune launcher iface envlist genvlist ", effect::nothing, 1, ""},
    launcher_option{" genvall envall genvnone envnone enable-recovery disable-recovery report-bindings display-map "
                    "display-allocation tag-output prepend-rank l label u unbuffered q quiet v verbose "
                    "kill-on-bad-exit K ",
                    effect::nothing, 0, ""},
    launcher_option{" hostfile machinefile default-hostfile f ", effect::refused, 1, "--host node1:2,node2:2"},
    launcher_option{" timeout ", effect::refused, 1, "`timeout SECONDS oshrun ...`"},
    launcher_option{" app configfile ", effect::refused, 1, "one program for all PEs"},
    launcher_option{" output-filename output outfile-pattern ", effect::refused, 1, "a redirection, `> FILE`"},
};

struct found_option {
  launcher_option const* option = nullptr;
  std::string name;
  std::string value;  // behind a =, or digits behind a letter as in -n4
  bool has_value = false;
};

found_option find(std::string_view word) {
  std::size_t const dashes = word.starts_with("--") ? 2 : 1;
  std::string_view name = word.substr(dashes);
  found_option found;
  auto const equals = name.find('=');
  if (equals != std::string_view::npos) {
    found.value = name.substr(equals + 1);
    found.has_value = true;
    name = name.substr(0, equals);
  } else if (name.size() > 1 && dashes == 1 && name.find_first_not_of("0123456789", 1) == std::string_view::npos) {
    found.value = name.substr(1);
    found.has_value = true;
    name = name.substr(0, 1);
  }
  found.name = name;
  for (launcher_option const& one : launcher_options)
    if (one.names.contains(" " + found.name + " ")) found.option = &one;
  return found;
}

void set_variable(std::string const& text) {
  std::size_t const equals = text.find('=');
  std::string const name = text.substr(0, equals);
  if (name.empty()) throw usage_error{fmt::format("oshrun: \"{}\" names no variable; give NAME or NAME=VALUE", text)};
  if (equals != std::string::npos) ::setenv(name.c_str(), text.substr(equals + 1).c_str(), 1);
  pass_variable(name);
}

void enter_folder(std::string const& name) {
  if (::chdir(name.c_str()) != 0)
    throw usage_error{fmt::format("oshrun: cannot enter {}: {}", name, std::strerror(errno))};
}

bool is_this_host(std::string_view name) {
  std::array<char, 256> own{};
  ::gethostname(own.data(), own.size() - 1);
  std::string_view const full = own.data();
  return name == "localhost" || name == "127.0.0.1" || name == "::1" || name == full ||
         name == full.substr(0, full.find('.'));
}

/// NAME or NAME:SLOTS between commas. Other hosts are reached by the fabric ucx, one name for each PE.
class host_list {
 public:
  void add(std::string const& text) {
    std::stringstream parts{text};
    for (std::string part; std::getline(parts, part, ',');) {
      std::size_t const colon = part.rfind(':');
      int slots = 1;
      if (colon != std::string::npos && part != "::1") {
        auto const [end, problem] = std::from_chars(part.data() + colon + 1, part.data() + part.size(), slots);
        if (problem != std::errc() || end != part.data() + part.size() || slots < 1 || slots > 65535)
          throw usage_error{fmt::format("oshrun: \"{}\" will not do as hosts; give node1:2,node2:2", text)};
        part.resize(colon);
      }
      elsewhere_ = elsewhere_ || !is_this_host(part);
      names_.insert(names_.end(), static_cast<std::size_t>(slots), part);
    }
  }

  /// Words of `tess run` for them. `pes`: as -np said, or empty.
  [[nodiscard]] words as_run(std::string const& pes) const {
    words made;
    if (names_.empty()) return made;
    std::size_t wanted = names_.size();
    if (pes.empty()) made.insert(made.end(), {"-n", std::to_string(wanted)});
    std::from_chars(pes.data(), pes.data() + pes.size(), wanted);
    if (!elsewhere_) return made;
    if (wanted > names_.size())
      throw usage_error{fmt::format("oshrun: the hosts have {} slots for {} PEs; give each its share, as node1:{}",
                                    names_.size(), wanted, wanted)};
    std::string list;
    for (std::string const& name : names_ | std::views::take(wanted)) list += (list.empty() ? "" : ",") + name;
    made.insert(made.end(), {"--fabric", "ucx", "--hosts", list});
    return made;
  }

 private:
  words names_;
  bool elsewhere_ = false;
};

/// As other launchers find a name without a slash: on the PATH, then here. As it is, if it is nowhere.
std::string found_like_others(std::string const& name) {
  if (name.contains('/')) return name;
  std::stringstream folders{environment_variable("PATH")};
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty() && is_executable_file(std::filesystem::path{folder} / name))
      return (std::filesystem::path{folder} / name).string();
  return is_executable_file(name) ? "./" + name : name;
}

/// What the options before the program say.
struct launcher_words_read {
  words as_run;
  std::string pes;
  host_list hosts;

  void take(found_option const& found, std::string const& word, words const& values) {
    std::string const& value = values.empty() ? found.value : values.front();
    switch (found.option->does) {
      case effect::pes:
        pes = value;
        as_run.insert(as_run.end(), {"-n", value});
        return;
      case effect::variable:
        return set_variable(value);
      case effect::two_word_variable:
        return set_variable(value + "=" + values.back());
      case effect::folder:
        return enter_folder(value);
      case effect::hosts:
        return hosts.add(value);
      case effect::nothing:
        return;
      case effect::refused:
        throw usage_error{fmt::format("oshrun: {} is not known here; give {}", word, found.option->advice)};
    }
  }
};

}  // namespace

bool is_launcher_option(std::string_view word) {
  return word.starts_with('-') && find(word).option != nullptr;
}

int oshrun(words const& given) {
  launcher_words_read read;
  auto word = given.begin();
  for (; word != given.end() && word->starts_with('-') && *word != "--"; ++word) {
    found_option const found = find(*word);
    if (found.option == nullptr) {
      // An option of `tess run`, or one that it refuses.
      read.as_run.push_back(*word);
      bool const value_follows = std::ranges::any_of(
          run_options, [&](run_option const& one) { return *word == one.name && !one.value.empty(); });
      if (value_follows && word + 1 != given.end()) read.as_run.push_back(*++word);
      continue;
    }
    auto const wanted = found.has_value ? 0 : found.option->values;
    if (given.end() - word <= wanted)
      throw usage_error{fmt::format("oshrun: {} needs {}", *word, wanted == 1 ? "a value" : "two values")};
    words const values{word + 1, word + 1 + wanted};
    read.take(found, *word, values);
    word += wanted;
  }
  if (word != given.end() && *word == "--") ++word;
  words as_run = read.hosts.as_run(read.pes);
  as_run.insert(as_run.begin(), read.as_run.begin(), read.as_run.end());
  if (word == given.end()) return run_words(as_run, false);
  if (std::find(word, given.end(), ":") != given.end())
    throw usage_error{"oshrun: `:` would start another program; give one program for all PEs"};
  // All words after its name are the program's own.
  as_run.insert(as_run.end(), {"--", found_like_others(*word)});
  as_run.insert(as_run.end(), word + 1, given.end());
  return run_words(as_run, true);
}

}  // namespace tess::cli
