// wait-steady.c: waits until audio runs steadily. SPDX-License-Identifier: MIT
//
//   wait-steady SINCE LIMIT PID FILE...
//
// FILEs are the status files of PCMs (/proc/asound/CARD/pcm0p/sub0/status). Audio runs steadily if, for half a
// second, the positions of the card and of the program advance on all of them without a pause of a tenth of a
// second. Prints the seconds from SINCE (of /proc/uptime) to the start of that half second, "silent" if LIMIT
// seconds pass first, or "died" if the process PID ends.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { most = 4 };
static const double steady = 0.5, rest = 0.1, step = 0.005;

struct side {
  long long position;
  double moved; // the last time it advanced
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_BOOTTIME, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int dead(const char *pid) {
  char path[64], text[256], state = 'Z';
  snprintf(path, sizeof path, "/proc/%s/stat", pid);
  FILE *file = fopen(path, "r");
  if (!file) return 1;
  if (fgets(text, sizeof text, file)) {
    char *end = strrchr(text, ')');
    if (end && end[1]) state = end[2];
  }
  fclose(file);
  return state == 'Z' || state == 'X';
}

// Returns whether a position advanced, or has paused only briefly.
static int goes_on(struct side *side, long long position, double time) {
  int forward = position > side->position;
  int back = position < side->position;
  if (forward || back) side->moved = time;
  side->position = position;
  return !back && time - side->moved < rest;
}

static int runs(const char *path, struct side sides[2], double time) {
  char line[128];
  int running = 0, good = 1;
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  while (fgets(line, sizeof line, file)) {
    long long position;
    if (strstr(line, "RUNNING")) running = 1;
    if (sscanf(line, "hw_ptr : %lld", &position) == 1) good &= goes_on(&sides[0], position, time);
    if (sscanf(line, "appl_ptr : %lld", &position) == 1) good &= goes_on(&sides[1], position, time);
  }
  fclose(file);
  return running && good;
}

int main(int count, char **words) {
  struct side sides[most][2] = {{{0, 0}}};
  if (count < 5 || count - 4 > most) return 2;
  double since = atof(words[1]), limit = atof(words[2]);
  double began = -1;
  for (double time = now(); time - since < limit + steady; time = now()) {
    int good = 1;
    if (dead(words[3])) {
      puts("died");
      return 1;
    }
    for (int i = 4; i < count; i++) good &= runs(words[i], sides[i - 4], time);
    if (!good) began = -1;
    else if (began < 0) began = time;
    if (began >= 0 && time - began >= steady) {
      printf("%.2f\n", began > since ? began - since : 0);
      return 0;
    }
    usleep((useconds_t)(step * 1e6));
  }
  puts("silent");
  return 1;
}
