// files.h: the files that a module is given, asked for by the host's messages and states. SPDX-License-Identifier: MIT
#pragma once

#include <lv2/atom/forge.h>
#include <pthread.h>
#include <stdbool.h>

#include "module.h"
#include "hot_swap.h"

enum {
  /// As long as the system takes paths, with the 0 at the end.
  longest_path = 4096,
};

/// What there is to do for files. Where the host has no numbers for URIs there is nothing.
typedef struct {
  /// The files that there are messages for: those of the facts, or none.
  uint32_t count;
  /// The number of each file's URI.
  LV2_URID *keys;

  // [render]
  /// Paths that the worker has not been told yet.
  char (*due_paths)[longest_path];
  bool *is_due;
  /// Whether the host is to be told a file.
  bool *is_to_be_told;
  LV2_Atom_Forge forge;
  LV2_URID set, get, property, value;

  /// Whether the worker was asked for something and is not done.
  atomic_bool is_working;
  /// Whether a file was not taken, so that the host has to be told what is in force.
  atomic_bool is_refused;
  /// Held by those that make modules, save and restore; never by the audio thread.
  pthread_mutex_t turn;
  /// What is heard, or will be as soon as it has been faded in. [turn]
  module *newest;
} file_requests;

/// Memory for requests; false if there is none. [main]
bool files_make(file_requests *it, const module_metadata *metadata, const host_features *host);
/// Frees it. [main, not rendering]
void files_free(file_requests *it);

/// Takes a `patch:Set` of a file, or a `patch:Get`. [render]
void files_listen(file_requests *it, const LV2_Atom_Object *message);
/// Hands what waits to the host's worker. [render]
void files_schedule(file_requests *it, const module_swap *swap, const host_features *host);
/// Tells the host the files that it has to know of, as far as there is room. [render]
void files_tell(file_requests *it, const module *heard, LV2_Atom_Sequence *notify);

/// What the worker is told: a file and its path, with the 0 at the end, or `file_collect` alone.
typedef struct {
  uint32_t file;
  char path[longest_path];
} file_request;

/// To free what is heard no longer.
#define file_collect UINT32_MAX
