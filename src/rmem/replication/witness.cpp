// witness: a text file with one line for each pair, replaced as a whole before anything is granted.
#include "rmem/replication/witness.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "rmem/wire/descriptor.hpp"

namespace tess::memd::replication {

namespace {
constexpr auto first_line = "tess memd --witness: pair, epoch, copy";
/// A server has a few pairs; whoever may ask must not fill the disk.
constexpr std::size_t pairs_max = 65536;
}  // namespace

witness::witness(std::filesystem::path file) : file_(std::move(file)) {
  if (file_.empty()) return;
  std::ifstream in(file_);
  std::string line;
  if (!in || !std::getline(in, line)) {
    save();  // or says why that is not possible
    return;
  }
  auto const damaged = [&] { return std::runtime_error(file_.string() + ": is no file of a witness, or damaged"); };
  if (line != first_line) throw damaged();
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::uint64_t pair = 0;
    record r;
    if (!(words >> pair >> r.epoch >> r.copy) || pairs_.contains(pair)) throw damaged();
    pairs_.emplace(pair, r);
  }
}

/// On the disk when it returns.
void witness::save() const {
  if (file_.empty()) return;
  std::string text = std::string(first_line) + "\n";
  for (auto const& [pair, r] : pairs_)
    text += std::to_string(pair) + " " + std::to_string(r.epoch) + " " + std::to_string(r.copy) + "\n";
  std::string const fresh = file_.string() + ".new";
  rmem::descriptor const to(open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR));
  bool const written = to.is_open() && write(to.number(), text.data(), text.size()) == std::ssize(text) &&
                       fsync(to.number()) == 0 && rename(fresh.c_str(), file_.c_str()) == 0;
  if (!written)
    throw std::runtime_error(file_.string() + ": cannot be written: " + std::generic_category().message(errno));
  auto const parent = file_.has_parent_path() ? file_.parent_path() : std::filesystem::path(".");
  rmem::descriptor const folder(open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open()) static_cast<void>(fsync(folder.number()));
}

wire::message witness::decide(wire::message const& claim) {
  auto const found = pairs_.find(claim.address);
  record const wanted{claim.argument, claim.argument2};
  bool const is_known = found != pairs_.end();
  bool const is_own = is_known && found->second == wanted;
  bool const is_first = claim.size == 0 ? (!is_known || found->second.epoch < wanted.epoch)
                                        : (is_known && found->second.epoch <= claim.size);
  bool granted = is_own || (is_first && (is_known || pairs_.size() < pairs_max));
  if (granted && !is_own) {
    auto const before = is_known ? found->second : record{};
    pairs_[claim.address] = wanted;
    try {
      save();
    } catch (std::runtime_error const&) {
      // Nothing is granted that a restart would forget.
      if (is_known)
        pairs_[claim.address] = before;
      else
        pairs_.erase(claim.address);
      granted = false;
    }
  }
  auto const now = pairs_.find(claim.address);
  return {.what = wire::operation::done,
          .outcome = granted ? wire::status::ok : wire::status::not_serving,
          .address = now == pairs_.end() ? 0 : now->second.epoch};
}

}  // namespace tess::memd::replication
