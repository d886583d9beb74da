// module.c: one instance of the module's own code. SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE
#include "module.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audio_file.h"

enum {
  /// The longest accepted latency, in seconds.
  longest_latency_seconds = 10,
};

// MARK: - The library

static bool open_library(module *it, const module_terms *terms, const host_features *host) {
  const char *path = terms->library_path;
  if (terms->metadata->keeps_globals) {
    cmodule_copy copy = cmodule_open_copy(path);
    it->library = copy.library;
    it->descriptor = copy.descriptor;
  } else {
    it->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  if (!it->library) {
    const char *reason = dlerror();
    log_error(host, "the module failed to load: %s", reason ? reason : "no reason given");
    return false;
  }
  // The shared Swift runtime keeps references to a library, so it must stay loaded.
  if (cmodule_needs(it->library, "libswiftCore.so"))
    dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  const module_metadata *metadata = terms->metadata;
  const char *missing = !cmodule_find(it->library, &it->functions)        ? "process"
                        : metadata->readout_count && !it->functions.readouts ? "readouts"
                        : metadata->file_count && !it->functions.load        ? "load_file"
                                                                          : NULL;
  if (missing) log_error(host, "the module does not export %s", missing);
  return !missing;
}

static void close_library(module *it) {
  if (!it->library) return;
  dlclose(it->library);
  if (it->descriptor >= 0) close(it->descriptor);
}

// MARK: - Life

/// Returns false, and keeps the latency, if the new one is too long.
static bool read_latency(module *it, const module_terms *terms) {
  uint32_t frames = it->functions.latency ? it->functions.latency(it->state) : 0;
  if (frames > longest_latency_seconds * terms->rate) return false;
  it->latency_frames = frames;
  return true;
}

static bool create(module *it, const module_terms *terms, const host_features *host) {
  if (it->functions.create) {
    it->state = it->functions.create(terms->rate, terms->maximum);
    if (!it->state) {
      log_error(host, "the module cannot be created for this rate and these block lengths");
      return false;
    }
  }
  it->is_created = true;
  if (read_latency(it, terms)) return true;
  log_error(host, "the module reports a latency of more than %d s", longest_latency_seconds);
  return false;
}

void module_prepare(module *it, const module_terms *terms, const float *values) {
  if (!it->functions.prepare) return;
  it->functions.prepare(it->state, values);
  read_latency(it, terms);
}

module *module_make(const module_terms *terms, const host_features *host) {
  module *it = calloc(1, sizeof *it);
  char **paths = calloc(terms->metadata->file_count + 1, sizeof *paths);
  if (!it || !paths) {
    free(it);
    free(paths);
    log_error(host, "not enough memory");
    return NULL;
  }
  it->paths = paths;
  it->descriptor = -1;
  if (open_library(it, terms, host) && create(it, terms, host)) return it;
  module_free(it, terms);
  return NULL;
}

void module_free(module *it, const module_terms *terms) {
  if (!it) return;
  if (it->is_created && it->functions.destroy) it->functions.destroy(it->state);
  close_library(it);
  for (uint32_t file = 0; file < terms->metadata->file_count; file++) free(it->paths[file]);
  free(it->paths);
  free(it);
}

// MARK: - Files and state

bool module_give(module *it, const module_terms *terms, uint32_t file, const char *path,
                 const host_features *host) {
  sound sound;
  char reason[512];
  if (!sound_read(&sound, path, terms->rate, reason, sizeof reason)) {
    log_error(host, "%s %s.", path, reason);
    return false;
  }
  bool is_taken = it->functions.load(it->state, file, (const float *const *)sound.channels,
                                     sound.channel_count, sound.frame_count) == 0;
  sound_free(&sound);
  if (!is_taken) log_error(host, "The module's `load_file` rejected %s.", path);
  it->paths[file] = is_taken ? strdup(path) : NULL;
  return it->paths[file];
}

void *module_save(const module *it, uint32_t *byte_count) {
  *byte_count = 0;
  if (!it->functions.save) return NULL;
  uint32_t needed = it->functions.save(it->state, NULL, 0);
  // One byte more, so that an empty state has an address.
  void *bytes = malloc((size_t)needed + 1);
  if (!bytes) return NULL;
  *byte_count = it->functions.save(it->state, bytes, needed);
  // A partial state would be worse than none.
  if (*byte_count <= needed) return bytes;
  free(bytes);
  return NULL;
}
