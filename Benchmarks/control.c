// control.c: a client of the control socket that sends `set` commands at a steady rate; see Benchmarks/control.
// SPDX-License-Identifier: MIT
//
// Usage: control SOCKET PROBE PROCESS COMMANDS_PER_SECOND SECONDS
//
// Prints the processor time of the process in percent of a core, the median and 99th percentile of the time from
// sending a value to the first block with it (or with a later one), in microseconds, and the number of replies.
#include <fcntl.h>
#include <poll.h>
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

int main(int count, char **words) {
  if (count != 6) return 2;
  const long rate = atol(words[4]), total = rate * atol(words[5]);
  if (total < 1 || total >= CAPACITY) return 2;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, words[1], sizeof address.sun_path - 1);
  const int link = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(link, (const struct sockaddr *)&address, sizeof address)) return perror(words[1]), 1;
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
      const int length = snprintf(line, sizeof line,
          "{\"command\":\"set\",\"node\":\"probe\",\"values\":{\"value\":%ld}}\n", next);
      sent[next++] = now(CLOCK_MONOTONIC);
      if (write(link, line, (size_t)length) != length) return 1;
    }
    replies += drain(link, 1);
  }
  while (replies < total) replies += drain(link, 1000);
  const int64_t ended = now(CLOCK_MONOTONIC);
  const double percent = 100.0 * (double)(now(process) - used) / (double)(ended - began);

  // A value that the next one replaced within a block was in time when the next one was.
  int64_t first = 0;
  for (long value = total; value >= 1; value--) {
    if (heard[value]) first = heard[value];
    delays[value] = first - sent[value];
  }
  qsort(delays + 1, (size_t)total, sizeof *delays, compare);
  printf("%.2f %.0f %.0f %ld\n", percent, (double)delays[1 + total / 2] / 1e3,
      (double)delays[1 + total * 99 / 100] / 1e3, replies);
  return 0;
}
