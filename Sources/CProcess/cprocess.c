// cprocess.c: see cprocess.h. SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cprocess.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

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

static const char *fault_words, *hang_words;

static void end_done(int signal) {
  const char *words = signal == SIGALRM ? hang_words : fault_words;
  const ssize_t written = write(STDERR_FILENO, words, strlen(words));
  // Whether anybody reads it changes nothing.
  (void)written;
  _exit(0);
}

void cprocess_end_done(const char *faulted, const char *hung, unsigned seconds) {
  static const int signals[] = {SIGABRT, SIGALRM, SIGBUS,  SIGFPE,
                                SIGILL,  SIGSEGV, SIGSYS, SIGTRAP};
  // Copies that are never freed: the handler may need them at any time.
  fault_words = strdup(faulted);
  hang_words = strdup(hung);
  if (!fault_words || !hang_words) return;
  // A stack that has overflowed has no room for the handler.
  static _Alignas(16) char memory[1 << 16];
  const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
  sigaltstack(&stack, NULL);
  const struct sigaction action = {.sa_handler = end_done, .sa_flags = SA_ONSTACK};
  sigset_t caught;
  sigemptyset(&caught);
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
    sigaction(signals[i], &action, NULL);
    sigaddset(&caught, signals[i]);
  }
  pthread_sigmask(SIG_UNBLOCK, &caught, NULL);
  alarm(seconds);
}

// A parent that has ended before this shows as the end of the child's socket.
void cprocess_end_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL); }
