// csandbox.h: a sandbox for a worker process, with a record of what was refused. SPDX-License-Identifier: MIT
//
// Landlock limits the files, and a seccomp filter the system calls. Neither can be removed again. A refused call
// fails with EPERM or EACCES, and the process continues. The host reads the record, and does not trust it: a plugin may
// have written anything.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// The kind of request that a plugin made. The values are part of the record.
typedef enum csandbox_kind {
  /// A network socket.
  CSANDBOX_NETWORK,
  /// A local socket, or other communication with processes.
  CSANDBOX_COMMUNICATION,
  /// Another process or program.
  CSANDBOX_PROCESS,
  /// The memory of another process.
  CSANDBOX_INSPECTION,
  /// A signal to another process, or its priority.
  CSANDBOX_SIGNAL,
  /// Mounts, kernel modules, the clock, and similar.
  CSANDBOX_SYSTEM,
  /// To read a file or directory.
  CSANDBOX_READ,
  /// To write, create, remove or rename a file.
  CSANDBOX_WRITE,
  CSANDBOX_KIND_COUNT,
} csandbox_kind;

/// The number of files in a record, and the room for the path of each, in bytes with the zero.
enum { CSANDBOX_FILE_COUNT = 16, CSANDBOX_PATH_BYTES = 248 };

/// A file that was refused.
typedef struct csandbox_file {
  /// 1 when the rest is complete.
  uint32_t is_complete;
  uint32_t is_write;
  /// The path that the plugin gave; shortened if it is longer.
  char path[CSANDBOX_PATH_BYTES];
} csandbox_file;

/// The requests that were refused so far, in memory that the host shares.
typedef struct csandbox_record {
  /// The time that it took to enter the sandbox, in ns.
  uint64_t setup_nanoseconds;
  /// The number of refused calls of each kind.
  uint32_t counts[CSANDBOX_KIND_COUNT];
  /// The last refused system call of each kind.
  uint32_t calls[CSANDBOX_KIND_COUNT];
  /// The number of different files, which may be greater than `CSANDBOX_FILE_COUNT`.
  uint32_t file_count;
  csandbox_file files[CSANDBOX_FILE_COUNT];
} csandbox_record;

/// The parts of the sandbox, as bits.
enum {
  /// Landlock limits the files.
  CSANDBOX_FILES = 1,
  /// Seccomp limits the system calls.
  CSANDBOX_CALLS = 2,
};

/// Returns the parts that this kernel supports. [any]
uint32_t csandbox_support(void);

/// Limits the calling thread and those that it starts later, and records what is refused. [main, before other threads]
///
/// Directories stand for everything in them. Missing paths are ignored.
///
/// - Parameters:
///   - record: the record; it must stay mapped.
///   - readable: files and directories that may be read, besides the libraries of the system.
///   - writable: the directory that may be written.
/// - Returns: the parts that are in force; 0 if there are none.
uint32_t csandbox_enter(csandbox_record *_Nonnull record,
                        const char *_Nonnull const *_Nonnull readable, uint32_t readable_count,
                        const char *_Nonnull writable);

/// Returns the name of a system call that the filter refuses; NULL for others. [any]
const char *_Nullable csandbox_call_name(uint32_t call);

/// The number of refused calls of a kind, and the last of them.
typedef struct csandbox_count {
  uint32_t count;
  uint32_t call;
} csandbox_count;

/// Returns what a record contains about a kind. [any]
csandbox_count csandbox_counted(const csandbox_record *_Nonnull record, uint32_t kind);

/// Copies a file from a record, with a zero at the end of its path. Returns whether there is one. [any]
bool csandbox_copy_file(const csandbox_record *_Nonnull record, uint32_t index,
                        csandbox_file *_Nonnull file);

/// Copies a directory that a process in a sandbox has written to its destination, as a whole. [any but render]
///
/// Links are left out. An existing directory is replaced only if it is empty, or `replaces` is true and it is a bundle
/// with a file `manifest.ttl`.
///
/// Returns 0, or an errno value.
int csandbox_install_tree(const char *_Nonnull from, const char *_Nonnull to, bool replaces);

/// Copies a directory with its files. The directory `to` must not exist. [any but render]
///
/// One of both directories may belong to a sandbox whose process changes it meanwhile: links are never followed in
/// the target. Sockets and devices are left out.
///
/// - Parameter follows_links: whether files that links in `from` name are copied; otherwise links are left out.
/// - Returns: 0, or an errno value.
int csandbox_copy_tree(const char *_Nonnull from, const char *_Nonnull to, bool follows_links);
