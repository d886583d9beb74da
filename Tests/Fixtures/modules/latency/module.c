// Delays by 100 frames and reports this latency: the host must use it.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
enum { delay = 100 };
struct state {
  float ring[delay];
  uint32_t position;
};
void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  return calloc(1, sizeof(struct state));
}
void destroy(void *state) { free(state); }
void reset(void *state) { memset(state, 0, sizeof(struct state)); }
uint32_t latency(const void *state) { return delay; }
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  struct state *s = state;
  for (uint32_t i = 0; i < frame_count; i++) {
    outputs[0][i] = s->ring[s->position];
    s->ring[s->position] = inputs[0][i];
    s->position = (s->position + 1) % delay;
  }
}
