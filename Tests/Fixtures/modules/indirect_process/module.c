// `process` is an indirect function (ifunc), as `target_clones` creates: the host must find and call it.
#include <stdint.h>
static void plain(void *state, const float *const *inputs, float *const *outputs,
                  const float *parameters, uint32_t frame_count) {
  for (uint32_t i = 0; i < frame_count; i++) outputs[0][i] = 0.5f * inputs[0][i];
}
static void *resolve(void) { return (void *)plain; }
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) __attribute__((ifunc("resolve")));
