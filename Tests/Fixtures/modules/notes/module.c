// Outputs an impulse per MIDI message: channel 0 has its second byte, channel 1 its length in bytes.
// Each message must arrive exactly once, at its frame.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct state {
  uint32_t count;
  struct { uint32_t frame; float value, length; } waiting[4096];
};
void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  return calloc(1, sizeof(struct state));
}
void destroy(void *state) { free(state); }
void midi(void *state, uint32_t frame, const uint8_t *bytes, uint32_t byte_count) {
  struct state *s = state;
  if (s->count == 4096) return;
  s->waiting[s->count].frame = frame;
  s->waiting[s->count].value = byte_count > 1 ? bytes[1] : 0;
  s->waiting[s->count++].length = (float)byte_count;
}
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  struct state *s = state;
  for (int c = 0; c < 2; c++) memset(outputs[c], 0, frame_count * sizeof(float));
  for (uint32_t n = 0; n < s->count; n++) {
    // A frame outside the block is an error of the host. It results in a value that no message has.
    uint32_t frame = s->waiting[n].frame < frame_count ? s->waiting[n].frame : 0;
    outputs[0][frame] += s->waiting[n].frame < frame_count ? s->waiting[n].value : 1e6f;
    outputs[1][frame] += s->waiting[n].length;
  }
  s->count = 0;
}
