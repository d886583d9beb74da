// samples.c: compares sample conversion with a copy of the same number of bytes. SPDX-License-Identifier: MIT
//
// Usage: samples ROUNDS. For each format it prints the time relative to memcpy with the same traffic (bytes read
// plus bytes written). Conversion and copy take turns; the result is the median over the rounds.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "csamples.h"

enum {
  CHANNELS = 8,
  PERIOD = 1024,
  ROUNDS = 101,
  /// Enough periods to exceed all caches.
  FAR = 1024,
};

typedef struct case_of {
  csamples_format format;
  uint32_t channels, frames, periods;
} case_of;

static uint8_t *device, *copy_from, *copy_to;
static float *sound;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static float *place(case_of c, uint32_t period, csamples_channel *channels, float **rows) {
  const uint32_t bytes = csamples_byte_count(c.format);
  const size_t start = (size_t)period * c.frames * c.channels;
  for (uint32_t k = 0; k < c.channels; k++) {
    channels[k] =
        (csamples_channel){device + (start + k) * bytes, c.channels * bytes};
    rows[k] = sound + start + (size_t)k * c.frames;
  }
  return rows[0];
}

static void read_frames(case_of c, uint32_t period) {
  csamples_channel channels[CHANNELS];
  float *rows[CHANNELS];
  place(c, period, channels, rows);
  const csamples_frames frames = {c.format, c.channels, channels, rows, NULL};
  csamples_read_frames(&frames, 0, 0, c.frames);
}

static void write_frames(case_of c, uint32_t period) {
  csamples_channel channels[CHANNELS];
  float *rows[CHANNELS];
  place(c, period, channels, rows);
  const csamples_frames frames = {c.format, c.channels, channels, rows, NULL};
  csamples_write_frames(&frames, 0, 0, c.frames);
}

static void dither_frames(case_of c, uint32_t period) {
  static csamples_dither dither;
  csamples_channel channels[CHANNELS];
  float *rows[CHANNELS];
  place(c, period, channels, rows);
  const csamples_frames frames = {c.format, c.channels, channels, rows, &dither};
  csamples_write_frames(&frames, 0, 0, c.frames);
}

static void copy(case_of c, uint32_t period) {
  const size_t bytes = (size_t)c.frames * c.channels * (csamples_byte_count(c.format) + 4) / 2;
  memcpy(copy_to + period * bytes, copy_from + period * bytes, bytes);
  __asm__ volatile("" ::: "memory");
}

/// Returns nanoseconds. The number of samples is about the same in each case.
static double time_of(void (*work)(case_of, uint32_t), case_of c) {
  const uint32_t times = c.periods > 1 ? c.periods : (1 << 17) / (c.frames * c.channels) + 1;
  const double start = now();
  for (uint32_t i = 0; i < times; i++) work(c, i % c.periods);
  return now() - start;
}

static int rising(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double ratio(void (*work)(case_of, uint32_t), case_of c, int rounds) {
  double ratios[ROUNDS];
  time_of(work, c);
  for (int round = 0; round < rounds; round++) {
    const double copying = time_of(copy, c);
    ratios[round] = time_of(work, c) / copying;
  }
  qsort(ratios, (size_t)rounds, sizeof ratios[0], rising);
  return ratios[rounds / 2];
}

static const struct {
  const char *name;
  csamples_format format;
} formats[] = {
    {"S8", CSAMPLES_S8},         {"U8", CSAMPLES_U8},           {"S16", CSAMPLES_S16},
    {"S16_BE", CSAMPLES_S16_BE}, {"S20_3", CSAMPLES_S20_3},     {"S24_3", CSAMPLES_S24_3},
    {"S24_3_BE", CSAMPLES_S24_3_BE}, {"S24", CSAMPLES_S24},     {"S32", CSAMPLES_S32},
    {"S32_BE", CSAMPLES_S32_BE}, {"FLOAT", CSAMPLES_FLOAT},     {"FLOAT_BE", CSAMPLES_FLOAT_BE},
    {"FLOAT64", CSAMPLES_FLOAT64},
};

static void table(const char *name, void (*work)(case_of, uint32_t), size_t count, int rounds) {
  printf("| %s | 2 x 64 | 2 x 1024 | 8 x 64 | 8 x 1024 | 2 x 1024, not in a cache |\n", name);
  printf("| --- | --- | --- | --- | --- | --- |\n");
  for (size_t i = 0; i < count; i++) {
    printf("| %s |", formats[i].name);
    for (uint32_t channels = 2; channels <= 8; channels *= 4) {
      for (uint32_t frames = 64; frames <= PERIOD; frames *= 16) {
        printf(" %.2f |", ratio(work, (case_of){formats[i].format, channels, frames, 1}, rounds));
      }
    }
    printf(" %.2f |\n", ratio(work, (case_of){formats[i].format, 2, PERIOD, FAR}, rounds / 4 + 1));
  }
  printf("\n");
}

int main(int argumentCount, char **arguments) {
  const int rounds = argumentCount > 1 ? atoi(arguments[1]) : 15;
  if (rounds < 1 || rounds > ROUNDS) return 2;
  const size_t samples = (size_t)FAR * 2 * PERIOD;
  device = malloc(samples * 8);
  copy_from = malloc(samples * 8);
  copy_to = malloc(samples * 8);
  sound = malloc(samples * sizeof *sound);
  if (!device || !copy_from || !copy_to || !sound) return 1;
  memset(device, 0, samples * 8);
  memset(copy_from, 1, samples * 8);
  memset(copy_to, 1, samples * 8);
  // Noise up to full scale, without clipping: real signals almost never clip.
  uint32_t state = 1;
  for (size_t i = 0; i < samples; i++) {
    state = state * 1664525 + 1013904223;
    sound[i] = (float)((int32_t)state >> 8) / 8388608.0f;
  }
  const size_t count = sizeof formats / sizeof formats[0];
  table("write", write_frames, count, rounds);
  table("write with dither", dither_frames, 3, rounds);
  table("read", read_frames, count, rounds);
  return 0;
}
