// host_features.h: the features that the host offers to an instance. SPDX-License-Identifier: MIT
#pragma once

#include <lv2/core/lv2.h>
#include <lv2/log/log.h>
#include <lv2/options/options.h>
#include <lv2/urid/urid.h>
#include <lv2/worker/worker.h>
#include <stdbool.h>

/// NULL if the host does not offer a feature. Valid during the life of the instance, except the options.
typedef struct {
  LV2_URID_Map *map;
  LV2_Log_Log *log;
  LV2_Worker_Schedule *worker;
  /// Valid only during `instantiate`.
  const LV2_Options_Option *options;
  bool has_fixed_blocks;
  /// The plugin's name in messages.
  const char *uri;
} host_features;

/// Reads the features of a new instance. [main]
host_features host_features_find(const LV2_Feature *const *features, const char *uri);
/// Returns the URID of a URI; 0 if the host has none. [main]
LV2_URID host_features_number(const host_features *host, const char *uri);
/// Returns an integer option, up to 2^20; 0 if the option is missing. [main, during instantiate]
uint32_t host_features_option(const host_features *host, const char *uri);
/// Writes an error message to the host's log, or to standard error. [any except render]
void log_error(const host_features *host, const char *format, ...) __attribute__((format(printf, 2, 3)));
