// clv2support.h: the part of an LV2 host that Swift cannot express. SPDX-License-Identifier: MIT
#pragma once

#include "clv2events.h"

#include <lv2/atom/atom.h>
#include <lv2/buf-size/buf-size.h>
#include <lv2/core/lv2.h>
#include <lv2/log/log.h>
#include <lv2/options/options.h>
#include <lv2/resize-port/resize-port.h>
#include <lv2/state/state.h>
#include <lv2/urid/urid.h>
#include <lv2/worker/worker.h>
#include <stdbool.h>
#include <stdint.h>

/// Tells the Swift compiler that the function neither locks nor allocates.
#define CLV2_SAFE __attribute__((swift_attr("@_noLocks")))

// MARK: - Calls into a plugin from the audio thread

// Swift cannot see through a function pointer under `@_noLocks`, so the calls stand here. What the
// plugin does in them is the plugin's affair: the real-time sanitizer watches it, the compiler cannot.

/// Calls `run`. [render]
CLV2_SAFE static inline void clv2_run(const LV2_Descriptor *_Nonnull descriptor,
                                      LV2_Handle _Nonnull handle, uint32_t frame_count) {
  descriptor->run(handle, frame_count);
}

/// Calls `connect_port`. [render, or main while inactive]
CLV2_SAFE static inline void clv2_connect(const LV2_Descriptor *_Nonnull descriptor,
                                          LV2_Handle _Nonnull handle, uint32_t port,
                                          void *_Nullable data) {
  descriptor->connect_port(handle, port, data);
}

/// An instance as it is run, and whether there is something to tell it first.
typedef struct clv2_prebound {
  LV2_Handle _Nonnull handle;
  /// The descriptor's.
  void (*_Nonnull run)(LV2_Handle _Nonnull handle, uint32_t frame_count);
  const LV2_Descriptor *_Nonnull descriptor;
  /// Called with `state` before the run, where there is news. [render]
  void (*_Nonnull tell)(void *_Nonnull state);
  void *_Nonnull state;
  /// Set by one thread, taken by another: by the functions below alone.
  uint32_t has_news;
} clv2_prebound;

/// A step of a program, with a `clv2_prebound` as context, for a plugin that knows sound and parameters alone
/// and whose buffers are connected. [render, active]
///
/// In C, as what stands around the plugin's `run` is counted in instructions (Benchmarks/nodes).
void clv2_fixed_step(void *_Nonnull context, float *_Nonnull const *_Nonnull buffers,
                     uint32_t frame_count);

/// Makes it, with news. [main, not rendering]
void clv2_bind(clv2_prebound *_Nonnull fixed, LV2_Handle _Nonnull handle,
              const LV2_Descriptor *_Nonnull descriptor,
              void (*_Nonnull tell)(void *_Nonnull state), void *_Nonnull state);

/// Says that something was changed before. [main]
void clv2_mark_changed(clv2_prebound *_Nonnull fixed);

/// Whether that was said since the last call; what was changed before is seen. [render, or main while
/// inactive]
CLV2_SAFE bool clv2_take_changed(clv2_prebound *_Nonnull fixed);

// MARK: - Features

/// `LV2_URI_Map_Feature` of uri-map.h, which is deprecated and warns of it: the form that `urid#map`
/// had before 2011. Two pointers, as there.
typedef struct clv2_legacy_map {
  void *_Nullable callback_data;
  uint32_t (*_Nonnull uri_to_id)(void *_Nullable callback_data, const char *_Nullable map,
                                 const char *_Nullable uri);
} clv2_legacy_map;
_Static_assert(sizeof(clv2_legacy_map) == 2 * sizeof(void *), "as in uri-map.h");

// MARK: - Worker

/// Work that a plugin asks for in `run` and that must not be done there.
///
/// Live, a thread of its own does it, one piece after the other; to a file it is done at once, so
/// that the same input gives the same output. Messages are copied through rings of 64 KiB; one that
/// does not fit is refused with LV2_WORKER_ERR_NO_SPACE.
typedef struct clv2_worker clv2_worker;

/// A worker without an instance; NULL if there is no memory. [main]
clv2_worker *_Nullable clv2_worker_create(bool is_synchronous);

/// Frees it; it must have been stopped. [main]
void clv2_worker_destroy(clv2_worker *_Nonnull worker);

/// The feature, with the worker as handle. [main]
LV2_Worker_Schedule clv2_worker_feature(clv2_worker *_Nonnull worker);

/// Begins to work for an instance; 0, or an errno value if no thread could be started. An instance
/// without the worker interface has nothing to work on, and is no error. [main, inactive]
int clv2_worker_start(clv2_worker *_Nonnull worker, const LV2_Descriptor *_Nonnull descriptor,
                      LV2_Handle _Nonnull handle);

/// Until `clv2_worker_end_restore`, work that the calling thread asks for is done at once, as a plugin
/// asks for it in `restore`; what it responds is delivered with the next run. `is_alone` keeps the
/// worker's own thread from working meanwhile, for a plugin that must not be called otherwise; the call
/// then waits for the piece in hand. [main]
void clv2_worker_begin_restore(clv2_worker *_Nonnull worker,
                               const LV2_Descriptor *_Nonnull descriptor, LV2_Handle _Nonnull handle,
                               bool is_alone);

/// The end of it. [main, the thread that began]
void clv2_worker_end_restore(clv2_worker *_Nonnull worker);

/// Hands over what was responded during a restoration; to be called before every run. [render]
CLV2_SAFE void clv2_worker_deliver_restored(clv2_worker *_Nonnull worker);

/// Waits for the piece of work in hand, and forgets all others. [main, not rendering]
void clv2_worker_stop(clv2_worker *_Nonnull worker);

/// Hands the responses to the plugin, and tells it that the run is over; to be called after every
/// run. [render]
CLV2_SAFE void clv2_worker_deliver(clv2_worker *_Nonnull worker);

// MARK: - Log

/// What the plugins of one node have said: a bounded queue of short messages.
///
/// Any number of threads write, without waiting; one thread takes.
typedef struct clv2_log clv2_log;

/// An empty log; NULL if there is no memory. Messages of the types `error` and `warning` are urgent: the
/// others get no more than half of the queue, and are not missed. [main]
clv2_log *_Nullable clv2_log_create(LV2_URID error, LV2_URID warning);

/// Frees it. [main]
void clv2_log_destroy(clv2_log *_Nonnull log);

/// The feature's functions, with the log as handle. It is a function because `printf` is variadic,
/// which Swift cannot implement. [main]
LV2_Log_Log clv2_log_feature(clv2_log *_Nonnull log);

/// Takes the oldest message into `text`, ended by a zero, and its type into `type`; false if there
/// is none. A message longer than `capacity_bytes` less one is cut. [main]
bool clv2_log_take(clv2_log *_Nonnull log, LV2_URID *_Nonnull type, char *_Nonnull text,
                   uint32_t capacity_bytes);

/// How many urgent messages found the queue full. [any]
uint64_t clv2_log_dropped_count(const clv2_log *_Nonnull log);
