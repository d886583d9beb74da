// module.c: plays the loaded file once, mixed with its input, and measures its output. SPDX-License-Identifier: MIT
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The number of files that were loaded.
int loads;

typedef struct {
  float *sound;
  uint32_t sound_frames, next;
  float highest;
  uint64_t frames;
} player;

void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  (void)sample_rate_hz, (void)maximum_frame_count;
  return calloc(1, sizeof(player));
}

void destroy(void *state) {
  free(((player *)state)->sound);
  free(state);
}

// Accepts one or two channels.
int load_file(void *state, uint32_t file, const float *const *channels, uint32_t channel_count,
              uint32_t frame_count) {
  player *p = state;
  if (file != 0 || channel_count > 2) return 1;
  free(p->sound);
  p->sound = malloc(frame_count * sizeof(float));
  memcpy(p->sound, channels[channel_count - 1], frame_count * sizeof(float));
  p->sound_frames = frame_count;
  loads++;
  return 0;
}

void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  player *p = state;
  for (uint32_t i = 0; i < frame_count; i++) {
    float sound = p->next < p->sound_frames ? p->sound[p->next++] : 0;
    outputs[0][i] = inputs[0][i] * parameters[0] + sound;
    if (outputs[0][i] > p->highest) p->highest = outputs[0][i];
  }
  p->frames += frame_count;
}

void readouts(const void *state, float *values) {
  const player *p = state;
  values[0] = p->highest;
  values[1] = (float)p->frames;
}
