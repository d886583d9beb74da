// control-floor.c: the least that a server of values does, as a floor for Benchmarks/control. SPDX-License-Identifier: MIT
//
// Usage: control-floor SOCKET|PORT [DISPLAYS]
//
// A number is a port of UDP. The value of each OSC message is stored. At a socket, the number in each line of JSON is
// stored, and a line with it is the reply. With a number of displays, each receives the same line of levels 20 times a
// second, and acknowledges it. Ends with the first client of the socket, or by a signal.
#include <arpa/inet.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static volatile float value;

/// Waits as an event loop does, and reads datagrams.
static int serve_datagrams(int port) {
  const int socket_ = socket(AF_INET, SOCK_DGRAM, 0), loop = epoll_create1(0);
  const struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct epoll_event event = {.events = EPOLLIN};
  if (bind(socket_, (const struct sockaddr *)&address, sizeof address)) return perror("bind"), 1;
  if (epoll_ctl(loop, EPOLL_CTL_ADD, socket_, &event)) return perror("epoll_ctl"), 1;
  char bytes[2048];
  for (;;) {
    epoll_wait(loop, &event, 1, -1);
    const ssize_t count = recv(socket_, bytes, sizeof bytes, 0);
    if (count < 4) continue;
    uint32_t bits;
    memcpy(&bits, bytes + count - 4, 4);
    bits = ntohl(bits);
    float number;
    memcpy(&number, &bits, 4);
    value = number;
  }
}

static int listen_at(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  const int door = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(door, (const struct sockaddr *)&address, sizeof address) || listen(door, 32)) return perror(path), exit(1), -1;
  return door;
}

static int64_t milliseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000) + time.tv_nsec / 1000000;
}

/// Sends levels to clients, and reads what they acknowledge.
static int serve_displays(const char *path, int count) {
  enum { MOST = 32, INTERVAL = 50 };
  if (count > MOST) return 2;
  const int door = listen_at(path);
  struct pollfd links[MOST];
  for (int i = 0; i < count; i++) links[i] = (struct pollfd){.fd = accept(door, NULL, NULL), .events = POLLIN};
  static const char levels[] =
      "{\"event\":\"levels\",\"inputPeakDBFS\":[-20.11,-20.11],\"load\":0.0012,\"nodes\":[{\"name\":\"probe\","
      "\"peakDBFS\":-20.11,\"readouts\":[]}],\"outputPeakDBFS\":[-20.11,-20.11],\"seconds\":12.345,\"sequence\":1234,"
      "\"xruns\":0}\n";
  for (int64_t due = milliseconds();;) {
    const int64_t now = milliseconds();
    if (now < due) {
      poll(links, (nfds_t)count, (int)(due - now));
      char bytes[1024];
      for (int i = 0; i < count; i++)
        if (links[i].revents && recv(links[i].fd, bytes, sizeof bytes, MSG_DONTWAIT) == 0) return 0;
      continue;
    }
    due += INTERVAL;
    for (int i = 0; i < count; i++) send(links[i].fd, levels, sizeof levels - 1, MSG_NOSIGNAL);
  }
}

/// Reads lines of one client, and answers each.
static int serve_lines(const char *path) {
  const int door = listen_at(path), client = accept(door, NULL, NULL);
  static char bytes[1 << 16];
  size_t held = 0;
  for (;;) {
    const ssize_t count = recv(client, bytes + held, sizeof bytes - held - 1, 0);
    if (count <= 0) return 0;
    held += (size_t)count;
    bytes[held] = 0;
    char *line = bytes, *end;
    while ((end = memchr(line, '\n', held - (size_t)(line - bytes)))) {
      const char *number = strstr(line, "\"value\":");
      if (number) value = strtof(number + 8, NULL);
      char reply[128];
      const int length = snprintf(reply, sizeof reply, "{\"changes\":[{\"change\":\"parameter\",\"value\":%g}]}\n", value);
      if (send(client, reply, (size_t)length, MSG_NOSIGNAL) != length) return 0;
      line = end + 1;
    }
    held -= (size_t)(line - bytes);
    memmove(bytes, line, held);
  }
}

int main(int count, char **words) {
  if (count == 3) return serve_displays(words[1], atoi(words[2]));
  if (count != 2) return 2;
  const int port = atoi(words[1]);
  return port ? serve_datagrams(port) : serve_lines(words[1]);
}
