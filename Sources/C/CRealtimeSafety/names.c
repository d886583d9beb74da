// names.c: see names.h. SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "names.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crealtimesafety.h"
#include "symbolizer.h"

typedef struct {
  uint32_t count;
  name names[];
} table;

/// A table that a crash handler may read at any time.
typedef struct {
  _Atomic(table *) known;
  /// The previous table: a crash handler on another thread may still read it. [naming]
  table *outdated;
} list;

static list libraries, subjects;
/// Held while names are set, because sessions may start on several threads.
static pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;

const name *name_of_subject(const void *subject) {
  const table *all = atomic_load_explicit(&subjects.known, memory_order_acquire);
  for (uint32_t i = 0; all && subject && i < all->count; i++) {
    if (all->names[i].subject == subject) return &all->names[i];
  }
  return NULL;
}

const name *name_of_frames(void *const *frames, int depth) {
  const table *all = atomic_load_explicit(&libraries.known, memory_order_acquire);
  for (int frame = 0; all && frame < depth; frame++) {
    for (uint32_t i = 0; i < all->count; i++) {
      if (place_is_in(frames[frame], all->names[i].library)) return &all->names[i];
    }
  }
  return NULL;
}

void name_suspects(char *text, size_t capacity) {
  const table *all = atomic_load_explicit(&libraries.known, memory_order_acquire);
  const uint32_t count = all ? all->count : 0;
  text[0] = 0;
  if (count == 1) snprintf(text, capacity, "%s", all->names[0].owner);
  if (count < 2) return;
  size_t length = (size_t)snprintf(text, capacity, "A plugin (");
  for (uint32_t i = 0; i < count && length < capacity; i++) {
    const char *mark = i + 1 < count ? ", " : ")";
    length += (size_t)snprintf(text + length, capacity - length, "%s%s", all->names[i].owner, mark);
  }
}

static void forget(table *old) {
  for (uint32_t i = 0; old && i < old->count; i++) {
    free(old->names[i].library);
    free(old->names[i].owner);
  }
  free(old);
}

static void put(list *into, const void *const *contexts, const char *const *files,
                const char *const *owners, uint32_t count) {
  table *fresh = calloc(1, sizeof(table) + count * sizeof(name));
  if (!fresh) return;
  for (uint32_t i = 0; i < count; i++) {
    name *next = &fresh->names[fresh->count];
    *next = (name){.library = strdup(files[i]),
                   .subject = contexts ? contexts[i] : NULL,
                   .owner = strdup(owners[i])};
    if (next->library && next->owner) fresh->count++;
  }
  pthread_mutex_lock(&naming);
  forget(into->outdated);
  into->outdated = atomic_exchange_explicit(&into->known, fresh, memory_order_acq_rel);
  pthread_mutex_unlock(&naming);
}

void crts_register_libraries(const char *const *files, const char *const *owners, uint32_t count) {
  put(&libraries, NULL, files, owners, count);
}

void crts_name_subjects(const void *const *contexts, const char *const *files,
                          const char *const *owners, uint32_t count) {
  put(&subjects, contexts, files, owners, count);
}
