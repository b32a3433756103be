// shmem: the header under the name that it had before OpenSHMEM.
#include "../shmem.h"
