// host_features.h: what the host offers an instance. SPDX-License-Identifier: MIT
#pragma once

#include <lv2/core/lv2.h>
#include <lv2/log/log.h>
#include <lv2/options/options.h>
#include <lv2/urid/urid.h>
#include <lv2/worker/worker.h>
#include <stdbool.h>

/// NULL for what it does not offer; valid as long as the instance, but for the options.
typedef struct {
  LV2_URID_Map *map;
  LV2_Log_Log *log;
  LV2_Worker_Schedule *worker;
  /// Valid while the instance is made.
  const LV2_Options_Option *options;
  bool has_fixed_blocks;
  /// What the plugin is called in complaints.
  const char *uri;
} host_features;

/// Looks through the features of an instance that is made. [main]
host_features host_features_find(const LV2_Feature *const *features, const char *uri);
/// The number of a URI; 0 where the host gives none. [main]
LV2_URID host_features_number(const host_features *host, const char *uri);
/// A whole number among the options, up to 2^20; 0 where it is not given. [main, while it is made]
uint32_t host_features_option(const host_features *host, const char *uri);
/// Says what went wrong, one sentence in the host's log, or on standard error. [any but render]
void log_error(const host_features *host, const char *format, ...) __attribute__((format(printf, 2, 3)));
