// enter.c: enters the sandbox. SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "crealtime.h"
#include "sandbox.h"


/// Drops the privileges of root, but for real-time priority and locked memory.
static void drop_privileges(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};
  if (syscall(SYS_capget, &header, data) != 0) return;
  const uint32_t kept = 1U << CAP_SYS_NICE | 1U << CAP_IPC_LOCK;
  data[0].permitted &= kept;
  data[0].effective &= kept;
  data[0].inheritable = data[1].permitted = data[1].effective = data[1].inheritable = 0;
  (void)!syscall(SYS_capset, &header, data);
}

uint32_t csandbox_support(void) {
  return (sandbox_has_files() ? CSANDBOX_FILES : 0) | (sandbox_has_calls() ? CSANDBOX_CALLS : 0);
}

uint32_t csandbox_enter(csandbox_record *record, const char *const *readable,
                        uint32_t readable_count, const char *writable) {
  const uint64_t start = crealtime_nanoseconds();
  // Landlock and seccomp require it from users without privileges.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 0;
  sandbox_begin_record(record);
  // The working directory of the host may not be read.
  if (chdir(writable) != 0) return 0;
  uint32_t parts = 0;
  if (sandbox_limit_files(readable, readable_count, writable)) parts |= CSANDBOX_FILES;
  drop_privileges();
  if (sandbox_limit_calls()) parts |= CSANDBOX_CALLS;
  sandbox_is_entered = parts != 0;
  record->setup_nanoseconds = crealtime_nanoseconds() - start;
  return parts;
}
