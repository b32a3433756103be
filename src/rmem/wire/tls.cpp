// tls: OpenSSL over a socket whose flags are chosen by call.
#include "rmem/wire/tls.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "rmem/wire/descriptor.hpp"
#include "rmem/wire/openssl.hpp"

namespace tess::rmem {

namespace {

openssl const& ssl() {
  return openssl::library();
}

constexpr std::string_view client_identity = "tess client";
constexpr std::string_view server_identity = "tess server";
constexpr std::size_t key_bytes_min = 16;
constexpr std::size_t key_bytes_max = 1024;
/// TLS_AES_128_GCM_SHA256.
constexpr std::array<unsigned char, 2> cipher_number{0x13, 0x01};

struct context_deleter {
  void operator()(SSL_CTX* c) const { ssl().SSL_CTX_free(c); }
};
using context = std::unique_ptr<SSL_CTX, context_deleter>;

std::string last_error() {
  unsigned long const code = ssl().ERR_get_error();
  ssl().ERR_clear_error();
  char const* const text = code == 0 ? nullptr : ssl().ERR_reason_error_string(code);
  return text == nullptr ? "the other end ended the connection" : text;
}

int own_index() {
  static int const index = ssl().CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL, 0, nullptr, nullptr, nullptr, nullptr);
  return index;
}
int context_index() {
  static int const index =
      ssl().CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

/// A session whose master key is the pre-shared key.
SSL_SESSION* session_of(SSL* of, std::string_view key) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  ssl().SHA256(reinterpret_cast<unsigned char const*>(key.data()), key.size(), digest.data());
  SSL_SESSION* const made = ssl().SSL_SESSION_new();
  SSL_CIPHER const* const cipher = ssl().SSL_CIPHER_find(of, cipher_number.data());
  if (made != nullptr && cipher != nullptr &&
      ssl().SSL_SESSION_set1_master_key(made, digest.data(), digest.size()) == 1 &&
      ssl().SSL_SESSION_set_cipher(made, cipher) == 1 &&
      ssl().SSL_SESSION_set_protocol_version(made, TLS1_3_VERSION) == 1)
    return made;
  ssl().SSL_SESSION_free(made);
  return nullptr;
}

context new_context(SSL_METHOD const* method) {
  context made(ssl().SSL_CTX_new(method));
  if (!made || ssl().SSL_CTX_ctrl(made.get(), SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_3_VERSION, nullptr) != 1)
    throw std::runtime_error("TLS is not available: " + last_error());
  // One cipher, because a pre-shared key belongs to the hash of one.
  ssl().SSL_CTX_set_ciphersuites(made.get(), "TLS_AES_128_GCM_SHA256");
  ssl().SSL_CTX_set_num_tickets(made.get(), 0);
  ssl().SSL_CTX_ctrl(made.get(), SSL_CTRL_SET_SESS_CACHE_MODE, SSL_SESS_CACHE_OFF, nullptr);
  ssl().SSL_CTX_ctrl(made.get(), SSL_CTRL_MODE, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER,
                     nullptr);
  ssl().SSL_CTX_ctrl(made.get(), SSL_CTRL_SET_READ_AHEAD, 1, nullptr);
  return made;
}

}  // namespace

/// One connection. The BIO finds the socket and the flags of the current call here.
struct tls::state {
  SSL* of = nullptr;
  int socket = -1;
  int flags = 0;
  proved what = proved::nothing;
  bool drained = true;
  std::string_view key;       // a client's
  std::string_view identity;  // under which it is known

  ~state() { ssl().SSL_free(of); }

  static int read(BIO* b, char* to, int bytes) {
    auto* const s = static_cast<state*>(ssl().BIO_get_data(b));
    ssl().BIO_clear_retry_flags(b);
    auto const n = recv(s->socket, to, static_cast<std::size_t>(bytes), s->flags);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) ssl().BIO_set_retry_read(b);
    return static_cast<int>(n);
  }
  static int write(BIO* b, char const* from, int bytes) {
    auto* const s = static_cast<state*>(ssl().BIO_get_data(b));
    ssl().BIO_clear_retry_flags(b);
    auto const n = ::send(s->socket, from, static_cast<std::size_t>(bytes), s->flags | MSG_NOSIGNAL);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) ssl().BIO_set_retry_write(b);
    return static_cast<int>(n);
  }
  static long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

  static BIO_METHOD* method() {
    static BIO_METHOD* const made = [] {
      BIO_METHOD* const m = ssl().BIO_meth_new(BIO_TYPE_SOURCE_SINK | ssl().BIO_get_new_index(), "tess");
      ssl().BIO_meth_set_read(m, read);
      ssl().BIO_meth_set_write(m, write);
      ssl().BIO_meth_set_ctrl(m, control);
      return m;
    }();
    return made;
  }

  static std::unique_ptr<state> make(SSL_CTX* in, int socket) {
    auto made = std::make_unique<state>();
    made->socket = socket;
    made->of = ssl().SSL_new(in);
    BIO* const b = made->of == nullptr ? nullptr : ssl().BIO_new(method());
    if (b == nullptr) throw std::runtime_error("TLS has no memory");
    ssl().BIO_set_data(b, made.get());
    ssl().BIO_set_init(b, 1);
    ssl().SSL_set_bio(made->of, b, b);
    ssl().SSL_set_ex_data(made->of, own_index(), made.get());
    return made;
  }

  /// errno for a result of SSL_read or SSL_write that is no success; 0: the connection has ended.
  ssize_t failure(int result) {
    int const before = errno;
    int const why = ssl().SSL_get_error(of, result);
    ssl().ERR_clear_error();
    if (why == SSL_ERROR_ZERO_RETURN) return 0;
    if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE)
      errno = before == EINTR ? EINTR : EAGAIN;
    else
      errno = why == SSL_ERROR_SYSCALL && before != 0 ? before : ECONNRESET;
    return -1;
  }
};

struct tls::acceptor::state {
  context shared;
  std::string key;
  std::string secret;

  static int find(SSL* of, unsigned char const* identity, std::size_t bytes, SSL_SESSION** found) {
    auto* const own = static_cast<tls::state*>(ssl().SSL_get_ex_data(of, own_index()));
    auto const* const all = static_cast<state*>(ssl().SSL_CTX_get_ex_data(ssl().SSL_get_SSL_CTX(of), context_index()));
    std::string_view const said(reinterpret_cast<char const*>(identity), bytes);
    bool const is_server = said == server_identity;
    std::string const& key = is_server ? all->secret : all->key;
    *found = nullptr;
    if (key.empty() || (!is_server && said != client_identity)) return 1;  // the handshake fails for want of a proof
    *found = session_of(of, key);
    // The handshake ends only if the other end has the key.
    own->what = is_server ? proved::secret : proved::key;
    return *found != nullptr ? 1 : 0;
  }
};

tls::acceptor::acceptor(credentials const& with) : state_(std::make_unique<state>()) {
  state_->key = with.key;
  state_->secret = with.secret;
  state_->shared = new_context(ssl().TLS_server_method());
  SSL_CTX* const c = state_->shared.get();
  ssl().SSL_CTX_set_ex_data(c, context_index(), state_.get());
  ssl().SSL_CTX_set_psk_find_session_callback(c, state::find);
  if (with.certificate.empty()) return;
  if (ssl().SSL_CTX_use_certificate_chain_file(c, with.certificate.c_str()) != 1)
    throw std::runtime_error(with.certificate.string() + ": is no certificate: " + last_error());
  if (ssl().SSL_CTX_use_PrivateKey_file(c, with.private_key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      ssl().SSL_CTX_check_private_key(c) != 1)
    throw std::runtime_error(with.private_key.string() + ": is not the certificate's private key: " + last_error());
}

tls::acceptor::~acceptor() = default;

std::unique_ptr<tls> tls::acceptor::accept(int socket) const {
  auto made = tls::state::make(state_->shared.get(), socket);
  ssl().SSL_set_accept_state(made->of);
  return std::unique_ptr<tls>(new tls(std::move(made)));
}

namespace {

/// A client offers its key.
int use_key(SSL* of, EVP_MD const* digest, unsigned char const** identity, std::size_t* bytes, SSL_SESSION** made) {
  *made = nullptr;
  auto const* const key = static_cast<std::pair<std::string_view, std::string_view> const*>(
      ssl().SSL_CTX_get_ex_data(ssl().SSL_get_SSL_CTX(of), context_index()));
  if (key->first.empty() || (digest != nullptr && ssl().EVP_MD_get_type(digest) != NID_sha256)) return 1;
  *made = session_of(of, key->first);
  *identity = reinterpret_cast<unsigned char const*>(key->second.data());
  *bytes = key->second.size();
  return *made != nullptr ? 1 : 0;
}

std::string host_of(std::string const& full) {
  auto const from = full.find(':') + 1;
  std::string host = full.substr(from, full.rfind(':') - from);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return host;
}

}  // namespace

std::unique_ptr<tls> tls::connect(int socket, std::string const& full, credentials const& with, bool as_server) {
  std::pair<std::string_view, std::string_view> const key{as_server ? with.secret : with.key,
                                                          as_server ? server_identity : client_identity};
  if (key.first.empty() && with.authority.empty())
    throw std::runtime_error(full + (as_server ? ": --secret FILE is missing, by which two servers prove themselves"
                                               : ": TESS_RMEM_KEY or TESS_RMEM_AUTHORITY must name a file"));
  context const shared = new_context(ssl().TLS_client_method());
  SSL_CTX* const c = shared.get();
  ssl().SSL_CTX_set_ex_data(c, context_index(), const_cast<void*>(static_cast<void const*>(&key)));
  ssl().SSL_CTX_set_psk_use_session_callback(c, use_key);
  // Without an authority no certificate passes, so the server must have the key.
  ssl().SSL_CTX_set_verify(c, SSL_VERIFY_PEER, nullptr);
  if (!with.authority.empty() && ssl().SSL_CTX_load_verify_file(c, with.authority.c_str()) != 1)
    throw std::runtime_error(with.authority.string() + ": has no certificates: " + last_error());
  auto made = state::make(c, socket);
  auto const host = host_of(full);
  X509_VERIFY_PARAM* const checks = ssl().SSL_get0_param(made->of);
  if (ssl().X509_VERIFY_PARAM_set1_ip_asc(checks, host.c_str()) != 1)
    ssl().X509_VERIFY_PARAM_set1_host(checks, host.c_str(), 0);
  ssl().ERR_clear_error();
  ssl().SSL_set_connect_state(made->of);
  errno = 0;
  if (int const result = ssl().SSL_do_handshake(made->of); result != 1) {
    bool const is_late = errno == EAGAIN || errno == EWOULDBLOCK;
    if (is_late) throw std::runtime_error(full + ": no reply");
    std::string const why = last_error();
    throw not_proved(full + ": the server and this client do not prove themselves to each other (" + why +
                     "); do they have the same " + (as_server ? "--secret?" : "key, or the authority?"));
  }
  made->what = as_server ? proved::secret : proved::key;
  return std::unique_ptr<tls>(new tls(std::move(made)));
}

tls::tls(std::unique_ptr<state> made) : state_(std::move(made)) {}
tls::~tls() = default;

tls::proved tls::what() const {
  bool const is_proved = ssl().SSL_is_init_finished(state_->of) == 1 && ssl().SSL_session_reused(state_->of) == 1;
  return is_proved ? state_->what : proved::nothing;
}

ssize_t tls::receive(std::span<std::byte> to, int flags) {
  state_->flags = flags & (MSG_DONTWAIT);
  std::size_t got = 0;
  while (got < to.size()) {
    errno = 0;
    int const n =
        ssl().SSL_read(state_->of, &to[got], static_cast<int>(std::min<std::size_t>(to.size() - got, 1U << 30)));
    if (n <= 0) {
      ssize_t const failed = state_->failure(n);
      state_->drained = true;
      return got != 0 ? static_cast<ssize_t>(got) : failed;
    }
    state_->drained = false;
    got += static_cast<std::size_t>(n);
    // What is decrypted already is taken, too; for more, the socket is asked only if all of it is wanted.
    if ((flags & MSG_WAITALL) == 0 && ssl().SSL_pending(state_->of) == 0) break;
  }
  return static_cast<ssize_t>(got);
}

ssize_t tls::send(std::span<std::byte const> bytes, int flags) {
  // A longer offer may not be repeated by a shorter one.
  constexpr std::size_t record_bytes = 16384;
  state_->flags = flags & MSG_DONTWAIT;
  errno = 0;
  int const n = ssl().SSL_write(state_->of, bytes.data(), static_cast<int>(std::min(bytes.size(), record_bytes)));
  if (n > 0) return n;
  ssize_t const failed = state_->failure(n);
  if (failed != 0) return failed;
  errno = EPIPE;
  return -1;
}

bool tls::has_buffered() const {
  return !state_->drained;
}

std::string credentials::read_key(std::filesystem::path const& file) {
  auto const fail = [&](std::string const& what) { throw std::runtime_error(file.string() + ": " + what); };
  descriptor const from(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat found{};
  if (!from.is_open() || fstat(from.number(), &found) != 0)
    fail("cannot be read: " + std::generic_category().message(errno));
  if (!S_ISREG(found.st_mode)) fail("is no file");
  if ((found.st_mode & (S_IRWXG | S_IRWXO)) != 0) fail("can be read by others; chmod 600 it");
  std::array<char, key_bytes_max + 2> bytes{};
  ssize_t const n = read(from.number(), bytes.data(), bytes.size());
  std::string_view text(bytes.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
  text = text.substr(0, text.find('\n'));
  if (text.size() < key_bytes_min || text.size() > key_bytes_max)
    fail("its first line has " + std::to_string(text.size()) + " bytes; give " + std::to_string(key_bytes_min) +
         " to " + std::to_string(key_bytes_max) + ", as by: openssl rand -hex 32");
  return std::string(text);
}

credentials credentials::of_environment() {
  credentials all;
  if (char const* const file = std::getenv("TESS_RMEM_KEY"); file != nullptr && *file != '\0') all.key = read_key(file);
  if (char const* const file = std::getenv("TESS_RMEM_AUTHORITY"); file != nullptr && *file != '\0')
    all.authority = file;
  return all;
}

}  // namespace tess::rmem
