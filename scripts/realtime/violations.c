// violations.c: a module that violates the rules of `process`. SPDX-License-Identifier: MIT
//
// The negative control of scripts/check-realtime: compiled once for each OFFENCE, each of which
// must be reported.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOTHING 0
#define ALLOCATES 1
#define LOCKS 2
#define CALLS 3
#define CALLS_UNSEEN 4

static void offend(void) {
#if OFFENCE == ALLOCATES
  // Volatile, or the compiler drops the pair.
  void *volatile memory = malloc(64);
  free(memory);
#elif OFFENCE == LOCKS
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
#elif OFFENCE == CALLS
  syscall(SYS_sched_yield);
#elif OFFENCE == CALLS_UNSEEN && defined(__x86_64__)
  // Without the C library: only the kernel can notice it.
  long number = SYS_sched_yield;
  __asm__ volatile("syscall" : "+a"(number) : : "rcx", "r11", "memory");
#endif
}

void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count);

void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  (void)state;
  (void)parameters;
  offend();
  for (int channel = 0; channel < 2; channel++) {
    memcpy(outputs[channel], inputs[channel], frame_count * sizeof(float));
  }
}
