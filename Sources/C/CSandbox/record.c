// record.c: records what the sandbox refuses. SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "crealtimesafety.h"
#include "sandbox.h"

bool sandbox_is_entered;
static csandbox_record *record;
static struct sigaction crash_action;

/// Returns whether a file is in the record already.
static bool is_known(const char *path, bool is_write) {
  uint32_t count = __atomic_load_n(&record->file_count, __ATOMIC_RELAXED);
  if (count > CSANDBOX_FILE_COUNT) count = CSANDBOX_FILE_COUNT;
  for (uint32_t i = 0; i < count; i++) {
    const csandbox_file *file = &record->files[i];
    if (__atomic_load_n(&file->is_complete, __ATOMIC_ACQUIRE) && file->is_write == is_write &&
        strncmp(file->path, path, CSANDBOX_PATH_BYTES - 1) == 0)
      return true;
  }
  return false;
}

static void note_file(const char *path, bool is_write) {
  if (is_known(path, is_write)) return;
  const uint32_t place = __atomic_fetch_add(&record->file_count, 1, __ATOMIC_RELAXED);
  if (place >= CSANDBOX_FILE_COUNT) return;
  csandbox_file *file = &record->files[place];
  file->is_write = is_write;
  size_t length = 0;
  while (length < CSANDBOX_PATH_BYTES - 1 && path[length]) length++;
  memcpy(file->path, path, length);
  __atomic_store_n(&file->is_complete, 1, __ATOMIC_RELEASE);
}

void sandbox_note(csandbox_kind kind, uint32_t call, const char *path) {
  if (!record || kind >= CSANDBOX_KIND_COUNT) return;
  if (path) note_file(path, kind == CSANDBOX_WRITE);
  __atomic_store_n(&record->calls[kind], call, __ATOMIC_RELAXED);
  // Pairs with the acquiring load of the host.
  __atomic_fetch_add(&record->counts[kind], 1, __ATOMIC_RELEASE);
}

// MARK: - The host's side

csandbox_count csandbox_counted(const csandbox_record *memory, uint32_t kind) {
  const uint32_t count = __atomic_load_n(&memory->counts[kind], __ATOMIC_ACQUIRE);
  return (csandbox_count){count, __atomic_load_n(&memory->calls[kind], __ATOMIC_RELAXED)};
}

bool csandbox_copy_file(const csandbox_record *memory, uint32_t index, csandbox_file *file) {
  const csandbox_file *shared = &memory->files[index];
  if (!__atomic_load_n(&shared->is_complete, __ATOMIC_ACQUIRE)) return false;
  memcpy(file, shared, sizeof *file);
  file->path[CSANDBOX_PATH_BYTES - 1] = 0;
  return file->path[0] != 0;
}

// MARK: - Refused system calls

/// Makes the system call that was interrupted return a value.
static void set_result(void *context, long value) {
  ucontext_t *user = context;
#if defined(__x86_64__)
  user->uc_mcontext.gregs[REG_RAX] = value;
#elif defined(__aarch64__)
  user->uc_mcontext.regs[0] = (unsigned long)value;
#elif defined(__riscv)
  user->uc_mcontext.__gregs[REG_A0] = (unsigned long)value;
#endif
}

/// The kernel's `si_code` of a call that a filter refuses; the filter's value is in `si_errno`.
enum { SECCOMP_CODE = 1 };

static void take_call(int number, siginfo_t *info, void *context) {
  const int error = errno;
  if (info->si_code != SECCOMP_CODE) {
    // Sent as a signal, which ends the process as without a sandbox.
    crts_keep_signal(0);
    signal(number, SIG_DFL);
    if (!(crash_action.sa_flags & SA_SIGINFO) && crash_action.sa_handler != SIG_DFL &&
        crash_action.sa_handler != SIG_IGN)
      crash_action.sa_handler(number);
    return;
  }
  sandbox_note((csandbox_kind)info->si_errno, (uint32_t)info->si_syscall, NULL);
  set_result(context, -EPERM);
  errno = error;
}

void sandbox_begin_record(csandbox_record *memory) {
  record = memory;
  const struct sigaction action = {.sa_sigaction = take_call,
                                   .sa_flags = SA_SIGINFO | SA_ONSTACK | (int)SA_NODEFER};
  sigaction(SIGSYS, &action, &crash_action);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGSYS);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  // While it is blocked, a refused call would end the process.
  crts_keep_signal(SIGSYS);
}
