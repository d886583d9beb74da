// line.c: finds the source line of an address. SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "crealtimesafety.h"

enum { timeout_milliseconds = 1500 };

static long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/// Starts a program with its output in a pipe. Returns its process id, or 0 if there is no such program.
static pid_t start(char *const arguments[], int output, int other_end) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none;
  sigemptyset(&none);
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawn_file_actions_addclose(&actions, other_end);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  if (posix_spawnp(&process, arguments[0], &actions, &attributes, arguments, environ) != 0) process = 0;
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return process;
}

/// Reads the output of a program until a time limit.
static size_t read_all(int file, char *text, size_t capacity) {
  const long end = milliseconds() + timeout_milliseconds;
  size_t length = 0;
  while (length + 1 < capacity) {
    struct pollfd ready = {.fd = file, .events = POLLIN};
    const long left = end - milliseconds();
    if (left <= 0 || poll(&ready, 1, (int)left) <= 0) break;
    const ssize_t count = read(file, text + length, capacity - 1 - length);
    if (count <= 0) break;
    length += (size_t)count;
  }
  text[length] = 0;
  return length;
}

static bool ask(char *const arguments[], char *text, size_t capacity) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  const pid_t process = start(arguments, ends[1], ends[0]);
  close(ends[1]);
  if (process > 0) {
    read_all(ends[0], text, capacity);
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
  }
  close(ends[0]);
  char *end = strpbrk(text, "\n");
  if (process <= 0 || !end) return false;
  *end = 0;
  // `late.c:7 (discriminator 3)`, and `??:0` if nothing is known.
  char *remark = strstr(text, " (discriminator");
  if (remark) *remark = 0;
  const char *colon = strrchr(text, ':');
  return text[0] != '?' && colon && colon[1] >= '1' && colon[1] <= '9';
}

/// Reads the name of a section of an open library. Returns false at the end, and if the file is damaged.
static bool read_section_name(int file, const ElfW(Ehdr) *head, unsigned index, uint64_t names, char *name,
                              size_t capacity) {
  ElfW(Shdr) section;
  if (index >= head->e_shnum) return false;
  const off_t place = (off_t)(head->e_shoff + (uint64_t)index * sizeof section);
  if (pread(file, &section, sizeof section, place) != sizeof section) return false;
  const ssize_t count = pread(file, name, capacity - 1, (off_t)(names + section.sh_name));
  name[count < 0 ? 0 : count] = 0;
  return count > 0;
}

/// Whether a library contains source lines, or names a file of a debug package that may contain them.
///
/// A session that restarts is silent meanwhile, and the tools take longer than the restart.
static bool has_lines(const char *library) {
  const int file = open(library, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  ElfW(Ehdr) head;
  ElfW(Shdr) names;
  const bool has_packages = access("/usr/lib/debug", F_OK) == 0;
  bool is_found = false;
  if (pread(file, &head, sizeof head, 0) == sizeof head && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
      head.e_shentsize == sizeof names &&
      pread(file, &names, sizeof names, (off_t)(head.e_shoff + (uint64_t)head.e_shstrndx * sizeof names)) ==
          sizeof names) {
    char name[16];
    for (unsigned i = 0; !is_found && read_section_name(file, &head, i, names.sh_offset, name, sizeof name); i++)
      is_found = strcmp(name, ".debug_line") == 0 || (has_packages && strcmp(name, ".gnu_debuglink") == 0);
  }
  close(file);
  return is_found;
}

bool crts_line_of(const char *library, unsigned long offset, char *text, uint32_t capacity) {
  if (!has_lines(library)) return false;
  char address[32], object[4200];
  snprintf(address, sizeof address, "0x%lx", offset);
  snprintf(object, sizeof object, "--obj=%s", library);
  char *const llvm[] = {"llvm-symbolizer", object, "--output-style=GNU", "--functions=none",
                        address, NULL};
  char *const gnu[] = {"addr2line", "-e", (char *)library, address, NULL};
  return ask(gnu, text, capacity) || ask(llvm, text, capacity);
}
