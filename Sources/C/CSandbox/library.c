// library.c: records the files that the sandbox refuses, and processes. SPDX-License-Identifier: MIT
//
// These functions replace those of the C library for every library, because the loader searches the program first. A
// path is known only here: a filter of system calls cannot read it. Outside a sandbox they only call the C library.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox.h"

// Fortified callers use these.
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int directory, const char *path, int flags);
int __openat64_2(int directory, const char *path, int flags);

/// A replaced function, looked up before any other thread can call.
#define REAL(name) static typeof(&name) real_##name
REAL(open);
REAL(open64);
REAL(openat);
REAL(openat64);
REAL(__open_2);
REAL(__open64_2);
REAL(__openat_2);
REAL(__openat64_2);
REAL(creat);
REAL(fopen);
REAL(fopen64);
REAL(opendir);
REAL(mkdir);
REAL(rmdir);
REAL(unlink);
REAL(rename);
REAL(fork);
REAL(posix_spawn);
REAL(posix_spawnp);
REAL(system);
REAL(popen);

#define FIND(name) real_##name = (typeof(&name))dlsym(RTLD_NEXT, #name)
__attribute__((constructor)) static void find(void) {
  FIND(open), FIND(open64), FIND(openat), FIND(openat64);
  FIND(__open_2), FIND(__open64_2), FIND(__openat_2), FIND(__openat64_2);
  FIND(creat), FIND(fopen), FIND(fopen64), FIND(opendir);
  FIND(mkdir), FIND(rmdir), FIND(unlink), FIND(rename);
  FIND(fork), FIND(posix_spawn), FIND(posix_spawnp), FIND(system), FIND(popen);
}

/// Returns the function; a library may call it before `find`.
#define CALL(name) (real_##name ? real_##name : (find(), real_##name))

/// Records a file whose call failed, if the sandbox is the reason.
static void note(bool has_failed, const char *path, bool is_write) {
  if (!has_failed || !sandbox_is_entered || errno != EACCES || !path) return;
  sandbox_note(is_write ? CSANDBOX_WRITE : CSANDBOX_READ, SYS_openat, path);
}

static bool writes(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT); }

// MARK: - Files

/// The argument after `flags`, which is there only if a file may be created.
#define TAKE_MODE(flags)                                          \
  mode_t mode = 0;                                                \
  if ((flags) & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) {         \
    va_list list;                                                 \
    va_start(list, flags);                                        \
    mode = va_arg(list, mode_t);                                  \
    va_end(list);                                                 \
  }

#define OPEN(name)                                  \
  int name(const char *path, int flags, ...) {      \
    TAKE_MODE(flags)                                \
    const int file = CALL(name)(path, flags, mode); \
    note(file < 0, path, writes(flags));            \
    return file;                                    \
  }
OPEN(open)
OPEN(open64)

#define OPEN_AT(name)                                          \
  int name(int directory, const char *path, int flags, ...) {  \
    TAKE_MODE(flags)                                           \
    const int file = CALL(name)(directory, path, flags, mode); \
    note(file < 0, path, writes(flags));                       \
    return file;                                               \
  }
OPEN_AT(openat)
OPEN_AT(openat64)

#define OPEN_FORTIFIED(name)                  \
  int name(const char *path, int flags) {     \
    const int file = CALL(name)(path, flags); \
    note(file < 0, path, writes(flags));      \
    return file;                              \
  }
OPEN_FORTIFIED(__open_2)
OPEN_FORTIFIED(__open64_2)

#define OPEN_AT_FORTIFIED(name)                          \
  int name(int directory, const char *path, int flags) { \
    const int file = CALL(name)(directory, path, flags); \
    note(file < 0, path, writes(flags));                 \
    return file;                                         \
  }
OPEN_AT_FORTIFIED(__openat_2)
OPEN_AT_FORTIFIED(__openat64_2)

int creat(const char *path, mode_t mode) {
  const int file = CALL(creat)(path, mode);
  note(file < 0, path, true);
  return file;
}

#define OPEN_STREAM(name)                            \
  FILE *name(const char *path, const char *mode) {   \
    FILE *file = CALL(name)(path, mode);             \
    note(!file, path, mode && strpbrk(mode, "wa+")); \
    return file;                                     \
  }
OPEN_STREAM(fopen)
OPEN_STREAM(fopen64)

DIR *opendir(const char *path) {
  DIR *directory = CALL(opendir)(path);
  note(!directory, path, false);
  return directory;
}

int mkdir(const char *path, mode_t mode) {
  const int result = CALL(mkdir)(path, mode);
  struct stat facts;
  // Libraries create all parents of a path. Landlock is asked before the file system.
  if (result != 0 && errno == EACCES && sandbox_is_entered)
    errno = stat(path, &facts) == 0 ? EEXIST : EACCES;
  note(result != 0, path, true);
  return result;
}

int rmdir(const char *path) {
  const int result = CALL(rmdir)(path);
  note(result != 0, path, true);
  return result;
}

int unlink(const char *path) {
  const int result = CALL(unlink)(path);
  note(result != 0, path, true);
  return result;
}

int rename(const char *from, const char *to) {
  const int result = CALL(rename)(from, to);
  note(result != 0, to, true);
  return result;
}

// MARK: - Processes

/// Records a process that the plugin wants to start, and returns whether it is refused.
static bool refuses_process(void) {
  if (!sandbox_is_entered) return false;
  sandbox_note(CSANDBOX_PROCESS, SYS_clone, NULL);
  errno = EPERM;
  return true;
}

pid_t fork(void) { return refuses_process() ? -1 : CALL(fork)(); }

int posix_spawn(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const arguments[],
                char *const environment[]) {
  if (refuses_process()) return EPERM;
  return CALL(posix_spawn)(process, path, actions, attributes, arguments, environment);
}

int posix_spawnp(pid_t *process, const char *name, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[],
                 char *const environment[]) {
  if (refuses_process()) return EPERM;
  return CALL(posix_spawnp)(process, name, actions, attributes, arguments, environment);
}

int system(const char *command) { return refuses_process() ? -1 : CALL(system)(command); }

FILE *popen(const char *command, const char *mode) {
  return refuses_process() ? NULL : CALL(popen)(command, mode);
}
