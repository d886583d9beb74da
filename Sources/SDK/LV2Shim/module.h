// module.h: one instance of the module's own code. SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cmodule.h"
#include "metadata.h"
#include "host_features.h"

/// The configuration of a module instance.
typedef struct {
  const module_metadata *metadata;
  /// The directory of the module's library.
  const char *library_path;
  double rate;
  /// The longest block.
  uint32_t maximum;
} module_terms;

/// An instance of the module. It accepts files only when it starts; another file needs another instance.
typedef struct {
  void *library;
  /// The file descriptor of a copy of the library; -1 for the library itself.
  int descriptor;
  cmodule_functions functions;
  /// The result of `create`.
  void *state;
  bool is_created;
  /// The latency of the module.
  uint32_t latency_frames;
  /// Whether the module has rendered since it was created, reset or restored.
  bool has_run;
  /// The path of each loaded file; NULL for none.
  char **paths;
} module;

/// Loads the module's library, or a copy, and creates an instance. On failure, writes an error message and
/// returns NULL. [any single thread except render]
module *module_make(const module_terms *terms, const host_features *host);
/// Prepares for the first block with these values, if the module has a function for that. [main, not rendering]
void module_prepare(module *it, const module_terms *terms, const float *values);
/// Frees the instance; NULL is allowed. [main, not rendering]
void module_free(module *it, const module_terms *terms);
/// Loads a file into the module before its first block. On failure, writes an error message and returns
/// false. [any single thread except render]
bool module_give(module *it, const module_terms *terms, uint32_t file, const char *path,
                 const host_features *host);
/// Returns the saved state (free it) and its size; NULL if the module has none. [main, not rendering]
void *module_save(const module *it, uint32_t *byte_count);
