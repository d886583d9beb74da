// Allocates memory in `process`: the real-time sanitizer must stop the program.
#include <stdint.h>
#include <stdlib.h>
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  void *volatile memory = malloc(frame_count);
  outputs[0][0] = memory ? 1 : 0;
  free(memory);
}
