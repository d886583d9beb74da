// Keeps a value in eight bytes, and refuses a state of any other size: `save` and `restore` must preserve it.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct state {
  uint32_t magic;
  float value;
};
void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  struct state *s = malloc(sizeof *s);
  *s = (struct state){0x6b656570, 0};
  return s;
}
void destroy(void *state) { free(state); }
uint32_t save(const void *state, void *bytes, uint32_t capacity) {
  if (capacity >= sizeof(struct state)) memcpy(bytes, state, sizeof(struct state));
  return sizeof(struct state);
}
int restore(void *state, const void *bytes, uint32_t byte_count) {
  struct state taken;
  if (byte_count != sizeof taken) return 1;
  memcpy(&taken, bytes, sizeof taken);
  if (taken.magic != 0x6b656570) return 2;
  *(struct state *)state = taken;
  return 0;
}
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  struct state *s = state;
  for (uint32_t i = 0; i < frame_count; i++) outputs[0][i] = s->value++;
}
