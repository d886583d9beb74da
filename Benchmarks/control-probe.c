// control-probe.c: a module that records when each value of its parameter, or of key pressure from MIDI, reaches a block;
// see Benchmarks/control and Tests/VM/guest-midi.sh.
// SPDX-License-Identifier: MIT

// outboard:
//   inputs: 2
//   outputs: 2
//   midi: true
//   parameters:
//     - {symbol: value, name: Value, minimum: 0, maximum: 1000000, default: 0}

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { CAPACITY = 1 << 20 };

/// The time in nanoseconds at which each value was first rendered, in the file that CONTROL_PROBE names.
typedef struct {
  int64_t *times;
} Probe;

void *create(double rate, unsigned frames) {
  (void)rate, (void)frames;
  Probe *probe = calloc(1, sizeof *probe);
  const char *path = getenv("CONTROL_PROBE");
  const int file = path ? open(path, O_RDWR) : -1;
  if (probe && file >= 0) {
    void *map = mmap(NULL, CAPACITY * sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
    if (map != MAP_FAILED) probe->times = map;
    close(file);
  }
  return probe;
}

void destroy(void *state) {
  Probe *probe = state;
  if (probe->times) munmap(probe->times, CAPACITY * sizeof(int64_t));
  free(probe);
}

static void record(Probe *probe, unsigned value) {
  if (!probe->times || value >= CAPACITY || probe->times[value]) return;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  __atomic_store_n(&probe->times[value], now.tv_sec * INT64_C(1000000000) + now.tv_nsec, __ATOMIC_RELEASE);
}

/// Key pressure has a value of 14 bits: the key and the pressure.
void midi(void *state, uint32_t frame, const uint8_t *bytes, uint32_t byte_count) {
  (void)frame;
  if (byte_count == 3 && (bytes[0] & 0xf0) == 0xa0) record(state, (unsigned)bytes[1] << 7 | bytes[2]);
}

void process(void *state, const float *const *in, float *const *out, const float *parameters, unsigned frames) {
  Probe *probe = state;
  record(probe, (unsigned)parameters[0]);
  for (int i = 0; i < 2; i++) memcpy(out[i], in[i], frames * sizeof(float));
}
