// trees.c: copies directories between a sandbox and its host. SPDX-License-Identifier: MIT
//
// All paths are relative to open directories, because the process in the sandbox may replace a directory by a link
// at any time.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cisolation.h"
#include "csandbox.h"

/// The deepest directory; a link may lead in circles.
enum { DEPTH_LIMIT = 32 };

static int copy_file(int from, int to, const char *name, mode_t mode) {
  const int target = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (target < 0) return errno;
  ssize_t count = 1;
  while (count > 0) count = sendfile(target, from, NULL, 1 << 24);
  int error = count < 0 ? errno : 0;
  if (error == 0 && fchmod(target, mode & 0777) != 0) error = errno;
  if (close(target) != 0 && error == 0) error = errno;
  return error;
}

static int copy_directory(int from, int to, bool follows_links, int depth);

static int copy_entry(int from, int to, const char *name, bool follows_links, int depth) {
  // Without waiting for the other end of a pipe.
  const int flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | (follows_links ? 0 : O_NOFOLLOW);
  const int file = openat(from, name, flags);
  // A link that is not followed, a link to nothing, or a socket.
  if (file < 0) return errno == ELOOP || errno == ENXIO || errno == ENOENT ? 0 : errno;
  struct stat facts;
  int error = fstat(file, &facts) == 0 ? 0 : errno;
  if (error == 0 && S_ISREG(facts.st_mode)) error = copy_file(file, to, name, facts.st_mode);
  if (error == 0 && S_ISDIR(facts.st_mode)) {
    const int made = mkdirat(to, name, 0700) == 0
                         ? openat(to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                         : -1;
    // Closes both.
    if (made >= 0) return copy_directory(file, made, follows_links, depth + 1);
    error = errno;
  }
  close(file);
  return error;
}

/// Copies the entries of a directory; closes both.
static int copy_directory(int from, int to, bool follows_links, int depth) {
  DIR *listing = depth < DEPTH_LIMIT ? fdopendir(from) : NULL;
  int error = depth < DEPTH_LIMIT ? 0 : ELOOP;
  if (!listing) {
    if (error == 0) error = errno;
    close(from);
  }
  for (struct dirent *entry = NULL; listing && error == 0 && (entry = readdir(listing));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    error = copy_entry(dirfd(listing), to, entry->d_name, follows_links, depth);
  }
  if (listing) closedir(listing);
  close(to);
  return error;
}

int csandbox_copy_tree(const char *from, const char *to, bool follows_links) {
  const int link = follows_links ? 0 : O_NOFOLLOW;
  const int source = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC | link);
  if (source < 0) return errno;
  int error = mkdir(to, 0700) == 0 ? 0 : errno;
  const int target = error == 0 ? open(to, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
  if (target >= 0) return copy_directory(source, target, follows_links, 0);
  if (error == 0) error = errno;
  close(source);
  return error;
}

// MARK: - Moving to the destination

/// Returns whether a directory may be replaced.
static bool is_replaceable(const char *path, bool replaces) {
  char manifest[PATH_MAX];
  if (access(path, F_OK) != 0) return true;
  if (replaces && snprintf(manifest, sizeof manifest, "%s/manifest.ttl", path) < PATH_MAX &&
      access(manifest, F_OK) == 0)
    return true;
  DIR *listing = opendir(path);
  int count = 0;
  while (listing && readdir(listing)) count++;
  if (listing) closedir(listing);
  return listing && count <= 2;
}

/// Creates the parents of a path.
static void make_parents(char *path) {
  for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
    *slash = 0;
    mkdir(path, 0777);
    *slash = '/';
  }
}

/// Gives a directory that was created privately the default permissions.
static void make_public(const char *path) {
  const mode_t mask = umask(0);
  umask(mask);
  chmod(path, 0777 & ~mask);
}

int csandbox_install_tree(const char *from, const char *to, bool replaces) {
  char place[PATH_MAX], draft[PATH_MAX];
  size_t length = strnlen(to, PATH_MAX);
  while (length > 1 && to[length - 1] == '/') length--;
  if (length + 16 > PATH_MAX) return ENAMETOOLONG;
  snprintf(place, sizeof place, "%.*s", (int)length, to);
  if (!is_replaceable(place, replaces)) return EEXIST;
  make_parents(place);
  snprintf(draft, sizeof draft, "%.*s.new-XXXXXX", (int)length, to);
  // Only its name is wanted.
  if (!mkdtemp(draft) || rmdir(draft) != 0) return errno;
  int error = csandbox_copy_tree(from, draft, false);
  if (error == 0) {
    make_public(draft);
    // An empty directory is replaced as well.
    if (rename(draft, place) == 0) return 0;
    error = renameat2(AT_FDCWD, draft, AT_FDCWD, place, RENAME_EXCHANGE) == 0 ? 0 : errno;
  }
  // The old directory after an exchange.
  cisolation_remove_tree(draft);
  return error;
}
