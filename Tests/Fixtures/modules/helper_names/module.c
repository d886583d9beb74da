// Depends on a library that exports `latency`: the host must not use that function as the module's own.
#include <stdint.h>
int helper(void);
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  for (uint32_t i = 0; i < frame_count; i++) outputs[0][i] = inputs[0][i] * (float)helper();
}
