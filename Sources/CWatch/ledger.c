// ledger.c: see ledger.h. SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "ledger.h"

#include <errno.h>
#include <execinfo.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "place.h"

enum { entry_limit = 64, depth_limit = 32 };

typedef struct {
  cwatch_kind kind;
  const char *what;
  long number;
  /// The innermost address that is neither ours nor the C library's.
  const void *site;
  uint64_t count, first_block, last_block, block_count;
  void *frames[depth_limit];
  int depth;
} entry;

__thread bool ledger_is_watching __attribute__((tls_model("initial-exec")));
__thread volatile char ledger_selector __attribute__((tls_model("initial-exec")));

// One thread is watched at a time, and read when it is not, so nothing here is shared.
static entry entries[entry_limit];
static uint32_t entry_count;
static uint64_t block;
static char library_path[4096];

void ledger_begin(const char *library) {
  snprintf(library_path, sizeof library_path, "%s", library);
  void *frames[depth_limit];
  backtrace(frames, depth_limit);
}

static entry *find(cwatch_kind kind, const char *what, long number, const void *site) {
  for (uint32_t i = 0; i < entry_count; i++) {
    entry *e = &entries[i];
    if (e->kind == kind && e->what == what && e->number == number && e->site == site) return e;
  }
  return NULL;
}

typedef enum { PROGRAM, SYSTEM, FOREIGN } owner;

/// Whose an address is. Each is looked up once: the loader goes through all symbols of a library for it, and
/// a plugin that allocates a hundred thousand times in a block would seem to hang.
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

/// The first frame outside this program and the C library; NULL where this program called, which
/// is then none of the plugin's business.
static const void *site_of(void *const *frames, int depth) {
  // The first ones are the watcher itself: it is skipped by place, not by number, as the compiler may
  // have made one function of two.
  int index = 0;
  while (index < depth && owner_of(frames[index]) == PROGRAM) index++;
  for (; index < depth; index++) {
    if (owner_of(frames[index]) == PROGRAM) return NULL;
    if (owner_of(frames[index]) == FOREIGN) return frames[index];
  }
  return NULL;
}

void ledger_add(cwatch_kind kind, const char *what, long number) {
  const int error = errno;
  const char armed = ledger_selector;
  ledger_is_watching = false;
  ledger_selector = 0;
  void *frames[depth_limit];
  const int depth = backtrace(frames, depth_limit);
  const void *site = site_of(frames, depth);
  entry *e = find(kind, what, number, site);
  if (!e && site && entry_count < entry_limit) {
    e = &entries[entry_count++];
    *e = (entry){.kind = kind, .what = what, .number = number, .site = site, .depth = depth,
                 .first_block = block, .last_block = UINT64_MAX};
    memcpy(e->frames, frames, sizeof frames);
  }
  if (e) {
    e->count++;
    if (e->last_block != block) e->block_count++;
    e->last_block = block;
  }
  ledger_is_watching = true;
  ledger_selector = armed;
  errno = error;
}

void cwatch_exit(void) {
  ledger_selector = 0;
  ledger_is_watching = false;
  block++;
}

void cwatch_clear(void) {
  entry_count = 0;
  block = 0;
}

bool cwatch_offence_at(uint32_t index, cwatch_offence *offence) {
  if (index >= entry_count) return false;
  const entry *e = &entries[index];
  *offence = (cwatch_offence){.kind = e->kind, .what = e->what, .count = e->count,
                              .first_block = e->first_block, .block_count = e->block_count};
  place_name(offence->place, sizeof offence->place, e->frames, e->depth, library_path);
  return true;
}
