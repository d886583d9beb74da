// plugin.c: leaves a thread running that aborts the process while the bundle
// "dynamic_manifest_dawdles" is read. SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <dlfcn.h>
#include <lv2/dynmanifest/dynmanifest.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

// The scan reads the largest bundle first: this array makes it this one.
const char ballast[200000] = {1};

static void *end(void *context) {
  (void)context;
  while (getenv("OUTBOARD_FIXTURE_DAWDLES") == NULL) usleep(1000);
  abort();
}

int lv2_dyn_manifest_open(LV2_Dyn_Manifest_Handle *handle, const LV2_Feature *const *features) {
  (void)handle, (void)features;
  // Keeps this library loaded after dlclose(), because the thread still runs its code.
  Dl_info self;
  if (dladdr(ballast, &self) == 0) return 1;
  if (dlopen(self.dli_fname, RTLD_NOW | RTLD_NODELETE) == NULL) return 1;
  pthread_t thread;
  return pthread_create(&thread, NULL, end, NULL);
}

int lv2_dyn_manifest_get_subjects(LV2_Dyn_Manifest_Handle handle, FILE *file) {
  (void)handle, (void)file;
  return 0;
}

int lv2_dyn_manifest_get_data(LV2_Dyn_Manifest_Handle handle, FILE *file, const char *uri) {
  (void)handle, (void)file, (void)uri;
  return 0;
}

void lv2_dyn_manifest_close(LV2_Dyn_Manifest_Handle handle) { (void)handle; }
