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

/// Declares to the Swift compiler that a function neither locks nor allocates.
#define CLV2_SAFE __attribute__((swift_attr("@_noLocks")))

// MARK: - Calls into a plugin from the audio thread

// Swift cannot call a function pointer under `@_noLocks`, so the calls are here. The compiler cannot check
// what the plugin does in them; the real-time sanitizer does.

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

/// An instance that is ready to run, and whether it must be notified first.
typedef struct clv2_prebound {
  LV2_Handle _Nonnull handle;
  /// The descriptor's `run`.
  void (*_Nonnull run)(LV2_Handle _Nonnull handle, uint32_t frame_count);
  const LV2_Descriptor *_Nonnull descriptor;
  /// Called with `state` before the run if something has changed. [render]
  void (*_Nonnull report)(void *_Nonnull state);
  void *_Nonnull state;
  /// Set by one thread and taken by another, only with the functions below.
  uint32_t has_news;
} clv2_prebound;

/// The step of a plugin that has only audio and parameters and whose buffers are connected. The context is a
/// `clv2_prebound`. [render, active]
///
/// It is in C because the instructions around the plugin's `run` are counted (Benchmarks/nodes).
void clv2_fixed_step(void *_Nonnull context, float *_Nonnull const *_Nonnull buffers,
                     uint32_t frame_count);

/// Initialises a `clv2_prebound`, with a pending change. [main, not rendering]
void clv2_bind(clv2_prebound *_Nonnull fixed, LV2_Handle _Nonnull handle,
              const LV2_Descriptor *_Nonnull descriptor,
              void (*_Nonnull report)(void *_Nonnull state), void *_Nonnull state);

/// Records that something was changed. [main]
void clv2_mark_changed(clv2_prebound *_Nonnull fixed);

/// Returns whether something was changed since the last call, and makes the change visible. [render, or main
/// while inactive]
CLV2_SAFE bool clv2_take_changed(clv2_prebound *_Nonnull fixed);

// MARK: - Features

/// `LV2_URI_Map_Feature` of uri-map.h, which is deprecated and causes a warning: the form of `urid#map`
/// before 2011.
typedef struct clv2_legacy_map {
  void *_Nullable callback_data;
  uint32_t (*_Nonnull uri_to_id)(void *_Nullable callback_data, const char *_Nullable map,
                                 const char *_Nullable uri);
} clv2_legacy_map;
_Static_assert(sizeof(clv2_legacy_map) == 2 * sizeof(void *), "as in uri-map.h");

// MARK: - Worker

/// Executes work that a plugin requests in `run` but must not do there.
///
/// In a live session a separate thread does the work, one request after another. Offline it is done at once,
/// so that the same input gives the same output. Messages are copied through rings of 64 KiB. A message that
/// does not fit is rejected with LV2_WORKER_ERR_NO_SPACE.
typedef struct clv2_worker clv2_worker;

/// Creates a worker without an instance; returns NULL if there is no memory. [main]
clv2_worker *_Nullable clv2_worker_create(bool is_synchronous);

/// Frees a worker that was stopped. [main]
void clv2_worker_destroy(clv2_worker *_Nonnull worker);

/// Returns the feature, with the worker as its handle. [main]
LV2_Worker_Schedule clv2_worker_feature(clv2_worker *_Nonnull worker);

/// Starts to work for an instance. Returns 0, or an errno value if no thread could be started. An instance
/// without the worker interface requests no work, which is not an error. [main, inactive]
int clv2_worker_start(clv2_worker *_Nonnull worker, const LV2_Descriptor *_Nonnull descriptor,
                      LV2_Handle _Nonnull handle);

/// Until `clv2_worker_end_restore`, work that the calling thread requests is done at once, because a plugin
/// requests it in `restore`. The responses are delivered with the next run. `is_alone` blocks the worker's
/// own thread meanwhile, for a plugin that allows no concurrent calls; the function then waits for the
/// current request. [main]
void clv2_worker_begin_restore(clv2_worker *_Nonnull worker,
                               const LV2_Descriptor *_Nonnull descriptor, LV2_Handle _Nonnull handle,
                               bool is_alone);

/// Ends a restoration. [main, the same thread]
void clv2_worker_end_restore(clv2_worker *_Nonnull worker);

/// Delivers the responses of a restoration; called before every run. [render]
CLV2_SAFE void clv2_worker_deliver_restored(clv2_worker *_Nonnull worker);

/// Waits for the current request, and drops all others. [main, not rendering]
void clv2_worker_stop(clv2_worker *_Nonnull worker);

/// Delivers the responses to the plugin and reports the end of the run; called after every run. [render]
CLV2_SAFE void clv2_worker_deliver(clv2_worker *_Nonnull worker);

// MARK: - Log

/// The log messages of the plugins of one node: a bounded queue of short messages.
///
/// Any number of threads write without waiting; one thread takes.
typedef struct clv2_log clv2_log;

/// Creates an empty log; returns NULL if there is no memory. Messages of the types `error` and `warning` are
/// urgent. Others get at most half of the queue, and are dropped without being counted. [main]
clv2_log *_Nullable clv2_log_create(LV2_URID error, LV2_URID warning);

/// Frees the log. [main]
void clv2_log_destroy(clv2_log *_Nonnull log);

/// Returns the feature's functions, with the log as their handle. They are in C because `printf` is variadic,
/// which Swift cannot implement. [main]
LV2_Log_Log clv2_log_feature(clv2_log *_Nonnull log);

/// Copies the oldest message to `text` with a final 0, and its type to `type`; returns false if there is
/// none. A message longer than `capacity_bytes` minus 1 is truncated. [main]
bool clv2_log_take(clv2_log *_Nonnull log, LV2_URID *_Nonnull type, char *_Nonnull text,
                   uint32_t capacity_bytes);

/// Returns the number of urgent messages that were dropped because the queue was full. [any]
uint64_t clv2_log_dropped_count(const clv2_log *_Nonnull log);
