// crealtimesafety.h: detects real-time violations of plugin code on render threads, and locates crashes.
// SPDX-License-Identifier: MIT
//
// For a helper process that tests one plugin and ends, or for a session that monitors itself: what is
// rewritten here is never restored.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Operations that real-time code must not perform.
typedef enum {
  CWATCH_ALLOCATION,
  CWATCH_FREE,
  CWATCH_LOCK,
  CWATCH_SYSTEM_CALL,
} crts_kind;

/// A violation: its source, and how often it occurred.
typedef struct {
  crts_kind kind;
  /// The function or system call; lives as long as the process.
  const char *_Nullable what;
  /// The context of the step that the thread was running.
  const void *_Nullable subject;
  /// The number of calls from this location.
  uint64_t count;
  /// The first block with a call, counted from 0 since `crts_clear`.
  uint64_t first_block;
  /// The number of blocks with a call.
  uint64_t block_count;
  /// The location in plugin code: library, and symbol or offset; empty for the host.
  char place[256];
} crts_violation;

/// The number of violations of each kind, and the kernel's counters, since `crts_clear`.
typedef struct {
  uint64_t blocks;
  /// Indexed by `crts_kind`.
  uint64_t offences[4];
  /// How often the thread waited, and how often it was preempted. Only if the host is monitored too.
  uint64_t waits;
  uint64_t preemptions;
  /// The number of page faults.
  uint64_t page_faults;
} crts_totals;

/// Also monitors the program itself; its violations have no location. [main, before crts_install]
void crts_monitor_host(void);

/// Replaces the C library's functions in every library that is loaded now, except in the program itself. Call
/// it again after further libraries were loaded. [main]
///
/// - Parameter library: the path that the plugin's library was loaded from; empty for any.
void crts_install(const char *_Nonnull library);

/// Returns whether the kernel reports every system call. Otherwise only the C library's functions for the
/// usual system calls are monitored. [any, after crts_install]
bool crts_traces_all_syscalls(void);

/// Between these two calls the calling thread is monitored, for one block of audio. [render]
void crts_enter(void);
void crts_exit(void);

/// Between these two calls the calling thread is monitored for a part of a block: the work of another thread,
/// or the same thread's after a pause. Violations count for the current block. [render, any thread]
void crts_join(void);
void crts_leave(void);

/// Removes all violations, and restarts the count of blocks at 0. [any, not monitored]
void crts_clear(void);

/// Returns the violation at a position, in the order of first occurrence; false after the last one. [any, not
/// monitored]
bool crts_offence_at(uint32_t index, crts_violation *_Nonnull offence);

/// Returns the totals so far. [any, not monitored]
crts_totals crts_take_totals(void);

/// Reports a crash of this process before it ends. [main]
///
/// Two messages are written to `socket`, each a length of four bytes, the byte `kind`, a signal number of
/// four bytes, and a text: its length in four bytes and its bytes. The text of the first message is empty.
/// The second contains the location of the crash, and is omitted if it cannot be found.
///
/// - Parameter library: as for `crts_install`; it is not copied, so it must live as long as the process.
void crts_report_crashes(int socket, uint8_t kind, const char *_Nonnull library);

// MARK: - Faults that end this process

/// A fault of plugin code that ends this process. Its texts live as long as the process.
typedef struct {
  /// The signal of a crash; 0 for a call.
  int signal;
  /// The kernel's thread id.
  int32_t thread;
  /// The context of the step that the thread was running; NULL for none.
  const void *_Nullable subject;
  /// The owner of the code, as the beginning of a message; empty if unknown.
  const char *_Nonnull owner;
  /// The fault, as the middle of the message.
  const char *_Nonnull deed;
  /// The library, and the symbol or offset; empty if unknown.
  const char *_Nonnull place;
  /// The file of the library, and the address in it, to find the source line; empty if unknown.
  const char *_Nonnull library;
  unsigned long offset;
  /// The library of the plugin that owns the code; empty if unknown.
  const char *_Nonnull plugin;
} crts_fault;

/// Reports crashes of plugin code, and calls of `exit` and similar functions, on standard error before the
/// process ends. [main]
///
/// The location is known unless the stack is destroyed. A stack overflow is reported if the thread was
/// registered by `crealtime_begin_thread`, or is the caller of this function.
void crts_tell_of_faults(void);

/// Makes all later changes of the handler of a signal fail, and keeps the signal unblocked; 0 for none. [any]
void crts_keep_signal(int number);

/// Makes faults wait some seconds for the calling thread to take them. [any one thread]
void crts_await_faults(void);

/// Waits until there is a fault, at most `milliseconds`. [the thread that waits for faults]
void crts_wait_for_fault(unsigned milliseconds);

/// Returns a fault that has happened; NULL if there is none. Then `crts_note_spoken` records that users were
/// informed, and `crts_end_fault` ends the process as the fault would have ended it. [the thread that waits
/// for faults]
const crts_fault *_Nullable crts_take_fault(void);
void crts_note_spoken(void);
void crts_end_fault(void);

/// Finds the step that a hanging thread is running, and its location; empty if the thread does not respond
/// within 0.2 s. A thread that responds does not run on, so the process must end next. The thread 0 has ended;
/// without a subject, the owner is then any plugin. [the thread that waits for faults]
crts_fault crts_look_at_thread(int32_t thread, const void *_Nullable subject);

/// Finds the source line of an address in a library, as `file:line`, with a system tool. Returns false if the library
/// has no debug information, if there is no tool, or no line is known. It takes at most some seconds. [any but render]
bool crts_line_of(const char *_Nonnull library, unsigned long offset, char *_Nonnull text,
                    uint32_t capacity);

/// Returns the exit status that the program itself requested; -1 while it runs. [any]
int crts_requested_status(void);

/// Makes the process end with the requested status, otherwise 1, after `seconds`, even if its threads hang. [any]
void crts_limit_end(unsigned seconds);

/// Ends the process at once with a status; runs nothing that a thread could block. [any]
_Noreturn void crts_end_now(int status);

/// Replaces the owners of libraries that may crash: `libraries[i]` is the path that a library was loaded
/// from, `owners[i]` the beginning of a message. Everything is copied. [any but render]
void crts_register_libraries(const char *_Nonnull const *_Nonnull libraries,
                           const char *_Nonnull const *_Nonnull owners, uint32_t count);

/// Replaces the owners of steps, by their contexts, and the libraries of their nodes, empty for none.
/// Everything is copied. [any but render]
void crts_name_subjects(const void *_Nonnull const *_Nonnull subjects,
                          const char *_Nonnull const *_Nonnull libraries,
                          const char *_Nonnull const *_Nonnull owners, uint32_t count);
