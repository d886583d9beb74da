// Needs twice the duration of each block.
#include <stdint.h>
#include <string.h>
#include <time.h>
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  const double end = now() + 2.0 * frame_count / 48000.0;
  while (now() < end) {
  }
  memcpy(outputs[0], inputs[0], frame_count * sizeof(float));
}
