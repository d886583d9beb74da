// hot_swap.h: one module giving way to another while it sounds. SPDX-License-Identifier: MIT
#pragma once

#include <stdatomic.h>

#include "module.h"

/// Fades from one module to another, both hearing the same, as Sources/Engine/RenderGraph/HotSwapNode.swift does.
typedef struct {
  uint32_t input_count, output_count;
  /// Gains of the one that comes in, one for each frame of a fade.
  float *gains;
  uint32_t gain_count, faded;
  /// Frames in which what comes in hears the inputs, faded in, before it is heard: always, with its latency, and
  /// how many it has heard.
  uint32_t least_warm_up, warm_up, warmed;
  /// Rows of its own: for inputs that fade in, then for what is not heard, or fades out.
  float **rows, *samples;
  /// What fades out; NULL at rest. [render]
  module *leaving;
  /// What is to be heard, from those that make it to the audio thread.
  module *_Atomic wanted;
  /// What is heard no longer, on the way back to be freed.
  module *_Atomic gone;
} module_swap;

/// Memory for a fade; false if there is none. [main]
bool swap_make(module_swap *it, const module_terms *terms);
/// Frees all modules that it holds, too. [main, not rendering]
void swap_free(module_swap *it, const module_terms *terms);

/// Puts a module in the place of `*heard`, if one is wanted and the last is out of the way: at once where
/// that one was not heard yet, else with a fade. True where it did. [render]
bool swap_take(module_swap *it, module **heard);
/// Whether what comes in is not heard yet. [render]
bool swap_is_warming_up(const module_swap *it);
/// Renders what is heard still, and what comes in aside; rows are the inputs, then the outputs. [render]
void swap_warm_up(module_swap *it, const module *coming, float *const *rows, const float *values,
                  uint32_t frame_count);
/// Renders what fades out, aside. [render]
void swap_render(module_swap *it, float *const *inputs, const float *values, uint32_t frame_count);
/// Fades from it to what the outputs hold. [render]
void swap_mix(module_swap *it, float *const *outputs, uint32_t frame_count);
/// Ends a fade at once. [render]
void swap_end(module_swap *it);
