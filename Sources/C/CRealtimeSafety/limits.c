// limits.c: plugin code that sets resource limits during rendering. SPDX-License-Identifier: MIT
//
// As in exits.c, these functions replace those of the C library. A limit that is too low ends the process by
// a signal that cannot be handled, or makes recordings fail, before it could be restored.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "crealtime.h"
#include "exits.h"

/// Returns whether the caller is a node that is being rendered.
static bool is_rendered(const void *caller) {
  return crealtime_own_work.subject && !crealtime_own_work.is_call && exits_are_foreign(caller);
}

static int refuse(void) {
  errno = EPERM;
  return -1;
}

static int pass(pid_t process, int resource, const void *fresh, void *old) {
  return (int)exits_call(SYS_prlimit64, process, resource, (long)fresh, (long)old, 0, 0);
}

int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit) {
  return is_rendered(CALLER) ? refuse() : pass(0, (int)resource, limit, NULL);
}

int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limit) {
  return is_rendered(CALLER) ? refuse() : pass(0, (int)resource, limit, NULL);
}

int prlimit(pid_t process, enum __rlimit_resource resource, const struct rlimit *fresh,
            struct rlimit *old) {
  if (fresh && is_rendered(CALLER)) return refuse();
  return pass(process, (int)resource, fresh, old);
}

int prlimit64(pid_t process, enum __rlimit_resource resource, const struct rlimit64 *fresh,
              struct rlimit64 *old) {
  if (fresh && is_rendered(CALLER)) return refuse();
  return pass(process, (int)resource, fresh, old);
}
