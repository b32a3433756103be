// setup: start, end and queries of OpenSHMEM.
//
//   Each shmem_init has its shmem_finalize: only the first one starts, and only the last one ends (1.6).
//
// Source    OpenSHMEM 1.5, sections 9.1, 9.2, 9.13 and 10.
#pragma once

namespace tess::shmem {

void init();
int init_thread(int requested, int* provided);
void finalize();
void start_pes(int npes);
[[noreturn]] void global_exit(int status);
int my_pe();
int n_pes();
int pe_accessible(int pe);
int addr_accessible(void const* addr, int pe);
void* ptr(void const* dest, int pe);
void query_thread(int* provided);
void query_initialized(int* initialized);
void info_get_version(int* major, int* minor);
void info_get_name(char* name);

// Caches are coherent.
inline void clear_cache_inv() {}
inline void set_cache_inv() {}
inline void clear_cache_line_inv(void* /*dest*/) {}
inline void set_cache_line_inv(void* /*dest*/) {}
inline void udcflush() {}
inline void udcflush_line(void* /*dest*/) {}

inline void pcontrol(int /*level*/) {}

}  // namespace tess::shmem
