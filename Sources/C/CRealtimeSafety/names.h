// names.h: the owners of libraries and steps. SPDX-License-Identifier: MIT
#pragma once

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

/// Returns the owner of the innermost frame in a known library; NULL if there is none.
const name *name_of_frames(void *const *frames, int depth);
