// names.h: whose libraries and steps there are. SPDX-License-Identifier: MIT
#pragma once

/// Whose something is.
typedef struct {
  /// The path that the library was loaded by.
  char *library;
  /// The context of a node's step; NULL for a library.
  const void *subject;
  /// The beginning of a sentence.
  char *owner;
} name;

/// The node whose step has this context; NULL where it is not known.
const name *name_of_subject(const void *subject);

/// The innermost frame's that lies in a library that is known; NULL where none does.
const name *name_of_frames(void *const *frames, int depth);
