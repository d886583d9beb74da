// metadata.h: what the exporter wrote down of a module. SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// How the legal values of a parameter lie in its range; logarithmic ones lie as linear ones do.
typedef enum { SCALE_CONTINUOUS, SCALE_INTEGER, SCALE_TOGGLE } metadata_scale;

typedef struct {
  float minimum, maximum, initial;
  metadata_scale scale;
  /// How long a change is ramped, in seconds; 0 for a jump.
  double smoothing_seconds;
  /// The only legal values; none where all of the range are legal.
  float *choices;
  uint32_t choice_count;
} metadata_parameter;

/// Which block lengths `process` can be given.
typedef enum { BLOCK_ANY, BLOCK_FIXED, BLOCK_MULTIPLE, BLOCK_MAXIMUM } metadata_block;

/// Ports follow in this order: audio inputs, audio outputs, parameters, control if there is MIDI or a file,
/// notify if there is a file, latency if any, readouts.
typedef struct {
  char *uri;
  uint32_t input_count, output_count, parameter_count, readout_count, file_count;
  metadata_parameter *parameters;
  /// The URI of each file that the module can be given.
  char **files;
  metadata_block block;
  /// What the block's length is tied to, in frames; 0 for `BLOCK_ANY`.
  uint32_t block_frames;
  /// The only rates at which it works, in Hz; none if it works at any.
  uint32_t *rates, rate_count;
  bool takes_midi, reports_latency, has_state;
  /// Whether instances would share variables, so that each is given a copy of the library.
  bool keeps_globals;
  /// Whether an output may be the memory of the input of the same number.
  bool runs_in_place;
} module_metadata;

/// Reads the file, or returns NULL where it is missing or not what the exporter writes. [main]
module_metadata *metadata_read(const char *path);

/// Frees what `metadata_read` returned, or nothing. [main]
void metadata_free(module_metadata *metadata);

/// Whether the module works at a rate in Hz. [any]
bool metadata_works_at(const module_metadata *metadata, double rate);

/// The legal value that is nearest; not a number gives the one at the start. [render]
float metadata_nearest_legal(const metadata_parameter *parameter, float value);
