// displays.c: clients of the control socket that show levels; see Benchmarks/control. SPDX-License-Identifier: MIT
//
// Usage: displays SOCKET COUNT: subscribes to levels 20 times a second, and acknowledges each fourth, until it is ended.
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MOST = 32, BYTES = 1 << 16 };

/// A connection, and the part of a line that has arrived.
typedef struct {
  char line[BYTES];
  size_t length;
  unsigned levels;
} Display;

static void acknowledge(int link, Display *display, const char *line) {
  static const char key[] = "\"sequence\":";
  const char *found = strstr(line, key);
  if (!found || !strstr(line, "\"event\":\"levels\"")) return;
  if (++display->levels % 4) return;
  char reply[80];
  const int length = snprintf(
      reply, sizeof reply, "{\"command\":\"acknowledge\",\"sequence\":%ld}\n", atol(found + sizeof key - 1));
  if (write(link, reply, (size_t)length) != length) exit(1);
}

static void receive(int link, Display *display) {
  const ssize_t count = read(link, display->line + display->length, BYTES - 1 - display->length);
  if (count <= 0) exit(1);
  display->length += (size_t)count;
  display->line[display->length] = 0;
  char *start = display->line, *end;
  while ((end = memchr(start, '\n', display->length - (size_t)(start - display->line)))) {
    *end = 0;
    acknowledge(link, display, start);
    start = end + 1;
  }
  display->length -= (size_t)(start - display->line);
  memmove(display->line, start, display->length);
}

int main(int count, char **words) {
  const int clients = count == 3 ? atoi(words[2]) : 0;
  if (clients < 1 || clients > MOST) return 2;
  static Display displays[MOST];
  struct pollfd links[MOST];
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, words[1], sizeof address.sun_path - 1);
  static const char subscribe[] = "{\"command\":\"subscribe\",\"events\":[\"changed\",\"levels\"],\"levels\":20}\n";
  for (int i = 0; i < clients; i++) {
    links[i] = (struct pollfd){.fd = socket(AF_UNIX, SOCK_STREAM, 0), .events = POLLIN};
    if (connect(links[i].fd, (const struct sockaddr *)&address, sizeof address)) return perror(words[1]), 1;
    if (write(links[i].fd, subscribe, sizeof subscribe - 1) < 0) return 1;
  }
  while (poll(links, (nfds_t)clients, -1) > 0)
    for (int i = 0; i < clients; i++)
      if (links[i].revents) receive(links[i].fd, &displays[i]);
  return 0;
}
