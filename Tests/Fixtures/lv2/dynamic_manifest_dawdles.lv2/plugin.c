// plugin.c: its dynamic manifest takes a second to read; a variable marks that time. SPDX-License-Identifier: MIT
#include <lv2/dynmanifest/dynmanifest.h>
#include <stdlib.h>
#include <unistd.h>

int lv2_dyn_manifest_open(LV2_Dyn_Manifest_Handle *handle, const LV2_Feature *const *features) {
  (void)handle, (void)features;
  setenv("OUTBOARD_FIXTURE_DAWDLES", "1", 1);
  sleep(1);
  return 0;
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
