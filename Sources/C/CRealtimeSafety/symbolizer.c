// symbolizer.c: see symbolizer.h. SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "symbolizer.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/// Finds the library of an address, and its link map; returns false if there is none.
static bool object(const void *address, Dl_info *info, struct link_map **map) {
  return dladdr1(address, info, (void **)map, RTLD_DL_LINKMAP) != 0 && *map;
}

/// Returns whether an address is in the program's own code. dladdr has the same result, but searches all
/// symbols.
static bool is_own_code(const void *address) {
  extern const char __executable_start[], etext[];
  return (const char *)address >= __executable_start && (const char *)address < etext;
}

static bool starts_with_one(const char *path, const char *const *names, size_t count) {
  const char *name = last_part(path);
  for (size_t i = 0; i < count; i++) {
    if (strncmp(name, names[i], strlen(names[i])) == 0) return true;
  }
  return false;
}

bool place_is_ours(const char *library) {
  static const char *const names[] = {"libswift", "libFoundation", "lib_Foundation", "libdispatch",
                                      "libBlocksRuntime"};
  return starts_with_one(library, names, sizeof names / sizeof *names);
}

bool place_is_program(const void *address) {
  if (is_own_code(address)) return true;
  Dl_info info;
  struct link_map *map = NULL;
  if (!object(address, &info, &map)) return false;
  // The program is the first one, and the only one without a name.
  return (!map->l_prev && map->l_name[0] == 0) || place_is_ours(map->l_name);
}

/// Returns whether an address is in a function that clears memory for its caller: see outboard/cleared.h.
static bool is_wrapper(const Dl_info *info) {
  return info->dli_sname && strncmp(info->dli_sname, "__wrap_", strlen("__wrap_")) == 0;
}

bool place_is_system(const void *address) {
  Dl_info info;
  struct link_map *map = NULL;
  if (!object(address, &info, &map)) return false;
  if (is_wrapper(&info)) return true;
  static const char *const names[] = {"libc.so",       "ld-linux",    "libpthread", "libm.so",
                                      "libstdc++.so", "libgcc_s.so", "linux-vdso"};
  return starts_with_one(map->l_name, names, sizeof names / sizeof *names);
}

/// Returns the path of a library, or the end of the path of its original if it is a copy in memory: see
/// `cmodule_open_copy`.
static const char *original_of(const struct link_map *map, char *text, size_t capacity) {
  static const char directory[] = "/proc/self/fd/", memory[] = "/memfd:", end[] = " (deleted)";
  if (strncmp(map->l_name, directory, sizeof directory - 1) != 0) return map->l_name;
  const ssize_t length = readlink(map->l_name, text, capacity - 1);
  if (length < (ssize_t)(sizeof memory + sizeof end)) return map->l_name;
  text[length - (ssize_t)(sizeof end - 1)] = 0;
  return strncmp(text, memory, sizeof memory - 1) == 0 ? text + sizeof memory - 1 : map->l_name;
}

static bool is_library(const struct link_map *map, const char *library) {
  char text[512];
  const char *path = original_of(map, text, sizeof text);
  const size_t length = strlen(path), whole = strlen(library);
  if (path == map->l_name) return strcmp(path, library) == 0;
  return length <= whole && strcmp(library + whole - length, path) == 0;
}

bool place_is_in(const void *address, const char *library) {
  Dl_info info;
  struct link_map *map = NULL;
  return object(address, &info, &map) && is_library(map, library);
}

/// Returns a C++ symbol in its source form; NULL if it is not a C++ symbol, or there is no demangler.
static char *demangled(const char *symbol) {
  typedef char *(*function)(const char *, char *, size_t *, int *);
  if (strncmp(symbol, "_Z", 2) != 0) return NULL;
  function demangle = (function)dlsym(RTLD_DEFAULT, "__cxa_demangle");
  int status = 0;
  return demangle ? demangle(symbol, NULL, NULL, &status) : NULL;
}

static void write_place(char *text, size_t capacity, const void *address, const Dl_info *info,
                        const struct link_map *map) {
  const unsigned long offset = (unsigned long)((uintptr_t)address - (uintptr_t)map->l_addr);
  char path[512];
  const char *name = last_part(original_of(map, path, sizeof path));
  if (!info->dli_sname) {
    snprintf(text, capacity, "%s+0x%lx", name, offset);
    return;
  }
  char *plain = demangled(info->dli_sname);
  snprintf(text, capacity, "%s+0x%lx (%s)", name, offset, plain ? plain : info->dli_sname);
  free(plain);
}

const char *place_file(const void *address, unsigned long *offset) {
  Dl_info info;
  struct link_map *map = NULL;
  if (!object(address, &info, &map)) return NULL;
  *offset = (unsigned long)((uintptr_t)address - (uintptr_t)map->l_addr);
  return map->l_name;
}

void place_source(const char *address, bool is_exact, const char *library, char *text, size_t capacity,
                  unsigned long *offset) {
  text[0] = 0;
  const char *file = place_file(is_exact ? address : address - 1, offset);
  if (!file) return;
  // A copy in memory has the source lines of its original.
  static const char copies[] = "/proc/self/fd/";
  const bool is_copy = strncmp(file, copies, sizeof copies - 1) == 0;
  snprintf(text, capacity, "%s", is_copy ? library : file);
}

int place_name(char *text, size_t capacity, void *const *frames, int depth, const char *library) {
  text[0] = 0;
  int found = -1;
  for (int index = 0; index < depth; index++) {
    Dl_info info;
    struct link_map *map = NULL;
    if (is_own_code(frames[index]) || !object(frames[index], &info, &map)) continue;
    if (library[0] && is_library(map, library) && !is_wrapper(&info)) {
      write_place(text, capacity, frames[index], &info, map);
      return index;
    }
    const bool is_foreign = !place_is_program(frames[index]) && !place_is_system(frames[index]);
    if (found >= 0 || !is_foreign) continue;
    write_place(text, capacity, frames[index], &info, map);
    found = index;
  }
  return found;
}
