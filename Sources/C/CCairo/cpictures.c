// cpictures.c: see cpictures.h. SPDX-License-Identifier: MIT

#include "cpictures.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// The part of cairo's ABI in use, unchanged since 1.0: opaque pointers, and these types.
typedef struct {
  double x_bearing, y_bearing, width, height, x_advance, y_advance;
} extents;
typedef int (*write_function)(void *closure, const unsigned char *data, unsigned int length);
enum { FORMAT_ARGB32 = 0, SLANT_NORMAL = 0, WEIGHT_NORMAL = 0, WEIGHT_BOLD = 1, JOIN_ROUND = 1 };
enum { FILTER_BILINEAR = 4, EXTEND_PAD = 3, STATUS_SUCCESS = 0, STATUS_NO_MEMORY = 1 };

// Every function in use, with its result and parameters.
#define FUNCTIONS(_)                                                                               \
  _(void *, cairo_image_surface_create, (int, int, int))                                           \
  _(void *, cairo_image_surface_create_for_data, (unsigned char *, int, int, int, int))            \
  _(void, cairo_surface_destroy, (void *))                                                         \
  _(int, cairo_surface_status, (void *))                                                           \
  _(int, cairo_surface_write_to_png_stream, (void *, write_function, void *))                      \
  _(void *, cairo_create, (void *))                                                                \
  _(void, cairo_destroy, (void *))                                                                 \
  _(int, cairo_status, (void *))                                                                   \
  _(void, cairo_save, (void *))                                                                    \
  _(void, cairo_restore, (void *))                                                                 \
  _(void, cairo_scale, (void *, double, double))                                                   \
  _(void, cairo_translate, (void *, double, double))                                               \
  _(void, cairo_rotate, (void *, double))                                                          \
  _(void, cairo_set_source_rgba, (void *, double, double, double, double))                         \
  _(void, cairo_set_source_surface, (void *, void *, double, double))                              \
  _(void *, cairo_get_source, (void *))                                                            \
  _(void, cairo_pattern_set_filter, (void *, int))                                                 \
  _(void, cairo_pattern_set_extend, (void *, int))                                                 \
  _(void, cairo_paint, (void *))                                                                   \
  _(void, cairo_rectangle, (void *, double, double, double, double))                               \
  _(void, cairo_clip, (void *))                                                                    \
  _(void, cairo_move_to, (void *, double, double))                                                 \
  _(void, cairo_line_to, (void *, double, double))                                                 \
  _(void, cairo_close_path, (void *))                                                              \
  _(void, cairo_fill, (void *))                                                                    \
  _(void, cairo_stroke, (void *))                                                                  \
  _(void, cairo_set_line_width, (void *, double))                                                  \
  _(void, cairo_set_line_join, (void *, int))                                                      \
  _(void, cairo_set_dash, (void *, const double *, int, double))                                   \
  _(void, cairo_select_font_face, (void *, const char *, int, int))                                \
  _(void, cairo_set_font_size, (void *, double))                                                   \
  _(void, cairo_text_extents, (void *, const char *, extents *))                                   \
  _(void, cairo_show_text, (void *, const char *))

#define DECLARE(result, name, arguments) static result(*name) arguments;
FUNCTIONS(DECLARE)

static bool is_loaded;

static void load(void) {
  void *library = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
#define FIND(result, name, arguments)                                                              \
  name = (result(*) arguments)dlsym(library, #name);                                               \
  if (!name) return;
  FUNCTIONS(FIND)
  is_loaded = true;
}

struct cpictures_canvas {
  void *surface, *context;
};

cpictures_canvas *cpictures_create(double width, double height, double scale) {
  // Plots may be drawn on several threads.
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  if (!is_loaded) return NULL;
  cpictures_canvas *canvas = calloc(1, sizeof *canvas);
  if (!canvas) return NULL;
  canvas->surface = cairo_image_surface_create(FORMAT_ARGB32, (int)lround(width * scale),
                                               (int)lround(height * scale));
  canvas->context = cairo_create(canvas->surface);
  if (cairo_status(canvas->context) != STATUS_SUCCESS) {
    cpictures_destroy(canvas);
    return NULL;
  }
  cairo_set_source_rgba(canvas->context, 1, 1, 1, 1);
  cairo_paint(canvas->context);
  cairo_scale(canvas->context, scale, scale);
  cairo_set_line_join(canvas->context, JOIN_ROUND);
  return canvas;
}

void cpictures_destroy(cpictures_canvas *canvas) {
  cairo_destroy(canvas->context);
  cairo_surface_destroy(canvas->surface);
  free(canvas);
}

static void trace(cpictures_canvas *canvas, const double *points, size_t count,
                  cpictures_colour colour) {
  cairo_set_source_rgba(canvas->context, colour.red, colour.green, colour.blue, colour.alpha);
  for (size_t point = 0; point < count; point++)
    (point ? cairo_line_to : cairo_move_to)(canvas->context, points[2 * point],
                                            points[2 * point + 1]);
}

void cpictures_fill(cpictures_canvas *canvas, const double *points, size_t count,
                    cpictures_colour colour) {
  trace(canvas, points, count, colour);
  cairo_close_path(canvas->context);
  cairo_fill(canvas->context);
}

void cpictures_stroke(cpictures_canvas *canvas, const double *points, size_t count, double width,
                      double dash, cpictures_colour colour) {
  trace(canvas, points, count, colour);
  cairo_set_line_width(canvas->context, width);
  cairo_set_dash(canvas->context, &dash, dash > 0, 0);
  cairo_stroke(canvas->context);
}

void cpictures_text(cpictures_canvas *canvas, double x, double y, double size, bool is_bold,
                    bool is_upright, double anchor, cpictures_colour colour, const char *text) {
  void *context = canvas->context;
  extents box;
  cairo_save(context);
  cairo_select_font_face(context, "sans-serif", SLANT_NORMAL, is_bold ? WEIGHT_BOLD : WEIGHT_NORMAL);
  cairo_set_font_size(context, size);
  cairo_text_extents(context, text, &box);
  cairo_translate(context, x, y);
  if (is_upright) cairo_rotate(context, -acos(0));
  cairo_set_source_rgba(context, colour.red, colour.green, colour.blue, colour.alpha);
  cairo_move_to(context, -anchor * box.x_advance, 0);
  cairo_show_text(context, text);
  cairo_restore(context);
}

void cpictures_image(cpictures_canvas *canvas, double x, double y, double width, double height,
                     const uint32_t *pixels, int columns, int rows) {
  void *context = canvas->context;
  // The pixels are only read, because the surface is a source.
  void *image = cairo_image_surface_create_for_data((unsigned char *)pixels, FORMAT_ARGB32, columns,
                                                    rows, 4 * columns);
  cairo_save(context);
  cairo_rectangle(context, x, y, width, height);
  cairo_clip(context);
  cairo_translate(context, x, y);
  cairo_scale(context, width / columns, height / rows);
  cairo_set_source_surface(context, image, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(context), FILTER_BILINEAR);
  // Without this the edges fade into the background.
  cairo_pattern_set_extend(cairo_get_source(context), EXTEND_PAD);
  cairo_paint(context);
  cairo_restore(context);
  cairo_surface_destroy(image);
}

struct bytes {
  uint8_t *data;
  size_t count, capacity;
};

static int append(void *closure, const unsigned char *data, unsigned int length) {
  struct bytes *bytes = closure;
  if (bytes->count + length > bytes->capacity) {
    size_t capacity = 2 * (bytes->count + length);
    uint8_t *longer = realloc(bytes->data, capacity);
    if (!longer) return STATUS_NO_MEMORY;
    bytes->data = longer;
    bytes->capacity = capacity;
  }
  memcpy(bytes->data + bytes->count, data, length);
  bytes->count += length;
  return STATUS_SUCCESS;
}

uint8_t *cpictures_png(cpictures_canvas *canvas, size_t *byte_count) {
  struct bytes bytes = {0};
  if (cairo_surface_write_to_png_stream(canvas->surface, append, &bytes) != STATUS_SUCCESS) {
    free(bytes.data);
    return NULL;
  }
  *byte_count = bytes.count;
  return bytes.data;
}
