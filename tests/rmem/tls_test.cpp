// tls_test: what both ends of a connection by TCP must prove. Method: a server on a thread; certificates are made here.
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "fresh_tcp_address.hpp"
#include "key_file.hpp"
#include "rmem/client/connection.hpp"
#include "rmem/server/server.hpp"
#include "running_server.hpp"

namespace tess::rmem {
namespace {

/// A certificate for this address of the loopback network, which is its own authority, and its key, in files.
struct certificate_files {
  std::string certificate = "/dev/shm/tess-rmem-certificate-" + std::to_string(getpid()) + ".pem";
  std::string key = "/dev/shm/tess-rmem-private-" + std::to_string(getpid()) + ".pem";

  explicit certificate_files(std::string const& host) {
    std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> const pair(EVP_EC_gen("P-256"), &EVP_PKEY_free);
    std::unique_ptr<X509, decltype(&X509_free)> const made(X509_new(), &X509_free);
    X509_set_version(made.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
    X509_set_pubkey(made.get(), pair.get());
    X509_NAME* const name = X509_get_subject_name(made.get());
    auto const* const text = reinterpret_cast<unsigned char const*>("tess test");
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0);
    X509_set_issuer_name(made.get(), name);
    X509_EXTENSION* const alternative =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, ("IP:" + host).c_str());
    X509_add_ext(made.get(), alternative, -1);
    X509_EXTENSION_free(alternative);
    X509_sign(made.get(), pair.get(), EVP_sha256());
    FILE* file = std::fopen(certificate.c_str(), "w");
    PEM_write_X509(file, made.get());
    std::fclose(file);
    file = std::fopen(key.c_str(), "w");
    PEM_write_PrivateKey(file, pair.get(), nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
  }
  certificate_files(certificate_files const&) = delete;
  certificate_files& operator=(certificate_files const&) = delete;
  ~certificate_files() {
    unlink(certificate.c_str());
    unlink(key.c_str());
  }
};

struct thread_server {
  memd::server of;
  std::thread thread{[this] { of.run(); }};
  explicit thread_server(memd::server::options const& o) : of(o) {}
  thread_server(thread_server const&) = delete;
  thread_server& operator=(thread_server const&) = delete;
  ~thread_server() {
    of.stop();
    thread.join();
  }
};

std::string host_of(std::string const& tcp) {
  return tcp.substr(4, tcp.rfind(':') - 4);
}

memd::server::options options_of(std::string const& tcp, credentials proofs) {
  memd::server::options o;
  o.size_bytes = 16 * mebibyte;
  o.listen = {tcp};
  o.proofs = std::move(proofs);
  return o;
}

std::string error_of(std::string const& tcp, credentials const& with, bool as_server = false) {
  try {
    static_cast<void>(stream::to(tcp, with, as_server));
  } catch (std::runtime_error const& no) {
    return no.what();
  }
  return "";
}

TEST(rmem_tls, a_client_and_a_server_need_the_same_key) {
  auto const tcp = fresh_tcp_address();
  thread_server const server(options_of(tcp, {.key = "the key of the clients", .secret = "the secret of servers"}));
  EXPECT_EQ(error_of(tcp, {.key = "the key of the clients", .secret = {}}), "");
  EXPECT_EQ(error_of(tcp, {.key = {}, .secret = "the secret of servers"}, true), "");
  EXPECT_NE(error_of(tcp, {.key = "another key, of others", .secret = {}}).find("do not prove themselves"),
            std::string::npos);
  // The key of clients is not the secret of servers, nor the other way round.
  EXPECT_NE(error_of(tcp, {.key = {}, .secret = "the key of the clients"}, true), "");
  EXPECT_NE(error_of(tcp, {.key = "the secret of servers", .secret = {}}), "");
  EXPECT_NE(error_of(tcp, {}).find("must name a file"), std::string::npos);
}

TEST(rmem_tls, a_client_with_the_key_is_no_server) {
  auto const tcp = fresh_tcp_address();
  thread_server const server(options_of(tcp, {.key = "the key of the clients", .secret = "the secret of servers"}));
  key_file const file("tls", "the key of the clients");
  setenv("TESS_RMEM_KEY", file.path.c_str(), 1);
  connection c(tcp);
  c.call({.what = wire::operation::hello});
  EXPECT_THROW(c.call({.what = wire::operation::take_over}), refused);
  unsetenv("TESS_RMEM_KEY");
}

TEST(rmem_tls, a_server_that_accepts_any_key_is_found_out) {
  // It has a key of its own, and a certificate that nobody trusts.
  auto const tcp = fresh_tcp_address();
  certificate_files const files(host_of(tcp));
  thread_server const impostor(options_of(
      tcp,
      {.key = "the key of an impostor", .secret = {}, .certificate = files.certificate, .private_key = files.key}));
  EXPECT_NE(error_of(tcp, {.key = "the key of the clients", .secret = {}}), "");
}

TEST(rmem_tls, a_certificate_proves_the_server_of_one_address) {
  auto const tcp = fresh_tcp_address();
  auto const other = fresh_tcp_address();
  certificate_files const files(host_of(tcp));
  credentials const own{.key = {}, .secret = {}, .certificate = files.certificate, .private_key = files.key};
  thread_server const server(options_of(tcp, own));
  credentials const trusting{.key = {}, .secret = {}, .authority = files.certificate};
  EXPECT_EQ(error_of(tcp, trusting), "");
  // The same certificate at an address for which it was not made.
  auto const elsewhere = "tcp:127.0.0.1" + other.substr(other.rfind(':'));
  thread_server const stolen(options_of(elsewhere, own));
  EXPECT_NE(error_of(elsewhere, trusting), "");
}

TEST(rmem_tls, older_protocols_and_plain_text_are_refused) {
  auto const tcp = fresh_tcp_address();
  thread_server const server(options_of(tcp, {.key = "the key of the clients", .secret = {}}));
  auto const plain = connect_to(tcp, std::chrono::milliseconds(2000));
  auto const hello = wire::encode({.what = wire::operation::hello, .id = 1});
  ASSERT_EQ(send(plain.number(), hello.data(), hello.size(), MSG_NOSIGNAL), static_cast<ssize_t>(hello.size()));
  std::array<char, 256> got{};
  // An alert, and the end.
  ssize_t n = recv(plain.number(), got.data(), got.size(), 0);
  if (n > 0) {
    EXPECT_EQ(got[0], 21) << "a TLS alert";
    n = recv(plain.number(), got.data(), got.size(), 0);
  }
  EXPECT_LE(n, 0);
}

TEST(rmem_tls, a_key_is_a_file_that_nobody_else_can_read) {
  key_file const open_to_all("open", "a key that is long enough");
  chmod(open_to_all.path.c_str(), 0644);
  EXPECT_THROW(static_cast<void>(credentials::read_key(open_to_all.path)), std::runtime_error);
  key_file const tiny("tiny", "tiny");
  EXPECT_THROW(static_cast<void>(credentials::read_key(tiny.path)), std::runtime_error);
  EXPECT_THROW(static_cast<void>(credentials::read_key("/dev/zero")), std::runtime_error);
  EXPECT_THROW(static_cast<void>(credentials::read_key("/nonexistent")), std::runtime_error);
}

}  // namespace
}  // namespace tess::rmem
