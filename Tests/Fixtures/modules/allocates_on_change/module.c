// Allocates memory only when its parameter changes.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static float known = -1;
static void *volatile memory;
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  if (known != parameters[0] && known >= 0) {
    free(memory);
    memory = malloc(64);
  }
  known = parameters[0];
  memcpy(outputs[0], inputs[0], frame_count * sizeof(float));
}
