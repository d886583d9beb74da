// cpictures.h: plots drawn by cairo, which is loaded on first use. SPDX-License-Identifier: MIT
//
// Cairo is not linked: it is needed only for plots, and does not slow down the start of other commands.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A plot that is being drawn.
typedef struct cpictures_canvas cpictures_canvas;

/// A colour; components from 0 to 1.
typedef struct {
  double red, green, blue, alpha;
} cpictures_colour;

/// Creates a white canvas of `width` by `height` points, with `scale` pixels per point. Returns NULL if cairo
/// or memory is missing.
cpictures_canvas *_Nullable cpictures_create(double width, double height, double scale);

/// Frees the canvas.
void cpictures_destroy(cpictures_canvas *_Nonnull canvas);

/// Fills the polygon of these points: x and y alternate.
void cpictures_fill(cpictures_canvas *_Nonnull canvas, const double *_Nonnull points, size_t count,
                    cpictures_colour colour);

/// Draws a line through points; dashed if `dash` is above 0.
void cpictures_stroke(cpictures_canvas *_Nonnull canvas, const double *_Nonnull points,
                      size_t count, double width, double dash, cpictures_colour colour);

/// Draws UTF-8 text. `anchor` is 0 if the text begins at x, 0.5 if it is centred there, 1 if it ends there.
void cpictures_text(cpictures_canvas *_Nonnull canvas, double x, double y, double size, bool is_bold,
                    bool is_upright, double anchor, cpictures_colour colour,
                    const char *_Nonnull text);

/// Draws pixels (0xffRRGGBB, row by row) into a rectangle.
void cpictures_image(cpictures_canvas *_Nonnull canvas, double x, double y, double width,
                     double height, const uint32_t *_Nonnull pixels, int columns, int rows);

/// Returns the plot as PNG, or NULL on failure. The caller frees it.
uint8_t *_Nullable cpictures_png(cpictures_canvas *_Nonnull canvas, size_t *_Nonnull byte_count);
