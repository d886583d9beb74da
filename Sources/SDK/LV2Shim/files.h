// files.h: the files of a module, set by the host's messages and states. SPDX-License-Identifier: MIT
#pragma once

#include <lv2/atom/forge.h>
#include <pthread.h>
#include <stdbool.h>

#include "module.h"
#include "hot_swap.h"

enum {
  /// The maximum path length of the system, including the final 0.
  longest_path = 4096,
};

/// File requests. Empty if the host has no URID map.
typedef struct {
  /// The files with messages: those of the metadata, or none.
  uint32_t count;
  /// The URID of each file.
  LV2_URID *keys;

  // [render]
  /// Paths that were not sent to the worker yet.
  char (*due_paths)[longest_path];
  bool *is_due;
  /// Whether a file must be reported to the host.
  bool *report_pending;
  LV2_Atom_Forge forge;
  LV2_URID set, get, property, value;

  /// Whether the worker has an unfinished request.
  atomic_bool is_working;
  /// Whether a file was rejected, so that the current one must be reported to the host.
  atomic_bool is_refused;
  /// Held while modules are created, saved or restored; never held by the audio thread.
  pthread_mutex_t turn;
  /// The active module, or the one that becomes active after its fade. [turn]
  module *newest;
} file_requests;

/// Allocates the requests; returns false if there is not enough memory. [main]
bool files_make(file_requests *it, const module_metadata *metadata, const host_features *host);
/// Frees it. [main, not rendering]
void files_free(file_requests *it);

/// Handles a `patch:Set` of a file or a `patch:Get`. [render]
void files_listen(file_requests *it, const LV2_Atom_Object *message);
/// Sends pending requests to the host's worker. [render]
void files_schedule(file_requests *it, const module_swap *swap, const host_features *host);
/// Reports files to the host if there is space. [render]
void files_tell(file_requests *it, const module *heard, LV2_Atom_Sequence *notify);

/// A request to the worker: a file and its path with a final 0, or only `file_collect`.
typedef struct {
  uint32_t file;
  char path[longest_path];
} file_request;

/// Frees modules that are no longer active.
#define file_collect UINT32_MAX
