// functions: everything that the functions of C call.
#pragma once

#include "shmem/atomics.hpp"
#include "shmem/call.hpp"
#include "shmem/collectives.hpp"
#include "shmem/locks.hpp"
#include "shmem/memory.hpp"
#include "shmem/order.hpp"
#include "shmem/reductions.hpp"
#include "shmem/rma.hpp"
#include "shmem/setup.hpp"
#include "shmem/signals.hpp"
#include "shmem/teams.hpp"
#include "shmem/wait.hpp"
