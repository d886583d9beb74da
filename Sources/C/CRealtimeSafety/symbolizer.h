// symbolizer.h: from addresses to words. SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>
#include <stddef.h>

/// Whether a library is part of this program: the Swift runtime, where it is not linked statically.
bool place_is_ours(const char *library);

/// Whether an address lies in this program, or in one of the C library's own objects.
bool place_is_program(const void *address);
bool place_is_system(const void *address);

/// Whether an address lies in the file `library`.
bool place_is_in(const void *address, const char *library);

/// The file that an address lies in, and where in it; NULL where there is none.
const char *place_file(const void *address, unsigned long *offset);

/// The innermost of `frames` that lies in the file `library`, if that is named, else in any that is neither
/// the program nor the C library, as `plugin.so+0x12ab (symbol)`; empty if there is none.
///
/// Returns which of the frames it is; -1 for none.
int place_name(char *text, size_t capacity, void *const *frames, int depth, const char *library);
