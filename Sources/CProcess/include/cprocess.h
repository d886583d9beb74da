// cprocess.h: what glibc declares under _GNU_SOURCE alone, which Swift does not set.
// SPDX-License-Identifier: MIT
#pragma once

#include <spawn.h>
#include <stdint.h>
#include <sys/types.h>

/// A file in memory, closed at exec; its descriptor, or -1. [any]
int cprocess_memory_file(void);

/// Bounds a process's address space, and forbids it to write a core file; 0 or an errno value. [any]
int cprocess_limit(pid_t process, uint64_t address_space_bytes);

/// Has a spawned process close every descriptor from `first` on; 0 or an errno value. [any]
int cprocess_close_from(posix_spawn_file_actions_t *_Nonnull actions, int first);

/// Has this process end with status 0 from now on where it would end by a fault (a segmentation fault, an
/// abort), or has not ended after so many seconds; the one or the other is written to standard error.
///
/// For a process whose work is done, but which still has foreign code to call. [main, once]
void cprocess_end_done(const char *_Nonnull faulted, const char *_Nonnull hung, unsigned seconds);

/// Has the kernel kill this process when the one that started it ends, however that comes. [main]
void cprocess_end_with_parent(void);
