// library.c: opening and closing a module's library. SPDX-License-Identifier: MIT
#include <dlfcn.h>
#include <unistd.h>

#include "instance.h"

bool library_open(instance *it, const char *path) {
  if (it->facts->keeps_globals) {
    cmodule_copy copy = cmodule_open_copy(path);
    it->library = copy.library;
    it->descriptor = copy.descriptor;
  } else {
    it->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    it->descriptor = -1;
  }
  if (!it->library) return false;
  // The shared Swift runtime never forgets a library, and so must not lose one.
  if (cmodule_needs(it->library, "libswiftCore.so"))
    dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  return true;
}

void library_close(instance *it) {
  if (!it->library) return;
  dlclose(it->library);
  if (it->descriptor >= 0) close(it->descriptor);
}
