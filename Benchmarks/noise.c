// noise.c: writes a WAV file of noise, the same on each run. SPDX-License-Identifier: MIT
//
// Usage: noise FRAMES CHANNELS FILE. 16 bits, 48 kHz, -12 dBFS at most.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void number(FILE *file, uint32_t value, int bytes) {
  for (int byte = 0; byte < bytes; byte++) fputc((int)(value >> (8 * byte) & 0xff), file);
}

int main(int argumentCount, char **arguments) {
  if (argumentCount != 4) return 2;
  uint32_t frames = (uint32_t)atoi(arguments[1]), channels = (uint32_t)atoi(arguments[2]);
  uint32_t bytes = frames * channels * 2;
  FILE *file = fopen(arguments[3], "wb");
  if (!file) return 1;
  fputs("RIFF", file);
  number(file, 36 + bytes, 4);
  fputs("WAVEfmt ", file);
  number(file, 16, 4);
  number(file, 1, 2);
  number(file, channels, 2);
  number(file, 48000, 4);
  number(file, 48000 * channels * 2, 4);
  number(file, channels * 2, 2);
  number(file, 16, 2);
  fputs("data", file);
  number(file, bytes, 4);
  // The generator of Numerical Recipes. Its upper bits are random enough for audio.
  uint32_t state = 1;
  for (uint32_t sample = 0; sample < frames * channels; sample++) {
    state = state * 1664525 + 1013904223;
    number(file, (uint32_t)((int32_t)state >> 18), 2);
  }
  return fclose(file) == 0 ? 0 : 1;
}
