// cmodule.c: finding a module's functions. SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cmodule.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

int cmodule_find(void *library, cmodule_functions *functions) {
  functions->process = (cmodule_process)dlsym(library, "process");
  if (!functions->process) return 0;
  functions->create = (cmodule_create)dlsym(library, "create");
  functions->destroy = (cmodule_destroy)dlsym(library, "destroy");
  functions->reset = (cmodule_reset)dlsym(library, "reset");
  functions->midi = (cmodule_midi)dlsym(library, "midi");
  functions->latency = (cmodule_latency)dlsym(library, "latency");
  functions->save = (cmodule_save)dlsym(library, "save");
  functions->restore = (cmodule_restore)dlsym(library, "restore");
  return 1;
}

int cmodule_needs(void *library, const char *name) {
  struct link_map *map = NULL;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || !map || !map->l_ld) return 0;
  const char *strings = NULL;
  for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag == DT_STRTAB) strings = (const char *)entry->d_un.d_ptr;
  }
  if (!strings) return 0;
  for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag == DT_NEEDED && strcmp(strings + entry->d_un.d_val, name) == 0) return 1;
  }
  return 0;
}
