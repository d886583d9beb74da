// Calls a function that nobody exports: must be refused when it is loaded, with the name.
#include <stdint.h>
void outboard_test_absent(void);
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  outboard_test_absent();
}
