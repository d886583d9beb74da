// cpictures.h: pictures drawn by cairo, which is loaded when one is drawn. SPDX-License-Identifier: MIT
//
// Not linked: whoever never draws needs no cairo, and no command starts later for it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A picture that is being drawn.
typedef struct cpictures_canvas cpictures_canvas;

/// A colour; parts from 0 to 1.
typedef struct {
  double red, green, blue, alpha;
} cpictures_colour;

/// A white picture so many points wide and high, with `scale` pixels to the point; NULL where there is no
/// cairo, or no memory.
cpictures_canvas *_Nullable cpictures_create(double width, double height, double scale);

/// Frees it.
void cpictures_destroy(cpictures_canvas *_Nonnull canvas);

/// Fills what lies within points, x and y in turn.
void cpictures_fill(cpictures_canvas *_Nonnull canvas, const double *_Nonnull points, size_t count,
                    cpictures_colour colour);

/// Draws a line through points; dashed where `dash` is above 0.
void cpictures_stroke(cpictures_canvas *_Nonnull canvas, const double *_Nonnull points,
                      size_t count, double width, double dash, cpictures_colour colour);

/// Writes UTF-8; `anchor` is 0 where it begins at x, 0.5 where its middle is there, 1 where it ends there.
void cpictures_text(cpictures_canvas *_Nonnull canvas, double x, double y, double size, bool is_bold,
                    bool is_upright, double anchor, cpictures_colour colour,
                    const char *_Nonnull text);

/// Puts pixels (0xffRRGGBB, row by row) into a rectangle.
void cpictures_image(cpictures_canvas *_Nonnull canvas, double x, double y, double width,
                     double height, const uint32_t *_Nonnull pixels, int columns, int rows);

/// The picture as PNG; NULL where it could not be made. The caller frees it.
uint8_t *_Nullable cpictures_png(cpictures_canvas *_Nonnull canvas, size_t *_Nonnull byte_count);
