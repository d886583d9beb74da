// render_lock.c: the output while a thread saves or restores. SPDX-License-Identifier: MIT
//
// Runs on the audio thread, like Sources/Formats/ModuleHost/ModuleRenderLock.swift: the audio thread never waits
// for the other thread. The counterpart is in state.c.
#include "instance.h"

/// Fades the output to silence from its last value; the block is lost.
static void fall_silent(instance *it, float *const *rows, uint32_t frame_count) {
  for (uint32_t channel = 0; channel < it->metadata->output_count; channel++) {
    float *output = rows[it->metadata->input_count + channel];
    float last = it->is_silenced ? 0 : it->last_samples[channel];
    for (uint32_t i = 0; i < frame_count; i++) {
      uint32_t left = i < fade_frames - 1 ? fade_frames - 1 - i : 0;
      output[i] = last * (float)left / (float)fade_frames;
    }
    it->last_samples[channel] = output[frame_count - 1];
  }
  it->is_silenced = true;
  it->position += frame_count;
}

bool hold_enter(instance *it, float *const *rows, uint32_t frame_count) {
  int expected = HOLD_FREE;
  // Pairs with the release store in state.c after it has held the module.
  if (atomic_compare_exchange_strong_explicit(&it->holder, &expected, HOLD_RENDERING,
                                              memory_order_acquire, memory_order_relaxed))
    return true;
  fall_silent(it, rows, frame_count);
  return false;
}

void hold_leave(instance *it, float *const *rows, uint32_t frame_count) {
  atomic_store_explicit(&it->holder, HOLD_FREE, memory_order_release);
  for (uint32_t channel = 0; channel < it->metadata->output_count; channel++) {
    float *output = rows[it->metadata->input_count + channel];
    for (uint32_t i = 0; it->is_silenced && i < frame_count && i < fade_frames; i++)
      output[i] *= (float)(i + 1) / (float)fade_frames;
    it->last_samples[channel] = output[frame_count - 1];
  }
  it->is_silenced = false;
}
