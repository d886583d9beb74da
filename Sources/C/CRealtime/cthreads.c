// cthreads.c: the part of cthreads.h that cannot be inline. SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cthreads.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

void crealtime_wait(const void *word, uint32_t expected) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

void crealtime_wake(const void *word, uint32_t count) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count < INT_MAX ? count : INT_MAX, NULL, NULL, 0);
}

uint32_t crealtime_processor_count(void) {
  cpu_set_t processors;
  if (sched_getaffinity(0, sizeof processors, &processors) != 0) return 1;
  int count = CPU_COUNT(&processors);
  return count > 0 ? (uint32_t)count : 1;
}

void crealtime_separate_directory(void) {
  // Needs no privilege. If it is forbidden, they stay shared.
  unshare(CLONE_FS);
}
