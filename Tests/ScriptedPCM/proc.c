// proc.c: /proc/asound and /sys/class/sound, in place of the kernel's. SPDX-License-Identifier: MIT
//
// It writes them to a directory next to the script, and redirects the program's fopen and opendir to it.
#include "scripted.h"

#include <dirent.h>
#include <ftw.h>
#include <stdarg.h>
#include <sys/stat.h>

static char root[512];

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *place) {
  (void)facts, (void)kind, (void)place;
  return remove(path);
}

static FILE *create(const char *format, ...) __attribute__((format(printf, 1, 2)));
static FILE *create(const char *format, ...) {
  char path[1024];
  int length = snprintf(path, sizeof path, "%s", root);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(path + length, sizeof path - (size_t)length, format, arguments);
  va_end(arguments);
  // Creates all parent directories.
  for (char *slash = path + length + 1; (slash = strchr(slash, '/')); slash++) {
    *slash = 0;
    mkdir(path, 0777);
    *slash = '/';
  }
  FILE *file = REAL(fopen)(path, "w");
  if (!file) give_up(96, "%s cannot be written", path);
  return file;
}

static void show_line(const char *text, FILE *file) {
  fprintf(file, "%s\n", text);
  fclose(file);
}

static void show_card(const struct card *card) {
  show_line(card->id, create("/proc/asound/card%d/id", card->number));
  if (card->usb_id[0]) show_line(card->usb_id, create("/proc/asound/card%d/usbid", card->number));
  fclose(create("/sys/class/sound/card%d/device/name", card->number));
  if (card->serial[0]) show_line(card->serial, create("/sys/class/sound/card%d/serial", card->number));
  for (int side = 0; side < 2; side++) {
    if (!card->has_direction[side]) continue;
    FILE *file = create("/proc/asound/card%d/pcm0%c/sub0/status", card->number,
                        side == CAPTURE ? 'c' : 'p');
    show_line(card->is_seized ? "state: RUNNING\nowner_pid   : 1" : "closed", file);
  }
}

void show_cards(void) {
  if (!root[0]) {
    snprintf(root, sizeof root, "%s.root", getenv("SCRIPTED_PCM"));
    mkdir(root, 0777);
  }
  nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
  mkdir(root, 0777);
  FILE *list = create("/proc/asound/cards");
  for (int number = 0; number < 32; number++) {
    const struct card *card = card_numbered(number);
    if (!card) continue;
    fprintf(list, "%2d [%-15s]: scripted - %s\n                      %s\n", number, card->id,
            card->name, card->name);
    show_card(card);
  }
  fclose(list);
}

/// Returns the path that replaces `path` on the scripted machine.
static const char *place(const char *path, char *buffer, size_t size) {
  bool is_ours = strncmp(path, "/proc/asound", 12) == 0 || strncmp(path, "/sys/class/sound", 16) == 0;
  if (!is_scripted || !is_ours) return path;
  snprintf(buffer, size, "%s%s", root, path);
  return buffer;
}

EXPORTED FILE *fopen(const char *path, const char *mode) {
  char buffer[1024];
  return REAL(fopen)(place(path, buffer, sizeof buffer), mode);
}

EXPORTED FILE *fopen64(const char *path, const char *mode) {
  char buffer[1024];
  return REAL(fopen64)(place(path, buffer, sizeof buffer), mode);
}

EXPORTED DIR *opendir(const char *path) {
  char buffer[1024];
  return REAL(opendir)(place(path, buffer, sizeof buffer));
}
