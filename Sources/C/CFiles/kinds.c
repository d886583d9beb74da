// kinds.c: see cfiles.h. SPDX-License-Identifier: MIT
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cfiles.h"

static cfiles_kind kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG: return CFILES_REGULAR;
    case S_IFDIR: return CFILES_DIRECTORY;
    case S_IFIFO: return CFILES_PIPE;
    case S_IFSOCK: return CFILES_SOCKET;
    default: return CFILES_DEVICE;
  }
}

cfiles_kind cfiles_kind_at(const char *path) {
  struct stat facts;
  if (stat(path, &facts) == 0) return kind_of(facts.st_mode);
  return CFILES_NOTHING;
}

const char *cfiles_kind_name(cfiles_kind kind) {
  switch (kind) {
    case CFILES_NOTHING: return "nothing";
    case CFILES_REGULAR: return "a file";
    case CFILES_DIRECTORY: return "a directory";
    case CFILES_PIPE: return "a named pipe";
    case CFILES_SOCKET: return "a socket";
    case CFILES_DEVICE: return "a device";
  }
  return "not a file";
}

int cfiles_open_regular(const char *path, bool allows_pipe, cfiles_kind *kind) {
  struct stat facts;
  *kind = CFILES_NOTHING;
  // Opening a device can have effects, so the kind is checked first.
  if (stat(path, &facts) != 0) return -1;
  *kind = kind_of(facts.st_mode);
  bool is_wanted = *kind == CFILES_REGULAR || (allows_pipe && *kind == CFILES_PIPE);
  int file = -1;
  if (is_wanted) {
    file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return -1;
    // Another file may have replaced it meanwhile.
    if (fstat(file, &facts) != 0 || kind_of(facts.st_mode) != *kind) {
      close(file);
      file = -1;
      *kind = kind_of(facts.st_mode);
    }
  }
  if (file < 0) errno = *kind == CFILES_DIRECTORY ? EISDIR : EINVAL;
  return file;
}
