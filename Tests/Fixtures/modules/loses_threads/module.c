// Starts a thread for each instance, and never stops it.
#include <pthread.h>
#include <unistd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static void *wait(void *argument) {
  for (;;) pause();
}
void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  pthread_t thread;
  pthread_create(&thread, NULL, wait, NULL);
  return calloc(1, 4);
}
void destroy(void *state) { free(state); }
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  memcpy(outputs[0], inputs[0], frame_count * sizeof(float));
}
