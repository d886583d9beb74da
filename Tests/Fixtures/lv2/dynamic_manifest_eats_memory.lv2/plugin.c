// plugin.c: allocates all available memory while its manifest is read. SPDX-License-Identifier: MIT
#include <lv2/dynmanifest/dynmanifest.h>
#include <stdlib.h>

int lv2_dyn_manifest_open(LV2_Dyn_Manifest_Handle *handle, const LV2_Feature *const *features) {
  (void)handle, (void)features;
  // The memory is never touched: only this process runs out of it, not the machine.
  char *volatile memory;
  while ((memory = malloc(64 << 20)) != NULL) {
  }
  abort();
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
