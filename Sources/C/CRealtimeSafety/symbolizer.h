// symbolizer.h: converts addresses to text. SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>
#include <stddef.h>

/// Returns whether a library is part of this program: the Swift runtime, if it is not linked statically.
bool place_is_ours(const char *library);

/// Returns whether an address is in this program, or in one of the C library's own objects.
bool place_is_program(const void *address);
bool place_is_system(const void *address);

/// Returns whether an address is in the file `library`.
bool place_is_in(const void *address, const char *library);

/// Returns the file of an address, and the offset in it; NULL if there is none.
const char *place_file(const void *address, unsigned long *offset);

/// Writes the file whose debug information has the source line of an address, and stores the offset in it; empty if
/// there is none. A return address is the instruction after a call, so its line is found one byte before; an exact
/// address is that of the instruction itself. `library` is the original of copies in memory.
void place_source(const char *address, bool is_exact, const char *library, char *text, size_t capacity,
                  unsigned long *offset);

/// Writes the location of the innermost of `frames` as `plugin.so+0x12ab (symbol)`; empty if there is none.
/// The frame must be in the file `library`; if that is empty, in any file except the program and the C
/// library.
///
/// Returns the index of the frame, or -1.
int place_name(char *text, size_t capacity, void *const *frames, int depth, const char *library);
