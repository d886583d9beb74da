// Leaks memory in each call of `save`.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
void *create(double sample_rate_hz, uint32_t maximum_frame_count) { return calloc(1, sizeof(char *)); }
void destroy(void *state) { free(state); }
uint32_t save(const void *state, void *bytes, uint32_t capacity) {
  char *text = malloc(4000);
  memset(text, 0, 4000);
  *(char **)state = text;
  if (capacity >= 4) memcpy(bytes, text, 4);
  return 4;
}
int restore(void *state, const void *bytes, uint32_t byte_count) { return 0; }
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  memcpy(outputs[0], inputs[0], frame_count * sizeof(float));
}
