// step.c: parameters, ramps, MIDI and block parts on the audio thread. SPDX-License-Identifier: MIT
//
// No allocation, freeing, locks or waiting. The samples are the same as from
// Sources/Formats/ModuleHost/ModuleState.swift. Change both files together.
#include "instance.h"

// MARK: - Parameters

/// Reads the host's parameter values and starts ramps.
static void take_parameters(instance *it) {
  for (uint32_t i = 0; i < it->metadata->parameter_count; i++) {
    const float *port = it->parameter_ports[i];
    if (!port) continue;
    float target = metadata_nearest_legal(&it->metadata->parameters[i], *port);
    glide *g = &it->glides[i];
    if (target == g->target) continue;
    g->target = target;
    if (g->ramp_slices == 0) {
      g->value = it->values[i] = target;
    } else {
      g->remaining_slices = g->ramp_slices;
      g->step = (target - g->value) / (float)g->ramp_slices;
      it->is_gliding = true;
    }
  }
}

/// Advances all ramps by one slice.
static void move_parameters(instance *it) {
  bool is_gliding = false;
  for (uint32_t i = 0; i < it->metadata->parameter_count; i++) {
    glide *g = &it->glides[i];
    if (g->remaining_slices == 0) continue;
    g->remaining_slices--;
    // Computed backwards from the target, so that rounding errors neither accumulate nor overshoot.
    g->value = g->remaining_slices == 0 ? g->target
                                        : g->target - g->step * (float)g->remaining_slices;
    it->values[i] = g->value;
    is_gliding = is_gliding || g->remaining_slices > 0;
  }
  it->is_gliding = is_gliding;
}

void settle(instance *it) {
  for (uint32_t i = 0; i < it->metadata->parameter_count; i++) {
    const float *port = it->parameter_ports[i];
    glide *g = &it->glides[i];
    if (port) g->target = metadata_nearest_legal(&it->metadata->parameters[i], *port);
    g->value = it->values[i] = g->target;
    g->remaining_slices = 0;
  }
  it->is_gliding = false;
}

// MARK: - Blocks

/// Passes the MIDI of the next frames to the module and the outgoing one. Late messages take effect at once.
static void deliver_messages(instance *it, uint32_t frame_count) {
  const module *heard = it->module, *leaving = it->swap.leaving;
  if (!it->metadata->takes_midi || !heard->functions.midi) return;
  uint64_t frame;
  uint32_t count;
  const uint8_t *message;
  while ((message = messages_take(&it->messages, it->position + frame_count, &frame, &count))) {
    uint32_t offset = frame > it->position ? (uint32_t)(frame - it->position) : 0;
    if (leaving) leaving->functions.midi(leaving->state, offset, message, count);
    heard->functions.midi(heard->state, offset, message, count);
  }
}

/// Renders a block of a length that the module supports.
static void run_whole(instance *it, float *const *rows, uint32_t frame_count) {
  deliver_messages(it, frame_count);
  module *heard = it->module;
  it->position += frame_count;
  if (swap_is_warming_up(&it->swap)) {
    heard->has_run = true;
    return swap_warm_up(&it->swap, heard, rows, it->values, frame_count);
  }
  // Before the outputs are written, which may share memory with the inputs.
  if (it->swap.leaving) swap_render(&it->swap, rows, it->values, frame_count);
  heard->functions.process(heard->state, (const float *const *)rows,
                           rows + it->metadata->input_count, it->values, frame_count);
  heard->has_run = true;
  if (it->swap.leaving) swap_mix(&it->swap, rows + it->metadata->input_count, frame_count);
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/// Renders part of a block, as long as the module and a ramp allow, and returns its length.
static uint32_t run_part(instance *it, float *const *rows, uint32_t start, uint32_t most) {
  uint32_t part = least(most, it->terms.maximum);
  if (it->is_gliding) {
    // Slices are on a grid of the stream, not of the block, so that a ramp does not depend on block lengths.
    uint32_t phase = (uint32_t)(it->position % slice_frames);
    part = least(part, slice_frames - phase);
    if (phase == 0) move_parameters(it);
  }
  for (uint32_t row = 0; row < it->metadata->input_count + it->metadata->output_count; row++)
    it->part_rows[row] = rows[row] + start;
  run_whole(it, it->part_rows, part);
  return part;
}

void step(instance *it, float *const *rows, uint32_t frame_count) {
  if (!hold_enter(it, rows, frame_count)) return;
  take_parameters(it);
  if (!it->is_gliding && frame_count <= it->terms.maximum) {
    run_whole(it, rows, frame_count);
  } else {
    for (uint32_t done = 0; done < frame_count;)
      done += run_part(it, rows, done, frame_count - done);
  }
  hold_leave(it, rows, frame_count);
}

/// Returns the number of slices that start before a frame of the stream.
static uint64_t slices_before(uint64_t frame) { return (frame + slice_frames - 1) / slice_frames; }

void uncut_step(instance *it, float *const *rows, uint32_t frame_count) {
  if (!hold_enter(it, rows, frame_count)) return;
  take_parameters(it);
  uint64_t slices = slices_before(it->position + frame_count) - slices_before(it->position);
  for (; slices > 0 && it->is_gliding; slices--) move_parameters(it);
  run_whole(it, rows, frame_count);
  hold_leave(it, rows, frame_count);
}
