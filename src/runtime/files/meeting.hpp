// meeting: where the places of an open file agree: at place 0, once for each collective call.
//
//   Every place contributes how many bytes it has and what failed there; when the last one has come, each learns the
//   offset of its bytes and the first failure of all. A place that left the file counts as one that has come, so the
//   others do not wait for it. The first failure is the end of a file that is written: the new one is removed.
//
// Threads  any worker of place 0. Files are named by numbers, which mean the same at every place.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/tasks/spin_lock.hpp"
#include "tess/sync_var.hpp"
#include "tess/task.hpp"

namespace tess::detail {

/// What one place brings to a collective call.
struct file_contribution {
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;  ///< of the bytes there, for place 0 to fetch what goes to a pipe
  std::string failure{};      ///< empty if there is none
  bool last = false;          ///< there will be no other call
};
/// And what it learns.
struct file_agreement {
  std::uint64_t offset = 0;  ///< of its bytes among those of all
  std::uint64_t total = 0;
  std::string failure{};  ///< of the first place that has one, in this call or before
};

/// What the other places need to open the file as place 0 did.
struct file_names {
  std::string path{};  ///< as it was given
  bool written = false;
  std::string target{};   ///< the name, or what it leads to as a link
  std::string partial{};  ///< the new file's name; empty: there is none
  std::string failure{};
  std::uint64_t size = 0;
  bool stream = false;  ///< a device or a pipe: place 0 writes it
};

class file_meeting {
 public:
  struct round {
    explicit round(unsigned places) : of(places), offsets(places), missing(places), came(places) {}

    std::vector<file_contribution> of;
    std::vector<std::uint64_t> offsets;
    std::uint64_t total = 0;
    std::string failure;
    unsigned missing;
    std::vector<bool> came;
    sync_var<std::uint64_t> complete;
  };

  explicit file_meeting(file_names names);
  /// Removes a new file that did not get its name.
  ~file_meeting();
  file_meeting(file_meeting const&) = delete;
  file_meeting& operator=(file_meeting const&) = delete;

  [[nodiscard]] file_names names();
  /// The round that the contribution belongs to.
  [[nodiscard]] std::shared_ptr<round> contribute(place_id from, file_contribution c);
  /// The last round that is complete.
  [[nodiscard]] std::shared_ptr<round> previous();
  /// Counts a place as one that has come to all rounds; true if no place is left.
  [[nodiscard]] bool leave(place_id from);
  /// The new file has its name.
  void keep();

 private:
  void add(round& r, place_id from, file_contribution c);
  void complete(round& r);
  void remove_new();

  file_names names_;
  spin_lock lock_;
  std::shared_ptr<round> now_;
  std::shared_ptr<round> previous_;
  std::vector<bool> left_;
  unsigned left_count_ = 0;
  std::string failure_;
};

/// Begins the meetings of a file, at place 0; the file's number.
[[nodiscard]] std::uint64_t begin_meetings(file_names names);
/// Null if they have ended.
[[nodiscard]] std::shared_ptr<file_meeting> meetings_of(std::uint64_t file);
/// From any place.
[[nodiscard]] task<file_names> names_of(std::uint64_t file);
[[nodiscard]] task<file_agreement> meet(std::uint64_t file, file_contribution c);
void leave_meetings(std::uint64_t file) noexcept;

}  // namespace tess::detail
