// library: the functions of libucp, loaded with the first ucx fabric, so that programs need not link it.
//
// Errors   tess::error naming the library and the package that has it.
// Threads  load_ucx: any; what it returns is constant.
#pragma once

#include <ucp/api/ucp.h>

#include "tess/error.hpp"

namespace tess::detail {

struct ucx_library {
  decltype(&ucp_config_read) config_read;
  decltype(&ucp_config_modify) config_modify;
  decltype(&ucp_config_release) config_release;
  decltype(&ucp_init_version) init_version;
  decltype(&ucp_cleanup) cleanup;
  decltype(&ucp_worker_create) worker_create;
  decltype(&ucp_worker_destroy) worker_destroy;
  decltype(&ucp_worker_get_address) worker_get_address;
  decltype(&ucp_worker_release_address) worker_release_address;
  decltype(&ucp_worker_get_efd) worker_get_efd;
  decltype(&ucp_worker_arm) worker_arm;
  decltype(&ucp_worker_progress) worker_progress;
  decltype(&ucp_worker_set_am_recv_handler) worker_set_am_recv_handler;
  decltype(&ucp_ep_create) ep_create;
  decltype(&ucp_ep_close_nbx) ep_close_nbx;
  decltype(&ucp_am_send_nbx) am_send_nbx;
  decltype(&ucp_am_recv_data_nbx) am_recv_data_nbx;
  decltype(&ucp_am_data_release) am_data_release;
  decltype(&ucp_request_check_status) request_check_status;
  decltype(&ucp_request_cancel) request_cancel;
  decltype(&ucp_request_free) request_free;
  decltype(&ucs_status_string) status_string;
};

[[nodiscard]] ucx_library const& load_ucx();

/// `places_here`: on this host. `workers`: UCP workers that it will have. `mailboxes`: few messages go by UCX.
[[nodiscard]] ucp_context_h make_ucx_context(place_id places, unsigned places_here, unsigned workers, bool mailboxes);

}  // namespace tess::detail
