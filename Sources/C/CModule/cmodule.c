// cmodule.c: looks up a module's functions. SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "cmodule.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

static struct link_map *map_of(void *library) {
  struct link_map *map = NULL;
  return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? map : NULL;
}

// dlsym also searches the library's dependencies, and does not distinguish data from code: a `reset` of a
// dependency or a global `int latency` must not be called.
static void *function_of(void *library, const char *name) {
  void *address = dlsym(library, name);
  Dl_info info;
  struct link_map *owner = NULL;
  if (!address || !dladdr1(address, &info, (void **)&owner, RTLD_DL_LINKMAP)) return NULL;
  if (owner != map_of(library)) return NULL;
  const ElfW(Sym) *symbol = NULL;
  if (!dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT)) return NULL;
  // An indirect function (target_clones) resolves to an address that has no symbol.
  if (symbol && info.dli_saddr == address && ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT)
    return NULL;
  return address;
}

int cmodule_find(void *library, cmodule_functions *functions) {
  functions->process = (cmodule_process)function_of(library, "process");
  if (!functions->process) return 0;
  functions->create = (cmodule_create)function_of(library, "create");
  functions->destroy = (cmodule_destroy)function_of(library, "destroy");
  functions->prepare = (cmodule_prepare)function_of(library, "outboard_prepare");
  functions->reset = (cmodule_reset)function_of(library, "reset");
  functions->midi = (cmodule_midi)function_of(library, "midi");
  functions->latency = (cmodule_latency)function_of(library, "latency");
  functions->save = (cmodule_save)function_of(library, "save");
  functions->restore = (cmodule_restore)function_of(library, "restore");
  functions->load = (cmodule_load)function_of(library, "load_file");
  functions->readouts = (cmodule_readouts)function_of(library, "readouts");
  functions->shape = (cmodule_shape)function_of(library, "outboard_port_counts");
  functions->describe = (cmodule_describe)function_of(library, "outboard_describe");
  return 1;
}

void cmodule_fill_heap(void *library, uint8_t byte) {
  unsigned char *fill = dlsym(library, "outboard_heap_fill");
  Dl_info info;
  struct link_map *owner = NULL;
  if (!fill || !dladdr1(fill, &info, (void **)&owner, RTLD_DL_LINKMAP)) return;
  if (owner == map_of(library)) *fill = byte;
}

static int copy_of(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  // Crash reports find the original by the name of the copy, which may have 249 bytes.
  const size_t length = strlen(path);
  int copy = memfd_create(length > 240 ? path + length - 240 : path, MFD_CLOEXEC);
  ssize_t count = copy < 0 ? -1 : 1;
  while (count > 0) count = sendfile(copy, file, NULL, 1 << 20);
  close(file);
  if (count == 0) return copy;
  if (copy >= 0) close(copy);
  return -1;
}

cmodule_copy cmodule_open_copy(const char *path) {
  cmodule_copy copy = {NULL, copy_of(path)};
  if (copy.descriptor < 0) return copy;
  char name[sizeof "/proc/self/fd/" + 3 * sizeof(int)];
  snprintf(name, sizeof name, "/proc/self/fd/%d", copy.descriptor);
  copy.library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (copy.library) return copy;
  close(copy.descriptor);
  copy.descriptor = -1;
  return copy;
}

int cmodule_needs(void *library, const char *name) {
  const struct link_map *map = map_of(library);
  if (!map || !map->l_ld) return 0;
  const char *strings = NULL;
  for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag != DT_STRTAB) continue;
    // The loader has relocated it to an address, unless this section is read-only (RISC-V).
    ElfW(Addr) table = entry->d_un.d_ptr;
    strings = (const char *)(table < map->l_addr ? map->l_addr + table : table);
  }
  if (!strings) return 0;
  for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag == DT_NEEDED && strcmp(strings + entry->d_un.d_val, name) == 0) return 1;
  }
  return 0;
}
