// plugin.c: simulates threads that keep running for 10 ms after deactivate(). SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include <lv2/worker/worker.h>
#include <string.h>
#include <time.h>

#include "pass_through.h"

static struct timespec deactivated;

static void deactivate(LV2_Handle handle) {
  (void)handle;
  clock_gettime(CLOCK_MONOTONIC, &deactivated);
}

static void cleanup_with_threads(LV2_Handle handle) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double seconds = (double)(now.tv_sec - deactivated.tv_sec) +
                         (double)(now.tv_nsec - deactivated.tv_nsec) * 1e-9;
  // An earlier cleanup() would free memory that those threads still use.
  if (seconds < 0.01) abort();
  cleanup(handle);
}

static LV2_Worker_Status work(LV2_Handle handle, LV2_Worker_Respond_Function respond,
                              LV2_Worker_Respond_Handle target, uint32_t size, const void *data) {
  (void)handle, (void)respond, (void)target, (void)size, (void)data;
  return LV2_WORKER_SUCCESS;
}

static LV2_Worker_Status work_response(LV2_Handle handle, uint32_t size, const void *data) {
  (void)handle, (void)size, (void)data;
  return LV2_WORKER_SUCCESS;
}

static const void *extension_data(const char *uri) {
  static const LV2_Worker_Interface interface = {work, work_response, NULL};
  return strcmp(uri, LV2_WORKER__interface) ? NULL : &interface;
}

static const LV2_Descriptor descriptor = {"urn:outboard:test:slow_threads",
                                          instantiate,
                                          connect_port,
                                          NULL,
                                          run,
                                          deactivate,
                                          cleanup_with_threads,
                                          extension_data};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
