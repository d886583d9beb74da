// drive.c: calls a module's process() with noise, block by block. SPDX-License-Identifier: MIT
//
// Usage: drive LIBRARY BLOCKS PARAMETER OUT. Blocks have 64 frames of one channel at 48 kHz; OUT receives floats.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { frames = 64 };

int main(int count, char **words) {
  void *library = count == 5 ? dlopen(words[1], RTLD_NOW) : NULL;
  if (!library) {
    fprintf(stderr, "drive: %s\n", count == 5 ? dlerror() : "drive LIBRARY BLOCKS PARAMETER OUT");
    return 2;
  }
  void *(*create)(double, uint32_t) = (void *(*)(double, uint32_t))dlsym(library, "create");
  void (*process)(void *, const float *const *, float *const *, const float *, uint32_t) =
      (void (*)(void *, const float *const *, float *const *, const float *, uint32_t))dlsym(
          library, "process");
  FILE *file = fopen(words[4], "w");
  if (!create || !process || !file) return 1;
  void *state = create(48000, frames);
  float parameter = strtof(words[3], NULL), input[frames], output[frames];
  const float *inputs[] = {input};
  float *outputs[] = {output};
  uint32_t noise = 1;
  for (long block = 0; block < atol(words[2]); block++) {
    for (int i = 0; i < frames; i++) {
      noise = noise * 1664525 + 1013904223;
      input[i] = (float)(int32_t)noise * 0x1p-33f;
    }
    process(state, inputs, outputs, &parameter, frames);
    fwrite(output, sizeof *output, frames, file);
  }
  return fclose(file) != 0;
}
