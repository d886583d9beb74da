// files.c: limits the files of a process with Landlock. SPDX-License-Identifier: MIT
//
// The constants are those of linux/landlock.h, which is older than the kernel on many systems.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox.h"

// The same numbers for all architectures.
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446 };
enum { CREATE_RULESET_VERSION = 1, RULE_PATH_BENEATH = 1 };

/// Access rights, with the version of Landlock that introduced each.
enum {
  EXECUTE = 1 << 0,
  WRITE_FILE = 1 << 1,
  READ_FILE = 1 << 2,
  READ_DIR = 1 << 3,
  MAKE_SYM = 1 << 12,
  REFER = 1 << 13,      // 2
  TRUNCATE = 1 << 14,   // 3
  IOCTL_DEV = 1 << 15,  // 5
  ALL_OF_VERSION_1 = (1 << 13) - 1,
  /// The rights that a file can have which is not a directory.
  FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV,
  READ = EXECUTE | READ_FILE | READ_DIR,
  TCP = 3,                // 4: bind, connect
  ABSTRACT_SIGNALS = 3,   // 6: abstract Unix sockets, signals
};

typedef struct {
  uint64_t files, network, scoped;
} ruleset_attributes;

typedef struct {
  uint64_t access;
  int32_t parent;
} __attribute__((packed)) path_attributes;

/// The files that libraries read: themselves, their data, the locale and the processor.
static const char *const system_paths[] = {
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/fonts",
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/sys/devices/system/cpu",
    "/sys/devices/system/node",
};

static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                      "/dev/urandom"};

static int version(void) {
  return (int)syscall(CREATE_RULESET, NULL, (size_t)0, CREATE_RULESET_VERSION);
}

bool sandbox_has_files(void) { return version() > 0; }

static void allow(int rules, const char *path, uint64_t rights) {
  const int file = open(path, O_PATH | O_CLOEXEC);
  struct stat facts;
  if (file < 0) return;
  if (fstat(file, &facts) == 0) {
    if (!S_ISDIR(facts.st_mode)) rights &= FILE_RIGHTS;
    const path_attributes rule = {.access = rights, .parent = file};
    (void)!syscall(ADD_RULE, rules, RULE_PATH_BENEATH, &rule, 0);
  }
  // A rule is for an inode, and those of /proc live only while they are open.
  if (strncmp(path, "/proc/", 6) != 0) close(file);
}

/// The directories in which users look for libraries.
static void allow_library_path(int rules) {
  const char *list = getenv("LD_LIBRARY_PATH");
  char *copy = list ? strdup(list) : NULL;
  if (!copy) return;
  char *rest = NULL;
  for (char *path = strtok_r(copy, ":;", &rest); path; path = strtok_r(NULL, ":;", &rest)) {
    if (path[0] == '/') allow(rules, path, READ);
  }
  free(copy);
}

bool sandbox_limit_files(const char *const *readable, uint32_t readable_count, const char *writable) {
  const int known = version();
  if (known <= 0) return false;
  ruleset_attributes all = {.files = ALL_OF_VERSION_1};
  if (known >= 2) all.files |= REFER;
  if (known >= 3) all.files |= TRUNCATE;
  if (known >= 5) all.files |= IOCTL_DEV;
  if (known >= 4) all.network = TCP;
  if (known >= 6) all.scoped = ABSTRACT_SIGNALS;
  // A kernel accepts only the size that it knows, or zeros behind it.
  const int rules = (int)syscall(CREATE_RULESET, &all, sizeof all, 0);
  if (rules < 0) return false;
  for (size_t i = 0; i < sizeof system_paths / sizeof *system_paths; i++)
    allow(rules, system_paths[i], READ);
  for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
    allow(rules, devices[i], (READ_FILE | WRITE_FILE | TRUNCATE) & all.files);
  allow_library_path(rules);
  for (uint32_t i = 0; i < readable_count; i++) allow(rules, readable[i], READ);
  allow(rules, writable, all.files & ~(uint64_t)IOCTL_DEV);
  const bool is_done = syscall(RESTRICT_SELF, rules, 0) == 0;
  close(rules);
  return is_done;
}
