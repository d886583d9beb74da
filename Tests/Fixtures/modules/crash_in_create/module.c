// `create` writes to an invalid address: the preflight must catch it, and nothing may be rendered.
#include <stdint.h>
void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  *(volatile int *)8 = 1;
  return 0;
}
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
}
