// words.c: whose code it was that a crash ended the program in. SPDX-License-Identifier: MIT
//
// As in crash.c, the handler does what a handler may not, in a process that is lost anyway: an alarm ends it
// where it gets stuck.
#define _GNU_SOURCE
#include "cwatch.h"

#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "handler.h"
#include "place.h"

enum { depth_limit = 48, patience_seconds = 2 };

typedef struct {
  char *library;
  char *owner;
} entry;

typedef struct {
  uint32_t count;
  entry entries[];
} table;

static _Atomic(table *) known;
/// The one before it: who crashes on another thread may still read it. [naming]
static table *outdated;
/// Held by who names libraries, as renderings may begin on several threads.
static pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;

static const char *name_of(int number) {
  switch (number) {
  case SIGSEGV: return "segmentation fault";
  case SIGABRT: return "abort";
  case SIGFPE: return "arithmetic fault";
  case SIGILL: return "illegal instruction";
  default: return "bus error";
  }
}

/// The owner of the innermost frame that lies in a library that is known; NULL where none does.
static const entry *owner_of(void *const *frames, int depth) {
  const table *all = atomic_load_explicit(&known, memory_order_acquire);
  for (int frame = 0; all && frame < depth; frame++) {
    for (uint32_t i = 0; i < all->count; i++) {
      if (place_is_in(frames[frame], all->entries[i].library)) return &all->entries[i];
    }
  }
  return NULL;
}

static void take_crash(int number) {
  alarm(patience_seconds);
  void *frames[depth_limit];
  char place[256], text[1024];
  const int depth = backtrace(frames, depth_limit);
  const entry *found = owner_of(frames, depth);
  place_name(place, sizeof place, frames, depth, found ? found->library : "");
  const int length =
      snprintf(text, sizeof text, "%soutboard: %s crashed (signal %d, %s)%s%s, and ended the program with it.\n",
               isatty(STDERR_FILENO) ? "\r\033[K" : "",
               found ? found->owner : place[0] ? "a library" : "the program itself", number,
               name_of(number), place[0] ? " at " : "", place);
  if (length > 0 && write(STDERR_FILENO, text, strnlen(text, sizeof text)) < 0) _exit(128 + number);
}

void cwatch_speak_of_crashes(void) { handle_crashes(take_crash); }

static void forget(table *old) {
  for (uint32_t i = 0; old && i < old->count; i++) {
    free(old->entries[i].library);
    free(old->entries[i].owner);
  }
  free(old);
}

void cwatch_name_libraries(const char *const *libraries, const char *const *owners, uint32_t count) {
  table *fresh = calloc(1, sizeof(table) + count * sizeof(entry));
  if (!fresh) return;
  for (uint32_t i = 0; i < count; i++) {
    entry *next = &fresh->entries[fresh->count];
    *next = (entry){.library = strdup(libraries[i]), .owner = strdup(owners[i])};
    if (next->library && next->owner) fresh->count++;
  }
  pthread_mutex_lock(&naming);
  forget(outdated);
  outdated = atomic_exchange_explicit(&known, fresh, memory_order_acq_rel);
  pthread_mutex_unlock(&naming);
}
