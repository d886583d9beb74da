// hot_swap.h: replaces a running module by another one. SPDX-License-Identifier: MIT
#pragma once

#include <stdatomic.h>

#include "module.h"

/// Crossfades from one module to another with the same input, as Sources/Engine/RenderGraph/HotSwapNode.swift does.
typedef struct {
  uint32_t input_count, output_count;
  /// The gains of the new module, one for each frame of a fade.
  float *gains;
  uint32_t gain_count, faded;
  /// The warm-up frames of a new module: with fixed part, with its latency, and how many are done. The inputs
  /// fade in during the warm-up, and the output is muted.
  uint32_t minimum_warm_up, warm_up, warmed;
  /// Channel buffers: for inputs that fade in, then for the output of a muted or outgoing module.
  float **rows, *samples;
  /// The outgoing module; NULL at rest. [render]
  module *leaving;
  /// The next module, from the thread that creates it to the audio thread.
  module *_Atomic wanted;
  /// The old module, on its way back to be freed.
  module *_Atomic gone;
} module_swap;

/// Allocates the buffers of a crossfade; returns false if there is not enough memory. [main]
bool swap_make(module_swap *it, const module_terms *terms);
/// Frees the buffers and all its modules. [main, not rendering]
void swap_free(module_swap *it, const module_terms *terms);

/// Replaces `*heard` by the next module if there is one and no fade is running. If the current one was not
/// audible yet, the change is immediate; otherwise it is a crossfade. Returns true on a change. [render]
bool swap_take(module_swap *it, module **heard);
/// Whether the new module is still muted. [render]
bool swap_is_warming_up(const module_swap *it);
/// Renders the active module, and the new one muted. Buffers are the inputs, then the outputs. [render]
void swap_warm_up(module_swap *it, const module *coming, float *const *rows, const float *values,
                  uint32_t frame_count);
/// Renders the outgoing module into its own buffers. [render]
void swap_render(module_swap *it, float *const *inputs, const float *values, uint32_t frame_count);
/// Crossfades from the outgoing module to the outputs. [render]
void swap_mix(module_swap *it, float *const *outputs, uint32_t frame_count);
/// Ends a crossfade at once. [render]
void swap_end(module_swap *it);
