// cwatch.h: watches what foreign code does on the threads that render, and names the place where it crashed.
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
} cwatch_kind;

/// One offence: who committed it, and how often.
typedef struct {
  cwatch_kind kind;
  /// The function or system call; lives as long as the process.
  const char *_Nullable what;
  /// On whose behalf: what `crealtime_set_subject` was last given on that thread.
  const void *_Nullable subject;
  /// How often it was called from there.
  uint64_t count;
  /// In which of the blocks the first time, counted from 0 since `cwatch_clear`.
  uint64_t first_block;
  /// In how many blocks.
  uint64_t block_count;
  /// Where in the foreign code: library, and symbol or offset; empty where it was the host.
  char place[256];
} cwatch_offence;

/// How often each kind was seen, and what the kernel says, since `cwatch_clear`.
typedef struct {
  uint64_t blocks;
  /// By `cwatch_kind`.
  uint64_t offences[4];
  /// How often the thread waited for something, and how often it was made to wait. Only where the host
  /// is watched too.
  uint64_t waits;
  uint64_t preemptions;
  /// Pages of memory that were not there yet.
  uint64_t page_faults;
} cwatch_totals;

/// Has the program itself watched too: its offences have no place. [main, before cwatch_install]
void cwatch_include_host(void);

/// Puts the watching functions before the C library's in every library that is loaded now, except in
/// the program itself; to be called again whenever more may have been loaded. [main]
///
/// - Parameter library: the plugin's own library, by the path that it was loaded from; empty where it is
///   any.
void cwatch_install(const char *_Nonnull library);

/// Whether the kernel tells of every system call; else those functions of the C library are
/// watched that make the usual ones. [any, after cwatch_install]
bool cwatch_sees_every_system_call(void);

/// Between these two the calling thread is watched; one block of audio lies between them. [render]
void cwatch_enter(void);
void cwatch_exit(void);

/// Likewise, for a part of a block: what another thread does for it, or what the same one does after it has
/// left the watch for a while. What is found counts for the block under way. [render, any thread]
void cwatch_join(void);
void cwatch_leave(void);

/// Forgets all offences, and counts blocks from 0. [any, not watched]
void cwatch_clear(void);

/// The offence at a position, in the order of their first times; false past the last. [any, not watched]
bool cwatch_offence_at(uint32_t index, cwatch_offence *_Nonnull offence);

/// The sums so far. [any, not watched]
cwatch_totals cwatch_take_totals(void);

/// Has a crash of this process tell of itself before it ends it. [main]
///
/// Two messages go to `socket`, each a length of four bytes, the byte `kind`, a signal number of
/// four bytes, and a text as its length of four bytes and its bytes: at first with an empty text, then,
/// if that can be found out, with the place of the crash.
///
/// - Parameter library: as for `cwatch_install`; kept, so it must live as long as the process.
void cwatch_report_crashes(int socket, uint8_t kind, const char *_Nonnull library);

/// Has a crash of this process say on standard error whose code it was in, and where, before it ends it. [main]
///
/// The place is known where the stack is not destroyed; a thread whose own stack has run over says nothing, but for the
/// one that calls this.
void cwatch_speak_of_crashes(void);

/// Whose the libraries are that may crash, in place of what was said before: `libraries[i]` by the path that it was loaded
/// by, and `owners[i]` as the beginning of a sentence. All is copied. [any but render]
void cwatch_name_libraries(const char *_Nonnull const *_Nonnull libraries,
                           const char *_Nonnull const *_Nonnull owners, uint32_t count);
