// watching.h: which calls may overlap, and the list of breaches. SPDX-License-Identifier: MIT
#pragma once

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { breach_capacity = 64, breach_bytes = 200 };

static pthread_mutex_t breach_turn = PTHREAD_MUTEX_INITIALIZER;
static char breaches[breach_capacity][breach_bytes];
static int breach_count;

/// Records a breach, once per message.
__attribute__((format(printf, 1, 2))) static void breach(const char *format, ...) {
  char message[breach_bytes];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  pthread_mutex_lock(&breach_turn);
  bool is_known = breach_count == breach_capacity;
  for (int i = 0; i < breach_count; i++) is_known |= !strcmp(breaches[i], message);
  if (!is_known) strcpy(breaches[breach_count++], message);
  pthread_mutex_unlock(&breach_turn);
}

/// The threading classes of LV2, plus `save` and `work`, which have rules of their own.
typedef enum { audio, setup, saving, working, kind_count } kind;

/// The threads that are inside functions of an instance.
typedef struct {
  pthread_mutex_t turn;
  int inside[kind_count];
  pthread_t who[kind_count];
} watch;

/// Returns whether functions of two classes must not run at the same time.
static bool conflict(kind one, kind other) {
  if (one == setup || other == setup) return true;
  return one == other;
}

static void enter(watch *w, kind mine, const char *name) {
  static const char *const names[] = {"run", "a function that sets up", "save", "work"};
  pthread_mutex_lock(&w->turn);
  for (kind other = 0; other < kind_count; other++) {
    // Work may run immediately, in the thread that scheduled it.
    const bool is_own = w->inside[other] > 0 && pthread_equal(w->who[other], pthread_self());
    const bool is_at_once = is_own && mine == working;
    if (w->inside[other] > 0 && conflict(mine, other) && !is_at_once)
      breach("%s was called during %s", name, names[other]);
  }
  w->inside[mine]++;
  w->who[mine] = pthread_self();
  pthread_mutex_unlock(&w->turn);
}

static void leave(watch *w, kind mine) {
  pthread_mutex_lock(&w->turn);
  w->inside[mine]--;
  pthread_mutex_unlock(&w->turn);
}

/// The number of threads inside functions that nothing else in the library may overlap.
static atomic_int in_library;

static void enter_library(const char *name) {
  if (atomic_fetch_add(&in_library, 1) > 0)
    breach("%s was called beside another function of the library", name);
}

static void leave_library(void) { atomic_fetch_sub(&in_library, 1); }
