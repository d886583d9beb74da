// metadata.c: reads the exporter's description of a module. SPDX-License-Identifier: MIT
//
// One value per line. Fractions are the bits of the number in hexadecimal, because a host may have set a
// locale with a decimal comma.
#define _DEFAULT_SOURCE
#include "metadata.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  version = 4,
  longest_uri = 2048,
  /// The names of the module and of a symbol.
  longest_file_uri = 4095,
  most_channels = 64,
  most_parameters = 65536,
  highest_rate = 1536000
};

// MARK: - Numbers

static bool read_float(FILE *file, float *value) {
  uint32_t bits;
  if (fscanf(file, " %" SCNx32, &bits) != 1) return false;
  memcpy(value, &bits, sizeof bits);
  return true;
}

static bool read_double(FILE *file, double *value) {
  uint64_t bits;
  if (fscanf(file, " %" SCNx64, &bits) != 1) return false;
  memcpy(value, &bits, sizeof bits);
  return true;
}

/// Reads a line with a word and an integer up to `most`.
static bool read_count(FILE *file, const char *word, uint32_t most, uint32_t *count) {
  char found[32];
  return fscanf(file, " %31s %" SCNu32, found, count) == 2 && strcmp(found, word) == 0 &&
         *count <= most;
}

static bool read_flag(FILE *file, const char *word, bool *flag) {
  uint32_t number;
  if (!read_count(file, word, 1, &number)) return false;
  *flag = number;
  return true;
}

// MARK: - Parts

static bool read_block(FILE *file, module_metadata *metadata) {
  static const char *const words[] = {"any", "fixed", "multiple_of", "maximum"};
  char word[16];
  if (fscanf(file, " block %15s %" SCNu32, word, &metadata->block_frames) != 2) return false;
  for (metadata->block = BLOCK_ANY; metadata->block <= BLOCK_MAXIMUM; metadata->block++) {
    if (strcmp(word, words[metadata->block]) != 0) continue;
    return (metadata->block == BLOCK_ANY) == (metadata->block_frames == 0);
  }
  return false;
}

static bool read_rates(FILE *file, module_metadata *metadata) {
  if (!read_count(file, "rates", most_parameters, &metadata->rate_count)) return false;
  metadata->rates = calloc(metadata->rate_count + 1, sizeof *metadata->rates);
  if (!metadata->rates) return false;
  for (uint32_t i = 0; i < metadata->rate_count; i++)
    if (!read_count(file, "rate", highest_rate, &metadata->rates[i])) return false;
  return true;
}

static bool read_parameter(FILE *file, metadata_parameter *parameter) {
  static const char *const words[] = {"continuous", "integer", "toggle"};
  char word[16];
  if (fscanf(file, " parameter %15s", word) != 1) return false;
  bool is_known = false;
  for (int scale = SCALE_CONTINUOUS; scale <= SCALE_TOGGLE; scale++) {
    if (strcmp(word, words[scale]) != 0) continue;
    parameter->scale = (metadata_scale)scale;
    is_known = true;
  }
  if (!is_known || !read_float(file, &parameter->minimum) ||
      !read_float(file, &parameter->initial) || !read_float(file, &parameter->maximum) ||
      !read_double(file, &parameter->smoothing_seconds) ||
      fscanf(file, " %" SCNu32, &parameter->choice_count) != 1)
    return false;
  if (parameter->choice_count == 0) return true;
  parameter->choices = calloc(parameter->choice_count, sizeof(float));
  if (!parameter->choices) return false;
  for (uint32_t i = 0; i < parameter->choice_count; i++)
    if (!read_float(file, &parameter->choices[i])) return false;
  return true;
}

static bool read_files(FILE *file, module_metadata *metadata) {
  if (!read_count(file, "files", most_parameters, &metadata->file_count)) return false;
  metadata->files = calloc(metadata->file_count + 1, sizeof *metadata->files);
  if (!metadata->files) return false;
  for (uint32_t i = 0; i < metadata->file_count; i++) {
    char uri[longest_file_uri + 1];
    if (fscanf(file, " file %4095s", uri) != 1) return false;
    metadata->files[i] = strdup(uri);
    if (!metadata->files[i]) return false;
  }
  return true;
}

static bool read_all(FILE *file, module_metadata *metadata) {
  uint32_t found;
  metadata->uri = calloc(1, longest_uri + 1);
  if (!metadata->uri || !read_count(file, "outboard-module", version, &found) || found != version ||
      fscanf(file, " uri %2048s", metadata->uri) != 1 ||
      !read_count(file, "inputs", most_channels, &metadata->input_count) ||
      !read_count(file, "outputs", most_channels, &metadata->output_count) ||
      !read_block(file, metadata) || !read_rates(file, metadata) ||
      !read_flag(file, "midi", &metadata->takes_midi) ||
      !read_flag(file, "latency", &metadata->reports_latency) ||
      !read_flag(file, "state", &metadata->has_state) ||
      !read_flag(file, "globals", &metadata->keeps_globals) ||
      !read_flag(file, "in_place", &metadata->runs_in_place) ||
      !read_count(file, "readouts", most_parameters, &metadata->readout_count) ||
      !read_files(file, metadata) ||
      !read_count(file, "parameters", most_parameters, &metadata->parameter_count))
    return false;
  metadata->parameters = calloc(metadata->parameter_count + 1, sizeof *metadata->parameters);
  if (!metadata->parameters) return false;
  for (uint32_t i = 0; i < metadata->parameter_count; i++)
    if (!read_parameter(file, &metadata->parameters[i])) return false;
  return true;
}

// MARK: - Whole

module_metadata *metadata_read(const char *path) {
  FILE *file = fopen(path, "re");
  if (!file) return NULL;
  module_metadata *metadata = calloc(1, sizeof *metadata);
  if (metadata && !read_all(file, metadata)) {
    metadata_free(metadata);
    metadata = NULL;
  }
  fclose(file);
  return metadata;
}

void metadata_free(module_metadata *metadata) {
  if (!metadata) return;
  if (metadata->parameters)
    for (uint32_t i = 0; i < metadata->parameter_count; i++) free(metadata->parameters[i].choices);
  if (metadata->files)
    for (uint32_t i = 0; i < metadata->file_count; i++) free(metadata->files[i]);
  free(metadata->parameters);
  free(metadata->rates);
  free(metadata->files);
  free(metadata->uri);
  free(metadata);
}

float metadata_nearest_legal(const metadata_parameter *parameter, float value) {
  if (isnan(value)) return parameter->initial;
  if (parameter->choice_count > 0) {
    float nearest = parameter->choices[0];
    for (uint32_t i = 1; i < parameter->choice_count; i++)
      if (fabsf(parameter->choices[i] - value) < fabsf(nearest - value))
        nearest = parameter->choices[i];
    return nearest;
  }
  float inside = value < parameter->minimum ? parameter->minimum : value;
  inside = inside > parameter->maximum ? parameter->maximum : inside;
  switch (parameter->scale) {
  case SCALE_CONTINUOUS: return inside;
  case SCALE_INTEGER: return roundf(inside);
  case SCALE_TOGGLE:
    return inside > (parameter->minimum + parameter->maximum) / 2 ? parameter->maximum
                                                                   : parameter->minimum;
  }
  return inside;
}

bool metadata_works_at(const module_metadata *metadata, double rate) {
  if (metadata->rate_count == 0) return true;
  for (uint32_t i = 0; i < metadata->rate_count; i++)
    if (fabs(metadata->rates[i] - rate) < 0.5) return true;
  return false;
}
