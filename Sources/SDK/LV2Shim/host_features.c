// host_features.c: the features that the host offers to an instance. SPDX-License-Identifier: MIT
#include "host_features.h"

#include <lv2/atom/atom.h>
#include <lv2/buf-size/buf-size.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
  longest_option = 1 << 20,
  /// Space for a path and a message about it.
  longest_complaint = 8192,
};

host_features host_features_find(const LV2_Feature *const *features, const char *uri) {
  host_features found = {.uri = uri};
  for (; features && *features; features++) {
    const char *name = (*features)->URI;
    if (strcmp(name, LV2_URID__map) == 0) found.map = (*features)->data;
    if (strcmp(name, LV2_LOG__log) == 0) found.log = (*features)->data;
    if (strcmp(name, LV2_WORKER__schedule) == 0) found.worker = (*features)->data;
    if (strcmp(name, LV2_OPTIONS__options) == 0) found.options = (*features)->data;
    if (strcmp(name, LV2_BUF_SIZE__fixedBlockLength) == 0) found.has_fixed_blocks = true;
  }
  return found;
}

LV2_URID host_features_number(const host_features *host, const char *uri) {
  return host->map ? host->map->map(host->map->handle, uri) : 0;
}

uint32_t host_features_option(const host_features *host, const char *uri) {
  if (!host->map || !host->options) return 0;
  LV2_URID key = host_features_number(host, uri), type = host_features_number(host, LV2_ATOM__Int);
  for (const LV2_Options_Option *option = host->options; option->key || option->value; option++) {
    if (option->key != key || option->type != type || option->size != sizeof(int32_t)) continue;
    int32_t value = *(const int32_t *)option->value;
    return value > 0 && value <= longest_option ? (uint32_t)value : 0;
  }
  return 0;
}

void log_error(const host_features *host, const char *format, ...) {
  char text[longest_complaint];
  va_list words;
  va_start(words, format);
  vsnprintf(text, sizeof text, format, words);
  va_end(words);
  if (host->log && host->map) {
    host->log->printf(host->log->handle, host_features_number(host, LV2_LOG__Error), "%s: %s\n",
                      host->uri, text);
  } else {
    fprintf(stderr, "%s: %s\n", host->uri, text);
  }
}
