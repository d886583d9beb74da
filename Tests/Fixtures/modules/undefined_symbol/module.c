// Calls a function that no library exports: loading must fail, and the message must name the function.
#include <stdint.h>
void outboard_test_absent(void);
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  outboard_test_absent();
}
