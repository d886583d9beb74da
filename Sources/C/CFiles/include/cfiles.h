// cfiles.h: Linux file calls that are GNU extensions, which Swift's Glibc module omits.
// SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>
#include <stddef.h>

/// tee: copies bytes from one pipe to another without consuming them.
ptrdiff_t cfiles_tee(int from, int to, size_t count);

/// memfd_create: creates an empty file in memory. Returns the descriptor, or -1 with errno set.
int cfiles_memory_file(const char *_Nonnull name);

/// open with O_TMPFILE: creates a file without a name in a directory. Returns the descriptor, or -1 with
/// errno set.
int cfiles_unnamed_file(const char *_Nonnull directory);

/// linkat through /proc: gives an unnamed file a name. Returns 0, or -1 with errno set.
int cfiles_name_file(int descriptor, const char *_Nonnull path);

/// renameat2: renames a file. If `replaces` is false, an existing target is an error, EEXIST.
int cfiles_rename(const char *_Nonnull from, const char *_Nonnull to, bool replaces);

/// Returns the working directory at the start of the program, read before any other code ran; NULL if it had
/// no name. The path is a link in /proc if the name is not ASCII.
const char *_Nullable cfiles_launch_directory(void);

// MARK: - Kinds of files

/// The kind of file that a path names, links followed.
typedef enum cfiles_kind {
  CFILES_NOTHING,
  CFILES_REGULAR,
  CFILES_DIRECTORY,
  CFILES_PIPE,
  CFILES_SOCKET,
  CFILES_DEVICE,
} cfiles_kind;

/// Returns the kind of file at a path; CFILES_NOTHING if it cannot be examined.
cfiles_kind cfiles_kind_at(const char *_Nonnull path);

/// Returns the kind as text, with an article: "a named pipe".
const char *_Nonnull cfiles_kind_name(cfiles_kind kind);

/// Opens a regular file for reading, or a pipe if `allows_pipe`, without waiting for a writer.
///
/// Returns the descriptor, in non-blocking mode, or -1 with errno set. `kind` receives the kind of file. A
/// kind that is rejected is never opened.
int cfiles_open_regular(const char *_Nonnull path, bool allows_pipe, cfiles_kind *_Nonnull kind);
