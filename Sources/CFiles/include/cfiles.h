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
