// clv2support.c: the log that plugins write to from any thread. SPDX-License-Identifier: MIT
//
// A bounded queue after Dmitry Vyukov. Each slot has a number that says when it may be written or read, so a
// writer claims a slot with one compare-and-swap and never waits for another thread.
#include "clv2support.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  // A plugin that logs more than this between two polls is repeating itself.
  slot_count = 64,
  text_capacity_bytes = 248,
};

typedef struct {
  atomic_uint_fast64_t turn;
  LV2_URID type;
  char text[text_capacity_bytes];
} slot;

struct clv2_log {
  LV2_URID error;
  LV2_URID warning;
  atomic_uint_fast64_t written;
  atomic_uint_fast64_t dropped;
  uint64_t taken;
  slot slots[slot_count];
};

clv2_log *clv2_log_create(LV2_URID error, LV2_URID warning) {
  clv2_log *log = calloc(1, sizeof *log);
  if (!log) return NULL;
  log->error = error;
  log->warning = warning;
  for (uint64_t i = 0; i < slot_count; i++) atomic_init(&log->slots[i].turn, i);
  return log;
}

void clv2_log_destroy(clv2_log *log) { free(log); }

static int write_message(LV2_Log_Handle handle, LV2_URID type, const char *format, va_list values) {
  clv2_log *log = handle;
  const bool is_urgent = type == log->error || type == log->warning;
  // If the queue is half full, only urgent messages are accepted.
  const uint64_t reserve = is_urgent ? 0 : slot_count / 2;
  uint64_t turn = atomic_load_explicit(&log->written, memory_order_relaxed);
  slot *free_slot;
  for (;;) {
    free_slot = &log->slots[turn % slot_count];
    const uint64_t ready = atomic_load_explicit(&free_slot->turn, memory_order_acquire);
    const uint64_t ahead = turn + reserve;
    if (ready < turn ||
        atomic_load_explicit(&log->slots[ahead % slot_count].turn, memory_order_relaxed) < ahead) {
      if (is_urgent) atomic_fetch_add_explicit(&log->dropped, 1, memory_order_relaxed);
      return 0;
    }
    if (ready == turn &&
        atomic_compare_exchange_weak_explicit(&log->written, &turn, turn + 1, memory_order_relaxed,
                                              memory_order_relaxed))
      break;
    if (ready > turn) turn = atomic_load_explicit(&log->written, memory_order_relaxed);
  }
  free_slot->type = type;
  const int length = vsnprintf(free_slot->text, text_capacity_bytes, format, values);
  if (length < 0) free_slot->text[0] = 0;
  atomic_store_explicit(&free_slot->turn, turn + 1, memory_order_release);
  return length;
}

static int log_printf(LV2_Log_Handle handle, LV2_URID type, const char *format, ...) {
  va_list values;
  va_start(values, format);
  const int length = write_message(handle, type, format, values);
  va_end(values);
  return length;
}

LV2_Log_Log clv2_log_feature(clv2_log *log) {
  return (LV2_Log_Log){.handle = log, .printf = log_printf, .vprintf = write_message};
}

bool clv2_log_take(clv2_log *log, LV2_URID *type, char *text, uint32_t capacity_bytes) {
  slot *full = &log->slots[log->taken % slot_count];
  if (atomic_load_explicit(&full->turn, memory_order_acquire) != log->taken + 1) return false;
  *type = full->type;
  snprintf(text, capacity_bytes, "%s", full->text);
  atomic_store_explicit(&full->turn, log->taken + slot_count, memory_order_release);
  log->taken++;
  return true;
}

uint64_t clv2_log_dropped_count(const clv2_log *log) {
  return atomic_load_explicit(&log->dropped, memory_order_relaxed);
}
