// proc-exe-shim.c: makes /proc/self/exe refer to the program itself under valgrind. SPDX-License-Identifier: MIT
//
// It is preloaded. Outboard's plugin cache is valid only for the program that wrote it. The program identifies
// itself by the size and time of /proc/self/exe, which is valgrind's under valgrind.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int fstatat(int directory, const char *restrict path, struct stat *restrict facts, int flags) {
  const char *program = getenv("BENCHMARK_PROGRAM");
  if (program && strcmp(path, "/proc/self/exe") == 0) path = program;
  return (int)syscall(SYS_newfstatat, directory, path, facts, flags);
}
