/* click.c: an impulse at the frame of each note, to see when it took effect.
 * SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAXIMUM_CLICKS = 64 };

typedef struct {
  uint32_t frames[MAXIMUM_CLICKS]; /* of the coming block */
  uint32_t count;
} Click;

void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  (void)sample_rate_hz, (void)maximum_frame_count;
  return calloc(1, sizeof(Click));
}

void destroy(void *state) { free(state); }

void midi(void *state, uint32_t frame, const uint8_t *bytes, uint32_t byte_count) {
  Click *click = state;
  if (byte_count == 3 && (bytes[0] & 0xf0) == 0x90 && bytes[2] > 0 && click->count < MAXIMUM_CLICKS)
    click->frames[click->count++] = frame;
}

void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  (void)inputs, (void)parameters;
  Click *click = state;
  memset(outputs[0], 0, frame_count * sizeof(float));
  for (uint32_t i = 0; i < click->count; i++)
    if (click->frames[i] < frame_count) outputs[0][click->frames[i]] = 0.5f;
  memcpy(outputs[1], outputs[0], frame_count * sizeof(float));
  click->count = 0;
}
