// replica: which of two servers serves, and when the other one may: what a server with --replicas 2 knows and decides.
//
//   The first one serves, and answers a change or a write once the second has it. The second serves when it is sure
//   that the first is dead: their connection ended, and nobody listens at the first one's address, or another process
//   does. So is the first sure of the second before it goes on alone. Silence proves nothing: then nothing is
//   acknowledged, and whoever knows more says so (`tess mem take-over`). Each time another serves, the epoch grows; who
//   learns of a later epoch than its own forgets what it has, and becomes the second. Servers that begin with nothing
//   wait for each other, so that none ever serves less than was acknowledged. What a server's file says counts unless
//   the other may have gone on without it.
//
// Threads  one, the server's.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "rmem/replication/peer.hpp"
#include "rmem/server/session.hpp"
#include "rmem/store/persistent_store.hpp"

namespace tess::memd {

/// What a server may do with what it has, as its file says it.
enum class standing : std::uint32_t { nothing, alone, in_step };

class pair {
 public:
  struct options {
    std::string other;   // full address
    std::string secret;  // for partners that are not of the same user and host
    std::uint8_t number = 0;
    std::uint64_t size_bytes = 0;
  };
  /// What the server does for it.
  struct actions {
    std::function<void()> drop_clients;
    std::function<void(rmem::descriptor)> follow;  // what comes by this socket, with what is held cleared
    std::function<void(std::string const&)> say;
  };

  pair(options chosen, holdings& held, service& shown, actions can);

  [[nodiscard]] int file() const { return other_.file(); }
  /// Now and then, each 10 ms: asks and decides.
  void tend();
  /// file() is readable.
  void hear();

  /// The second server's connection is there, or ended; and what the first one knows of it then.
  void begin_copying(std::uint64_t its_instance);
  void link_lost();
  void second_in_step();
  /// It was told so, and has said that it heard: from here on it serves when we are gone.
  void second_knows();
  /// The first one says that we have all.
  void we_are_in_step();
  [[nodiscard]] bool is_first() const { return role_ == role::first; }
  [[nodiscard]] std::uint64_t joining() const { return joining_; }

 private:
  enum class role : std::uint8_t { waiting, first, second };

  [[nodiscard]] wire::message join(wire::message const& m, bool trusted, std::string_view secret);
  [[nodiscard]] checked<void> take_over();
  void heard_as_first(partner::answer const& a);
  void heard_as_second(partner::answer const& a);
  void serve(std::string const& why);
  void go_on_alone(std::string const& why);
  void forget();
  void stand(standing s);
  void show();
  [[nodiscard]] bool beats(wire::message const& m) const;

  options chosen_;
  holdings& held_;
  service& shown_;
  actions can_;
  partner other_;
  std::uint64_t instance_ = 0;
  std::uint64_t epoch_ = 0;
  role role_ = role::waiting;
  standing standing_ = standing::nothing;
  bool linked_ = false;
  bool forget_soon_ = false;
  bool waits_too_ = false;  // the other one, when it was asked last
  std::uint64_t other_instance_ = 0;
  std::uint64_t joining_ = 0;
};

}  // namespace tess::memd
