// setup.c: creates and frees instances, and describes the plugin to hosts. SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <dlfcn.h>
#include <lv2/buf-size/buf-size.h>
#include <lv2/midi/midi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instance.h"

enum {
  /// The longest block if the host does not specify one; longer blocks are split.
  default_maximum = 4096,
  /// The size of the MIDI queue: 2,000 short messages.
  message_bytes = 1 << 16,
  /// Zeros after the last parameter, for code that reads beyond it.
  readable_values = 64,
};

/// The only plugin of this library.
static struct {
  LV2_Descriptor descriptor;
  module_metadata *metadata;
  char module_path[longest_path + sizeof "/module.so"];
} plugin;

// MARK: - Memory

static float *rows_of(size_t count, size_t frames) {
  return calloc(count * frames + 1, sizeof(float));
}

static bool make_controls(instance *it) {
  uint32_t count = it->metadata->parameter_count;
  it->parameter_ports = calloc(count + 1, sizeof *it->parameter_ports);
  it->glides = calloc(count + 1, sizeof *it->glides);
  it->values = calloc(count > readable_values ? count : readable_values, sizeof(float));
  it->readout_ports = calloc(it->metadata->readout_count + 1, sizeof *it->readout_ports);
  it->readouts = calloc(it->metadata->readout_count + 1, sizeof(float));
  if (!it->parameter_ports || !it->glides || !it->values || !it->readout_ports || !it->readouts)
    return false;
  for (uint32_t i = 0; i < count; i++) {
    const metadata_parameter *parameter = &it->metadata->parameters[i];
    glide *g = &it->glides[i];
    g->value = g->target = it->values[i] = parameter->initial;
    g->ramp_slices = (uint32_t)ceil(parameter->smoothing_seconds * it->terms.rate / slice_frames);
  }
  return true;
}

static bool make_rows(instance *it) {
  const module_metadata *metadata = it->metadata;
  size_t inputs = metadata->input_count, count = inputs + metadata->output_count;
  it->audio_ports = calloc(count + 1, sizeof(float *));
  it->rows = calloc(count + 1, sizeof(float *));
  it->part_rows = calloc(count + 1, sizeof(float *));
  it->last_samples = rows_of(metadata->output_count, 1);
  it->copies = rows_of(inputs, it->host_maximum);
  it->silence = rows_of(1, it->host_maximum);
  it->waste = rows_of(1, it->host_maximum);
  if (!it->audio_ports || !it->rows || !it->part_rows || !it->last_samples || !it->copies ||
      !it->silence || !it->waste)
    return false;
  if (metadata->block != BLOCK_FIXED && metadata->block != BLOCK_MULTIPLE) return true;
  it->block = calloc(count + 1, sizeof(float *));
  it->block_memory = rows_of(count, metadata->block_frames);
  if (!it->block || !it->block_memory) return false;
  for (size_t row = 0; row < count; row++)
    it->block[row] = it->block_memory + row * metadata->block_frames;
  return true;
}

// MARK: - Blocks

/// Selects the block lengths of the module from the host's options.
static void choose_blocks(instance *it) {
  const host_features *host = &it->host;
  uint32_t unit = it->metadata->block_frames;
  uint32_t longest = host_features_option(host, LV2_BUF_SIZE__maxBlockLength);
  bool is_constant =
      host->has_fixed_blocks && longest == host_features_option(host, LV2_BUF_SIZE__minBlockLength);
  it->host_maximum = longest ? longest : default_maximum;
  switch (it->metadata->block) {
  case BLOCK_ANY: it->terms.maximum = it->host_maximum; return;
  case BLOCK_MAXIMUM:
    it->terms.maximum = unit < it->host_maximum ? unit : it->host_maximum;
    return;
  case BLOCK_FIXED: it->terms.maximum = unit; break;
  case BLOCK_MULTIPLE: it->terms.maximum = unit; break;
  }
  bool fits = longest && is_constant && longest % unit == 0;
  it->starts_collecting = it->is_collecting = !fits;
  if (fits && it->metadata->block == BLOCK_MULTIPLE) it->terms.maximum = longest;
}

// MARK: - LV2's functions

static void cleanup(LV2_Handle handle) {
  instance *it = handle;
  module_free(it->module, &it->terms);
  swap_free(&it->swap, &it->terms);
  files_free(&it->files);
  void *const memory[] = {it->parameter_ports, it->glides,       it->values, it->audio_ports,
                          it->readout_ports,   it->readouts,     it->rows,   it->part_rows,
                          it->last_samples,    it->copies,       it->silence, it->waste,
                          it->block,           it->block_memory};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) free(memory[i]);
  messages_free(&it->messages);
  free(it);
}

/// Allocates all memory except the module's; returns false if there is not enough.
static bool make_all(instance *it) {
  return make_controls(it) && make_rows(it) && files_make(&it->files, it->metadata, &it->host) &&
         (it->files.count == 0 || swap_make(&it->swap, &it->terms)) &&
         (!it->metadata->takes_midi || messages_make(&it->messages, message_bytes));
}

static LV2_Handle instantiate(const LV2_Descriptor *descriptor, double rate,
                              const char *bundle_path, const LV2_Feature *const *features) {
  (void)descriptor, (void)bundle_path;
  instance *it = calloc(1, sizeof *it);
  if (!it) return NULL;
  it->metadata = plugin.metadata;
  it->host = host_features_find(features, plugin.metadata->uri);
  it->terms = (module_terms){plugin.metadata, plugin.module_path, rate, 0};
  it->is_fresh = true;
  it->midi_type = host_features_number(&it->host, LV2_MIDI__MidiEvent);
  it->state_key = host_features_number(&it->host, "urn:outboard:module-state");
  it->chunk_type = host_features_number(&it->host, LV2_ATOM__Chunk);
  choose_blocks(it);
  if (it->metadata->takes_midi && !it->host.map) {
    log_error(&it->host, "MIDI requires the host feature urid:map");
  } else if (!metadata_works_at(it->metadata, rate)) {
    log_error(&it->host, "the module does not support %.0f Hz. Set the host to %u Hz", rate,
             it->metadata->rates[it->metadata->rate_count - 1]);
  } else if (!make_all(it)) {
    log_error(&it->host, "not enough memory");
  } else {
    it->module = it->files.newest = module_make(&it->terms, &it->host);
    if (it->module) return it;
  }
  cleanup(it);
  return NULL;
}

static void connect_port(LV2_Handle handle, uint32_t port, void *data) {
  instance *it = handle;
  const module_metadata *metadata = it->metadata;
  uint32_t audio = metadata->input_count + metadata->output_count;
  if (port < audio) {
    it->audio_ports[port] = data;
    it->is_reconnected = true;
  } else if (port < audio + metadata->parameter_count) {
    it->parameter_ports[port - audio] = data;
  } else {
    port -= audio + metadata->parameter_count;
    if ((metadata->takes_midi || metadata->file_count > 0) && port-- == 0) {
      it->control_port = data;
    } else if (metadata->file_count > 0 && port-- == 0) {
      it->notify_port = data;
    } else if (metadata->reports_latency && port-- == 0) {
      it->latency_port = data;
    } else if (port < metadata->readout_count) {
      it->readout_ports[port] = data;
    }
  }
}

static void activate(LV2_Handle handle) {
  instance *it = handle;
  module *heard = it->module;
  if (heard->has_run && heard->functions.reset) heard->functions.reset(heard->state);
  heard->has_run = false;
  swap_end(&it->swap);
  // A host may drop worker requests while the plugin is inactive.
  atomic_store_explicit(&it->files.is_working, false, memory_order_relaxed);
  // The collected frames have passed in the stream, although the module did not render them.
  it->position += it->filled;
  it->filled = 0;
  it->is_collecting = it->starts_collecting;
  if (it->block) {
    size_t count = it->metadata->input_count + it->metadata->output_count;
    memset(it->block_memory, 0, count * it->metadata->block_frames * sizeof(float));
  }
  messages_clear(&it->messages);
  settle(it);
  module_prepare(heard, &it->terms, it->values);
  it->is_fresh = true;
  it->is_active = true;
}

static void deactivate(LV2_Handle handle) { ((instance *)handle)->is_active = false; }

static const void *extension_data(const char *uri) {
  bool has_files = plugin.metadata->file_count > 0;
  if (strcmp(uri, LV2_STATE__interface) == 0)
    return plugin.metadata->has_state || has_files ? &state_interface : NULL;
  return has_files && strcmp(uri, LV2_WORKER__interface) == 0 ? &worker_interface : NULL;
}

// MARK: - The library

/// Finds the directory of this library and reads the metadata there.
static bool find_plugin(void) {
  Dl_info info;
  if (!dladdr((void *)&plugin, &info) || !info.dli_fname) return false;
  const char *slash = strrchr(info.dli_fname, '/');
  char near[longest_path], directory[longest_path], path[longest_path + sizeof "/module.metadata"];
  int length = slash ? (int)(slash - info.dli_fname) + 1 : 0;
  if (snprintf(near, sizeof near, "%.*s.", length, info.dli_fname) >= longest_path) return false;
  // The host may change the working directory before it creates an instance.
  if (!realpath(near, directory)) return false;
  snprintf(plugin.module_path, sizeof plugin.module_path, "%s/module.so", directory);
  snprintf(path, sizeof path, "%s/module.metadata", directory);
  plugin.metadata = metadata_read(path);
  return plugin.metadata;
}

LV2_SYMBOL_EXPORT const LV2_Descriptor *lv2_descriptor(uint32_t index) {
  if (index > 0 || (!plugin.metadata && !find_plugin())) return NULL;
  plugin.descriptor = (LV2_Descriptor){plugin.metadata->uri, instantiate, connect_port, activate,
                                       run,               deactivate,  cleanup,      extension_data};
  return &plugin.descriptor;
}

/// The metadata lives as long as the library.
__attribute__((destructor)) static void clear_plugin(void) {
  metadata_free(plugin.metadata);
  plugin.metadata = NULL;
}
