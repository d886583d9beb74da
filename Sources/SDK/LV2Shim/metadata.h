// metadata.h: the exporter's description of a module. SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// How the legal values of a parameter are distributed. Logarithmic values are handled like linear ones.
typedef enum { SCALE_CONTINUOUS, SCALE_INTEGER, SCALE_TOGGLE } metadata_scale;

typedef struct {
  float minimum, maximum, initial;
  metadata_scale scale;
  /// The duration of a ramp, in seconds; 0 for a jump.
  double smoothing_seconds;
  /// The only legal values; empty if the whole range is legal.
  float *choices;
  uint32_t choice_count;
} metadata_parameter;

/// The block lengths that `process` accepts.
typedef enum { BLOCK_ANY, BLOCK_FIXED, BLOCK_MULTIPLE, BLOCK_MAXIMUM } metadata_block;

/// The order of ports: audio inputs, audio outputs, parameters, control if the module has MIDI or files,
/// notify if it has files, latency if any, readouts.
typedef struct {
  char *uri;
  uint32_t input_count, output_count, parameter_count, readout_count, file_count;
  metadata_parameter *parameters;
  /// The URIs of the module's files.
  char **files;
  metadata_block block;
  /// The length that blocks depend on, in frames; 0 for `BLOCK_ANY`.
  uint32_t block_frames;
  /// The supported sample rates, in Hz; empty for all rates.
  uint32_t *rates, rate_count;
  bool takes_midi, reports_latency, has_state;
  /// Whether instances would share variables, so that each needs a copy of the library.
  bool keeps_globals;
  /// Whether an output may share the memory of the input with the same index.
  bool runs_in_place;
} module_metadata;

/// Reads the file; returns NULL if it is missing or invalid. [main]
module_metadata *metadata_read(const char *path);

/// Frees the result of `metadata_read`; NULL is allowed. [main]
void metadata_free(module_metadata *metadata);

/// Whether the module supports a sample rate in Hz. [any]
bool metadata_works_at(const module_metadata *metadata, double rate);

/// Returns the nearest legal value; for NaN the default. [render]
float metadata_nearest_legal(const metadata_parameter *parameter, float value);
