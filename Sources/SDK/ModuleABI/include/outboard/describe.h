// describe.h: writes the parameters of code as manifest lines. SPDX-License-Identifier: MIT
//
// Ports whose code has parameter names and ranges export `outboard_describe` with these functions. Then the
// source needs no comment with parameters.
#pragma once

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/// A writer of manifest lines.
typedef struct {
  char *text;
  uint32_t capacity;
  uint32_t length; // of the complete text, which may exceed the capacity
  uint32_t parameter_count;
} outboard_description;

/// A parameter of the code; NULL fields are omitted.
typedef struct {
  const char *symbol; // the name in rigs; NULL: derived from the name
  const char *name;
  const char *unit;
  const char *scale; // "logarithmic", "integer" or "toggle"
  float minimum;
  float start;
  float maximum;
  const char *const *choices; // the names of the minimum and the whole numbers after it; NULL for none
  uint32_t choice_count;
} outboard_parameter;

static inline void outboard_say(outboard_description *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline void outboard_say(outboard_description *d, const char *format, ...) {
  const uint32_t left = d->length < d->capacity ? d->capacity - d->length : 0;
  va_list arguments;
  va_start(arguments, format);
  const int count = vsnprintf(left > 0 ? d->text + d->length : NULL, left, format, arguments);
  va_end(arguments);
  if (count > 0) d->length += (uint32_t)count;
}

static inline outboard_description outboard_describe_channels(char *text, uint32_t capacity,
                                                              uint32_t inputs, uint32_t outputs) {
  outboard_description d = {text, capacity, 0, 0};
  outboard_say(&d, "inputs: %u\noutputs: %u\n", (unsigned)inputs, (unsigned)outputs);
  return d;
}

/// Writes a quoted text, without characters that YAML would interpret.
static inline void outboard_say_text(outboard_description *d, const char *text) {
  outboard_say(d, "\"");
  for (; *text != 0; text++) {
    if (*text == '"' || *text == '\\') outboard_say(d, "\\");
    // Old code may not be UTF-8; an invalid byte becomes a question mark.
    outboard_say(d, "%c", (unsigned char)*text < ' ' || (unsigned char)*text > '~' ? '?' : *text);
  }
  outboard_say(d, "\"");
}

/// Makes a unique symbol from a name: lower-case letters, digits and underscores.
static inline void outboard_symbol(const outboard_description *d, const char *name, char symbol[48]) {
  uint32_t length = 0;
  for (; *name != 0 && length < 30; name++) {
    if (isalnum((unsigned char)*name) && (unsigned char)*name < 128)
      symbol[length++] = (char)tolower((unsigned char)*name);
    else if (length > 0 && symbol[length - 1] != '_')
      symbol[length++] = '_';
  }
  while (length > 0 && symbol[length - 1] == '_') length--;
  symbol[length] = 0;
  char taken[64];
  snprintf(taken, sizeof taken, "symbol: %s,", symbol);
  const int is_taken = d->length < d->capacity && strstr(d->text, taken) != NULL;
  const unsigned number = d->parameter_count + 1;
  // A symbol starts with a letter and is unique.
  if (length == 0) snprintf(symbol, 48, "p%u", number);
  else if (isdigit((unsigned char)symbol[0])) snprintf(symbol, 48, "p%u_%.*s", number, 30, taken + 8);
  else if (is_taken) snprintf(symbol + length, 48 - length, "_%u", number);
  for (char *c = symbol; *c != 0; c++)
    if (*c == ',') *c = 0;
}

static inline void outboard_describe_parameter(outboard_description *d, outboard_parameter p) {
  char symbol[48], name[32];
  const unsigned number = d->parameter_count + 1;
  snprintf(name, sizeof name, "Parameter %u", number);
  outboard_symbol(d, p.symbol != NULL ? p.symbol : p.name != NULL ? p.name : "", symbol);
  if (!isfinite(p.minimum)) p.minimum = 0;
  if (!isfinite(p.maximum) || !(p.maximum > p.minimum)) p.maximum = p.minimum + 1;
  if (!isfinite(p.start)) p.start = p.minimum;
  p.start = fminf(fmaxf(p.start, p.minimum), p.maximum);
  const int is_broken = p.scale != NULL && *p.scale == 'l' && !(p.minimum > 0);
  outboard_say(d, "%s  - {symbol: %s, name: ", number == 1 ? "parameters:\n" : "", symbol);
  outboard_say_text(d, p.name != NULL && *p.name != 0 ? p.name : name);
  if (p.unit != NULL && *p.unit != 0) {
    outboard_say(d, ", unit: ");
    outboard_say_text(d, p.unit);
  }
  if (p.choices != NULL) {
    for (uint32_t c = 0; c < p.choice_count; c++) {
      outboard_say(d, c == 0 ? ", choices: [" : ", ");
      outboard_say_text(d, p.choices[c]);
    }
    if (p.minimum != 0) outboard_say(d, "], minimum: %d", (int)p.minimum);
    else outboard_say(d, "]");
    outboard_say(d, ", default: %d}\n", (int)p.start);
    d->parameter_count++;
    return;
  }
  if (p.scale != NULL && !is_broken) outboard_say(d, ", scale: %s", p.scale);
  if (p.scale == NULL || *p.scale != 't')
    outboard_say(d, ", minimum: %.9g, default: %.9g, maximum: %.9g", (double)p.minimum,
                 (double)p.start, (double)p.maximum);
  else
    outboard_say(d, ", default: %d", p.start > 0.5f);
  outboard_say(d, "}\n");
  d->parameter_count++;
}

/// Writes a readout as an item of a list.
static inline void outboard_describe_readout(outboard_description *d, outboard_parameter p) {
  char symbol[48];
  outboard_symbol(d, p.symbol != NULL ? p.symbol : p.name != NULL ? p.name : "", symbol);
  outboard_say(d, "{symbol: %s, name: ", symbol);
  outboard_say_text(d, p.name != NULL && *p.name != 0 ? p.name : symbol);
  if (p.unit != NULL && *p.unit != 0) {
    outboard_say(d, ", unit: ");
    outboard_say_text(d, p.unit);
  }
  outboard_say(d, ", minimum: %.9g, maximum: %.9g}", (double)p.minimum, (double)p.maximum);
}
