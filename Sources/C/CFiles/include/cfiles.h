// cfiles.h: Linux file calls that Swift's Glibc leaves out, as they are GNU extensions.
// SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>
#include <stddef.h>

/// tee: copies bytes from one pipe to another without consuming them.
ptrdiff_t cfiles_tee(int from, int to, size_t count);

/// memfd_create: an empty file in memory; the descriptor, or -1 with errno set.
int cfiles_memory_file(const char *_Nonnull name);

/// open with O_TMPFILE: a file without a name in a folder; the descriptor, or -1 with errno set.
int cfiles_unnamed_file(const char *_Nonnull folder);

/// linkat through /proc: names a file that has no name; 0, or -1 with errno set.
int cfiles_name_file(int descriptor, const char *_Nonnull path);

/// renameat2: renames a file; with `replaces` false one that is there already is an error, EEXIST.
int cfiles_rename(const char *_Nonnull from, const char *_Nonnull to, bool replaces);

/// The working directory with which the program was started, read before any other code ran; NULL if it had no name.
const char *_Nullable cfiles_launch_folder(void);

// MARK: - Kinds of files

/// What a path names, links followed.
typedef enum cfiles_kind {
  CFILES_NOTHING,
  CFILES_REGULAR,
  CFILES_DIRECTORY,
  CFILES_PIPE,
  CFILES_SOCKET,
  CFILES_DEVICE,
} cfiles_kind;

/// What a path names; CFILES_NOTHING if it cannot be examined.
cfiles_kind cfiles_kind_at(const char *_Nonnull path);

/// The kind in words, with an article: "a named pipe".
const char *_Nonnull cfiles_kind_name(cfiles_kind kind);

/// Opens a regular file for reading, or a pipe if `allows_pipe`, without waiting for a pipe's writer.
///
/// Returns the descriptor, in non-blocking mode, or -1 with errno set. `kind` receives what the path names;
/// a kind that is refused is never opened.
int cfiles_open_regular(const char *_Nonnull path, bool allows_pipe, cfiles_kind *_Nonnull kind);
