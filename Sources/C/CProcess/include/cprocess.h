// cprocess.h: what glibc declares under _GNU_SOURCE alone, which Swift does not set.
// SPDX-License-Identifier: MIT
#pragma once

#include <spawn.h>
#include <stdint.h>
#include <sys/types.h>

#include "cprocess_state.h"

/// A file in memory, closed at exec; its descriptor, or -1. [any]
int cprocess_memory_file(void);

/// Makes a pipe whose two ends are closed at exec; 0, or -1 with errno. [any]
int cprocess_pipe(int ends[_Nonnull 2]);

/// Bounds a process's address space, and forbids it to write a core file; 0 or an errno value. [any]
int cprocess_limit(pid_t process, uint64_t address_space_bytes);

/// Has a spawned process close every descriptor from `first` on; 0 or an errno value. [any]
int cprocess_close_from(posix_spawn_file_actions_t *_Nonnull actions, int first);

/// Has this process end with status 0 from now on where it would end by a fault (a segmentation fault, an
/// abort), or has not ended after so many seconds; the one or the other is written to standard error.
///
/// For a process whose work is done, but which still has foreign code to call. [main, once]
void cprocess_exit_on_teardown_failure(const char *_Nonnull faulted, const char *_Nonnull hung, unsigned seconds);

/// Has the kernel kill this process when the one that started it ends, however that comes. [main]
void cprocess_end_with_parent(void);

/// Fills all memory that the heap hands out from now on with a byte, below 255, and notes the byte in the
/// environment, for modules that clear their own memory. Chunks from the per-thread cache are filled only
/// if the process was started with `glibc.malloc.tcache_count=0`. [main]
void cprocess_fill_heap(uint8_t byte);

/// Has memory that the heap hands out hold zeros from now on, except small chunks that were freed a moment ago.
/// [any]
void cprocess_clear_heap(void);

/// Hands out memory as it is again. [any]
void cprocess_leave_heap(void);

/// Fills the stack below the caller with a byte, 64 KiB deep. [any]
void cprocess_fill_stack(uint8_t byte);

/// A block of a node: its context, its channels and a number of frames.
typedef void (*cprocess_render_function)(void *_Nonnull context,
                                         float *_Nonnull const *_Nonnull channels,
                                         uint32_t frame_count);

/// Fills the stack and renders a block at once. No other code runs in between, as it would leave bytes on the stack
/// that depend on time: the dynamic linker, for instance, stores registers there. [any]
void cprocess_render_on_filled_stack(uint8_t byte, cprocess_render_function _Nonnull render,
                                     void *_Nonnull context,
                                     float *_Nonnull const *_Nonnull channels,
                                     uint32_t frame_count);

/// Starts a copy of this process, which ends with it, and ends by a signal where it crashes; 0 in the
/// copy, its id in this process, or -1. [main, with no other thread running]
pid_t cprocess_fork(void);

/// What `cprocess_serve_forks` and the copies that it makes write.
typedef struct {
  enum { CPROCESS_FORK_BEGAN = 1, CPROCESS_FORK_NUMBER, CPROCESS_FORK_ENDED } kind;
  /// The id of the copy, or its status.
  int32_t value;
  /// What the copy found out.
  uint64_t number;
} cprocess_fork_message;

/// Makes a copy of this process for each request of four bytes that it reads, one after the other, and ends this
/// process at the end of the requests. Allocates nothing, so that all copies have the same memory.
///
/// - Returns: in a copy, the request.
/// [main, with no other thread running]
uint32_t cprocess_serve_forks(int requests, int messages);

/// What this process holds.
typedef struct {
  /// Bytes that were allocated and not freed.
  uint64_t heap_bytes;
  /// Bytes of address space.
  uint64_t mapped_bytes;
  uint64_t threads;
  uint64_t descriptors;
} cprocess_holdings;

/// What this process holds now; allocates nothing that stays. [any]
cprocess_holdings cprocess_measure_holdings(void);
