// cprocess.c: see cprocess.h. SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cprocess.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

int cprocess_memory_file(void) { return memfd_create("noise", MFD_CLOEXEC); }

int cprocess_limit(pid_t process, uint64_t address_space_bytes) {
  const struct rlimit space = {.rlim_cur = address_space_bytes, .rlim_max = address_space_bytes};
  const struct rlimit core = {.rlim_cur = 0, .rlim_max = 0};
  if (prlimit(process, RLIMIT_AS, &space, NULL) != 0) return errno;
  return prlimit(process, RLIMIT_CORE, &core, NULL) == 0 ? 0 : errno;
}

int cprocess_close_from(posix_spawn_file_actions_t *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

// A parent that has ended before this shows as the end of the child's socket.
void cprocess_end_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL); }
