// names.h: the owners of libraries and steps. SPDX-License-Identifier: MIT
#pragma once

#include <stddef.h>

/// The owner of a library or step.
typedef struct {
  /// The path that the library was loaded from.
  char *library;
  /// The context of a node's step; NULL for a library.
  const void *subject;
  /// The owner, as the beginning of a message.
  char *owner;
} name;

/// Returns the node whose step has this context; NULL if unknown.
const name *name_of_subject(const void *subject);

/// Writes the owner of the only known library, or `A plugin (A, B)` with all of them; empty if there is none.
void name_suspects(char *text, size_t capacity);

/// Returns the owner of the innermost frame in a known library; NULL if there is none.
const name *name_of_frames(void *const *frames, int depth);
