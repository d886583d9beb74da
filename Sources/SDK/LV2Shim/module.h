// module.h: one instance of the module's own code. SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cmodule.h"
#include "metadata.h"
#include "host_features.h"

/// What an instance of the module is made for.
typedef struct {
  const module_metadata *metadata;
  /// Where the module's library lies.
  const char *library_path;
  double rate;
  /// The longest block that it is given.
  uint32_t maximum;
} module_terms;

/// An instance of the module, which takes files at its start alone: another file takes another one.
typedef struct {
  void *library;
  /// What the loader knows a copy of the library by; -1 for the library itself.
  int descriptor;
  cmodule_functions functions;
  /// What `create` returned.
  void *state;
  bool is_created;
  /// Its own delay.
  uint32_t latency_frames;
  /// Whether it was run since it was made, reset or restored.
  bool has_run;
  /// The path of each file that it was given; NULL where it has none.
  char **paths;
} module;

/// Loads the module's library, or a copy of it, and makes an instance; NULL, and a complaint, where that
/// fails. [any one thread but render]
module *module_make(const module_terms *terms, const host_features *host);
/// Frees it, or nothing. [main, not rendering]
void module_free(module *it, const module_terms *terms);
/// Reads a file and gives it to the module before its first block; false, and a complaint, where it cannot
/// be read or is not taken. [any one thread but render]
bool module_give(module *it, const module_terms *terms, uint32_t file, const char *path,
                 const host_features *host);
/// What it remembers, to be freed, and how much that is; NULL where it says nothing. [main, not rendering]
void *module_save(const module *it, uint32_t *byte_count);
