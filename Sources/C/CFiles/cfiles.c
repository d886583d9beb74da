// cfiles.c: see cfiles.h. SPDX-License-Identifier: MIT
#define _GNU_SOURCE

#include "cfiles.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

ptrdiff_t cfiles_tee(int from, int to, size_t count) { return tee(from, to, count, 0); }

int cfiles_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

int cfiles_unnamed_file(const char *directory) {
  return open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
}

int cfiles_name_file(int descriptor, const char *path) {
  char unnamed[64];
  snprintf(unnamed, sizeof unnamed, "/proc/self/fd/%d", descriptor);
  return linkat(AT_FDCWD, unnamed, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

int cfiles_rename(const char *from, const char *to, bool replaces) {
  if (replaces) return rename(from, to);
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  // For a file system without that flag: linking a second name fails if it exists; then the first name is
  // removed.
  if (link(from, to) != 0) return -1;
  return unlink(from);
}

static char *launch_directory;

static bool is_ascii(const char *text) {
  while (*text && (unsigned char)*text < 0x80) text++;
  return !*text;
}

__attribute__((constructor)) static void store_launch_directory(void) {
  static char link[32];
  launch_directory = getcwd(NULL, 0);
  // Linux puts "(unreachable)" before a directory that is outside of the root directory.
  if (launch_directory && launch_directory[0] != '/') launch_directory = NULL;
  if (!launch_directory || is_ascii(launch_directory)) return;
  // A name that is not UTF-8 does not fit into a string of Swift. The descriptor stays open for the link.
  const int directory = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
  launch_directory = link;
}

const char *cfiles_launch_directory(void) { return launch_directory; }
