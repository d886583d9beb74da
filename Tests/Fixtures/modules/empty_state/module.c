// Saves nothing, but needs a valid address: the host must restore it with 0 bytes and a non-NULL pointer.
#include <stdint.h>
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
}
uint32_t save(const void *state, void *bytes, uint32_t capacity) { return 0; }
int restore(void *state, const void *bytes, uint32_t byte_count) { return !bytes || byte_count; }
