// control.c: a client that sends values at a steady rate, by the control socket, OSC or MIDI; see Benchmarks/control.
// SPDX-License-Identifier: MIT
//
// Usage: control SOCKET|PORT|MIDI PROBE PROCESS COMMANDS_PER_SECOND SECONDS
//
// A number is the port of OSC over UDP, and a path in /dev/snd is a raw MIDI device. Both have no replies.
// Prints the processor time of the process in percent of a core, the median and 99th percentile of the time from
// sending a value to the first block with it (or with a later one), in microseconds, and the number of replies, or of
// messages of MIDI that reached a block.
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { CAPACITY = 1 << 20 };

static int64_t now(clockid_t clock) {
  struct timespec time;
  if (clock_gettime(clock, &time)) exit(1);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static int compare(const void *one, const void *other) {
  const int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
  return (a > b) - (a < b);
}

/// Reads what is there, and returns the number of complete lines.
static long drain(int socket, int milliseconds) {
  char bytes[1 << 16];
  long lines = 0;
  struct pollfd news = {.fd = socket, .events = POLLIN};
  while (poll(&news, 1, milliseconds) > 0) {
    const ssize_t count = read(socket, bytes, sizeof bytes);
    if (count <= 0) exit(1);
    for (ssize_t i = 0; i < count; i++) lines += bytes[i] == '\n';
    milliseconds = 0;
  }
  return lines;
}

static bool is_midi(const char *name) { return !strncmp(name, "/dev/snd/", 9); }

static int connected(const char *name, int port) {
  if (is_midi(name)) {
    const int device = open(name, O_WRONLY);
    if (device >= 0) return device;
    perror(name);
    exit(1);
  }
  struct sockaddr_un path = {.sun_family = AF_UNIX};
  strncpy(path.sun_path, name, sizeof path.sun_path - 1);
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const int link = port ? socket(AF_INET, SOCK_DGRAM, 0) : socket(AF_UNIX, SOCK_STREAM, 0);
  const struct sockaddr *place = port ? (const struct sockaddr *)&address : (const struct sockaddr *)&path;
  if (connect(link, place, port ? sizeof address : sizeof path)) {
    perror(name);
    exit(1);
  }
  return link;
}

/// Writes a value as a command, as an OSC message, or as key pressure; returns the length.
static int message(char *bytes, size_t size, const char *target, int port, long value) {
  if (is_midi(target)) {
    bytes[0] = (char)0xa0, bytes[1] = (char)(value >> 7 & 127), bytes[2] = (char)(value & 127);
    return 3;
  }
  if (!port)
    return snprintf(bytes, size, "{\"command\":\"set\",\"node\":\"probe\",\"values\":{\"value\":%ld}}\n", value);
  static const char head[24] = "/node/probe/value\0\0\0,f\0";
  const float number = (float)value;
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  bits = htonl(bits);
  memcpy(bytes, head, sizeof head);
  memcpy(bytes + sizeof head, &bits, sizeof bits);
  return sizeof head + sizeof bits;
}

int main(int count, char **words) {
  if (count != 6) return 2;
  const long rate = atol(words[4]), total = rate * atol(words[5]);
  if (total < 1 || total >= CAPACITY || (is_midi(words[1]) && total >= 1 << 14)) return 2;
  const int port = atoi(words[1]);
  const bool has_replies = !port && !is_midi(words[1]);
  const int link = connected(words[1], port);
  const int file = open(words[2], O_RDONLY);
  const int64_t *heard = mmap(NULL, CAPACITY * sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  if (heard == MAP_FAILED) return perror(words[2]), 1;
  clockid_t process;
  if (clock_getcpuclockid(atoi(words[3]), &process)) return 1;

  int64_t *sent = calloc((size_t)total + 1, sizeof *sent), *delays = calloc((size_t)total + 1, sizeof *delays);
  if (!sent || !delays) return 1;
  const int64_t used = now(process), began = now(CLOCK_MONOTONIC);
  long replies = 0, next = 1;
  while (next <= total) {
    const int64_t due = (now(CLOCK_MONOTONIC) - began) * rate / INT64_C(1000000000);
    // At most 256 commands may wait for their replies.
    while (next <= total && next <= due && next - replies < 200) {
      char line[128];
      const int length = message(line, sizeof line, words[1], port, next);
      sent[next++] = now(CLOCK_MONOTONIC);
      if (write(link, line, (size_t)length) != length) return 1;
    }
    if (!has_replies) {
      usleep(500);
      replies = next - 1;
    } else {
      replies += drain(link, 1);
    }
  }
  // A block renders the last value.
  if (!has_replies) usleep(200000);
  while (replies < total) replies += drain(link, 1000);
  const int64_t ended = now(CLOCK_MONOTONIC);
  const double percent = 100.0 * (double)(now(process) - used) / (double)(ended - began);

  // A value that the next one replaced within a block was in time when the next one was.
  int64_t first = 0;
  long heard_count = 0;
  for (long value = total; value >= 1; value--) {
    if (heard[value]) first = heard[value], heard_count++;
    delays[value] = first - sent[value];
  }
  qsort(delays + 1, (size_t)total, sizeof *delays, compare);
  printf("%.2f %.0f %.0f %ld\n", percent, (double)delays[1 + total / 2] / 1e3,
      (double)delays[1 + total * 99 / 100] / 1e3, is_midi(words[1]) ? heard_count : replies);
  return 0;
}
