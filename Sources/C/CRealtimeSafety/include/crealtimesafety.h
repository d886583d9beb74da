// crealtimesafety.h: watches what foreign code does on the threads that render, and names the place where it crashed.
// SPDX-License-Identifier: MIT
//
// For a child process that examines one plugin and ends, or for a run that watches itself: what is
// rewritten here is never put back.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// What real-time code must not do.
typedef enum {
  CWATCH_ALLOCATION,
  CWATCH_FREE,
  CWATCH_LOCK,
  CWATCH_SYSTEM_CALL,
} crts_kind;

/// One offence: who committed it, and how often.
typedef struct {
  crts_kind kind;
  /// The function or system call; lives as long as the process.
  const char *_Nullable what;
  /// On whose behalf: the context of the step that the thread was at work on.
  const void *_Nullable subject;
  /// How often it was called from there.
  uint64_t count;
  /// In which of the blocks the first time, counted from 0 since `crts_clear`.
  uint64_t first_block;
  /// In how many blocks.
  uint64_t block_count;
  /// Where in the foreign code: library, and symbol or offset; empty where it was the host.
  char place[256];
} crts_violation;

/// How often each kind was seen, and what the kernel says, since `crts_clear`.
typedef struct {
  uint64_t blocks;
  /// By `crts_kind`.
  uint64_t offences[4];
  /// How often the thread waited for something, and how often it was made to wait. Only where the host
  /// is watched too.
  uint64_t waits;
  uint64_t preemptions;
  /// Pages of memory that were not there yet.
  uint64_t page_faults;
} crts_totals;

/// Has the program itself watched too: its offences have no place. [main, before crts_install]
void crts_monitor_host(void);

/// Puts the watching functions before the C library's in every library that is loaded now, except in
/// the program itself; to be called again whenever more may have been loaded. [main]
///
/// - Parameter library: the plugin's own library, by the path that it was loaded from; empty where it is
///   any.
void crts_install(const char *_Nonnull library);

/// Whether the kernel tells of every system call; else those functions of the C library are
/// watched that make the usual ones. [any, after crts_install]
bool crts_traces_all_syscalls(void);

/// Between these two the calling thread is watched; one block of audio lies between them. [render]
void crts_enter(void);
void crts_exit(void);

/// Likewise, for a part of a block: what another thread does for it, or what the same one does after it has
/// left the watch for a while. What is found counts for the block under way. [render, any thread]
void crts_join(void);
void crts_leave(void);

/// Forgets all offences, and counts blocks from 0. [any, not watched]
void crts_clear(void);

/// The offence at a position, in the order of their first times; false past the last. [any, not watched]
bool crts_offence_at(uint32_t index, crts_violation *_Nonnull offence);

/// The sums so far. [any, not watched]
crts_totals crts_take_totals(void);

/// Has a crash of this process tell of itself before it ends it. [main]
///
/// Two messages go to `socket`, each a length of four bytes, the byte `kind`, a signal number of
/// four bytes, and a text as its length of four bytes and its bytes: at first with an empty text, then,
/// if that can be found out, with the place of the crash.
///
/// - Parameter library: as for `crts_install`; kept, so it must live as long as the process.
void crts_report_crashes(int socket, uint8_t kind, const char *_Nonnull library);

// MARK: - Faults that end this process

/// What foreign code did that ends this process. Its texts live as long as the process.
typedef struct {
  /// The signal of a crash; 0 where it was a call.
  int signal;
  /// The kernel's number of the thread.
  int32_t thread;
  /// The context of the step that the thread was at work on; NULL for none.
  const void *_Nullable subject;
  /// Whose code it was, as the beginning of a sentence; empty where that is not known.
  const char *_Nonnull owner;
  /// What it did, as the middle of the sentence.
  const char *_Nonnull deed;
  /// Library, and symbol or offset; empty where that is not known.
  const char *_Nonnull place;
  /// The file of the library, and the address in it, for who looks for the line of the source; empty likewise.
  const char *_Nonnull library;
  unsigned long offset;
} crts_fault;

/// Has foreign code that crashes, or ends this process by `exit` and the like, told of before the process ends, by
/// standard error. [main]
///
/// The place is known where the stack is not destroyed. A thread whose stack has overflowed is reported if it was
/// registered by `crealtime_begin_thread`, or is the one that calls this.
void crts_tell_of_faults(void);

/// Has faults wait, for some seconds, for a thread that takes them: to be called by that. [any one thread]
void crts_await_faults(void);

/// Takes a fault that has happened; NULL where there is none. Then `crts_note_spoken` says that people were told
/// of it, and `crts_end_fault` ends the process as the fault would have ended it. [the thread that awaits them]
const crts_fault *_Nullable crts_take_fault(void);
void crts_note_spoken(void);
void crts_end_fault(void);

/// Finds out whose step a thread is in that does not return, and where it is; empty where it does not answer within a
/// fifth of a second. [the thread that awaits faults]
crts_fault crts_look_at_thread(int32_t thread, const void *_Nullable subject);

/// Finds the line of the source that an address in a library was compiled from, as `file:line`, by a program of the
/// system that can read it; false where there is none, or no line is known. It takes at most some seconds. [any but
/// render]
bool crts_line_of(const char *_Nonnull library, unsigned long offset, char *_Nonnull text,
                    uint32_t capacity);

/// Has the process end with status 1 once so many seconds have gone by, whatever its threads do. [any]
void crts_limit_end(unsigned seconds);

/// Ends the process at once with a status; nothing is run that a thread could hold up. [any]
_Noreturn void crts_end_now(int status);

/// Whose the libraries are that may crash, in place of what was said before: `libraries[i]` by the path that it was loaded
/// by, and `owners[i]` as the beginning of a sentence. All is copied. [any but render]
void crts_register_libraries(const char *_Nonnull const *_Nonnull libraries,
                           const char *_Nonnull const *_Nonnull owners, uint32_t count);

/// Likewise whose the steps are, by their contexts, and the libraries of their nodes, empty for none. [any but render]
void crts_name_subjects(const void *_Nonnull const *_Nonnull subjects,
                          const char *_Nonnull const *_Nonnull libraries,
                          const char *_Nonnull const *_Nonnull owners, uint32_t count);
