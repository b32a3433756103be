// raw_calls: a context and a worker for each side, linked against libucp.
#include "ucx/raw_calls.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "harness/clock.hpp"

namespace bench {

namespace {

void check(ucs_status_t status, char const* call) {
  if (status != UCS_OK) throw std::runtime_error(std::string(call) + ": " + ucs_status_string(status));
}

ucp_context_h make_context() {
  ucp_config_t* config = nullptr;
  check(ucp_config_read(nullptr, nullptr, &config), "ucp_config_read");
  // The transports that the fabric uses on one host.
  if (std::getenv("UCX_TLS") == nullptr) static_cast<void>(ucp_config_modify(config, "TLS", "posix,cma,self"));
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES;
  params.features = UCP_FEATURE_RMA | UCP_FEATURE_AMO64;
  ucp_context_h context = nullptr;
  ucs_status_t const status = ucp_init(&params, config, &context);
  ucp_config_release(config);
  check(status, "ucp_init");
  return context;
}

ucp_worker_h make_worker(ucp_context_h context) {
  ucp_worker_params_t params{};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  params.thread_mode = UCS_THREAD_MODE_SINGLE;
  ucp_worker_h worker = nullptr;
  check(ucp_worker_create(context, &params, &worker), "ucp_worker_create");
  return worker;
}

ucp_mem_h register_memory(ucp_context_h context, void* memory, std::size_t bytes) {
  ucp_mem_map_params_t params{};
  params.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
  params.address = memory;
  params.length = bytes;
  ucp_mem_h handle = nullptr;
  check(ucp_mem_map(context, &params, &handle), "ucp_mem_map");
  return handle;
}

/// Sizes and address, the worker's address, the key.
struct introduction_header {
  std::uint64_t memory, address_bytes, key_bytes;
};

struct target {
  explicit target(void* memory, std::size_t bytes)
      : context(make_context()), worker(make_worker(context)), handle(register_memory(context, memory, bytes)) {
    ucp_address_t* address = nullptr;
    introduction_header h{reinterpret_cast<std::uint64_t>(memory), 0, 0};
    check(ucp_worker_get_address(worker, &address, &h.address_bytes), "ucp_worker_get_address");
    void* key = nullptr;
    check(ucp_rkey_pack(context, handle, &key, &h.key_bytes), "ucp_rkey_pack");
    introduction.resize(sizeof h + h.address_bytes + h.key_bytes);
    std::memcpy(introduction.data(), &h, sizeof h);
    std::memcpy(introduction.data() + sizeof h, address, h.address_bytes);
    std::memcpy(introduction.data() + sizeof h + h.address_bytes, key, h.key_bytes);
    ucp_rkey_buffer_release(key);
    ucp_worker_release_address(worker, address);
    thread = std::thread([this] { run(); });
  }
  ~target() {
    state.store(ended);
    state.notify_all();
    thread.join();
    ucp_mem_unmap(context, handle);
    ucp_worker_destroy(worker);
    ucp_cleanup(context);
  }
  target(target const&) = delete;
  target& operator=(target const&) = delete;

  void run() {
    for (;;) {
      int const s = state.load(std::memory_order_relaxed);
      if (s == ended) return;
      if (s == asleep)
        state.wait(asleep);
      else
        ucp_worker_progress(worker);
    }
  }

  static constexpr int asleep = 0, spinning = 1, ended = 2;
  ucp_context_h context;
  ucp_worker_h worker;
  ucp_mem_h handle;
  std::vector<std::byte> introduction;
  std::atomic<int> state{asleep};
  std::thread thread;
};

std::unique_ptr<target>& the_target() {
  static std::unique_ptr<target> t;
  return t;
}

}  // namespace

raw_introduction start_raw_target(void* memory, std::size_t bytes) {
  the_target() = std::make_unique<target>(memory, bytes);
  return {the_target()->introduction.data(), the_target()->introduction.size()};
}
void progress_raw_target(bool on) {
  the_target()->state.store(on ? target::spinning : target::asleep);
  the_target()->state.notify_all();
}
void end_raw_target() {
  the_target().reset();
}

raw_side::raw_side(std::span<std::byte const> introduction) : context_(make_context()), worker_(make_worker(context_)) {
  introduction_header h;
  std::memcpy(&h, introduction.data(), sizeof h);
  there_ = h.memory;
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
  params.address = reinterpret_cast<ucp_address_t const*>(introduction.data() + sizeof h);
  check(ucp_ep_create(worker_, &params, &endpoint_), "ucp_ep_create");
  check(ucp_ep_rkey_unpack(endpoint_, introduction.data() + sizeof h + h.address_bytes, &key_), "ucp_ep_rkey_unpack");
}

raw_side::~raw_side() {
  if (mine_ != nullptr) ucp_mem_unmap(context_, mine_);
  ucp_rkey_destroy(key_);
  ucp_request_param_t const param{};
  if (void* const request = ucp_ep_close_nbx(endpoint_, &param); UCS_PTR_IS_PTR(request)) {
    while (ucp_request_check_status(request) == UCS_INPROGRESS) ucp_worker_progress(worker_);
    ucp_request_free(request);
  }
  ucp_worker_destroy(worker_);
  ucp_cleanup(context_);
}

void* raw_side::issue(raw_operation what, std::uint64_t* result, unsigned word) {
  ucp_request_param_t param{};
  std::uint64_t const there = there_ + word * sizeof(std::uint64_t);
  if (what == raw_operation::put) return ucp_put_nbx(endpoint_, result, sizeof *result, there, key_, &param);
  if (what == raw_operation::get) return ucp_get_nbx(endpoint_, result, sizeof *result, there, key_, &param);
  param.op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_REPLY_BUFFER;
  param.datatype = ucp_dt_make_contig(sizeof *result);
  param.reply_buffer = result;
  static std::uint64_t const one = 1;
  return ucp_atomic_op_nbx(endpoint_, UCP_ATOMIC_OP_ADD, &one, 1, there, key_, &param);
}

void raw_side::wait(void* request) {
  if (request == nullptr) return;
  if (UCS_PTR_IS_ERR(request)) check(UCS_PTR_STATUS(request), "an operation");
  while (ucp_request_check_status(request) == UCS_INPROGRESS) ucp_worker_progress(worker_);
  ucp_request_free(request);
}

void raw_side::flush() {
  ucp_request_param_t const param{};
  wait(ucp_ep_flush_nbx(endpoint_, &param));
}

double raw_side::latency(raw_operation what, unsigned operations) {
  std::uint64_t result = 1;
  double const begin = timestamp();
  for (unsigned i = 0; i < operations; ++i) {
    wait(issue(what, &result, 0));
    if (what == raw_operation::put) flush();
  }
  return (timestamp() - begin) / operations;
}

double raw_side::rate(raw_operation what, unsigned operations, unsigned outstanding) {
  std::vector<void*> requests(outstanding);
  std::vector<std::uint64_t> results(outstanding, 1);
  double const begin = timestamp();
  for (unsigned i = 0; i < operations; i += outstanding) {
    for (unsigned j = 0; j < outstanding; ++j) requests[j] = issue(what, &results[j], j);
    for (void* const r : requests) wait(r);
    if (what == raw_operation::put) flush();
  }
  return operations / (timestamp() - begin);
}

double raw_side::block(bool put, void* mine, std::size_t bytes, unsigned transfers) {
  ucp_request_param_t const param{};
  double const begin = timestamp();
  for (unsigned i = 0; i < transfers; ++i) {
    wait(put ? ucp_put_nbx(endpoint_, mine, bytes, there_, key_, &param)
             : ucp_get_nbx(endpoint_, mine, bytes, there_, key_, &param));
    if (put) flush();
  }
  return static_cast<double>(bytes) * transfers / (timestamp() - begin);
}

}  // namespace bench
