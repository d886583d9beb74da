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

/// Has the kernel kill this process when the one that started it ends, however that comes. [main]
void cprocess_end_with_parent(void);
