// interleave.c: runs commands in turn and compares their times. SPDX-License-Identifier: MIT
//
// Usage: interleave ROUNDS NAME COMMAND [NAME COMMAND ...]
//
// It runs the commands in the order A B C A B C ..., so that other load on the machine affects all of them alike.
// For each command it prints the median of the wall time, of the processor time (all threads, and the children
// it waited for), and of the ratio of both to the first command's in the same round. A command is split at
// blanks. Its input is empty and its output is discarded. One round before the others is not counted.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAXIMUM_COMMANDS = 16, MAXIMUM_WORDS = 256 };

/// In seconds.
typedef struct {
  double wall;
  double processor;
} cost;

static double seconds(struct timeval time) { return (double)time.tv_sec + 1e-6 * (double)time.tv_usec; }

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void become(const char *command) {
  char *words[MAXIMUM_WORDS + 1];
  int count = 0;
  char *text = strdup(command);
  for (char *word = strtok(text, " "); word && count < MAXIMUM_WORDS; word = strtok(NULL, " ")) {
    words[count++] = word;
  }
  words[count] = NULL;
  int nothing = open("/dev/null", O_RDWR);
  for (int stream = 0; stream < 3; stream++) dup2(nothing, stream);
  execvp(words[0], words);
  _exit(127);
}

static cost run(const char *name, const char *command) {
  double start = now();
  pid_t child = fork();
  if (child == 0) become(command);
  int status = 0;
  struct rusage usage;
  while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  double end = now();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fprintf(stderr, "interleave: %s failed (status %d): %s\n", name, status, command);
    exit(1);
  }
  return (cost){end - start, seconds(usage.ru_utime) + seconds(usage.ru_stime)};
}

static int ascending(const void *one, const void *other) {
  double difference = *(const double *)one - *(const double *)other;
  return difference < 0 ? -1 : difference > 0;
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, ascending);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

int main(int argumentCount, char **arguments) {
  int rounds = argumentCount > 1 ? atoi(arguments[1]) : 0;
  int commands = (argumentCount - 2) / 2;
  if (rounds < 1 || commands < 1 || commands > MAXIMUM_COMMANDS || argumentCount % 2 != 0) {
    fprintf(stderr, "Usage: interleave ROUNDS NAME COMMAND [NAME COMMAND ...]\n");
    return 2;
  }
  cost *costs = calloc((size_t)(rounds * commands), sizeof *costs);
  double *values = calloc((size_t)rounds, sizeof *values);
  if (!costs || !values) return 1;
  for (int round = -1; round < rounds; round++) {
    for (int command = 0; command < commands; command++) {
      cost one = run(arguments[2 + 2 * command], arguments[3 + 2 * command]);
      if (round >= 0) costs[round * commands + command] = one;
    }
  }
  printf("%-28s %12s %8s %12s %8s\n", "", "wall ms", "ratio", "processor ms", "ratio");
  for (int command = 0; command < commands; command++) {
    double figures[4];
    for (int figure = 0; figure < 4; figure++) {
      for (int round = 0; round < rounds; round++) {
        cost own = costs[round * commands + command];
        cost first = costs[round * commands];
        double whole[4] = {own.wall * 1e3, own.wall / first.wall, own.processor * 1e3,
                           own.processor / first.processor};
        values[round] = whole[figure];
      }
      figures[figure] = median(values, rounds);
    }
    printf("%-28s %12.1f %8.2f %12.1f %8.2f\n", arguments[2 + 2 * command], figures[0], figures[1],
           figures[2], figures[3]);
  }
  free(values);
  free(costs);
  return 0;
}
