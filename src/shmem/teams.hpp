// teams: makes and ends teams and contexts.
#pragma once

#include "shmem/context.hpp"

namespace tess::shmem {

int team_my_pe(shmem_team_t team);
int team_n_pes(shmem_team_t team);
int team_get_config(shmem_team_t team, long config_mask, shmem_team_config_t* config);
int team_translate_pe(shmem_team_t src_team, int src_pe, shmem_team_t dest_team);
int team_split_strided(shmem_team_t parent_team, int start, int stride, int size, shmem_team_config_t const* config,
                       long config_mask, shmem_team_t* new_team);
int team_split_2d(shmem_team_t parent_team, int xrange, shmem_team_config_t const* xaxis_config, long xaxis_mask,
                  shmem_team_t* xaxis_team, shmem_team_config_t const* yaxis_config, long yaxis_mask,
                  shmem_team_t* yaxis_team);
void team_destroy(shmem_team_t team);
void* team_ptr(shmem_team_t team, void const* dest, int pe);

int ctx_create(long options, shmem_ctx_t* ctx);
int team_create_ctx(shmem_team_t team, long options, shmem_ctx_t* ctx);
void ctx_destroy(shmem_ctx_t ctx);
int ctx_get_team(shmem_ctx_t ctx, shmem_team_t* team);
void ctx_session_start(shmem_ctx_t ctx, long options, shmem_ctx_session_config_t const* config, long config_mask);
void ctx_session_stop(shmem_ctx_t ctx);

/// At init and finalize: the world and what was left.
void open_teams();
void complete_contexts();
void close_teams();

}  // namespace tess::shmem
