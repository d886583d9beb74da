// swap.h: one module giving way to another while it sounds. SPDX-License-Identifier: MIT
#pragma once

#include <stdatomic.h>

#include "module.h"

/// Fades from one module to another, both hearing the same, as Sources/RenderGraph/SwapNode.swift does.
typedef struct {
  uint32_t output_count;
  /// Gains of the one that comes in, one for each frame of a fade.
  float *gains;
  uint32_t gain_count, faded;
  /// Rows for what fades out.
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
/// Renders what fades out, aside. [render]
void swap_render(module_swap *it, float *const *inputs, const float *values, uint32_t frame_count);
/// Fades from it to what the outputs hold. [render]
void swap_mix(module_swap *it, float *const *outputs, uint32_t frame_count);
/// Ends a fade at once. [render]
void swap_end(module_swap *it);
