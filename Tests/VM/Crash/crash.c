/* crash.c: passes audio on, and crashes once in the block after the file $CRASH was created.
 * SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  (void)sample_rate_hz, (void)maximum_frame_count;
  return getenv("CRASH");
}

void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  (void)parameters;
  if (state && unlink(state) == 0) *(volatile int *)0 = 1;
  for (int channel = 0; channel < 2; channel++)
    memmove(outputs[channel], inputs[channel], frame_count * sizeof(float));
}
