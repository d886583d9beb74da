// hot_swap.c: replaces a running module by another one. SPDX-License-Identifier: MIT
//
// Everything except setup runs on the audio thread. The samples are the same as from
// Sources/Engine/RenderGraph/HotSwapStep.swift.
#define _DEFAULT_SOURCE
#include "hot_swap.h"

#include <math.h>
#include <stdlib.h>

/// The fade length of the module's own host.
static const double fade_seconds = 0.05;

// MARK: - Memory

bool swap_make(module_swap *it, const module_terms *terms) {
  uint32_t frames = (uint32_t)(fade_seconds * terms->rate);
  it->gain_count = frames > 0 ? frames : 1;
  it->faded = it->gain_count;
  it->input_count = terms->metadata->input_count;
  it->output_count = terms->metadata->output_count;
  // The fade-in of the inputs, and the same time again for their effect on the state.
  it->minimum_warm_up = (uint32_t)(2 * fade_seconds * terms->rate);
  const uint32_t row_count = it->input_count + it->output_count;
  it->gains = calloc(it->gain_count, sizeof(float));
  it->rows = calloc(row_count + 1, sizeof(float *));
  it->samples = calloc((size_t)row_count * terms->maximum + 1, sizeof(float));
  if (!it->gains || !it->rows || !it->samples) return false;
  for (uint32_t row = 0; row < row_count; row++)
    it->rows[row] = it->samples + (size_t)row * terms->maximum;
  // Half a cosine, which has no corner at either end.
  for (uint32_t frame = 0; frame < it->gain_count; frame++) {
    double phase = (double)(frame + 1) / (double)(it->gain_count + 1) * M_PI;
    it->gains[frame] = (float)((1 - cos(phase)) / 2);
  }
  return true;
}

void swap_free(module_swap *it, const module_terms *terms) {
  module_free(it->leaving, terms);
  module_free(atomic_load(&it->wanted), terms);
  module_free(atomic_load(&it->gone), terms);
  free(it->gains);
  free(it->rows);
  free(it->samples);
}

// MARK: - The audio thread

bool swap_take(module_swap *it, module **heard) {
  if (!atomic_load_explicit(&it->wanted, memory_order_relaxed) || it->leaving ||
      atomic_load_explicit(&it->gone, memory_order_relaxed))
    return false;
  // Pairs with the release exchange in files.c: the module is ready before it becomes visible.
  module *coming = atomic_exchange_explicit(&it->wanted, NULL, memory_order_acquire);
  if (!coming) return false;
  it->leaving = *heard;
  *heard = coming;
  it->faded = it->warmed = 0;
  it->warm_up = it->input_count > 0 ? it->minimum_warm_up + coming->latency_frames : 0;
  if (!it->leaving->has_run) swap_end(it);
  return true;
}

static void process(const module *one, float *const *inputs, float *const *outputs,
                    const float *values, uint32_t frame_count) {
  one->functions.process(one->state, (const float *const *)inputs, outputs, values, frame_count);
}

bool swap_is_warming_up(const module_swap *it) {
  return it->leaving && it->warmed < it->warm_up;
}

void swap_warm_up(module_swap *it, const module *coming, float *const *rows, const float *values,
                  uint32_t frame_count) {
  const uint32_t start = it->warmed < it->gain_count ? it->warmed : it->gain_count;
  const uint32_t left = it->gain_count - start, count = frame_count < left ? frame_count : left;
  // Before the outputs are written, which may share memory with the inputs.
  for (uint32_t row = 0; row < it->input_count; row++) {
    for (uint32_t i = 0; i < count; i++) it->rows[row][i] = rows[row][i] * it->gains[start + i];
    for (uint32_t i = count; i < frame_count; i++) it->rows[row][i] = rows[row][i];
  }
  process(it->leaving, rows, rows + it->input_count, values, frame_count);
  process(coming, it->rows, it->rows + it->input_count, values, frame_count);
  it->warmed += frame_count;
}

void swap_render(module_swap *it, float *const *inputs, const float *values,
                 uint32_t frame_count) {
  process(it->leaving, inputs, it->rows + it->input_count, values, frame_count);
}

void swap_mix(module_swap *it, float *const *outputs, uint32_t frame_count) {
  uint32_t left = it->gain_count - it->faded, count = frame_count < left ? frame_count : left;
  const float *gains = it->gains + it->faded;
  for (uint32_t row = 0; row < it->output_count; row++) {
    float *coming = outputs[row];
    const float *leaving = it->rows[it->input_count + row];
    // If both signals are equal, the output is exact to the last bit.
    for (uint32_t i = 0; i < count; i++)
      coming[i] = leaving[i] + (coming[i] - leaving[i]) * gains[i];
  }
  it->faded += count;
  if (it->faded == it->gain_count) swap_end(it);
}

void swap_end(module_swap *it) {
  if (!it->leaving) return;
  // Pairs with the acquire exchange in files.c: its last block has ended.
  atomic_store_explicit(&it->gone, it->leaving, memory_order_release);
  it->leaving = NULL;
}
