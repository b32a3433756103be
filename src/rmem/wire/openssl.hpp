// openssl: the functions of OpenSSL that tls.cpp calls, from libraries that are loaded when the first of them is.
//
//   Programs that use no remote memory by TCP need no OpenSSL.
//
// Errors   std::runtime_error: it is not installed, or too old.
#pragma once

#include <openssl/err.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace tess::rmem {

#define TESS_OPENSSL_FUNCTIONS                    \
  FUNCTION(BIO_clear_flags)                       \
  FUNCTION(BIO_set_flags)                         \
  FUNCTION(BIO_get_data)                          \
  FUNCTION(BIO_get_new_index)                     \
  FUNCTION(BIO_meth_new)                          \
  FUNCTION(BIO_meth_set_ctrl)                     \
  FUNCTION(BIO_meth_set_read)                     \
  FUNCTION(BIO_meth_set_write)                    \
  FUNCTION(BIO_new)                               \
  FUNCTION(BIO_set_data)                          \
  FUNCTION(BIO_set_init)                          \
  FUNCTION(CRYPTO_get_ex_new_index)               \
  FUNCTION(ERR_clear_error)                       \
  FUNCTION(ERR_get_error)                         \
  FUNCTION(ERR_reason_error_string)               \
  FUNCTION(EVP_MD_get_type)                       \
  FUNCTION(SHA256)                                \
  FUNCTION(SSL_CIPHER_find)                       \
  FUNCTION(SSL_CTX_check_private_key)             \
  FUNCTION(SSL_CTX_ctrl)                          \
  FUNCTION(SSL_CTX_free)                          \
  FUNCTION(SSL_CTX_get_ex_data)                   \
  FUNCTION(SSL_CTX_load_verify_file)              \
  FUNCTION(SSL_CTX_new)                           \
  FUNCTION(SSL_CTX_set_ciphersuites)              \
  FUNCTION(SSL_CTX_set_ex_data)                   \
  FUNCTION(SSL_CTX_set_num_tickets)               \
  FUNCTION(SSL_CTX_set_psk_find_session_callback) \
  FUNCTION(SSL_CTX_set_psk_use_session_callback)  \
  FUNCTION(SSL_CTX_set_verify)                    \
  FUNCTION(SSL_CTX_use_PrivateKey_file)           \
  FUNCTION(SSL_CTX_use_certificate_chain_file)    \
  FUNCTION(SSL_SESSION_free)                      \
  FUNCTION(SSL_SESSION_new)                       \
  FUNCTION(SSL_SESSION_set1_master_key)           \
  FUNCTION(SSL_SESSION_set_cipher)                \
  FUNCTION(SSL_SESSION_set_protocol_version)      \
  FUNCTION(SSL_do_handshake)                      \
  FUNCTION(SSL_free)                              \
  FUNCTION(SSL_get0_param)                        \
  FUNCTION(SSL_get_SSL_CTX)                       \
  FUNCTION(SSL_get_error)                         \
  FUNCTION(SSL_get_ex_data)                       \
  FUNCTION(SSL_is_init_finished)                  \
  FUNCTION(SSL_new)                               \
  FUNCTION(SSL_pending)                           \
  FUNCTION(SSL_read)                              \
  FUNCTION(SSL_session_reused)                    \
  FUNCTION(SSL_set_accept_state)                  \
  FUNCTION(SSL_set_bio)                           \
  FUNCTION(SSL_set_connect_state)                 \
  FUNCTION(SSL_set_ex_data)                       \
  FUNCTION(SSL_write)                             \
  FUNCTION(TLS_client_method)                     \
  FUNCTION(TLS_server_method)                     \
  FUNCTION(X509_VERIFY_PARAM_set1_host)           \
  FUNCTION(X509_VERIFY_PARAM_set1_ip_asc)

struct openssl {
#define FUNCTION(name) decltype(&::name) name = nullptr;
  TESS_OPENSSL_FUNCTIONS
#undef FUNCTION

  [[nodiscard]] static openssl const& library();
};

}  // namespace tess::rmem
