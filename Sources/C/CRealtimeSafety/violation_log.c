// violation_log.c: see violation_log.h. SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "violation_log.h"

#include <errno.h>
#include <execinfo.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "crealtime.h"
#include "symbolizer.h"

enum { entry_limit = 64, depth_limit = 32 };

typedef struct {
  crts_kind kind;
  const char *what;
  long number;
  /// The context of the step: see `crealtime_own_work`.
  const void *subject;
  /// The innermost address that is neither in the host nor in the C library.
  const void *site;
  uint64_t count, first_block, last_block, block_count;
  void *frames[depth_limit];
  int depth;
  /// Determined when it is first read: the library may be unloaded later.
  char place[256];
} entry;

__thread bool ledger_is_watching __attribute__((tls_model("initial-exec")));
__thread volatile char ledger_selector __attribute__((tls_model("initial-exec")));

bool ledger_includes_host;

// The data below is shared by the monitored threads and a reader. A monitored session need not be fast.
static atomic_flag is_taken = ATOMIC_FLAG_INIT;
static entry entries[entry_limit];
static uint32_t entry_count;
static uint64_t block;
static crts_totals totals;

static void take(void) {
  while (atomic_flag_test_and_set_explicit(&is_taken, memory_order_acquire)) {
  }
}

static void give(void) { atomic_flag_clear_explicit(&is_taken, memory_order_release); }

/// Represents the host, which needs no exact location.
static const char host;
static char library_path[4096];

void ledger_begin(const char *library) {
  snprintf(library_path, sizeof library_path, "%s", library);
  void *frames[depth_limit];
  backtrace(frames, depth_limit);
}

static entry *find(crts_kind kind, const char *what, long number, const void *subject,
                   const void *site) {
  for (uint32_t i = 0; i < entry_count; i++) {
    entry *e = &entries[i];
    if (e->kind == kind && e->what == what && e->number == number && e->subject == subject &&
        e->site == site)
      return e;
  }
  return NULL;
}

typedef enum { PROGRAM, SYSTEM, FOREIGN } owner;

/// Returns the owner of an address. Each address is looked up once: the loader searches all symbols of a
/// library, and a plugin that allocates a hundred thousand times in a block would seem to hang.
static owner owner_of(const void *address) {
  enum { memo_size = 1024 };
  static struct {
    const void *address;
    owner owner;
  } memo[memo_size];
  const uintptr_t number = (uintptr_t)address;
  const uint32_t slot = (uint32_t)((number ^ number >> 10) % memo_size);
  if (memo[slot].address != address) {
    memo[slot].address = address;
    memo[slot].owner = place_is_program(address)  ? PROGRAM
                       : place_is_system(address) ? SYSTEM
                                                  : FOREIGN;
  }
  return memo[slot].owner;
}

/// Returns the first frame outside of this program and the C library. A call from the program itself is not
/// the plugin's: NULL, or `host` if the host is monitored too.
static const void *site_of(void *const *frames, int depth) {
  // The first frames belong to the monitor. They are skipped by address, not by number, because the compiler
  // may have merged two functions.
  int index = 0;
  while (index < depth && owner_of(frames[index]) == PROGRAM) index++;
  for (; index < depth; index++) {
    if (owner_of(frames[index]) == PROGRAM) break;
    if (owner_of(frames[index]) == FOREIGN) return frames[index];
  }
  return ledger_includes_host ? &host : NULL;
}

void ledger_add(crts_kind kind, const char *what, long number) {
  const int error = errno;
  const char armed = ledger_selector;
  ledger_is_watching = false;
  ledger_selector = 0;
  void *frames[depth_limit];
  const int depth = backtrace(frames, depth_limit);
  take();
  const void *site = site_of(frames, depth);
  if (site) totals.offences[kind]++;
  entry *e = find(kind, what, number, crealtime_own_work.subject, site);
  if (!e && site && entry_count < entry_limit) {
    e = &entries[entry_count++];
    *e = (entry){.kind = kind, .what = what, .number = number, .subject = crealtime_own_work.subject,
                 .site = site, .depth = depth, .first_block = block, .last_block = UINT64_MAX};
    memcpy(e->frames, frames, sizeof frames);
  }
  if (e) {
    e->count++;
    if (e->last_block != block) e->block_count++;
    e->last_block = block;
  }
  give();
  ledger_is_watching = true;
  ledger_selector = armed;
  errno = error;
}

void ledger_end_block(void) {
  take();
  block++;
  totals.blocks++;
  give();
}

void ledger_add_usage(unsigned long waits, unsigned long preemptions, unsigned long faults) {
  take();
  totals.waits += waits;
  totals.preemptions += preemptions;
  totals.page_faults += faults;
  give();
}

void crts_clear(void) {
  take();
  entry_count = 0;
  block = 0;
  totals = (crts_totals){0};
  give();
}

bool crts_offence_at(uint32_t index, crts_violation *offence) {
  take();
  const bool is_there = index < entry_count;
  const entry e = is_there ? entries[index] : (entry){0};
  give();
  if (!is_there) return false;
  *offence = (crts_violation){.kind = e.kind, .what = e.what, .subject = e.subject,
                              .count = e.count, .first_block = e.first_block,
                              .block_count = e.block_count};
  if (e.site == &host) return true;
  memcpy(offence->place, e.place, sizeof offence->place);
  if (offence->place[0]) return true;
  // Outside of the lock, which the audio thread may wait for.
  place_name(offence->place, sizeof offence->place, e.frames, e.depth, library_path);
  if (!offence->place[0])
    snprintf(offence->place, sizeof offence->place, "code that is unloaded");
  take();
  if (index < entry_count && entries[index].site == e.site)
    memcpy(entries[index].place, offence->place, sizeof offence->place);
  give();
  return true;
}

crts_totals crts_take_totals(void) {
  take();
  const crts_totals taken = totals;
  give();
  return taken;
}
