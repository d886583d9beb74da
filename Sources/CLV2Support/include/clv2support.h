// clv2support.h: the part of an LV2 host that Swift cannot express. SPDX-License-Identifier: MIT
#pragma once

#include <lv2/atom/atom.h>
#include <lv2/buf-size/buf-size.h>
#include <lv2/core/lv2.h>
#include <lv2/log/log.h>
#include <lv2/options/options.h>
#include <lv2/urid/urid.h>
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

// MARK: - Features

/// `LV2_URI_Map_Feature` of uri-map.h, which is deprecated and warns of it: the form that `urid#map`
/// had before 2011. Two pointers, as there.
typedef struct clv2_legacy_map {
  void *_Nullable callback_data;
  uint32_t (*_Nonnull uri_to_id)(void *_Nullable callback_data, const char *_Nullable map,
                                 const char *_Nullable uri);
} clv2_legacy_map;
_Static_assert(sizeof(clv2_legacy_map) == 2 * sizeof(void *), "as in uri-map.h");

// MARK: - Log

/// What the plugins of one node have said: a bounded queue of short messages.
///
/// Any number of threads write, without waiting; one thread takes.
typedef struct clv2_log clv2_log;

/// An empty log; NULL if there is no memory. [main]
clv2_log *_Nullable clv2_log_create(void);

/// Frees it. [main]
void clv2_log_destroy(clv2_log *_Nonnull log);

/// The feature's functions, with the log as handle. It is a function because `printf` is variadic,
/// which Swift cannot implement. [main]
LV2_Log_Log clv2_log_feature(clv2_log *_Nonnull log);

/// Takes the oldest message into `text`, ended by a zero, and its type into `type`; false if there
/// is none. A message longer than `capacity_bytes` less one is cut. [main]
bool clv2_log_take(clv2_log *_Nonnull log, LV2_URID *_Nonnull type, char *_Nonnull text,
                   uint32_t capacity_bytes);

/// How many messages found the queue full. [any]
uint64_t clv2_log_dropped_count(const clv2_log *_Nonnull log);
