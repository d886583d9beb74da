// programs.c: plugin code that replaces the program by another one. SPDX-License-Identifier: MIT
//
// As in exits.c, these functions replace those of the C library. A forked process may call them.
#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "exits.h"
#include "faults.h"

typedef int replace(const char *path, char *const arguments[], char *const environment[]);
typedef int replace_at(int directory, const char *path, char *const arguments[],
                       char *const environment[], int flags);
typedef int replace_by(int file, char *const arguments[], char *const environment[]);

static replace *real_execve, *real_execvpe;
static replace_at *real_execveat;
static replace_by *real_fexecve;

// A forked process must not take the lock of the loader.
__attribute__((constructor)) static void find(void) {
  real_execve = (replace *)dlsym(RTLD_NEXT, "execve");
  real_execvpe = (replace *)dlsym(RTLD_NEXT, "execvpe");
  real_execveat = (replace_at *)dlsym(RTLD_NEXT, "execveat");
  real_fexecve = (replace_by *)dlsym(RTLD_NEXT, "fexecve");
}

void programs_tell(const char *function) {
  char deed[128];
  snprintf(deed, sizeof deed, "replaced the program by another one (%s)", function);
  faults_tell(0, deed, NULL);
  crts_end_now(EXIT_FAILURE);
}

static int missing(void) {
  errno = ENOSYS;
  return -1;
}

static int by_path(const char *path, char *const arguments[], char *const environment[]) {
  return real_execve ? real_execve(path, arguments, environment) : missing();
}

static int by_name(const char *name, char *const arguments[], char *const environment[]) {
  return real_execvpe ? real_execvpe(name, arguments, environment) : missing();
}

int execve(const char *path, char *const arguments[], char *const environment[]) {
  if (exits_are_foreign(CALLER)) programs_tell("execve");
  return by_path(path, arguments, environment);
}

int execv(const char *path, char *const arguments[]) {
  if (exits_are_foreign(CALLER)) programs_tell("execv");
  return by_path(path, arguments, environ);
}

int execvp(const char *name, char *const arguments[]) {
  if (exits_are_foreign(CALLER)) programs_tell("execvp");
  return by_name(name, arguments, environ);
}

int execvpe(const char *name, char *const arguments[], char *const environment[]) {
  if (exits_are_foreign(CALLER)) programs_tell("execvpe");
  return by_name(name, arguments, environment);
}

int execveat(int directory, const char *path, char *const arguments[], char *const environment[],
             int flags) {
  if (exits_are_foreign(CALLER)) programs_tell("execveat");
  return real_execveat ? real_execveat(directory, path, arguments, environment, flags) : missing();
}

int fexecve(int file, char *const arguments[], char *const environment[]) {
  if (exits_are_foreign(CALLER)) programs_tell("fexecve");
  return real_fexecve ? real_fexecve(file, arguments, environment) : missing();
}

// Copies the arguments of a call, up to NULL, to the array `arguments`, and leaves the list behind them.
#define TAKE_ARGUMENTS(first)                                                                      \
  va_list list;                                                                                    \
  size_t count = 1;                                                                                \
  va_start(list, first);                                                                           \
  for (const char *next = first; next; count++) next = va_arg(list, const char *);                 \
  va_end(list);                                                                                    \
  char **arguments = alloca((count + 1) * sizeof *arguments);                                      \
  va_start(list, first);                                                                           \
  arguments[0] = (char *)first;                                                                    \
  for (size_t i = 0; arguments[i]; i++) arguments[i + 1] = va_arg(list, char *)

int execl(const char *path, const char *first, ...) {
  if (exits_are_foreign(CALLER)) programs_tell("execl");
  TAKE_ARGUMENTS(first);
  va_end(list);
  return by_path(path, arguments, environ);
}

int execlp(const char *name, const char *first, ...) {
  if (exits_are_foreign(CALLER)) programs_tell("execlp");
  TAKE_ARGUMENTS(first);
  va_end(list);
  return by_name(name, arguments, environ);
}

int execle(const char *path, const char *first, ...) {
  if (exits_are_foreign(CALLER)) programs_tell("execle");
  TAKE_ARGUMENTS(first);
  char *const *environment = va_arg(list, char *const *);
  va_end(list);
  return by_path(path, arguments, environment);
}
