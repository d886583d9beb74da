// `create` returns NULL: the host must refuse the instance, and must not call `destroy`.
#include <stddef.h>
#include <stdint.h>
uint32_t destroyed_count = 0;
void *create(double sample_rate_hz, uint32_t maximum_frame_count) { return NULL; }
void destroy(void *state) { destroyed_count++; }
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
}
