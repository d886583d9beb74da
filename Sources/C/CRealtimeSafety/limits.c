// limits.c: plugin code that sets resource limits. SPDX-License-Identifier: MIT
//
// As in exits.c, these functions replace those of the C library. A limit that is too low ends the process by
// a signal that cannot be handled, or makes recordings fail. So a node that is being rendered cannot set limits.
// Elsewhere plugin code can lower soft limits only, because the host could not raise a hard limit again.
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

/// Returns the limit to set for plugin code: with the present hard limit, if `fresh` is below it.
static struct rlimit64 with_hard_limit(pid_t process, int resource, const struct rlimit64 *fresh) {
  struct rlimit64 now, result = *fresh;
  const bool is_own = process == 0 || process == getpid();
  const bool is_known =
      is_own && exits_call(SYS_prlimit64, 0, resource, 0, (long)&now, 0, 0) == 0;
  if (is_known && result.rlim_max < now.rlim_max) result.rlim_max = now.rlim_max;
  return result;
}

static int set(pid_t process, int resource, const void *fresh, void *old, const void *caller) {
  struct rlimit64 limit;
  if (fresh && exits_are_foreign(caller)) {
    if (is_rendered(caller)) return refuse();
    limit = with_hard_limit(process, resource, fresh);
    fresh = &limit;
  }
  return (int)exits_call(SYS_prlimit64, process, resource, (long)fresh, (long)old, 0, 0);
}

int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit) {
  return set(0, (int)resource, limit, NULL, CALLER);
}

int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limit) {
  return set(0, (int)resource, limit, NULL, CALLER);
}

int prlimit(pid_t process, enum __rlimit_resource resource, const struct rlimit *fresh,
            struct rlimit *old) {
  return set(process, (int)resource, fresh, old, CALLER);
}

int prlimit64(pid_t process, enum __rlimit_resource resource, const struct rlimit64 *fresh,
              struct rlimit64 *old) {
  return set(process, (int)resource, fresh, old, CALLER);
}
