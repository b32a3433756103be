// library: dlopen, the table of functions, and the context with its transports.
#include "fabric/ucx/library.hpp"

#include <dlfcn.h>
#include <stdlib.h>

#include <string>

#include "tess/error.hpp"

namespace tess::detail {

namespace {

template <class Function>
void find_ucx(void* library, char const* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr)
    throw error("libucp.so.0", "has no function " + std::string(name), "UCX 1.13 or later: apt-get install libucx0");
}

ucx_library open_library() {
  // Segments are never unmapped while UCX runs, so it need not watch the process's memory. Tessera handles signals,
  // error messages and the end of the process. Variables that the user has set are kept.
  setenv("UCX_MEM_EVENTS", "n", 0);
  setenv("UCX_HANDLE_ERRORS", "none", 0);
  // SIGHUP would stop the process for a debugger instead of ending it.
  setenv("UCX_DEBUG_SIGNO", "0", 0);
  setenv("UCX_LOG_LEVEL", "fatal", 0);
  setenv("UCX_WARN_UNUSED_ENV_VARS", "n", 0);
  void* const library = dlopen("libucp.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw error("--fabric ucx", dlerror(), "UCX: apt-get install libucx0");
  ucx_library u{};
  find_ucx(library, "ucp_config_read", u.config_read);
  find_ucx(library, "ucp_config_modify", u.config_modify);
  find_ucx(library, "ucp_config_release", u.config_release);
  find_ucx(library, "ucp_init_version", u.init_version);
  find_ucx(library, "ucp_cleanup", u.cleanup);
  find_ucx(library, "ucp_worker_create", u.worker_create);
  find_ucx(library, "ucp_worker_destroy", u.worker_destroy);
  find_ucx(library, "ucp_worker_get_address", u.worker_get_address);
  find_ucx(library, "ucp_worker_release_address", u.worker_release_address);
  find_ucx(library, "ucp_worker_get_efd", u.worker_get_efd);
  find_ucx(library, "ucp_worker_arm", u.worker_arm);
  find_ucx(library, "ucp_worker_progress", u.worker_progress);
  find_ucx(library, "ucp_worker_set_am_recv_handler", u.worker_set_am_recv_handler);
  find_ucx(library, "ucp_ep_create", u.ep_create);
  find_ucx(library, "ucp_ep_close_nbx", u.ep_close_nbx);
  find_ucx(library, "ucp_am_send_nbx", u.am_send_nbx);
  find_ucx(library, "ucp_am_recv_data_nbx", u.am_recv_data_nbx);
  find_ucx(library, "ucp_am_data_release", u.am_data_release);
  find_ucx(library, "ucp_request_check_status", u.request_check_status);
  find_ucx(library, "ucp_request_cancel", u.request_cancel);
  find_ucx(library, "ucp_request_free", u.request_free);
  find_ucx(library, "ucs_status_string", u.status_string);
  return u;
}

/// One host needs no network, and then nothing listens.
char const* transports(bool one_host) {
  return one_host ? "posix,cma,self" : "^sysv";
}

}  // namespace

ucx_library const& load_ucx() {
  static ucx_library const library = open_library();
  return library;
}

ucp_context_h make_ucx_context(place_id places, unsigned places_here, unsigned workers, bool mailboxes) {
  ucx_library const& ucx = load_ucx();
  // UCX fills 4 MiB of buffers for what others of the host send at once. Our messages have mailboxes. Options of one
  // transport are read from the environment only.
  if (mailboxes) setenv("UCX_POSIX_RX_BUFS_GROW", "32", 0);
  ucp_config_t* config = nullptr;
  auto const check = [&](ucs_status_t status, char const* call) {
    if (status != UCS_OK)
      throw error("--fabric ucx", std::string(call) + ": " + ucx.status_string(status),
                  "UCX_TLS and UCX_NET_DEVICES unset, or set to what `ucx_info -d` lists");
  };
  check(ucx.config_read(nullptr, nullptr, &config), "ucp_config_read");
  auto const set = [&](std::string const& name, char const* value) {
    if (std::getenv(("UCX_" + name).c_str()) == nullptr)
      static_cast<void>(ucx.config_modify(config, name.c_str(), value));
  };
  set("TLS", transports(places_here == places));
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS | UCP_PARAM_FIELD_MT_WORKERS_SHARED;
  params.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  params.estimated_num_eps = places;
  params.mt_workers_shared = workers > 1;
  ucp_context_h context = nullptr;
  ucs_status_t const status = ucx.init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, config, &context);
  ucx.config_release(config);
  check(status, "ucp_init");
  return context;
}

}  // namespace tess::detail
