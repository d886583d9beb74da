// cprocess.h: functions that glibc declares only under _GNU_SOURCE, which Swift does not define.
// SPDX-License-Identifier: MIT
#pragma once

#include <spawn.h>
#include <stdint.h>
#include <sys/types.h>

#include "cprocess_state.h"

/// Creates a file in memory, closed at exec. Returns its descriptor, or -1. [any]
int cprocess_memory_file(void);

/// Creates a pipe whose ends are closed at exec. Returns 0, or -1 with errno set. [any]
int cprocess_pipe(int ends[_Nonnull 2]);

/// Limits a process's address space and disables core files. Returns 0 or an errno value. [any]
int cprocess_limit(pid_t process, uint64_t address_space_bytes);

/// Makes a spawned process close every descriptor from `first` on. Returns 0 or an errno value. [any]
int cprocess_close_from(posix_spawn_file_actions_t *_Nonnull actions, int first);

/// Replaces this process by a program, which keeps the process id, the standard streams and the descriptors in `kept`, and
/// no other descriptor. SIGINT, SIGTERM and SIGHUP stay blocked, so that none is lost; the program unblocks them. The
/// signals in `ignored` (bit N for signal N) are ignored, as `cprocess_ignored_signals` returned them; all others are not.
/// Returns an errno value if it fails. [any]
int cprocess_replace(const char *_Nonnull path, char *_Nullable const *_Nonnull arguments,
                     char *_Nullable const *_Nonnull environment, const int *_Nonnull kept, int kept_count,
                     uint64_t ignored);

/// Returns the signals that this process ignores. [any]
uint64_t cprocess_ignored_signals(void);

/// Makes the kernel kill this process when its parent ends for any reason. [main]
void cprocess_end_with_parent(void);

/// Fills all memory that the heap allocates from now on with a byte, below 255, and stores the byte in the
/// environment, for modules that clear their own memory. Chunks from the per-thread cache are filled only if
/// the process was started with `glibc.malloc.tcache_count=0`. [main]
void cprocess_fill_heap(uint8_t byte);

/// Fills memory that the heap allocates from now on with zeros, except small chunks that were freed recently.
/// [any]
void cprocess_clear_heap(void);

/// Stops filling allocated memory. [any]
void cprocess_leave_heap(void);

/// Fills the stack below the caller with a byte, 64 KiB deep. [any]
void cprocess_fill_stack(uint8_t byte);

/// Renders a block of a node: its context, its channels and a number of frames.
typedef void (*cprocess_render_function)(void *_Nonnull context,
                                         float *_Nonnull const *_Nonnull channels,
                                         uint32_t frame_count);

/// Fills the stack and renders a block immediately. Other code in between would leave bytes on the stack that
/// depend on time: the dynamic linker, for example, stores registers there. [any]
void cprocess_render_on_filled_stack(uint8_t byte, cprocess_render_function _Nonnull render,
                                     void *_Nonnull context,
                                     float *_Nonnull const *_Nonnull channels,
                                     uint32_t frame_count);

/// Forks this process. The copy ends with it, and ends by a signal if it crashes. Returns 0 in the copy, its
/// id in this process, or -1. [main, with no other thread running]
pid_t cprocess_fork(void);

/// The messages of `cprocess_serve_forks` and of its copies.
typedef struct {
  enum { CPROCESS_FORK_BEGAN = 1, CPROCESS_FORK_NUMBER, CPROCESS_FORK_ENDED } kind;
  /// The id of the copy, or its exit status.
  int32_t value;
  /// The result of the copy.
  uint64_t number;
} cprocess_fork_message;

/// Forks a copy of this process for each request of four bytes that it reads, one after another, and exits at
/// the end of the requests. Allocates nothing, so all copies have the same memory. [main, with no other
/// thread running]
///
/// - Returns: in a copy, the request.
uint32_t cprocess_serve_forks(int requests, int messages);

/// The memory of this process.
typedef struct {
  /// The bytes that were allocated and not freed.
  uint64_t heap_bytes;
  /// The bytes of address space.
  uint64_t mapped_bytes;
  uint64_t threads;
  uint64_t descriptors;
} cprocess_holdings;

/// Measures the memory of this process without keeping an allocation. [any]
cprocess_holdings cprocess_measure_holdings(void);

/// Waits until a debugger is attached to this process (returns 1), or until the process receives SIGCONT or a line on
/// standard input, if that is a terminal (returns 0). Any process of the user may attach from then on. [main, with no
/// other thread running]
int cprocess_wait_for_debugger(void);

/// Returns how a child process ended, as `waitpid` does; -1 while it runs, and SIGKILL if there is no such process.
/// Does not release the process: its ID stays reserved until `waitpid` is called. [any]
int cprocess_exit_status(int32_t process);

/// Waits for the end of a child process and releases it, and returns its `waitpid` status. [any]
int cprocess_wait(int32_t process);

/// Releases ended threads of a child process that made this process their tracer. Until then, the process stays. [any]
void cprocess_release_threads(int32_t process);
